#include "runtime/region/replay.h"

#include "runtime/call.h"
#include "runtime/environment.h"
#include "runtime/region/asking.h"
#include "runtime/region/judge.h"
#include "runtime/region/own_memory.h"
#include "runtime/region/paths.h"
#include "runtime/region/turn.h"
#include "runtime/witness.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum {
    WARM = 8,       /* ops that a region has issued before any are collected */
    FEW = 2,        /* ops of a pass that may end in a loop with KESCO_MODE_TURNS, and else */
    LONG = 12,      /* ops of a pass that ends where the next one begins as it did, */
    VERY_LONG = 32, /* or where a loop goes on at all; */
    MORE = 18,      /* and so many more where they overlap: the device is idle at each end */
};

/* What is so of the pass. */
struct kesco_replay_now {
    bool deferring; /* its ops are put off */
    bool awaited;   /* the op placed last is still to be launched */
    bool is_broken; /* some op was not launched as the others */
};

static uint32_t forgotten; /* how often all have had to forget what they know */

/* Since the region was opened, and what was in them. */
struct kesco_replay_launched {
    uint64_t graphs, ops;
    uint64_t noted; /* of the graphs, by kesco_replay_goes_on */
};

/* It is a region that others may be part of. */
struct kesco_replay_shared {
    bool is_on;
    bool is_asked;    /* the origin is known to be captured, or not to be, */
    bool is_captured; /* and is */
    struct kesco_turn turn;
};

struct kesco_replay {
    atomic_flag taken; /* by a thread */
    const struct kesco_region *region;
    cudaStream_t origin;
    struct kesco_witness witness;   /* of the device that graphs were made for; none is chosen: none were */
    struct kesco_own_memory memory; /* since the region was opened */
    struct kesco_replay_now now;
    struct kesco_replay_shared shared;
    struct kesco_judge judge;
    struct kesco_asking asking;
    struct kesco_replay_launched launched;
    struct kesco_paths paths;
    struct kesco_pass pass; /* but for its sizes, nothing until one begins */
};

/* Opening and closing */

void kesco_replay_forget_all(void) {
    __atomic_add_fetch(&forgotten, 1, __ATOMIC_RELAXED);
}

static void forget(struct kesco_replay *replay) {
    const uint32_t now = __atomic_load_n(&forgotten, __ATOMIC_RELAXED);

    if (replay->paths.forgotten != now)
        kesco_paths_forget(&replay->paths);
    replay->paths.forgotten = now;
}

static struct kesco_replay *make(const struct kesco_region *region) {
    struct kesco_replay *replay = malloc(sizeof *replay);

    if (replay == NULL)
        return NULL;
    memset(replay, 0, offsetof(struct kesco_replay, pass));
    replay->pass.count = replay->pass.bytes = 0;
    atomic_flag_clear(&replay->taken);
    replay->region = region;
    kesco_judge_init(&replay->judge, region);
    return replay;
}

/* NULL: it is not warm, or there is no memory. */
static struct kesco_replay *find(const struct kesco_region *region) {
    struct kesco_history *history = region->history;
    struct kesco_replay *found = __atomic_load_n(&history->replay, __ATOMIC_ACQUIRE), *made;

    if (found != NULL)
        return found;
    if (__atomic_add_fetch(&history->ops, 1, __ATOMIC_RELAXED) <= WARM &&
        kesco_governor_mode(region) == KESCO_MODE_AUTO)
        return NULL;
    made = make(region);
    if (made == NULL || __atomic_compare_exchange_n(&history->replay, &found, made, false, __ATOMIC_ACQ_REL,
                                                    __ATOMIC_ACQUIRE))
        return made;
    free(made);
    return found;
}

/* The device was reset: its graphs went with that. */
static void begin_anew(struct kesco_replay *replay) {
    kesco_log("the device was reset: graphs are made anew");
    kesco_paths_forget_graphs(&replay->paths);
    replay->witness.is_chosen = false;
}

