/* KESCO_STATS and KESCO_ONLY: what is counted of regions, which of them are told apart, and the table. */
#include "runtime/kesco_abi.h"
#include "runtime/watch/statistics.h"
#include "test/cmocka.h"
#include "test/runtime/scenario.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 4, RUNS = 5000 };

#define REGION(name, ...)                                                                                    \
    static void *name##_memory;                                                                              \
    static const struct kesco_region name = {.memory = &name##_memory, __VA_ARGS__}

REGION(named, .lanes = 3, .events = 1, .function = "void ns::run<int>(int*)", .file = "a.cu", .line = 3);
REGION(other, .lanes = 3, .events = 1, .function = "step(int*)", .file = "a.cu", .line = 9);
static const struct kesco_region forgetful = {.lanes = 3, .function = "ns::run()"};
static const struct kesco_region nameless = {.lanes = 3};

static _Thread_local int cell; /* the thread writes this and the next one */

static bool runs_on_lanes(const struct kesco_region *region) {
    bool result;

    __kesco1_enter(origin, region);
    write_cell(cell, __kesco1_lane(1, NULL, 0));
    result = __kesco1_lane(2, NULL, 0) != origin;
    write_cell(cell + 1, __kesco1_lane(2, NULL, 0));
    __kesco1_leave();
    return result;
}

/* With KESCO_ONLY="void ns::run,ns::run". */
static int only_run(void) {
    int i;

    for (i = 0; i < 3; i++) {
        REQUIRE(runs_on_lanes(&named) && runs_on_lanes(&forgetful));
        REQUIRE(!runs_on_lanes(&other) && !runs_on_lanes(&nameless));
        REQUIRE(runs_on_lanes(&named));
    }
    return 0;
}

/* The memory of a region whose module was loaded anew, where another one was. */
static int other_module(void) {
    struct kesco_region region = named;
    void *memory = NULL;

    region.memory = &memory;
    REQUIRE(runs_on_lanes(&region));
    region = other;
    region.memory = &memory;
    memory = NULL;
    REQUIRE(!runs_on_lanes(&region));
    return 0;
}

struct job {
    int cell;
    bool done;
};

static void *run_regions(void *argument) {
    struct job *job = argument;
    int i;

    cell = job->cell;
    job->done = true;
    for (i = 0; i < 50; i++) {
        /* Beside the default stream, one thread at a time. */
        const bool concurrent = runs_on_lanes(&named) || origin_is_legacy();

        job->done = concurrent && !runs_on_lanes(&other) && job->done;
    }
    return NULL;
}

static int only_run_in_threads(void) {
    pthread_t thread[THREADS];
    struct job jobs[THREADS];
    int i;

    cells();
    for (i = 0; i < THREADS; i++) {
        jobs[i].cell = 2 * i;
        REQUIRE(pthread_create(&thread[i], NULL, run_regions, &jobs[i]) == 0);
    }
    for (i = 0; i < THREADS; i++)
        REQUIRE(pthread_join(thread[i], NULL) == 0);
    for (i = 0; i < THREADS; i++)
        REQUIRE(jobs[i].done);
    return 0;
}

static int all_run(void) {
    REQUIRE(runs_on_lanes(&named) && runs_on_lanes(&forgetful));
    REQUIRE(runs_on_lanes(&other) && runs_on_lanes(&nameless));
    return 0;
}

/* True if there is one reason, this one, for as many runs. */
static bool is_reason(struct kesco_statistics *statistics, const char *text, unsigned runs) {
    return strcmp(statistics->reasons[0].text, text) == 0 && statistics->reasons[0].runs == runs &&
           statistics->reasons[1].text == NULL;
}

static int counted(void) {
    struct kesco_statistics *statistics = kesco_statistics_find(&other);

    __kesco1_enter(origin, &other);
    write_cell(0, __kesco1_lane(0, NULL, 0));
    __kesco1_enter(origin, &other);
    write_cell(2, __kesco1_lane(2, NULL, 0));
    write_cell(2, __kesco1_lane(2, NULL, 0));
    REQUIRE(statistics->counts.entries == 0 && statistics->counts.ops == 0);
    __kesco1_leave();
    __kesco1_leave();
    REQUIRE(statistics->counts.entries == 1 && statistics->counts.ops == 3);
    __kesco1_enter(origin, &other);
    write_cell(1, __kesco1_lane(1, NULL, 0));
    __kesco1_enter(origin, &named);
    __kesco1_leave();
    REQUIRE(statistics->counts.entries == 2 && statistics->counts.ops == 4);
    REQUIRE(statistics->lanes == 3 && statistics->lanes_used == 2);
    REQUIRE(statistics->counts.serial == 0 && statistics->counts.guard_failures == 0);
    REQUIRE(statistics->reasons[0].text == NULL);
    statistics = kesco_statistics_find(&named);
    REQUIRE(statistics->counts.entries == 1 && statistics->counts.ops == 0 && statistics->lanes_used == 0);
    return 0;
}

static int guards_fail(void) {
    struct kesco_statistics *statistics = kesco_statistics_find(&other);
    int i;

    for (i = 0; i < 3; i++) {
        __kesco1_enter(origin, &other);
        __kesco1_lane(0, NULL, 0);
        __kesco1_guard(0, KESCO_GUARD_CHECKED | KESCO_GUARD_WRITTEN, cells());
        __kesco1_lane(1, NULL, 0);
        __kesco1_guard(1, KESCO_GUARD_CHECKED, i == 0 ? NULL : cells());
        __kesco1_lane(2, NULL, 0);
        __kesco1_guard(2, KESCO_GUARD_CHECKED, i == 0 ? NULL : cells());
        __kesco1_leave();
    }
    REQUIRE(statistics->counts.entries == 3 && statistics->counts.ops == 9 && statistics->lanes_used == 3);
    REQUIRE(statistics->counts.serial == 0 && statistics->counts.guard_failures == 2);
    __kesco1_enter(origin, &other);
    __kesco1_lane(0, NULL, 0);
    __kesco1_guard(0, KESCO_GUARD_PLAIN, &i);
    __kesco1_leave();
    REQUIRE(statistics->counts.serial == 1 && statistics->counts.guard_failures == 3);
    REQUIRE(is_reason(statistics, "a pointer's allocation is not known", 1));
    return 0;
}

/* With a call that fails. */
static int refused(void) {
    struct kesco_statistics *statistics = kesco_statistics_find(&other);

    REQUIRE(!runs_on_lanes(&other));
    REQUIRE(runs_on_lanes(&other));
    REQUIRE(statistics->counts.entries == 2 && statistics->counts.serial == 1 &&
            statistics->counts.guard_failures == 0);
    REQUIRE(is_reason(statistics, "cudaErrorMemoryAllocation", 1));
    return 0;
}

/* With KESCO_DISABLE=1. */
static int disabled(void) {
    struct kesco_statistics *statistics = kesco_statistics_find(&other);

    REQUIRE(!runs_on_lanes(&other) && !runs_on_lanes(&other));
    REQUIRE(statistics->counts.entries == 2 && statistics->counts.serial == 2 && statistics->counts.ops == 6);
    REQUIRE(is_reason(statistics, "KESCO_DISABLE=1", 2));
    return 0;
}

/* Regions that go through calls: before what they ended; of others, nothing. */
static int ended(void) {
    static void *memory;
    static const struct kesco_region joined = {
        .memory = &memory, .lanes = 2, .events = 2, .placed = 1, .joins = 1, .function = "joined"};
    const struct kesco_statistics *statistics = kesco_statistics_find(&joined);

    __kesco1_join(1, origin, &joined, KESCO_ENDS_NOT);
    __kesco1_leave_for("a wait");
    __kesco1_leave_for("nothing");
    __kesco1_join(1, origin, &joined, KESCO_ENDS_NOT);
    __kesco1_enter(origin, &other);
    __kesco1_leave_for("other's end");
    __kesco1_join(1, origin, &joined, KESCO_ENDS_NOT);
    __kesco1_leave();
    __kesco1_join(1, origin, &joined, KESCO_ENDS_NOT);
    REQUIRE(!__kesco1_borrow());
    REQUIRE(statistics->counts.entries == 4);
    REQUIRE(strcmp(statistics->ends[0].text, "a wait") == 0 && statistics->ends[0].runs == 1);
    REQUIRE(strcmp(statistics->ends[1].text, "a region of other ops") == 0 && statistics->ends[1].runs == 1);
    REQUIRE(strcmp(statistics->ends[2].text, "a function that its caller lends nothing") == 0);
    REQUIRE(statistics->ends[3].text == NULL);
    REQUIRE(kesco_statistics_find(&other)->ends[0].text == NULL);
    return 0;
}

static const struct scenario scenarios[] = {
    SCENARIO(ended),    SCENARIO(only_run), SCENARIO(other_module), SCENARIO(only_run_in_threads),
    SCENARIO(all_run),  SCENARIO(counted),  SCENARIO(guards_fail),  SCENARIO(refused),
    SCENARIO(disabled),
};

static void test_only_named_functions_run_on_lanes(void **state) {
    (void)state;
    require_everywhere("only_run", "KESCO_ONLY", "void ns::run,ns::run");
    require_everywhere("only_run", "KESCO_ONLY", "main,void ns::run<int>(int*),ns::run()");
    require_everywhere("other_module", "KESCO_ONLY", "void ns::run<int>");
    require_everywhere("all_run", "KESCO_ONLY", "");
    require_everywhere("all_run", "KESCO_ONLY", "step,,run");
    setenv("KESCO_ONLY", "void ns::run,ns::run", 1);
    require_order("only_run_in_threads", "null");
    require_order("only_run_in_threads", "nonblocking");
    setenv("KESCO_STATS", "1", 1);
    require_order("only_run", "null");
    unsetenv("KESCO_STATS");
    unsetenv("KESCO_ONLY");
}

static void test_runs_are_counted(void **state) {
    (void)state;
    setenv("KESCO_STATS", "1", 1);
    require_everywhere("counted", "VGPU_SEED", "0");
    require_everywhere("guards_fail", "VGPU_SEED", "0");
    require_everywhere("ended", "VGPU_SEED", "0");
    require_everywhere("refused", "VGPU_FAIL", "cudaEventCreateWithFlags:1");
    require_everywhere("disabled", "KESCO_DISABLE", "1");
    unsetenv("KESCO_STATS");
}

static void count(const struct kesco_region *region, uint64_t first, uint64_t second, const char *why) {
    const uint64_t ops[] = {first, second};
    const struct kesco_run run = {.lanes = 2,
                                  .ops = ops,
                                  .serial = why,
                                  .end = why == NULL ? "a wait" : NULL,
                                  .guard_failures = why != NULL && strncmp(why, "two", 3) == 0};

    kesco_statistics_add(kesco_statistics_find(region), &run);
}

/* The caller frees it. */
static char *table(void) {
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);

    assert_non_null(file);
    kesco_statistics_print(file);
    assert_int_equal(fclose(file), 0);
    return text;
}

