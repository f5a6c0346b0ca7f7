/* What a tool is told through NVTX, by nvtx_recorder.c. */
#include "runtime/kesco_abi.h"
#include "test/cmocka.h"
#include "test/runtime/scenario.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct kesco_site one = {"memset", "one", "run(int)", "a.cu", 3, 3, 0, 0, 0, 0, 0, NULL};
static const struct kesco_site two = {"copy", "two", "run(int)", "a.cu", 4, 4, 0, 0, 0, 0, 0, NULL};

static int region(void) {
    static const struct kesco_region two_lanes = {.lanes = 2, .events = 1, .function = "run(int)"};

    __kesco1_enter(origin, &two_lanes);
    write_cell(0, __kesco1_lane(0, &one, 0));
    __kesco1_record(0, 0);
    __kesco1_wait(0, 1);
    copy_cell(1, 0, __kesco1_lane(1, &two, 0));
    write_cell(2, __kesco1_lane(1, NULL, 0));
    __kesco1_leave();
    REQUIRE(cudaGetLastError() == cudaSuccess);
    return 0;
}

/* The region that another one closes has no ops, and no name. */
static int regions(void) {
    ENTER(origin, 2, 0);
    return region();
}

static const struct scenario scenarios[] = {SCENARIO(region), SCENARIO(regions)};

static char path[] = "/tmp/kesco-nvtx-XXXXXX";

static int make_path(void **state) {
    const int file = mkstemp(path);

    (void)state;
    setenv("NVTX_INJECTION64_PATH", NVTX_RECORDER, 1);
    return file < 0 ? -1 : close(file);
}

static int remove_path(void **state) {
    (void)state;
    return remove(path);
}

static void require_calls(const char *scenario, const char *kind, const char *calls) {
    char told[1024] = "";
    FILE *file;

    assert_int_equal(run_child_with(scenario, kind, "NVTX_RECORDER_FILE", path), 0);
    file = fopen(path, "r");
    assert_non_null(file);
    if (file == NULL)
        return;
    told[fread(told, 1, sizeof told - 1, file)] = '\0';
    fclose(file);
    assert_string_equal(told, calls);
}

#define OPS_BEHIND_THE_FIRST                                                                                 \
    "push one\npop\nkesco lane 1 is stream of its own\npush two\npop\npush op\npop\npop\n"

static void test_ranges_are_of_regions_and_ops(void **state) {
    (void)state;
    require_calls("region", "null",
                  "domain KeSCo\npush run(int)\nkesco lane 0 is stream of its own\n" OPS_BEHIND_THE_FIRST);
    require_calls("regions", "null",
                  "domain KeSCo\npush region\npop\npush run(int)\nkesco lane 0 is stream of its "
                  "own\n" OPS_BEHIND_THE_FIRST);
}

static void test_the_programs_streams_keep_their_names(void **state) {
    (void)state;
    require_calls("region", "nonblocking", "domain KeSCo\npush run(int)\n" OPS_BEHIND_THE_FIRST);
    setenv("KESCO_DISABLE", "1", 1);
    require_calls("region", "null",
                  "domain KeSCo\npush run(int)\npush one\npop\npush two\npop\npush op\npop\npop\n");
    unsetenv("KESCO_DISABLE");
}

/* A tool that refuses to start, and one that is not there. */
static void test_no_tool(void **state) {
    (void)state;
    assert_int_equal(run_child("region", "null"), 0);
    assert_int_equal(run_child_with("region", "null", "NVTX_INJECTION64_PATH", "/none/tool.so"), 0);
    setenv("NVTX_INJECTION64_PATH", NVTX_RECORDER, 1);
}

static void test_order_is_as_without(void **state) {
    (void)state;
    setenv("NVTX_RECORDER_FILE", path, 1);
    require_everywhere("region", "VGPU_CHECK", "races");
    unsetenv("NVTX_RECORDER_FILE");
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ranges_are_of_regions_and_ops),
        cmocka_unit_test(test_the_programs_streams_keep_their_names),
        cmocka_unit_test(test_no_tool),
        cmocka_unit_test(test_order_is_as_without),
    };

    if (argc == 3)
        return RUN_SCENARIO(argv, scenarios);
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