/* False: the graphs are another device's, or nobody can tell. */
static bool is_alive(struct kesco_replay *replay) {
    bool is_gone = false;
    int device;

    if (!replay->witness.is_chosen || kesco_witness_is_current(&replay->witness))
        return true;
    if (cudaPeekAtLastError() != cudaSuccess)
        return false; /* the calls that ask might put another error in its place */
    if (cudaGetDevice(&device) != cudaSuccess ||
        (device == replay->witness.device && kesco_witness_ask(&replay->witness, &is_gone) != cudaSuccess)) {
        cudaGetLastError();
        return false;
    }
    if (is_gone)
        begin_anew(replay);
    return device == replay->witness.device;
}

static void begin_pass(struct kesco_replay *replay) {
    replay->now.deferring = replay->now.awaited = replay->now.is_broken = false;
    kesco_pass_begin(&replay->pass, replay->region);
}

struct kesco_replay *kesco_replay_open(const struct kesco_region *region, cudaStream_t origin,
                                       const struct kesco_governor *governor, bool is_shared) {
    const uint32_t mode = kesco_governor_mode(region);
    struct kesco_replay *replay;

    if (kesco_environment()->trace != NULL)
        return NULL; /* its slices are the ops */
    if (mode == KESCO_MODE_SERIAL || mode == KESCO_MODE_LANES || region->history == NULL ||
        !(region->replays || is_shared))
        return NULL;
    replay = find(region);
    if (replay == NULL || atomic_flag_test_and_set_explicit(&replay->taken, memory_order_acquire))
        return NULL;
    if (!is_alive(replay)) {
        atomic_flag_clear_explicit(&replay->taken, memory_order_release);
        return NULL;
    }
    replay->origin = origin;
    replay->shared = (struct kesco_replay_shared){.is_on = is_shared};
    kesco_own_memory_clear(&replay->memory);
    kesco_judge_open(&replay->judge, governor);
    kesco_asking_open(&replay->asking);
    replay->launched = (struct kesco_replay_launched){0};
    begin_pass(replay);
    return replay;
}

void kesco_replay_close(struct kesco_replay *replay, uint64_t *graphs, uint64_t *ops) {
    kesco_replay_flush(replay);
    *graphs += replay->launched.graphs;
    *ops += replay->launched.ops;
    kesco_judge_close(&replay->judge);
    atomic_flag_clear_explicit(&replay->taken, memory_order_release);
}

void kesco_replay_forget_memory(struct kesco_replay *replay) {
    kesco_own_memory_clear(&replay->memory);
}

bool kesco_replay_is_ready(struct kesco_replay *replay) {
    if (!kesco_paths_pay(&replay->paths, &replay->judge))
        return false;
    kesco_attention_wake(&replay->judge.attention);
    return true;
}

bool kesco_replay_goes_on(struct kesco_replay *replay) {
    const bool result = replay->launched.graphs > replay->launched.noted;

    replay->launched.noted = replay->launched.graphs;
    return result;
}

/* Launching */

/* The first `count` ops that were put off, as the program would have launched them. */
static void launch_each(struct kesco_replay *replay, uint32_t count) {
    uint32_t op;

    for (op = 0; op < count; op++)
        kesco_pass_launch_op(&replay->pass, op, replay->origin);
    replay->now.deferring = false;
}

static bool choose_witness(struct kesco_replay *replay) {
    const cudaError_t before = cudaPeekAtLastError();

    if (!replay->witness.is_chosen && kesco_witness_choose_current(&replay->witness) != cudaSuccess)
        kesco_call_take_back(before);
    return replay->witness.is_chosen;
}

