#include "test/vgpu/timeline.h"

#include "test/vgpu/bound.h"
#include "test/vgpu/hardware.h"
#include "test/vgpu/memory.h"
#include "test/vgpu/order.h"
#include "test/vgpu/page_record.h"
#include "test/vgpu/replay.h"
#include "test/vgpu/stats.h"
#include "test/vgpu/storage.h"

#include <string.h>

enum entry_kind { ENTRY_OP, ENTRY_STAGE, ENTRY_WAIT, ENTRY_WAIT_DEVICE, ENTRY_TOUCH };

/* What the host did. */
struct entry {
    enum entry_kind kind;
    double host_us; /* time of its own that it spent before */
    union {
        struct op *op;           /* ENTRY_OP, ENTRY_STAGE; a reference */
        struct op_jobs jobs;     /* ENTRY_WAIT */
        int device;              /* ENTRY_WAIT_DEVICE */
        struct page_touch touch; /* ENTRY_TOUCH */
    };
};

/* Guarded by the engine's lock. */
static struct {
    struct entry *entries; /* those from `first` on are not replayed */
    size_t first, count, capacity;
    double host_us;  /* that the host spent since the last entry */
    double later_us; /* the same, before entries that are not replayed */
    double slept_us;
    double shown_us;   /* by the clock, most recently */
    uint64_t last_job; /* given out */
} timeline;

/* Goes up whenever pages may leave the host, or other memory take their place: what host code touched before,
 * it may have to touch again. */
static _Atomic uint64_t epoch = 1;

/* Pages that a host thread touched last. */
static _Thread_local struct {
    uintptr_t first, end;
    uint64_t epoch;
} recent;

bool timeline_is_kept(void) {
    return settings.time;
}

/* Writing down */

/* Makes room for one more entry. */
static void make_room(void) {
    if (timeline.count < timeline.capacity)
        return;
    if (timeline.first > timeline.capacity / 2) {
        timeline.count -= timeline.first;
        memmove(timeline.entries, timeline.entries + timeline.first,
                timeline.count * sizeof(*timeline.entries));
        timeline.first = 0;
        return;
    }
    timeline.capacity = timeline.capacity ? 2 * timeline.capacity : 256;
    timeline.entries = resize(timeline.entries, timeline.capacity * sizeof(*timeline.entries));
}

static struct entry *add_entry(enum entry_kind kind) {
    if (timeline.first == timeline.count)
        timeline.first = timeline.count = 0;
    make_room();
    struct entry *entry = &timeline.entries[timeline.count++];
    *entry = (struct entry){.kind = kind, .host_us = timeline.host_us};
    timeline.later_us += timeline.host_us;
    timeline.host_us = 0;
    return entry;
}

void timeline_work(double us) {
    timeline.host_us += us;
}

void timeline_call(enum api_id id) {
    const unsigned flags = api_table[id].flags;
    timeline_work(flags & API_READS    ? hardware->host.read_us
                  : flags & API_MARKS  ? hardware->host.mark_us
                  : flags & API_QUEUES ? hardware->host.queue_us
                                       : hardware->host.call_us);
}

/* Replaying */

static void replay_entry(struct entry *entry) {
    replay_host(entry->host_us);
    timeline.later_us -= entry->host_us;
    switch (entry->kind) {
    case ENTRY_OP:
        replay_op(entry->op);
        op_drop_costs(entry->op);
        op_release(entry->op);
        break;
    case ENTRY_STAGE:
        replay_stage(entry->op);
        op_release(entry->op);
        break;
    case ENTRY_WAIT:
        replay_wait(&entry->jobs);
        op_jobs_free(&entry->jobs);
        break;
    case ENTRY_WAIT_DEVICE:
        replay_wait_device(entry->device);
        break;
    case ENTRY_TOUCH:
        replay_touch(&entry->touch);
        residence_release(entry->touch.residence);
        break;
    }
}

static bool can_replay(const struct entry *entry) {
    return entry->kind != ENTRY_OP || entry->op->state == OP_DONE;
}

/* As far as ops have run. */
static void replay(void) {
    while (timeline.first < timeline.count && can_replay(&timeline.entries[timeline.first]))
        replay_entry(&timeline.entries[timeline.first++]);
}

