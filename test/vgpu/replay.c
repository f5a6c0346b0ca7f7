#include "test/vgpu/replay.h"

#include "test/vgpu/bound.h"
#include "test/vgpu/copy.h"
#include "test/vgpu/counts.h"
#include "test/vgpu/cupti.h"
#include "test/vgpu/demand.h"
#include "test/vgpu/extrapolation.h"
#include "test/vgpu/hardware.h"
#include "test/vgpu/stats.h"
#include "test/vgpu/trace.h"

#include <math.h>
#include <string.h>

/* Guarded by the engine's lock. */
static struct {
    struct clock *clock;  /* NULL: nothing is replayed yet */
    double host;          /* the host's time */
    uint64_t touch_epoch; /* of the host's last touch */
    uint64_t touch_fault; /* what its last fault was on, in that epoch */
    size_t touch_pages;   /* brought there since */
} replay;

/* Jobs. An op has up to two: its own, and before that the one that brings its pages, or the signal that it
 * waits for. */

static void note_end(void *owner, double began_us, double ended_us) {
    struct op *op = owner;
    if (!op)
        return;
    op->times.ended_us = ended_us;
    trace_op(op, began_us, ended_us);
    cupti_op(op, began_us, ended_us);
    op_release(op);
}

static struct clock *the_clock(void) {
    const int widths[CLOCK_ENGINES] = {1, 1, 1, hardware->processors.resident_grids};
    if (!replay.clock)
        replay.clock = clock_new(settings.devices, widths, note_end);
    return replay.clock;
}

/* The host goes on when the clock is. */
static void host_waits_for_clock(void) {
    replay.host = fmax(replay.host, clock_now(the_clock()));
}

static struct clock_job job_of(const struct demand *demand, uint64_t id, int device, double latency_us) {
    struct clock_job job = {
        .id = id,
        .machine = device,
        .ready_us = replay.host + latency_us,
        .alone_us = demand->alone_us,
        .engine = demand->engine,
    };
    memcpy(job.uses, demand->uses, sizeof(job.uses));
    return job;
}

static void add_op_job(const struct demand *demand, struct op *op) {
    struct clock_job job = job_of(demand, op->times.job, op->queue.device, hardware->device.launch_us);
    job.priority = op->queue.priority;
    job.after = op->times.after.ids;
    job.after_count = op->times.after.count;
    job.owner = op_retain(op);
    clock_add(the_clock(), &job);
    bound_add(&job);
    op->times.tally = bound_tally(&job);
}