static bool make_graph(struct kesco_replay *replay, struct kesco_path *path) {
    const uint64_t began = kesco_attention_now();

    if (!choose_witness(replay) || !kesco_path_make(path, &replay->pass))
        return false;
    kesco_judge_note_graph(&replay->judge, kesco_path_shape(path), kesco_attention_now() - began);
    kesco_log("a graph of %u launches is made (%s, line %u)", replay->pass.count,
              replay->region->function != NULL ? replay->region->function : "?", replay->region->line);
    return true;
}

/* The path's graph at place `i`, which differs in so many launches. */
static void launch_graph(struct kesco_replay *replay, struct kesco_path *path, uint32_t i, uint32_t differ) {
    if (!kesco_path_launch(path, i, &replay->pass, differ, replay->origin)) {
        launch_each(replay, replay->pass.count);
        return;
    }
    kesco_judge_note_update(&replay->judge, differ);
    replay->launched.graphs++;
    replay->launched.ops += replay->pass.count;
}

/* The pass, of which a graph is made, too. */
static void launch_new(struct kesco_replay *replay, struct kesco_path *path) {
    const bool is_chain = kesco_judge_is_of_chain(&replay->judge) || path->formed.form == KESCO_FORM_CHAIN;

    if (is_chain)
        launch_each(replay, replay->pass.count);
    if (!make_graph(replay, path) && !is_chain)
        launch_each(replay, replay->pass.count);
    else if (!is_chain)
        launch_graph(replay, path, path->graphs - 1, 0);
}

/*
 * The pass is on `path`. What has to be made is made after launches, so that the device has work meanwhile;
 * but those would not overlap as the lanes do.
 */
static void launch_pass(struct kesco_replay *replay, struct kesco_path *path) {
    uint32_t differ = 0;
    const uint32_t nearest = path->graphs > 0 ? kesco_path_find_nearest(path, &replay->pass, &differ) : 0;

    if (cudaPeekAtLastError() != cudaSuccess)
        launch_each(replay, replay->pass.count);
    else if (kesco_path_needs_graph(path, &replay->pass, differ))
        launch_new(replay, path);
    else
        launch_graph(replay, path, nearest, differ);
}

/* Passes */

/* True if the op is let pass. */
static bool lets_pass(struct kesco_replay *replay, const struct kesco_site *site) {
    bool woke;

    if (kesco_judge_lets_pass(&replay->judge, site, &woke))
        return true;
    if (woke)
        begin_pass(replay);
    return false;
}

static void leave_path(struct kesco_replay *replay, uint32_t count) {
    if (!replay->now.deferring)
        return;
    launch_each(replay, count);
    replay->judge.attention.weight = 1; /* it stands for no others that are put off */
}

/* The op placed last was never launched: it is as if it had not been placed, but for what comes after it. */
static void take_back(struct kesco_replay *replay) {
    if (!replay->now.awaited)
        return;
    leave_path(replay, replay->pass.count - 1);
    replay->now.awaited = false;
    replay->now.is_broken = true;
}

/* The pass was launched op by op. What would have differed from the one before counts as what a graph costs.
 */
static void learn(struct kesco_replay *replay) {
    struct kesco_path *path = kesco_paths_find(&replay->paths, &replay->pass, replay->judge.passes);

    if (path == NULL)
        return;
    path->updates.changes = kesco_snapshot_compare(&path->last, &replay->pass);
    kesco_judge_note_update(&replay->judge, path->updates.changes);
    kesco_snapshot_take(&path->last, &replay->pass);
    kesco_judge_end(&replay->judge, path, &replay->pass, false, false);
    kesco_attention_end(&replay->judge.attention, kesco_paths_may_pay(&replay->paths, &replay->judge),
                        replay->pass.ops[0].site, replay->pass.count);
}

