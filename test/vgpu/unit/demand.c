/* What kernels ask of the machine: which of compute, memory and places for blocks is what holds them back. */
#include "test/vgpu/demand.h"

#include "test/vgpu/hardware.h"
#include "test/vgpu/properties.h"
#include "test/vgpu/settings.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

enum { THREADS = 256, MIB = 1 << 20, HUGE_GRID = 1 << 20 };

struct settings settings;

_Noreturn void die(int status, const char *format, ...) {
    (void)format;
    exit(status);
}

_Noreturn void vgpu_unmodelled(const char *name, const char *detail) {
    (void)name, (void)detail;
    exit(EXIT_UNMODELLED);
}

static struct vgpu_kernel small, sharing = {.static_shared = 40 << 10};

/* A kernel and its counts. */
struct run {
    struct op_kernel launch;
    struct op_counts counts;
};

static struct run kernel_of(unsigned blocks) {
    return (struct run){.launch = {.kernel = &small, .block = {THREADS, 1, 1}}, .counts = {.blocks = blocks}};
}

static struct demand demand_of(const struct run *run) {
    return demand_of_kernel(&run->launch, &run->counts, false);
}

/* Blocks that take all places. */
static unsigned full(void) {
    return (unsigned)properties()->multiProcessorCount * 2048 / THREADS;
}

/* How long the kernel runs once it has started. */
static double run_us(const struct run *kernel) {
    return demand_of(kernel).alone_us - hardware->device.kernel_us;
}

static double use(const struct run *kernel, enum clock_resource resource) {
    return demand_of(kernel).uses[resource];
}

static void is_near(double value, double expected) {
    assert_true(fabs(value - expected) < 1e-3 * expected);
}

static void a_kernel_that_does_nothing_only_starts(void **state) {
    const struct run kernel = kernel_of(1);
    (void)state;
    is_near(demand_of(&kernel).alone_us, hardware->device.kernel_us);
}

static void traffic_takes_its_time_at_the_memory_s_rate(void **state) {
    struct run kernel = kernel_of(HUGE_GRID);
    (void)state;
    kernel.counts.traffic = (struct traffic){.read = 600 * MIB, .written = 400 * MIB};
    is_near(run_us(&kernel), 1000.0 * MIB / hardware->memory.rate);
    kernel.counts.work[VGPU_WORK_ALL] = 1000;
    is_near(run_us(&kernel), 1000.0 * MIB / hardware->memory.rate);
    assert_true(use(&kernel, CLOCK_MEMORY) > 0.95 && use(&kernel, CLOCK_COMPUTE) < 0.05);
}

static void few_warps_do_not_reach_the_memory_s_rate(void **state) {
    struct run few = kernel_of(full() / 16), fewer = kernel_of(full() / 32), all = kernel_of(full());
    (void)state;
    few.counts.traffic.read = fewer.counts.traffic.read = all.counts.traffic.read = 1000 * MIB;
    is_near(run_us(&fewer), 2 * run_us(&few));
    assert_true(run_us(&few) > 3 * run_us(&all));
    assert_true(use(&few, CLOCK_MEMORY) < 0.3);
}

static void the_least_traffic_takes_one_access(void **state) {
    struct run kernel = kernel_of(1);
    (void)state;
    kernel.counts.traffic.read = 32;
    is_near(run_us(&kernel), hardware->memory.latency / hardware->processors.clock_mhz);
}

static void the_slower_of_compute_and_memory_counts(void **state) {
    struct run kernel = kernel_of(HUGE_GRID);
    (void)state;
    kernel.counts.work[VGPU_WORK_ALL] = 4000000000;
    const double compute_us = run_us(&kernel);
    kernel.counts.traffic.read = MIB;
    is_near(run_us(&kernel), compute_us);
    assert_true(use(&kernel, CLOCK_COMPUTE) > 0.95);
}

static void double_precision_takes_longer(void **state) {
    struct run single = kernel_of(HUGE_GRID), twice = kernel_of(HUGE_GRID);
    (void)state;
    single.counts.work[VGPU_WORK_ALL] = twice.counts.work[VGPU_WORK_ALL] = 4000000000;
    single.counts.work[VGPU_WORK_SINGLE] = twice.counts.work[VGPU_WORK_DOUBLE] = 4000000000;
    is_near(run_us(&twice), run_us(&single) * hardware->processors.singles / hardware->processors.doubles);
}