static void require_table(const char *expected) {
    char *text = table();
    const size_t title = strcspn(text, "\n");

    assert_int_equal(strncmp(text, "kesco: regions of process ", 26), 0);
    assert_int_equal(text[title], '\n');
    assert_string_equal(text + title + 1, expected);
    free(text);
}

REGION(first, .function = "run(int)", .file = "a.cu", .line = 3);
REGION(same_line, .function = "run(int)", .file = "a.cu", .line = 3);
REGION(second, .function = "run(int)", .file = "a.cu", .line = 20);
REGION(third, .function = "step(int)", .file = "b.cu", .line = 1);
static const struct kesco_region unknown = {.lanes = 2};
static const struct kesco_region never = {.function = "never()"};

static void test_the_table_has_all_that_ran(void **state) {
    (void)state;
    kesco_statistics_find(&never);
    count(&third, 0, 7, NULL);
    count(&first, 3, 4, NULL);
    count(&same_line, 2, 0, "two pointers");
    count(&second, 1, 0, "KESCO_DISABLE=1");
    count(&second, 1, 0, "cudaErrorMemoryAllocation");
    count(&second, 1, 0, "KESCO_DISABLE=1");
    count(&unknown, 0, 0, NULL);
    require_table(
        "kesco:    entries         ops   lanes   guards   serial  region\n"
        "kesco:          2           9     2/2        1        1  run(int), a.cu:3\n"
        "kesco:                                                     1 serial: two pointers\n"
        "kesco:                                                     1 ended before a wait\n"
        "kesco:          3           3     1/2        0        3  run(int), a.cu:20\n"
        "kesco:                                                     2 serial: KESCO_DISABLE=1\n"
        "kesco:                                                     1 serial: cudaErrorMemoryAllocation\n"
        "kesco:          1           7     1/2        0        0  step(int), b.cu:1\n"
        "kesco:                                                     1 ended before a wait\n"
        "kesco:          1           0     0/2        0        0  unknown function, unknown file:0\n"
        "kesco:                                                     1 ended before a wait\n"
        "kesco:          7          19                1        4  all\n");
}