/* The pass, of at least an op, is over. */
static void end_pass(struct kesco_replay *replay) {
    struct kesco_path *path =
        replay->now.deferring ? kesco_paths_find_end(&replay->paths, &replay->pass) : NULL;
    const uint64_t graphs = replay->launched.graphs;

    if (path != NULL)
        launch_pass(replay, path);
    else
        leave_path(replay, replay->pass.count);
    if (replay->now.is_broken)
        kesco_trial_break(&replay->judge.trial);
    else if (path != NULL)
        kesco_judge_end(&replay->judge, path, &replay->pass, replay->now.deferring,
                        replay->launched.graphs > graphs);
    else
        learn(replay);
}

void kesco_replay_flush(struct kesco_replay *replay) {
    take_back(replay);
    if (replay->pass.count > 0)
        end_pass(replay);
    begin_pass(replay);
}

/* True if the pass ends before the op of `site`: control has come back to it or to one before it. */
static bool ends_before(struct kesco_replay *replay, const struct kesco_site *site) {
    const struct kesco_pass *pass = &replay->pass;
    const uint32_t more = kesco_judge_takes_short_passes(&replay->judge) ? 0 : (uint32_t)MORE,
                   long_enough = replay->judge.mode == KESCO_MODE_TURNS ? (uint32_t)FEW : LONG + more;
    const struct kesco_site *last;

    if (replay->shared.is_on)
        return kesco_turn_ends_before(&replay->shared.turn, site, pass->count, long_enough);
    if (pass->count == 0)
        return false;
    last = pass->ops[pass->count - 1].site;
    return site->place <= last->place &&
           (pass->count >= VERY_LONG + more || (pass->count >= long_enough && site == pass->ops[0].site));
}

/* Whether the origin of a region that others may be part of is captured is asked once it matters. */
static bool may_defer(struct kesco_replay *replay) {
    struct kesco_replay_shared *shared = &replay->shared;

    if (shared->is_on && !shared->is_asked) {
        shared->is_asked = true;
        shared->is_captured = kesco_call_origin_may_be_captured(replay->origin);
    }
    return !shared->is_captured;
}

/* The op of `site` is the first of a pass. */
static void begin_to_place(struct kesco_replay *replay) {
    forget(replay);
    replay->now.deferring = kesco_paths_begin(&replay->paths, &replay->judge) && may_defer(replay);
    kesco_asking_begin_pass(&replay->asking, &replay->judge, &replay->paths, replay->origin,
                            replay->now.deferring);
    kesco_judge_begin(&replay->judge, replay->now.deferring);
}

static bool fits(const struct kesco_replay *replay, const struct kesco_site *site) {
    return site != NULL && site->argument_sizes != NULL && kesco_pass_has_room(&replay->pass, site);
}

bool kesco_replay_place(struct kesco_replay *replay, uint32_t lane, const struct kesco_site *site,
                        uint64_t amount) {
    if (lets_pass(replay, site))
        return false;
    take_back(replay);
    if (ends_before(replay, site) || !fits(replay, site)) {
        kesco_turn_end(&replay->shared.turn, site);
        kesco_replay_flush(replay);
        if (lets_pass(replay, site))
            return false;
    }
    if (!fits(replay, site)) {
        kesco_attention_forget(&replay->judge.attention);
        return false;
    }
    if (replay->pass.count == 0)
        begin_to_place(replay);
    kesco_pass_add(&replay->pass, lane, site);
    replay->now.awaited = true;
    kesco_judge_place(&replay->judge, &replay->pass, site, amount);
    if (replay->now.deferring && !kesco_paths_go_on(&replay->paths, &replay->pass))
        leave_path(replay, replay->pass.count - 1);
    return replay->now.deferring;
}

void kesco_replay_record(struct kesco_replay *replay, uint32_t event, uint32_t lane) {
    if (replay->judge.attention.start == NULL)
        kesco_pass_record(&replay->pass, event, lane);
}

void kesco_replay_wait(struct kesco_replay *replay, uint32_t event, uint32_t lane) {
    if (replay->judge.attention.start == NULL)
        kesco_pass_wait(&replay->pass, event, lane);
}

