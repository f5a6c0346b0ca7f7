#include "runtime/environment.h"
#include "runtime/region/outlook.h"
#include "runtime/region/region.h"

#include <pthread.h>
#include <stddef.h>

/* A region goes through calls: who calls lends it, and gets it back as the function leaves it. */

/* A program or library whose code uses this runtime. */
struct user {
    uintptr_t begin, end;
    uint32_t units; /* that have announced it; 0: it is not there */
};

enum { MOST_USERS = 32 }; /* functions of further ones are lent nothing */

static struct user users[MOST_USERS];
static uint32_t user_count; /* none is after these */
static pthread_mutex_t users_lock = PTHREAD_MUTEX_INITIALIZER;

/* The one that begins there; or, where `adds`, one that is free. NULL: there is none. */
static struct user *find_user(uintptr_t begin, bool adds) {
    struct user *found = NULL;
    uint32_t i;

    for (i = 0; i < MOST_USERS; i++) {
        if (users[i].units > 0 && users[i].begin == begin)
            return &users[i];
        if (adds && found == NULL && users[i].units == 0)
            found = &users[i];
    }
    return found;
}

void __kesco1_announce(const void *begin, const void *end) {
    struct user *user;

    pthread_mutex_lock(&users_lock);
    user = find_user((uintptr_t)begin, true);
    if (user != NULL) {
        user->begin = (uintptr_t)begin;
        __atomic_store_n(&user->end, (uintptr_t)end, __ATOMIC_RELAXED);
        __atomic_store_n(&user->units, user->units + 1, __ATOMIC_RELEASE);
        if (user - users >= (ptrdiff_t)user_count)
            __atomic_store_n(&user_count, (uint32_t)(user - users) + 1, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&users_lock);
}

void __kesco1_withdraw(const void *begin) {
    struct user *user;

    pthread_mutex_lock(&users_lock);
    user = find_user((uintptr_t)begin, false);
    if (user != NULL)
        __atomic_store_n(&user->units, user->units - 1, __ATOMIC_RELEASE);
    kesco_replay_forget_all();
    pthread_mutex_unlock(&users_lock);
}

static bool is_of_users(uintptr_t code) {
    const uint32_t count = __atomic_load_n(&user_count, __ATOMIC_ACQUIRE);
    uint32_t i;

    for (i = 0; i < count; i++)
        if (__atomic_load_n(&users[i].units, __ATOMIC_ACQUIRE) > 0 && users[i].begin <= code &&
            code < __atomic_load_n(&users[i].end, __ATOMIC_RELAXED))
            return true;
    return false;
}

/* What is called may rely on all that was launched, which graphs may have put off. */
uint32_t __kesco1_lend(const void *function) {
    __kesco1_leave_own();
    return kesco_thread_region.way.lent = is_of_users((uintptr_t)function);
}

uint32_t __kesco1_lent(void) {
    return kesco_thread_region.way.lent;
}

uint32_t __kesco1_borrow(void) {
    struct kesco_region_state *region = &kesco_thread_region;
    const bool is_lent = region->way.lent;

    region->way.lent = false;
    if (!is_lent && region->way.open)
        __kesco1_leave_for("a function that its caller lends nothing");
    return is_lent;
}

/* True if KESCO_ONLY lets regions like this have lanes. */
static bool is_named(const struct kesco_region *asked) {
    const struct kesco_statistics *known;

    if (kesco_environment()->only == NULL)
        return true;
    known = kesco_statistics_find(asked);
    return known != NULL && !known->excluded;
}

/* True if ops of `asked` may be part of the region that is open. Those that KESCO_ONLY leaves out join none.
 */
static bool may_join(const struct kesco_region_state *region, void *origin,
                     const struct kesco_region *asked) {
    return region->opened.origin == origin &&
           (region->opened.asked == asked || (kesco_region_is_shared(region) && asked->joins &&
                                              is_named(asked) && is_named(region->opened.asked)));
}

/* Regions that might be replayed join others for so many calls: by then lanes are on the way to pay, or they
 * are opened by themselves. Where loops say that they come so often, one call shows whether the run finds
 * more beside each other than the compiler has. */
enum { TRIED_CALLS = 12, TRIED_AT_LEAST = 1 };

/* True if lanes of the region that is open, or is about to be opened as `asked`, are of no use so far. */
static bool are_in_vain(const struct kesco_region_state *region, const struct kesco_region *asked) {
    if (!region->way.open)
        return !kesco_governor_may_pay(asked);
    return region->way.serial &&
           (!region->way.undecided || !kesco_governor_is_on_the_way(&region->governing.governor));
}

/* With KESCO_MODE_TURNS: for one of so many calls. */
enum { TURNS_OF = 3 };

/* Launches of `asked` are better replayed than beside others: those of others that come before or after them
 * are, too. True if there are none. */
static bool replays_alone(struct kesco_region_state *region, bool has_others) {
    if (has_others && region->way.open)
        kesco_region_rest(region, "its launches are replayed");
    return !has_others;
}

/* True if launches of `asked` are better replayed than beside others. */
static bool is_better_alone(struct kesco_region_state *region, const struct kesco_region *asked,
                            bool has_others) {
    const uint32_t mode = kesco_governor_mode(asked);
    struct kesco_history *history = asked->history;
    uint32_t calls;

    if (!asked->replays || history == NULL || mode == KESCO_MODE_SERIAL || mode == KESCO_MODE_LANES)
        return false;
    if (mode == KESCO_MODE_GRAPH)
        return true;
    if (kesco_region_is_chained(asked))
        return replays_alone(region, has_others);
    calls = __atomic_add_fetch(&history->ops, 1, __ATOMIC_RELAXED);
    if (mode == KESCO_MODE_TURNS)
        return (calls * UINT32_C(2654435761) >> 16) % TURNS_OF == 0;
    if (calls <= TRIED_AT_LEAST || (calls < TRIED_CALLS && !kesco_outlook_is_long(asked, TRIED_CALLS)) ||
        !are_in_vain(region, asked))
        return false;
    __atomic_store_n(&history->ops, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&history->chained, 1, __ATOMIC_RELAXED);
    return replays_alone(region, has_others);
}

void kesco_region_settle_for(struct kesco_region_state *region, uint32_t ends) {
    struct kesco_lent_waits *waits = &region->host.lent;

    if (!region->way.open || waits->failed == NULL || ends == KESCO_ENDS_NOT || ends == waits->ends)
        return;
    __kesco1_settle();
    waits->failed = NULL;
}

void __kesco1_join(uint32_t is_worth, void *origin, const struct kesco_region *asked, uint32_t ends) {
    struct kesco_region_state *region = &kesco_thread_region;
    bool joins;

    kesco_region_settle_for(region, ends);
    joins = region->way.open && may_join(region, origin, asked);
    if (joins && (!asked->replays || region->opened.is_own))
        return;
    if ((!joins && !is_worth && asked->replays) || is_better_alone(region, asked, joins || is_worth)) {
        kesco_region_enter_own(origin, asked);
        return;
    }
    if (joins)
        return;
    if (is_worth) {
        __kesco1_enter(origin, asked);
        return;
    }
    __kesco1_leave();
    region->opened.origin = origin;
    region->way.serial = true;
}