static void test_reasons_that_find_no_room_are_left_out(void **state) {
    char why[] = "reason 0", *text;
    int i;

    (void)state;
    for (i = 0; i < KESCO_STATISTICS_REASONS + 1; i++) {
        why[7] = (char)('0' + i);
        count(&second, 1, 0, why);
    }
    text = table();
    assert_non_null(strstr(text, "12          12     1/2        0       12  run(int), a.cu:20"));
    assert_non_null(strstr(text, "1 serial: reason 0\n"));
    assert_null(strstr(text, "reason 8"));
    free(text);
}

/* The module that described the region is gone by the time of the table, and may come again. */
static void test_modules_may_be_unloaded(void **state) {
    char function[] = "plug()", file[] = "plug.cu", *text;
    void *memory = NULL;
    struct kesco_region region = {.function = function, .file = file, .line = 5, .memory = &memory};
    int i;

    (void)state;
    for (i = 0; i < 3; i++) {
        count(&region, 5, 5, NULL);
        assert_non_null(memory);
        memory = NULL;
    }
    count(&region, 5, 5, NULL);
    memset(function, '-', sizeof function - 1);
    memset(file, '-', sizeof file - 1);
    text = table();
    assert_non_null(strstr(text, " 4          40     2/2        0        0  plug(), plug.cu:5\n"));
    free(text);
}

