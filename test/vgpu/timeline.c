#include "test/vgpu/timeline.h"

#include "test/vgpu/copy.h"
#include "test/vgpu/demand.h"
#include "test/vgpu/hardware.h"
#include "test/vgpu/memory.h"
#include "test/vgpu/stats.h"
#include "test/vgpu/storage.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum entry_kind { ENTRY_OP, ENTRY_WAIT, ENTRY_WAIT_DEVICE, ENTRY_TOUCH };

/* What the host did. */
struct entry {
    enum entry_kind kind;
    double host_us; /* time of its own that it spent before */
    union {
        struct op *op;       /* ENTRY_OP; a reference */
        struct op_jobs jobs; /* ENTRY_WAIT */
        int device;          /* ENTRY_WAIT_DEVICE */
        struct {
            struct residence *residence; /* a reference */
            size_t page;
            uint64_t job;   /* that may bring the page */
            uint64_t epoch; /* of the touch */
        } touch;            /* ENTRY_TOUCH */
    };
};

/* Guarded by the engine's lock. */
static struct {
    struct entry *entries; /* those from `first` on are not replayed */
    size_t first, count, capacity;
    double host_us;       /* that the host spent since the last entry */
    uint64_t last_job;    /* given out */
    struct clock *clock;  /* NULL: nothing is replayed yet */
    double host;          /* the host's time, as far as it is replayed */
    uint64_t touch_epoch; /* of the host's last touch that was replayed */
    uint64_t touch_fault; /* what its last fault was on, in that epoch */
} timeline;

/* Goes up whenever pages may leave the host: what it touched before, it may have to touch again. */
static _Atomic uint64_t epoch = 1;

/* Pages that a host thread touched last. */
static _Thread_local struct {
    uintptr_t first, end;
    uint64_t epoch;
} recent;

bool timeline_is_kept(void) {
    return settings.stats != NULL;
}

/* Writing down */

static struct entry *add_entry(enum entry_kind kind) {
    if (timeline.first == timeline.count)
        timeline.first = timeline.count = 0;
    if (timeline.count == timeline.capacity) {
        timeline.capacity = timeline.capacity ? 2 * timeline.capacity : 256;
        timeline.entries = resize(timeline.entries, timeline.capacity * sizeof(*timeline.entries));
    }
    struct entry *entry = &timeline.entries[timeline.count++];
    *entry = (struct entry){.kind = kind, .host_us = timeline.host_us};
    timeline.host_us = 0;
    return entry;
}

void timeline_work(double us) {
    timeline.host_us += us;
}

void timeline_call(enum api_id id) {
    timeline_work(api_table[id].flags & API_QUEUES ? hardware.queue_us : hardware.call_us);
}

/* Replaying: jobs. An op has two: its own, and before that the one that brings its pages. */

static struct clock *the_clock(void) {
    const int widths[CLOCK_ENGINES] = {1, 1, 1, hardware.resident_grids};
    if (!timeline.clock)
        timeline.clock = clock_new(settings.devices, widths);
    return timeline.clock;
}

/* The time at which the clock and the host both are. */
static void host_waits_for_clock(void) {
    timeline.host = fmax(timeline.host, clock_now(the_clock()));
}

static struct clock_job job_of(const struct demand *demand, uint64_t id, int device, double latency_us) {
    struct clock_job job = {
        .id = id,
        .machine = device,
        .ready_us = timeline.host + latency_us,
        .alone_us = demand->alone_us,
        .engine = demand->engine,
    };
    memcpy(job.uses, demand->uses, sizeof(job.uses));
    return job;
}

static void add_op_job(const struct demand *demand, const struct op *op) {
    struct clock_job job = job_of(demand, op->job, op->device, hardware.launch_us);
    job.after = op->after.ids;
    job.after_count = op->after.count;
    clock_add(the_clock(), &job);
}

/* The place that most of the pages come from. */
static int main_place(const struct page_move *move) {
    int most = 0;
    for (int i = 1; i <= DEVICE_LIMIT; i++) {
        if (move->bytes[i] > move->bytes[most])
            most = i;
    }
    return most - 1;
}

static size_t sum_bytes(const struct page_move *move) {
    size_t sum = 0;
    for (int i = 0; i <= DEVICE_LIMIT; i++)
        sum += move->bytes[i];
    return sum;
}