static void resident_blocks_take_their_part_of_the_places(void **state) {
    struct run half = kernel_of(full() / 2), all = kernel_of(full()), more = kernel_of(HUGE_GRID);
    (void)state;
    half.counts.work[VGPU_WORK_ALL] = all.counts.work[VGPU_WORK_ALL] = more.counts.work[VGPU_WORK_ALL] =
        400000000000;
    is_near(use(&half, CLOCK_RESIDENCE), 0.5);
    is_near(use(&all, CLOCK_RESIDENCE), 1);
    is_near(use(&more, CLOCK_RESIDENCE), 1);
    is_near(use(&half, CLOCK_COMPUTE), 0.5);
}

static void shared_memory_takes_places_too(void **state) {
    struct run kernel = kernel_of(full() / 2);
    (void)state;
    kernel.counts.work[VGPU_WORK_ALL] = 400000000000;
    kernel.launch.kernel = &sharing;
    assert_true(use(&kernel, CLOCK_RESIDENCE) > 0.7);
}

static void each_model_has_its_rates(void **state) {
    double us[HARDWARE_MODELS];
    (void)state;
    for (int i = 0; i < HARDWARE_MODELS; i++) {
        hardware = &hardware_models[i];
        assert_int_equal(properties()->multiProcessorCount, hardware->processors.count);
        struct run kernel = kernel_of(HUGE_GRID);
        kernel.counts.traffic.read = 1000 * MIB;
        us[i] = run_us(&kernel);
    }
    hardware = &hardware_models[0];
    is_near(us[1] / us[0], hardware_models[0].memory.rate / hardware_models[1].memory.rate);
}

static void pages_come_by_faults(void **state) {
    (void)state;
    is_near(demand_of_faults(PAGE_BYTES, 1), 1);
    is_near(demand_of_faults(2 * PAGE_BYTES, 1), 2);
    is_near(demand_of_faults(FAULT_BYTES, 1), 6);
    is_near(demand_of_faults(8 * (size_t)FAULT_BYTES, 8), 48);
    is_near(demand_of_faults(8 * (size_t)FAULT_BYTES, 1), 48); /* which cannot be */
    assert_true(demand_of_faults(MIB, 0) == 0);
    const double fetched = demand_of_pages(ROUTE_TO_DEVICE, FAULT_BYTES, 0).alone_us;
    is_near(demand_of_pages(ROUTE_TO_DEVICE, FAULT_BYTES, 6).alone_us, fetched + 6 * hardware->link.fault_us);
}

/* As measured (hardware.c): with what the call itself takes. */
static void asking_for_a_prefetch_takes_what_moves(void **state) {
    const double call_us = hardware->host.queue_us;
    (void)state;
    assert_true(fabs(call_us + demand_of_asking(4 << 10, 0) - 4.8) < 0.5);
    assert_true(fabs(call_us + demand_of_asking(128 * (size_t)MIB, 0) - 103) < 5);
    assert_true(fabs(call_us + demand_of_asking(4 << 10, 4 << 10) - 14.6) < 0.5);
    assert_true(fabs(call_us + demand_of_asking(32 * (size_t)MIB, 32 * (size_t)MIB) - 395) < 40);
    assert_true(fabs(call_us + demand_of_asking(128 * (size_t)MIB, 128 * (size_t)MIB) - 1629) < 60);
    assert_true(demand_of_asking(MIB, PAGE_BYTES) < demand_of_asking(MIB, MIB));
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_kernel_that_does_nothing_only_starts),
        cmocka_unit_test(traffic_takes_its_time_at_the_memory_s_rate),
        cmocka_unit_test(few_warps_do_not_reach_the_memory_s_rate),
        cmocka_unit_test(the_least_traffic_takes_one_access),
        cmocka_unit_test(the_slower_of_compute_and_memory_counts),
        cmocka_unit_test(double_precision_takes_longer),
        cmocka_unit_test(resident_blocks_take_their_part_of_the_places),
        cmocka_unit_test(each_model_has_its_rates),
        cmocka_unit_test(shared_memory_takes_places_too),
        cmocka_unit_test(pages_come_by_faults),
        cmocka_unit_test(asking_for_a_prefetch_takes_what_moves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
