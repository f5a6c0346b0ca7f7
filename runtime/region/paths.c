#include "runtime/region/paths.h"

/* True for one of so many questions, always the same. */
static bool is_turn(struct kesco_paths *paths, uint32_t of) {
    return ((uint32_t)++paths->turns * UINT32_C(2654435761) >> 16) % of == 0;
}

/* True if `judge` says it of some path. */
static bool any(const struct kesco_paths *paths, const struct kesco_judge *judge,
                bool (*says)(const struct kesco_judge *, const struct kesco_path *)) {
    uint32_t i;

    for (i = 0; i < KESCO_PATHS && judge->mode != KESCO_MODE_TURNS; i++)
        if (says(judge, &paths->known[i]))
            return true;
    return false;
}

bool kesco_paths_pay(const struct kesco_paths *paths, const struct kesco_judge *judge) {
    return any(paths, judge, kesco_judge_allows);
}

bool kesco_paths_may_pay(const struct kesco_paths *paths, const struct kesco_judge *judge) {
    return any(paths, judge, kesco_judge_hopes);
}

bool kesco_paths_begin(struct kesco_paths *paths, const struct kesco_judge *judge) {
    uint32_t i;

    paths->candidates = 0;
    if (judge->mode == KESCO_MODE_TURNS && is_turn(paths, 3))
        return false;
    for (i = 0; i < KESCO_PATHS; i++)
        if (kesco_judge_allows(judge, &paths->known[i]))
            paths->candidates |= (uint64_t)1 << i;
    return paths->candidates != 0;
}

bool kesco_paths_go_on(struct kesco_paths *paths, const struct kesco_pass *pass) {
    uint64_t left;
    uint32_t i;

    for (left = paths->candidates; left != 0; left &= left - 1) {
        i = (uint32_t)__builtin_ctzll(left);
        if (!kesco_path_has(&paths->known[i], pass, pass->count - 1))
            paths->candidates &= ~((uint64_t)1 << i);
    }
    return paths->candidates != 0;
}

const struct kesco_path *kesco_paths_first(const struct kesco_paths *paths) {
    return &paths->known[__builtin_ctzll(paths->candidates)];
}

struct kesco_path *kesco_paths_find_end(struct kesco_paths *paths, const struct kesco_pass *pass) {
    uint64_t left;

    for (left = paths->candidates; left != 0; left &= left - 1)
        if (paths->known[__builtin_ctzll(left)].last.count == pass->count)
            return &paths->known[__builtin_ctzll(left)];
    return NULL;
}

/* What has graphs is kept while others come and go, unless it has not come itself for so many passes. */
enum { KEPT = 128 };

/* True if the one is to give way before the other. */
static bool is_older(const struct kesco_path *one, const struct kesco_path *other, uint64_t now) {
    const bool is_kept = one->graphs > 0 && now - one->used < KEPT,
               is_other_kept = other->graphs > 0 && now - other->used < KEPT;

    return is_kept != is_other_kept ? is_other_kept : one->used < other->used;
}

struct kesco_path *kesco_paths_find(struct kesco_paths *paths, const struct kesco_pass *pass, uint64_t now) {
    struct kesco_path *oldest = &paths->known[0];
    uint32_t i;

    for (i = 0; i < KESCO_PATHS; i++) {
        if (kesco_path_is_of(&paths->known[i], pass)) {
            paths->known[i].again = true;
            return &paths->known[i];
        }
        if (is_older(&paths->known[i], oldest, now))
            oldest = &paths->known[i];
    }
    kesco_path_forget(oldest);
    return kesco_snapshot_take(&oldest->last, pass) ? oldest : NULL;
}

void kesco_paths_forget_graphs(struct kesco_paths *paths) {
    uint32_t i;

    for (i = 0; i < KESCO_PATHS; i++)
        kesco_path_forget_graphs(&paths->known[i], true);
}

void kesco_paths_count_anew(struct kesco_paths *paths) {
    uint32_t i;

    for (i = 0; i < KESCO_PATHS; i++)
        paths->known[i].since = (struct kesco_outlook_start){0};
}

void kesco_paths_forget(struct kesco_paths *paths) {
    uint32_t i;

    for (i = 0; i < KESCO_PATHS; i++)
        kesco_path_forget(&paths->known[i]);
}

void kesco_paths_refuse(struct kesco_paths *paths) {
    uint32_t i;

    for (i = 0; i < KESCO_PATHS; i++)
        kesco_judge_refuse(&paths->known[i]);
}