/* Adds the job that brings the pages, all on the way of most of them. */
static void add_move_job(const struct page_move *move, int to, uint64_t id, double latency_us,
                         const struct op_jobs *after) {
    const int from = main_place(move);
    const enum route route = to == LIVES_ON_HOST     ? ROUTE_TO_HOST
                             : from == LIVES_ON_HOST ? ROUTE_TO_DEVICE
                                                     : ROUTE_TO_PEER;
    const struct demand demand = demand_of_pages(route, sum_bytes(move), move->faults);
    struct clock_job job = job_of(&demand, id, route == ROUTE_TO_DEVICE ? to : from, latency_us);
    job.after = after->ids;
    job.after_count = after->count;
    clock_add(the_clock(), &job);
    stats.migrated_bytes += sum_bytes(move);
    stats.page_faults += move->faults;
}

static void jobs_join(struct op_jobs *jobs, const uint64_t *ids, size_t count) {
    for (size_t i = 0; i < count; i++)
        op_jobs_add(jobs, ids[i]);
}

/* Brings the op's pages to a place. The op itself will come after. */
static void bring(struct op *op, int place, bool faults) {
    struct page_move move = {0};
    const uint64_t job = op->job - 1;
    residence_bring(&op->pages, place, job, &move);
    jobs_join(&op->after, move.after, move.after_count);
    if (!faults)
        move.faults = 0;
    if (sum_bytes(&move)) {
        add_move_job(&move, place, job, hardware.launch_us, &op->after);
        op_jobs_add(&op->after, job);
    }
    page_move_free(&move);
}

/* Replaying: ops */

/* What a copy takes an end of it for, that is in managed memory; a device, or not. */
static bool is_device_end(enum copy_place place, const struct page_list *pages) {
    return place == PLACE_DEVICE || (place == PLACE_MANAGED && residence_place(pages) >= 0);
}

/* Managed memory that a copy writes is where the direction says, or where it was. */
static bool writes_device(const struct op *op) {
    const enum cudaMemcpyKind kind = op->copy.kind;
    if (op->copy.to_place == PLACE_MANAGED && kind != cudaMemcpyDefault)
        return kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
    return is_device_end(op->copy.to_place, &op->pages);
}

static enum route route_of(const struct op *op, bool to_device) {
    const bool from_device = is_device_end(op->copy.from_place, &op->from_pages);
    if (op->copy.between_devices)
        return ROUTE_TO_PEER;
    if (from_device)
        return to_device ? ROUTE_ON_DEVICE : ROUTE_TO_HOST;
    return to_device ? ROUTE_TO_DEVICE : ROUTE_ON_HOST;
}

/* True if somebody still has to move bytes between pageable and page-locked memory. */
static bool is_unstaged(const struct op_copy *copy) {
    return (copy->to_place == PLACE_PAGEABLE || copy->from_place == PLACE_PAGEABLE) && !copy->host_stages;
}

static struct demand replay_copy(struct op *op) {
    const bool to_device = writes_device(op);
    const enum route route = route_of(op, to_device);
    const size_t bytes = copy_size(&op->copy);
    stats.bytes_to_device += route == ROUTE_TO_DEVICE ? bytes : 0;
    stats.bytes_to_host += route == ROUTE_TO_HOST ? bytes : 0;
    residence_write(&op->pages, to_device ? op->device : LIVES_ON_HOST, op->job);
    struct demand demand = demand_of_copy(route, bytes);
    if (is_unstaged(&op->copy) && (route == ROUTE_TO_DEVICE || route == ROUTE_TO_HOST))
        demand.alone_us += demand_of_staging(bytes);
    return demand;
}

static struct demand replay_work(struct op *op) {
    switch (op->kind) {
    case OP_KERNEL:
        bring(op, op->device, true);
        return demand_of_kernel(&op->kernel);
    case OP_SET:
        bring(op, op->device, true);
        return demand_of_set(op->set.width * op->set.height);
    case OP_PREFETCH:
        bring(op, op->prefetch.place, false);
        return demand_of_nothing();
    case OP_COPY:
        return replay_copy(op);
    default:
        return demand_of_nothing();
    }
}

static void replay_op(struct op *op) {
    clock_run_until(the_clock(), timeline.host);
    const struct demand demand = replay_work(op);
    add_op_job(&demand, op);
    op_drop_costs(op);
    op_release(op);
}

/* Replaying: the host */

