#include "test/vgpu/op.h"

#include "test/vgpu/chain.h"
#include "test/vgpu/copy.h"
#include "test/vgpu/cupti.h"
#include "test/vgpu/launch.h"
#include "test/vgpu/managed.h"
#include "test/vgpu/memory.h"
#include "test/vgpu/order.h"
#include "test/vgpu/page_record.h"
#include "test/vgpu/race.h"
#include "test/vgpu/storage.h"
#include "test/vgpu/timeline.h"
#include "test/vgpu/traffic.h"

#include <stdio.h>
#include <stdlib.h>

void op_list_add(struct op_list *list, struct op *op) {
    if (!op)
        return;
    list->ops = with_room(list->ops, list->count, &list->capacity, sizeof(*list->ops));
    list->ops[list->count++] = op_retain(op);
}

void op_list_free(struct op_list *list) {
    for (size_t i = 0; i < list->count; i++)
        op_release(list->ops[i]);
    free(list->ops);
    *list = (struct op_list){0};
}

void op_jobs_add(struct op_jobs *jobs, uint64_t id) {
    jobs->ids = with_room(jobs->ids, jobs->count, &jobs->capacity, sizeof(*jobs->ids));
    jobs->ids[jobs->count++] = id;
}

void op_jobs_free(struct op_jobs *jobs) {
    free(jobs->ids);
    *jobs = (struct op_jobs){0};
}

void op_drop_costs(struct op *op) {
    op_jobs_free(&op->times.after);
    op_release(op->times.awaited);
    op->times.awaited = NULL;
    page_list_free(&op->managed.touched);
    page_list_free(&op->managed.read);
}

struct op *op_new(enum op_kind kind) {
    struct op *op = allocate(1, sizeof(*op));
    op->references = 1;
    op->kind = kind;
    op->asker.api = thread_state.api;
    op->asker.site = thread_state.site;
    cupti_issue(op);
    op->queue.device = thread_state.device;
    op->times.ended_us = -1;
    vector_clock_join(&op->past.clock, &engine.host);
    return op;
}

struct op *op_repeat(struct op *original) {
    struct op *op = op_new(original->kind);
    op->asker.repeats = op_retain(original);
    op->asker.api = original->asker.api;
    op->asker.site = original->asker.site;
    op->queue.device = original->queue.device;
    op->queue.priority = original->queue.priority;
    switch (op->kind) {
    case OP_KERNEL:
        op->kernel = original->kernel;
        break;
    case OP_COPY:
        op->copy = original->copy;
        break;
    case OP_SET:
        op->set = original->set;
        break;
    case OP_HOST_FUNCTION:
        op->host = original->host;
        break;
    case OP_ALLOCATE:
    case OP_FREE:
        op->memory = original->memory;
        break;
    default:
        break;
    }
    return op;
}

void op_stamp(struct op *op, uint32_t component) {
    op->past.component = component;
    op->past.tick = vector_clock_get(&engine.issued, component) + 1;
    vector_clock_set(&engine.issued, component, op->past.tick);
    engine.steps++;
    vector_clock_set(&op->past.clock, component, op->past.tick);
    chain_issue(op);
    vector_clock_join(&engine.gpus[op->queue.device].issued, &op->past.clock);
    managed_issue(op);
}

struct op *op_retain(struct op *op) {
    op->references++;
    return op;
}

/* Frees what only running needs. */
static void drop_work(struct op *op) {
    if (op->kind == OP_KERNEL) {
        if (!op->asker.repeats)
            free(op->kernel.args);
        op->kernel.args = NULL;
    } else if (op->kind == OP_COPY) {
        free(op->copy.staging);
        op->copy.staging = NULL;
    }
    op_release(op->asker.repeats);
    op->asker.repeats = NULL;
    op_list_free(&op->order.earlier);
    op_list_free(&op->order.later);
}

void op_release(struct op *op) {
    if (!op || --op->references)
        return;
    drop_work(op);
    op_drop_costs(op);
    vector_clock_free(&op->past.clock);
    free(op);
}

void op_after(struct op *op, struct op *earlier) {
    if (!earlier)
        return;
    vector_clock_join(&op->past.clock, &earlier->past.clock);
    if (timeline_is_kept())
        op_jobs_add(&op->times.after, earlier->times.job);
    if (earlier->state == OP_DONE)
        return;
    op_list_add(&op->order.earlier, earlier);
    op_list_add(&earlier->order.later, op);
    op->order.blockers++;
}

bool op_ordered(const struct op *earlier, const struct op *op) {
    return vector_clock_get(&op->past.clock, earlier->past.component) >= earlier->past.tick;
}

bool op_known(const struct op *op) {
    return vector_clock_get(&engine.host, op->past.component) >= op->past.tick;
}

/* Without the lock: a host function may wait for a thread that is about to call the API. */
static void run_host(struct op *op, cudaError_t status) {
    const struct op_host *host = &op->host;
    if (engine.exiting)
        return;
    thread_state.host_function = op;
    pthread_mutex_unlock(&engine.lock);
    if (host->callback)
        host->callback(host->stream, status, host->data);
    else
        host->function(host->data);
    pthread_mutex_lock(&engine.lock);
    thread_state.host_function = NULL;
}

/* The memory that ops other than kernels touch is known from what they are. */
static void record_pages(struct op *op) {
    if (op->kind == OP_COPY)
        copy_record_pages(op);
    else if (op->kind == OP_SET)
        page_record_range(op->set.to, set_span(&op->set), &op->managed.touched);
    else if (op->kind == OP_PREFETCH)
        page_record_range(op->prefetch.address, op->prefetch.size, &op->managed.touched);
}

static void run_on_device(struct op *op) {
    race_begin(op);
    if (op->kind == OP_KERNEL)
        launch_run(op);
    else if (op->kind == OP_COPY)
        copy_run(&op->copy);
    else if (op->kind == OP_SET)
        set_run(&op->set);
    else if (op->kind == OP_ALLOCATE || op->kind == OP_FREE)
        memory_run(op);
    race_end();
    if (op->kind == OP_KERNEL)
        op->counts.traffic = traffic_end();
    page_record_end(&op->managed.touched);
    record_pages(op);
}

static void run_work(struct op *op) {
    if (op->kind == OP_CALLBACK)
        run_host(op, engine.gpus[op->queue.device].fault);
    else if (engine.gpus[op->queue.device].fault)
        return;
    else if (op->kind == OP_HOST_FUNCTION)
        run_host(op, cudaSuccess);
    else
        run_on_device(op);
}

void op_run(struct op *op) {
    op->state = OP_RUNNING;
    run_work(op);
    op->state = OP_DONE;
    op->order.finished = ++engine.ended;
    for (size_t i = 0; i < op->order.later.count; i++) {
        if (--op->order.later.ops[i]->order.blockers == 0)
            order_ready(op->order.later.ops[i]);
    }
    drop_work(op);
    timeline_ran();
}

void op_describe(const struct op *op, char text[SITE_TEXT]) {
    char name[SITE_TEXT];
    if (op->kind == OP_HOST) {
        snprintf(text, SITE_TEXT, "the host");
        return;
    }
    if (op->kind != OP_KERNEL) {
        snprintf(text, SITE_TEXT, "%s", op->asker.api);
        return;
    }
    symbol_describe(op->kernel.kernel->name, name);
    snprintf(text, SITE_TEXT, "kernel %.400s", name);
}