void kesco_replay_align(struct kesco_replay *replay) {
    if (replay->judge.attention.start == NULL)
        kesco_pass_align(&replay->pass);
}

bool kesco_replay_defers(const struct kesco_replay *replay) {
    return replay->now.deferring;
}

/* All that was put off is launched, but for the op that is next, where it has been placed. */
static void refuse(struct kesco_replay *replay, bool is_placed) {
    leave_path(replay, replay->pass.count - is_placed);
    replay->now.is_broken = true;
    kesco_paths_refuse(&replay->paths);
}

void kesco_replay_refuse(struct kesco_replay *replay) {
    refuse(replay, replay->now.awaited);
}

/* Limits of grids (CUDA Programming Guide, "Technical Specifications per Compute Capability"). */
static bool is_possible(dim3 grid) {
    return grid.x >= 1 && grid.x <= INT32_MAX && grid.y >= 1 && grid.y <= UINT16_MAX && grid.z >= 1 &&
           grid.z <= UINT16_MAX;
}

/* True if CUDA has taken a launch of the same shape. */
static bool is_proven(const struct kesco_replay *replay, const struct kesco_launch *op) {
    const struct kesco_path *path = kesco_paths_first(&replay->paths);
    const struct kesco_launch *taken = &path->last.ops[replay->pass.count - 1];

    return is_possible(op->grid) && op->function == taken->function && op->shared == taken->shared &&
           memcmp(&op->block, &taken->block, sizeof op->block) == 0;
}

/* What the op placed last is to launch, with what arguments. */
static const struct kesco_launch *add_issued(struct kesco_replay *replay, const struct kesco_launch *issued,
                                             void *const *arguments) {
    struct kesco_launch *op = &replay->pass.ops[replay->pass.count - 1];

    replay->now.awaited = false;
    op->function = issued->function;
    op->grid = issued->grid;
    op->block = issued->block;
    op->shared = issued->shared;
    kesco_pass_copy_arguments(&replay->pass, arguments);
    return op;
}

bool kesco_replay_launch(struct kesco_replay *replay, const void *function, dim3 grid, dim3 block,
                         void **arguments, size_t shared) {
    const struct kesco_launch *op;

    if (!replay->now.awaited)
        return false;
    op = add_issued(
        replay, &(struct kesco_launch){.function = function, .grid = grid, .block = block, .shared = shared},
        arguments);
    if (replay->now.deferring && !is_proven(replay, op))
        leave_path(replay, replay->pass.count - 1);
    return replay->now.deferring;
}

static bool can_be_node(struct kesco_replay *replay, const struct kesco_transfer *transfer) {
    return transfer->bytes > 0 && kesco_own_memory_has(&replay->memory, transfer->to, transfer->bytes) &&
           (transfer->from == NULL || kesco_own_memory_has(&replay->memory, transfer->from, transfer->bytes));
}

bool kesco_replay_transfer(struct kesco_replay *replay, const struct kesco_transfer *transfer) {
    void *arguments[] = {(void *)(uintptr_t)transfer};

    if (!replay->now.awaited)
        return false;
    add_issued(replay, &(struct kesco_launch){.function = NULL}, arguments);
    if (replay->now.deferring && !can_be_node(replay, transfer))
        refuse(replay, true);
    return replay->now.deferring;
}

void kesco_replay_note_launch(struct kesco_replay *replay, bool failed) {
    replay->now.is_broken |= failed;
    kesco_attention_leave(&replay->judge.attention);
}

void kesco_replay_expect_host(struct kesco_replay *replay) {
    kesco_replay_flush(replay);
    kesco_judge_expect_host(&replay->judge);
}

void kesco_replay_note_host(struct kesco_replay *replay, bool is_put_off) {
    if (is_put_off)
        kesco_forecast_wait_each(&replay->judge.forecast);
    else
        kesco_judge_note_host(&replay->judge);
}