static void replay_wait(struct op_jobs *jobs) {
    for (size_t i = 0; i < jobs->count; i++)
        clock_run_job(the_clock(), jobs->ids[i]);
    host_waits_for_clock();
    op_jobs_free(jobs);
}

/* The host waits for what brings the page, to it or, if the page is elsewhere, away. */
static void replay_touch(const struct entry *entry) {
    const bool again = entry->touch.epoch == timeline.touch_epoch;
    struct page_move move = {.fault = again ? timeline.touch_fault : 0};
    struct page_list pages = {0};
    page_list_add(&pages, entry->touch.residence, entry->touch.page, 1);
    residence_bring(&pages, LIVES_ON_HOST, entry->touch.job, &move);
    for (size_t i = 0; i < move.after_count; i++)
        clock_run_job(the_clock(), move.after[i]);
    host_waits_for_clock();
    if (sum_bytes(&move)) {
        clock_run_until(the_clock(), timeline.host);
        add_move_job(&move, LIVES_ON_HOST, entry->touch.job, 0, &(struct op_jobs){0});
        clock_run_job(the_clock(), entry->touch.job);
        host_waits_for_clock();
    }
    timeline.touch_epoch = entry->touch.epoch;
    timeline.touch_fault = move.fault;
    page_move_free(&move);
    page_list_free(&pages);
    residence_release(entry->touch.residence);
}

static void replay_entry(struct entry *entry) {
    timeline.host += entry->host_us;
    switch (entry->kind) {
    case ENTRY_OP:
        replay_op(entry->op);
        break;
    case ENTRY_WAIT:
        replay_wait(&entry->jobs);
        break;
    case ENTRY_WAIT_DEVICE:
        clock_run_machine(the_clock(), entry->device);
        host_waits_for_clock();
        break;
    case ENTRY_TOUCH:
        replay_touch(entry);
        break;
    }
}

static bool can_replay(const struct entry *entry) {
    return entry->kind != ENTRY_OP || entry->op->state == OP_DONE;
}

static void replay(void) {
    while (timeline.first < timeline.count && can_replay(&timeline.entries[timeline.first]))
        replay_entry(&timeline.entries[timeline.first++]);
}

/* Writing down: what is replayed at once, if all that came before is */

void timeline_issue(struct op *op) {
    if (!timeline_is_kept())
        return;
    op->job = timeline.last_job += 2;
    epoch++;
    add_entry(ENTRY_OP)->op = op_retain(op);
}

void timeline_ran(void) {
    replay();
}

void timeline_wait(const struct op_list *ops) {
    struct op_jobs jobs = {0};
    if (!timeline_is_kept())
        return;
    for (size_t i = 0; i < ops->count; i++)
        op_jobs_add(&jobs, ops->ops[i]->job);
    add_entry(ENTRY_WAIT)->jobs = jobs;
    replay();
}

void timeline_wait_device(int device) {
    if (!timeline_is_kept())
        return;
    add_entry(ENTRY_WAIT_DEVICE)->device = device;
    replay();
}

/* Touches pages of an allocation, from one that holds `address` on, that it did not touch in this epoch. */
static void touch_pages(const struct allocation *allocation, const char *address, size_t size) {
    const size_t offset = (size_t)(address - allocation->base), left = allocation->size - offset;
    const size_t first = offset / PAGE_BYTES, last = (offset + (size < left ? size : left) - 1) / PAGE_BYTES;
    for (size_t page = first; page <= last; page++) {
        if (!residence_note_host(allocation->residence, page, epoch))
            continue;
        struct entry *entry = add_entry(ENTRY_TOUCH);
        entry->touch.residence = residence_retain(allocation->residence);
        entry->touch.page = page;
        entry->touch.job = timeline.last_job += 2;
        entry->touch.epoch = epoch;
    }
    recent.first = (uintptr_t)allocation->base + first * PAGE_BYTES;
    recent.end = (uintptr_t)allocation->base + (last + 1) * PAGE_BYTES;
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
    if (allocation && allocation->residence)
        touch_pages(allocation, address, size);
    pthread_mutex_unlock(&engine.lock);
}

double timeline_end(void) {
    replay();
    timeline.host += timeline.host_us;
    for (int device = 0; device < settings.devices; device++)
        clock_run_machine(the_clock(), device);
    host_waits_for_clock();
    const double end = timeline.host;
    clock_free(timeline.clock);
    timeline.clock = NULL;
    return end;
}
