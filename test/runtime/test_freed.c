/* Memory that the program frees while ops of a region may use it. */
#include "runtime/kesco_abi.h"
#include "test/cmocka.h"
#include "test/runtime/scenario.h"

#include <stdlib.h>

enum { DEVICE = KESCO_REACH_DEVICE, FREE = KESCO_REACH_DEVICE | KESCO_REACH_FREES, SIZE = 4096 };

static void *allocate(size_t size) {
    void *memory = NULL;

    return __kesco1_allocate(&memory, size) == cudaSuccess ? memory : NULL;
}

static size_t free_bytes(void) {
    size_t left, all;

    return cudaMemGetInfo(&left, &all) == cudaSuccess ? left : 0;
}

/* Two ops, behind work of others that the host has waited for. */
static void issue_two(void) {
    ENTER(origin, 2, 0);
    __kesco1_cover(DEVICE);
    issue('a', __kesco1_lane(0, NULL, 0));
    issue('b', __kesco1_lane(1, NULL, 0));
}

/* It is there until the region is closed, which waits for its ops. */
static int keeps_it(void) {
    void *memory = allocate(SIZE), *managed;
    size_t before;

    REQUIRE(__kesco1_allocate_managed(&managed, SIZE, cudaMemAttachGlobal) == cudaSuccess);
    before = free_bytes();
    issue_two();
    REQUIRE(__kesco1_synchronize(memory, FREE) == cudaSuccess && letters() == 0);
    REQUIRE(__kesco1_synchronize(managed, FREE) == cudaSuccess && letters() == 0);
    REQUIRE(free_bytes() == before && cudaMemset(memory, 0, SIZE) == cudaSuccess);
    __kesco1_leave();
    REQUIRE(letters() == 2 && free_bytes() > before && cudaMemset(memory, 0, SIZE) != cudaSuccess);
    return 0;
}

/* Nothing is waited for, nor is anything closed. */
static int has_nothing_to_free(void) {
    ENTER(origin, 2, 0);
    issue('a', __kesco1_lane(1, NULL, 0));
    REQUIRE(__kesco1_synchronize(NULL, FREE) == cudaSuccess && letters() == 0);
    REQUIRE(__kesco1_wait_lent(1, NULL, FREE, NULL, KESCO_ENDS_UNSEEN) == cudaSuccess && letters() == 0);
    REQUIRE(__kesco1_wait_lent(0, NULL, FREE, NULL, KESCO_ENDS_UNSEEN) == cudaSuccess && letters() == 0);
    __kesco1_leave();
    return 0;
}

/* What cudaFree refuses, it refuses at once: a second time, and what lies within memory, or is none. */
static int refuses(void) {
    char *memory = allocate(SIZE);
    int local;

    issue_two();
    REQUIRE(__kesco1_synchronize(memory + 1, FREE) == cudaErrorInvalidValue);
    issue_two();
    REQUIRE(__kesco1_synchronize(&local, FREE) == cudaErrorInvalidValue);
    REQUIRE(cudaGetLastError() == cudaErrorInvalidValue);
    issue_two();
    REQUIRE(__kesco1_synchronize(memory, FREE) == cudaSuccess);
    REQUIRE(__kesco1_synchronize(memory, FREE) == cudaErrorInvalidValue);
    __kesco1_leave();
    return 0;
}

/* Where more comes than is kept, all of it is freed. */
static int frees_many(void) {
    enum { MANY = 200 };
    void *memory[MANY];
    const size_t before = free_bytes();
    int i;

    for (i = 0; i < MANY; i++)
        memory[i] = allocate(SIZE);
    for (i = 0; i < MANY; i++) {
        issue_two();
        REQUIRE(__kesco1_synchronize(memory[i], FREE) == cudaSuccess);
    }
    REQUIRE(letters() > 0);
    __kesco1_leave();
    REQUIRE(free_bytes() == before);
    return 0;
}

/* What is large is not kept. */
static int frees_much(void) {
    const size_t before = free_bytes();
    void *memory = allocate(before / 2);

    issue_two();
    REQUIRE(__kesco1_synchronize(memory, FREE) == cudaSuccess && letters() == 2 && free_bytes() == before);
    __kesco1_leave();
    return 0;
}

/* The program gets all of the memory that it would have. */
static int gives_it_back(void) {
    const size_t left = free_bytes();
    void *memory = allocate(SIZE), *managed;

    issue_two();
    REQUIRE(__kesco1_synchronize(memory, FREE) == cudaSuccess && letters() == 0);
    memory = allocate(left);
    REQUIRE(memory != NULL && letters() == 2 && cudaGetLastError() == cudaSuccess);
    issue_two();
    REQUIRE(allocate(SIZE) == NULL && cudaGetLastError() == cudaErrorMemoryAllocation);
    REQUIRE(__kesco1_allocate_managed(&managed, SIZE, cudaMemAttachGlobal) == cudaSuccess);
    REQUIRE(__kesco1_synchronize(managed, FREE) == cudaSuccess && letters() == 2);
    __kesco1_give_back();
    REQUIRE(letters() == 4 && cudaMemset(managed, 0, SIZE) != cudaSuccess);
    __kesco1_leave();
    return 0;
}

static int frees_at_once(void) {
    void *memory = allocate(SIZE);
    const size_t before = free_bytes();

    issue_two();
    REQUIRE(__kesco1_synchronize(memory, FREE) == cudaSuccess && letters() == 2 && free_bytes() > before);
    __kesco1_leave();
    return 0;
}

/* The device has failed: the program is told so, and no later. */
static int tells_of_errors(void) {
    void *memory = allocate(SIZE);

    ENTER(origin, 2, 0);
    issue('a', __kesco1_lane(1, NULL, 0));
    REQUIRE(__kesco1_synchronize(memory, FREE) == cudaErrorUnknown);
    REQUIRE(cudaGetLastError() == cudaErrorUnknown);
    __kesco1_leave();
    return 0;
}

static const struct scenario scenarios[] = {
    SCENARIO(keeps_it),   SCENARIO(has_nothing_to_free), SCENARIO(refuses),       SCENARIO(frees_many),
    SCENARIO(frees_much), SCENARIO(gives_it_back),       SCENARIO(frees_at_once), SCENARIO(tells_of_errors),
};

static void require_late(const char *scenario) {
    require_everywhere(scenario, "VGPU_SEED", AS_LATE_AS_POSSIBLE);
}

static void test_memory_in_use_is_kept(void **state) {
    (void)state;
    require_late("keeps_it");
    require_late("has_nothing_to_free");
    require_late("frees_many");
    require_late("frees_much");
}

static void test_a_full_device_gets_it_back(void **state) {
    (void)state;
    setenv("VGPU_MEMORY", "1", 1); /* MiB */
    require_late("gives_it_back");
    unsetenv("VGPU_MEMORY");
}

static void test_errors_are_the_programs(void **state) {
    (void)state;
    require_late("refuses");
    require_everywhere("tells_of_errors", "VGPU_FAIL", "cudaDeviceSynchronize:1,cudaFree:1");
}

static void test_serial_regions_free(void **state) {
    (void)state;
    setenv("VGPU_SEED", AS_LATE_AS_POSSIBLE, 1);
    require_everywhere("frees_at_once", "KESCO_DISABLE", "1");
    unsetenv("VGPU_SEED");
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory_in_use_is_kept),
        cmocka_unit_test(test_a_full_device_gets_it_back),
        cmocka_unit_test(test_errors_are_the_programs),
        cmocka_unit_test(test_serial_regions_free),
    };

    if (argc == 3)
        return RUN_SCENARIO(argv, scenarios);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