/* An event's record takes its time to reach a stream that waits for it, unless that comes to wait later. */
static void await_signal(struct op *op) {
    const double ended_us = op->times.awaited->times.ended_us;
    const struct demand demand = demand_of_signal();
    struct clock_job signal = job_of(&demand, op->times.job - 1, op->queue.device, 0);
    if (ended_us >= 0)
        signal.alone_us = fmax(0, ended_us + signal.alone_us - replay.host);
    signal.after = &op->times.awaited->times.job;
    signal.after_count = 1;
    clock_add(the_clock(), &signal);
    signal.alone_us = 0;
    bound_add(&signal);
    op_jobs_add(&op->times.after, signal.id);
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

/* Adds the job that brings so many bytes of pages, all on the way of most of them; which is what `op` does,
 * if that is not NULL. */
static void add_move_job(const struct page_move *move, size_t bytes, double served, int to, uint64_t id,
                         double latency_us, const struct op_jobs *after, struct op *op) {
    const int from = main_place(move);
    const enum route route = to == LIVES_ON_HOST     ? ROUTE_TO_HOST
                             : from == LIVES_ON_HOST ? ROUTE_TO_DEVICE
                                                     : ROUTE_TO_PEER;
    struct demand demand = demand_of_pages(route, bytes, served);
    demand.alone_us += demand_of_copy(ROUTE_TO_HOST, move->evicted).alone_us; /* they leave first */
    struct clock_job job = job_of(&demand, id, route == ROUTE_TO_DEVICE ? to : from, latency_us);
    job.after = after->ids;
    job.after_count = after->count;
    job.owner = op ? op_retain(op) : NULL;
    clock_add(the_clock(), &job);
    bound_add(&job);
}

static void count_move(const struct page_move *move, struct op_counts *counts) {
    counts->moved = sum_bytes(move);
    counts->faults = move->faults;
    stats.moved.migrated_bytes += counts->moved;
    stats.moved.evicted_bytes += move->evicted;
    stats.moved.page_faults += counts->faults;
}

static void jobs_join(struct op_jobs *jobs, const uint64_t *ids, size_t count) {
    for (size_t i = 0; i < count; i++)
        op_jobs_add(jobs, ids[i]);
}

/* Brings the op's pages to a place, and settles its counts. The op itself will come after. */
static void bring(struct op *op, int place, bool faults) {
    struct page_move move = {0};
    const uint64_t job = op->times.job - 1;
    residence_bring(&op->managed.touched, place, job, &move);
    jobs_join(&op->times.after, move.after, move.after_count);
    if (!faults)
        move.faults = 0;
    count_move(&move, &op->counts);
    counts_settle(op);
    if (op->counts.moved || move.evicted) {
        add_move_job(&move, op->counts.moved, demand_of_faults(op->counts.moved, op->counts.faults), place,
                     job, hardware->device.launch_us, &op->times.after, op->kind == OP_PREFETCH ? op : NULL);
        op_jobs_add(&op->times.after, job);
    }
    page_move_free(&move);
}

/* Ops */

/* True if an end of a copy is on a device; managed memory is where it lives. */
static bool is_device_end(enum copy_place place, const struct page_list *pages) {
    return place == PLACE_DEVICE || (place == PLACE_MANAGED && residence_place(pages) >= 0);
}

/* Managed memory that a copy writes comes to live where the direction says, or stays where it lives. */
static bool writes_device(const struct op *op) {
    const enum cudaMemcpyKind kind = op->copy.kind;
    if (op->copy.target.place == PLACE_MANAGED && kind != cudaMemcpyDefault)
        return kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
    return is_device_end(op->copy.target.place, &op->managed.touched);
}

static enum route route_of(const struct op *op, bool to_device) {
    const bool from_device = is_device_end(op->copy.source.place, &op->managed.read);
    if (op->copy.between_devices)
        return ROUTE_TO_PEER;
    if (from_device)
        return to_device ? ROUTE_ON_DEVICE : ROUTE_TO_HOST;
    return to_device ? ROUTE_TO_DEVICE : ROUTE_ON_HOST;
}

/* True if somebody still has to move bytes between pageable and page-locked memory. */
static bool is_unstaged(const struct op_copy *copy) {
    return (copy->target.place == PLACE_PAGEABLE || copy->source.place == PLACE_PAGEABLE) &&
           !copy->host_stages;
}

static struct demand replay_copy(struct op *op) {
    const bool to_device = writes_device(op);
    const enum route route = route_of(op, to_device);
    const size_t bytes = copy_size(&op->copy);
    counts_settle(op);
    stats.moved.bytes_to_device += route == ROUTE_TO_DEVICE ? bytes : 0;
    stats.moved.bytes_to_host += route == ROUTE_TO_HOST ? bytes : 0;
    residence_write(&op->managed.touched, to_device ? op->queue.device : LIVES_ON_HOST, op->times.job);
    struct demand demand = demand_of_copy(route, op->counts.bytes);
    if (op->copy.host_stages)
        op->times.staging_us = demand_of_staging(op->counts.bytes);
    else if (is_unstaged(&op->copy) && (route == ROUTE_TO_DEVICE || route == ROUTE_TO_HOST))
        demand.alone_us += demand_of_staging(op->counts.bytes);
    if (op->copy.source.place == PLACE_PAGEABLE)
        replay_host(op->times.staging_us);
    return demand;
}

static struct demand replay_work(struct op *op) {
    switch (op->kind) {
    case OP_KERNEL:
        bring(op, op->queue.device, true);
        return demand_of_kernel(&op->kernel, &op->counts, op->queue.stream == 0);
    case OP_SET:
        bring(op, op->queue.device, true);
        return demand_of_set(op->counts.bytes);
    case OP_PREFETCH:
        bring(op, op->prefetch.place, false);
        return demand_of_nothing();
    case OP_COPY:
        return replay_copy(op);
    case OP_WAIT:
        if (op->times.awaited)
            await_signal(op);
        return demand_of_nothing();
    default:
        return demand_of_nothing();
    }
}

void replay_op(struct op *op) {
    clock_run_until(the_clock(), replay.host);
    const struct demand demand = replay_work(op);
    add_op_job(&demand, op);
    if (op->kind == OP_PREFETCH)
        replay_host(demand_of_asking(op->counts.bytes, op->counts.moved));
}

/* The host */

void replay_host(double us) {
    replay.host += us;
}

void replay_stage(const struct op *op) {
    replay_host(op->times.staging_us);
}

void replay_wait(const struct op_jobs *jobs) {
    for (size_t i = 0; i < jobs->count; i++)
        clock_run_job(the_clock(), jobs->ids[i]);
    host_waits_for_clock();
}

void replay_wait_device(int device) {
    clock_run_machine(the_clock(), device);
    host_waits_for_clock();
}

/* How many faults are served for the host's page: it is one of those that a neighbourhood is brought by, or
 * comes along with one. */
static double served_for_touch(bool is_first) {
    replay.touch_pages = is_first ? 0 : replay.touch_pages;
    const size_t before = replay.touch_pages++;
    return (before & (before - 1)) == 0;
}

/* The host waits for what brings the page, wherever to, and has it brought if it lives elsewhere. */
void replay_touch(const struct page_touch *touch) {
    const bool again = touch->epoch == replay.touch_epoch;
    struct page_move move = {.fault = again ? replay.touch_fault : 0};
    struct page_list pages = {0};
    page_list_add(&pages, touch->residence, touch->page, 1);
    residence_bring(&pages, LIVES_ON_HOST, touch->job, &move);
    for (size_t i = 0; i < move.after_count; i++)
        clock_run_job(the_clock(), move.after[i]);
    host_waits_for_clock();
    struct op_counts counts = {0};
    count_move(&move, &counts);
    if (counts.moved) {
        extrapolation_refuse_touch();
        clock_run_until(the_clock(), replay.host);
        add_move_job(&move, counts.moved, served_for_touch(counts.faults > 0), LIVES_ON_HOST, touch->job, 0,
                     &(struct op_jobs){0}, NULL);
        clock_run_job(the_clock(), touch->job);
        host_waits_for_clock();
    }
    replay.touch_epoch = touch->epoch;
    replay.touch_fault = move.fault;
    page_move_free(&move);
    page_list_free(&pages);
}

void replay_until(double us) {
    clock_run_until(the_clock(), us);
}

double replay_now(void) {
    return replay.host;
}

double replay_end(void) {
    for (int device = 0; device < settings.devices; device++)
        replay_wait_device(device);
    clock_free(replay.clock);
    replay.clock = NULL;
    extrapolation_end();
    return replay.host;
}
