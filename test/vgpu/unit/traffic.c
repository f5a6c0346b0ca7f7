/* What counts as a kernel's memory traffic. */
#include "test/vgpu/traffic.h"

#include "test/vgpu/device.h"
#include "test/vgpu/memory.h"
#include "test/vgpu/timeline.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

enum { SECTOR = 32, SIZE = 1 << 20 };

static _Alignas(4096) char device[SIZE], pinned[4096];
static struct allocation device_memory = {.base = device, .size = SIZE, .kind = MEMORY_DEVICE};
static struct allocation pinned_memory = {.base = pinned, .size = sizeof(pinned), .kind = MEMORY_PINNED};
static bool kept = true;

_Noreturn void die(int status, const char *format, ...) {
    (void)format;
    exit(status);
}

bool timeline_is_kept(void) {
    return kept;
}

struct allocation *memory_find(const void *pointer) {
    const char *at = pointer;
    if (at >= device && at < device + SIZE)
        return &device_memory;
    return at >= pinned && at < pinned + sizeof(pinned) ? &pinned_memory : NULL;
}

static void ends_with(uint64_t read, uint64_t written) {
    const struct traffic traffic = traffic_end();
    assert_int_equal(traffic.read, read);
    assert_int_equal(traffic.written, written);
}

static void a_sector_counts_once(void **state) {
    (void)state;
    assert_true(traffic_begin());
    for (int i = 0; i < SECTOR; i++)
        traffic_touch(device + i, 1, VGPU_READ);
    traffic_touch(device + 4, 8, VGPU_READ);
    ends_with(SECTOR, 0);
}

static void reads_and_writes_count_apart(void **state) {
    (void)state;
    traffic_begin();
    traffic_touch(device, 4, VGPU_READ);
    traffic_touch(device + 64, 4, VGPU_WRITE);
    traffic_touch(device + 128, 4, VGPU_ATOMIC);
    ends_with(2 * SECTOR, 2 * SECTOR);
}

static void a_part_of_a_sector_is_a_sector(void **state) {
    (void)state;
    traffic_begin();
    traffic_touch(device + SECTOR - 1, 2, VGPU_WRITE);
    for (int i = 0; i < 10; i++)
        traffic_touch(device + 4096 + 100 * i, 1, VGPU_READ);
    ends_with(10 * SECTOR, 2 * SECTOR);
}

static void ranges_of_any_length_count(void **state) {
    (void)state;
    traffic_begin();
    traffic_touch(device + 2016, 64, VGPU_READ);
    traffic_touch(device + 2048, SIZE - 4096, VGPU_WRITE);
    ends_with(2 * SECTOR, SIZE - 4096);
}

static void single_accesses_sum_up_to_the_range(void **state) {
    (void)state;
    traffic_begin();
    for (int again = 0; again < 2; again++)
        for (int i = 0; i < SIZE; i += 4)
            traffic_touch(device + i, 4, VGPU_READ);
    ends_with(SIZE, 0);
}

static void only_device_memory_counts(void **state) {
    char local[64];
    (void)state;
    traffic_begin();
    traffic_touch(pinned, sizeof(pinned), VGPU_READ);
    traffic_touch(local, sizeof(local), VGPU_WRITE);
    ends_with(0, 0);
}

static void each_kernel_begins_anew(void **state) {
    (void)state;
    for (int kernel = 0; kernel < 3; kernel++) {
        traffic_begin();
        traffic_touch(device, 4096, VGPU_READ);
        ends_with(4096, 0);
    }
}

static void without_virtual_time_nothing_counts(void **state) {
    (void)state;
    kept = false;
    assert_false(traffic_begin());
    traffic_touch(device, 4096, VGPU_READ);
    ends_with(0, 0);
    kept = true;
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sector_counts_once),
        cmocka_unit_test(reads_and_writes_count_apart),
        cmocka_unit_test(a_part_of_a_sector_is_a_sector),
        cmocka_unit_test(ranges_of_any_length_count),
        cmocka_unit_test(single_accesses_sum_up_to_the_range),
        cmocka_unit_test(only_device_memory_counts),
        cmocka_unit_test(each_kernel_begins_anew),
        cmocka_unit_test(without_virtual_time_nothing_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