struct residence *timeline_follow(size_t size) {
    if (!timeline_is_kept())
        return NULL;
    epoch++;
    return residence_new(size);
}

/* Writing down: what is replayed at once, if all that came before is */

void timeline_issue(struct op *op) {
    if (!timeline_is_kept())
        return;
    op->times.job = timeline.last_job += 2;
    epoch++;
    add_entry(ENTRY_OP)->op = op_retain(op);
}

void timeline_ran(void) {
    replay();
}

void timeline_stage(struct op *op) {
    if (!timeline_is_kept())
        return;
    add_entry(ENTRY_STAGE)->op = op_retain(op);
    replay();
}

void timeline_wait(const struct op_list *ops) {
    struct op_jobs jobs = {0};
    if (!timeline_is_kept())
        return;
    for (size_t i = 0; i < ops->count; i++)
        op_jobs_add(&jobs, ops->ops[i]->times.job);
    add_entry(ENTRY_WAIT)->jobs = jobs;
    replay();
}

void timeline_wait_device(int device) {
    if (!timeline_is_kept())
        return;
    add_entry(ENTRY_WAIT_DEVICE)->device = device;
    replay();
}

bool timeline_has_come(const struct op_list *ops) {
    timeline_catch_up();
    for (size_t i = 0; timeline_is_kept() && i < ops->count; i++)
        if (ops->ops[i]->times.ended_us < 0 || ops->ops[i]->times.ended_us > timeline_host())
            return false;
    return true;
}

/* Touches pages of an allocation, from one that holds `address` on, that it did not touch in this epoch. */
static void touch_pages(const struct allocation *allocation, const char *address, size_t size) {
    const size_t offset = (size_t)(address - allocation->base), left = allocation->size - offset;
    const size_t first = offset / PAGE_BYTES, last = (offset + (size < left ? size : left) - 1) / PAGE_BYTES;
    for (size_t page = first; page <= last; page++) {
        if (!residence_note_host(allocation->managed.residence, page, epoch))
            continue;
        struct entry *entry = add_entry(ENTRY_TOUCH);
        entry->touch.residence = residence_retain(allocation->managed.residence);
        entry->touch.page = page;
        entry->touch.job = timeline.last_job += 2;
        entry->touch.epoch = epoch;
    }
    recent.first = (uintptr_t)allocation->base + first * PAGE_BYTES;
    recent.end = (uintptr_t)page_end(allocation, last);
    recent.epoch = epoch;
    replay();
}

void timeline_touch(const void *address, size_t size) {
    const uintptr_t first = (uintptr_t)address;
    if (!timeline_is_kept() || thread_state.host_function || !memory_may_be_managed(address) ||
        (recent.epoch == epoch && first >= recent.first && first + size <= recent.end))
        return;
    pthread_mutex_lock(&engine.lock);
    const struct allocation *allocation = memory_find(address);
    if (allocation && allocation->managed.residence)
        touch_pages(allocation, address, size);
    pthread_mutex_unlock(&engine.lock);
}

/* What was issued in the meantime may have slowed them down, so that it has to run first. */
double timeline_between(struct op *from, struct op *to) {
    struct op_list both = {0};
    op_list_add(&both, from);
    op_list_add(&both, to);
    timeline_wait(&both);
    if (from->times.ended_us < 0 || to->times.ended_us < 0)
        order_drain();
    const double us = to->times.ended_us - from->times.ended_us;
    stats.times.timed_us += us;
    stats.times.timed_bound_us += bound_between(&from->times.tally, &to->times.tally);
    op_list_free(&both);
    return us;
}

double timeline_host(void) {
    return replay_now() + timeline.later_us + timeline.host_us;
}

void timeline_catch_up(void) {
    replay();
    if (timeline_is_kept() && timeline.first == timeline.count)
        replay_until(timeline_host());
}

double timeline_now(void) {
    const double us = timeline_host() + timeline.slept_us;

    if (us > timeline.shown_us)
        timeline.shown_us = us;
    return timeline.shown_us;
}

void timeline_sleep(double us) {
    timeline.slept_us += us;
}

double timeline_end(void) {
    replay();
    replay_host(timeline.host_us);
    return replay_end();
}