static void *count_much(void *unused) {
    int i;

    for (i = 0; i < RUNS; i++)
        count(&third, 1, 1, i % 2 == 0 ? "even" : "odd");
    return unused;
}

static void test_threads_count_together(void **state) {
    struct kesco_statistics *statistics = kesco_statistics_find(&third);
    const unsigned long long before = statistics->counts.ops;
    pthread_t thread[THREADS];
    int i;

    (void)state;
    for (i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, count_much, NULL), 0);
    for (i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(thread[i], NULL), 0);
    assert_int_equal(statistics->counts.ops - before, 2 * THREADS * RUNS);
    assert_int_equal(statistics->counts.serial, THREADS * RUNS);
    assert_int_equal(statistics->reasons[0].runs, THREADS * RUNS / 2);
    assert_int_equal(statistics->reasons[1].runs, THREADS * RUNS / 2);
    assert_null(statistics->reasons[2].text);
}

/* Status 0: a new process has counted nothing, and then its own. */
static int count_in_child(void) {
    char *text = table();

    if (text[0] != '\0')
        return 1;
    free(text);
    count(&first, 2, 1, NULL);
    text = table();
    if (strstr(text, " 1           3     2/2        0        0  run(int), a.cu:3\n") == NULL ||
        strstr(text, "step") != NULL)
        return 2;
    free(text);
    return 0;
}

static void test_a_forked_process_counts_from_zero(void **state) {
    char *before = table(), *behind;
    int status;
    pid_t child = fork();

    (void)state;
    if (child == 0)
        _exit(count_in_child());
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    behind = table();
    assert_string_equal(before, behind);
    free(before);
    free(behind);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_only_named_functions_run_on_lanes),
        cmocka_unit_test(test_runs_are_counted),
        cmocka_unit_test(test_the_table_has_all_that_ran),
        cmocka_unit_test(test_reasons_that_find_no_room_are_left_out),
        cmocka_unit_test(test_modules_may_be_unloaded),
        cmocka_unit_test(test_threads_count_together),
        cmocka_unit_test(test_a_forked_process_counts_from_zero),
    };

    if (argc == 3)
        return RUN_SCENARIO(argv, scenarios);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
