/* What is traced, and the trace of it. */
#ifndef KESCO_TEST_RUNTIME_TRACED_H
#define KESCO_TEST_RUNTIME_TRACED_H

#include "runtime/kesco_abi.h"
#include "test/cmocka.h"
#include "test/runtime/fake_cupti.h"
#include "test/runtime/scenario.h"
#include "test/runtime/trace_rules.h"

#include <cupti.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The virtual GPU's CUPTI is none here: times are events', or of fake_cupti.c. */
__attribute__((visibility("default"))) CUptiResult cuptiGetVersion(uint32_t *version) {
    (void)version;
    return CUPTI_ERROR_NOT_INITIALIZED;
}

enum { MANY = 6000 }; /* more ops than are kept unread */

static const struct kesco_site one = {"memset", "one", "run(int)", "a.cu", 3, 3, 0, 0, 0, 0, 0, NULL};
static const struct kesco_site two = {"copy", "two", "run(int)", "a.cu", 4, 4, 0, 0, 0, 0, 0, NULL};

static const struct kesco_site odd = {"kernel", "\"odd\\\xff\"", "walk<\"x\">()", NULL, 0, 0, 0, 0, 0, 0, 0,
                                      NULL};

static const struct kesco_region three_lanes = {
    .lanes = 3, .events = 2, .function = "run(int)", .file = "a.cu", .line = 3};

/* `one` and `odd` at once, then `two` behind both. */
static inline void run_region(void) {
    __kesco1_enter(origin, &three_lanes);
    write_cell(0, __kesco1_lane(0, &one, 0));
    __kesco1_record(0, 0);
    write_cell(1, __kesco1_lane(1, &odd, 0));
    __kesco1_record(1, 1);
    __kesco1_wait(0, 2);
    __kesco1_wait(1, 2);
    copy_cell(2, 0, __kesco1_lane(2, &two, 0));
    write_cell(3, __kesco1_lane(2, NULL, 0));
    __kesco1_leave();
}

static inline int region(void) {
    run_region();
    REQUIRE(cudaGetLastError() == cudaSuccess);
    return 0;
}

static inline int many(void) {
    int i;

    __kesco1_enter(origin, &three_lanes);
    for (i = 0; i < MANY; i++)
        write_cell(i % 3, __kesco1_lane((uint32_t)i % 3, &one, 0));
    __kesco1_leave();
    REQUIRE(cudaGetLastError() == cudaSuccess);
    return 0;
}

static char path[] = "/tmp/kesco-trace-XXXXXX";

static inline int make_path(void **state) {
    const int file = mkstemp(path);

    (void)state;
    setenv("VGPU_TIME", "1", 1);
    return file < 0 ? -1 : close(file);
}

static inline int remove_path(void **state) {
    (void)state;
    return remove(path);
}

static inline json_t *trace_of(const char *scenario, const char *kind) {
    const int status = run_child_with(scenario, kind, "KESCO_TRACE", path);
    json_t *trace = trace_rules_load(path);

    if (status != 0 || trace == NULL)
        fail_msg("%s on origin '%s': status %d", scenario, kind, status);
    return trace;
}

/* Requires the trace of a scenario, as trace_rules_print tells it, to be this text. */
static inline void require_trace(const char *scenario, const char *kind, const char *text) {
    json_t *trace = trace_of(scenario, kind);
    char told[4096];
    FILE *file = fmemopen(told, sizeof told, "w");

    assert_non_null(file);
    trace_rules_print(file, trace);
    fclose(file);
    json_decref(trace);
    if (strcmp(told, text) != 0)
        fail_msg("%s on origin '%s':\n%s-- rather than\n%s", scenario, kind, told, text);
}

#define LEFT_OUT_OF(times, regions, ops)                                                                     \
    "{\"captured_regions\": " regions ", \"ops_left_out\": " ops ", \"times\": \"" times "\"}\n"

#define LEFT_OUT(regions, ops) LEFT_OUT_OF("CUDA events", regions, ops)
#define ODD "\"odd\\\xef\xbf\xbd\""
#define ARROWS "arrow one -> two\narrow " ODD " -> two\n"
#define LANES_1_AND_2 "row kesco lane 1: " ODD "\nrow kesco lane 2: two op\n"
#define LEGACY_REGION "row kesco regions: run(int)\nrow kesco lane 0: one\n" LANES_1_AND_2

static inline double number_of(const json_t *event, const char *key) {
    return json_number_value(json_object_get(event, key));
}

static inline size_t count_ops(const json_t *trace) {
    const json_t *event;
    size_t count = 0, i;

    json_array_foreach(json_object_get(trace, "traceEvents"), i, event) {
        count += json_object_get(json_object_get(event, "args"), "op") != NULL;
    }
    return count;
}

#endif
