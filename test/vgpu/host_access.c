#include "test/vgpu/host_access.h"

#include "test/vgpu/chain.h"
#include "test/vgpu/component.h"
#include "test/vgpu/managed.h"
#include "test/vgpu/memory.h"
#include "test/vgpu/race.h"
#include "test/vgpu/race_report.h"
#include "test/vgpu/storage.h"
#include "test/vgpu/timeline.h"

#include <signal.h>
#include <stdlib.h>

/* The host at one place in the program. */
struct host_op {
    const void *place; /* return address */
    struct op *op;
};

/* The host since it last took a step. */
static struct {
    uint64_t step;       /* engine.steps then; 0: never */
    bool knows_all;      /* it waited for all ops that are issued: nothing can race with it */
    struct host_op *ops; /* by place, in no order */
    size_t count, capacity;
} host;

__attribute__((visibility("default"))) int vgpu_host_recording;

void host_access_start(void) {
    vgpu_host_recording = 1;
}

static bool knows_all(void) {
    for (uint32_t i = 0; i < engine.issued.count; i++) {
        if (vector_clock_get(&engine.host, i) < engine.issued.at[i])
            return false;
    }
    return true;
}

/* Begins the host's next step. */
static void step(void) {
    const uint32_t component = component_of_host();
    for (size_t i = 0; i < host.count; i++)
        op_release(host.ops[i].op);
    host.count = 0;
    host.step = engine.steps;
    host.knows_all = knows_all();
    if (host.knows_all)
        return;
    race_forget_known();
    vector_clock_set(&engine.issued, component, vector_clock_get(&engine.issued, component) + 1);
    vector_clock_set(&engine.host, component, vector_clock_get(&engine.issued, component));
}

/* What the host does in this step at a place in the program, as an op. */
static struct op *op_at(const void *place) {
    for (size_t i = 0; i < host.count; i++) {
        if (host.ops[i].place == place)
            return host.ops[i].op;
    }
    host.ops = with_room(host.ops, host.count, &host.capacity, sizeof(*host.ops));
    struct op *op = op_new(OP_HOST);
    op->state = OP_DONE;
    op->asker.site = site_here();
    op->past.component = component_of_host();
    op->past.tick = vector_clock_get(&engine.issued, op->past.component);
    host.ops[host.count++] = (struct host_op){place, op};
    return op;
}

/* The running host function, or the host itself; NULL: nothing can race with it. */
static struct op *current_op(const void *place) {
    if (thread_state.host_function)
        return thread_state.host_function;
    if (host.step != engine.steps)
        step();
    return host.knows_all ? NULL : op_at(place);
}

/* CUDA Runtime API, cudaMalloc: the pointer is to memory on the device. */
static _Noreturn void fault(const struct allocation *allocation, uint32_t kind) {
    const struct site site = site_here();
    race_report_host_fault(allocation, &site, kind);
    signal(SIGSEGV, SIG_DFL);
    raise(SIGSEGV);
    abort();
}

__attribute__((visibility("default"))) void vgpu_host_access(const void *address, uint64_t size,
                                                             uint32_t kind) {
    if (!size)
        return;
    timeline_touch(address, size);
    if (!settings.check_races || !memory_may_hold(address))
        return;
    pthread_mutex_lock(&engine.lock);
    struct allocation *allocation = memory_find(address);
    if (allocation && !memory_is_host(allocation))
        fault(allocation, kind);
    if (allocation)
        chain_host(allocation, address, size, kind);
    struct op *op = allocation ? current_op(__builtin_return_address(0)) : NULL;
    if (op) {
        race_touch_beside(op, allocation, address, size, kind);
        managed_touch(op, allocation, kind);
    }
    pthread_mutex_unlock(&engine.lock);
}
