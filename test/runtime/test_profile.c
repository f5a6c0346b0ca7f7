/* KESCO_PROFILE: what is timed, what of it the program sees, and the file. */
#include "runtime/kesco_abi.h"
#include "runtime/watch/profile.h"
#include "runtime/watch/profile_format.h"
#include "test/cmocka.h"
#include "test/runtime/scenario.h"
#include "test/runtime/unseen.h"

#include <fcntl.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct kesco_site one = {"memset", "cudaMemsetAsync", "run(int)", "a.cu", 3, 7, 0, 0, 0, 0, 0,
                                      NULL};
static const struct kesco_site five = {"kernel", "five", "run(int)", "a.cu", 4, 4, 0, 0, 0, 0, 0, NULL};
static const struct kesco_site unknown_place = {"copy", "copy", "walk<\"x\\y\">()", NULL, 0, 0, 0, 0, 0, 0,
                                                0,      NULL};

/* Ops of one site may be several to CUDA. */
static void write_five(void *stream) {
    int i;

    for (i = 0; i < 5; i++)
        write_cell(1, stream);
}

static void run_region(void) {
    ENTER(origin, 3, 1);
    write_cell(0, __kesco1_lane(0, &one, 0));
    __kesco1_record(0, 0);
    write_five(__kesco1_lane(1, &five, 0));
    __kesco1_wait(0, 2);
    copy_cell(2, 0, __kesco1_lane(2, &unknown_place, 0));
    write_cell(3, __kesco1_lane(2, NULL, 0));
    __kesco1_leave();
}

static int regions(void) {
    int i;

    for (i = 0; i < 3; i++)
        run_region();
    ENTER(origin, 1, 0);
    write_cell(0, __kesco1_lane(0, &one, 0));
    __kesco1_leave();
    REQUIRE(cudaGetLastError() == cudaSuccess);
    return 0;
}

/* Ops run one after another, in the order of the program. */
static int serial(void) {
    ENTER(origin, 3, 0);
    issue('a', __kesco1_lane(0, &one, 0));
    issue('b', __kesco1_lane(1, &one, 0));
    REQUIRE(__kesco1_finish(1, KESCO_FINISH_SERIAL, cudaSuccess) == cudaSuccess);
    REQUIRE(letters() == 2);
    issue('c', __kesco1_lane(2, &five, 0));
    REQUIRE(__kesco1_lane(1, NULL, 0) == origin);
    __kesco1_leave();
    issue('d', origin);
    REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
    REQUIRE(come_in_order('a', 'b') && come_in_order('b', 'c') && come_in_order('c', 'd'));
    return 0;
}

static int one_long_region(void) {
    int i;

    ENTER(origin, 2, 0);
    for (i = 0; i < 3000; i++)
        write_cell(0, __kesco1_lane((uint32_t)i % 2, &one, 0));
    __kesco1_leave();
    return 0;
}

/* A region on which the program ends. */
static int ends_within(void) {
    ENTER(origin, 2, 0);
    write_cell(0, __kesco1_lane(0, &one, 0));
    exit(0);
}

static int failing_calls(void) {
    return unseen_failing_calls(run_region);
}

static int pending_error(void) {
    return unseen_pending_error(run_region);
}

/* An op that fails has no time, and its error stays the program's. */
static int failing_op(void) {
    cudaError_t pending;

    ENTER(origin, 2, 0);
    __kesco1_lane(0, &one, 0);
    pending = cudaSetDevice(-1);
    write_five(__kesco1_lane(1, &five, 0));
    __kesco1_leave();
    REQUIRE(pending != cudaSuccess && cudaGetLastError() == pending);
    run_region();
    return 0;
}

static int reset_between(void) {
    return unseen_reset_between(run_region);
}

static int two_devices(void) {
    return unseen_two_devices(run_region);
}

/* A region that is captured is as it would be. */
static int captured(void) {
    cudaGraph_t graph = NULL;
    size_t nodes = 0;

    cells();
    REQUIRE(cudaStreamBeginCapture(origin, cudaStreamCaptureModeGlobal) == cudaSuccess);
    ENTER(origin, 2, 0);
    REQUIRE(__kesco1_lane(1, &five, 0) != origin);
    write_cell(0, __kesco1_lane(1, &five, 0));
    __kesco1_leave();
    REQUIRE(cudaStreamEndCapture(origin, &graph) == cudaSuccess);
    REQUIRE(cudaGraphGetNodes(graph, NULL, &nodes) == cudaSuccess && nodes == 1);
    run_region();
    REQUIRE(cudaGetLastError() == cudaSuccess);
    return 0;
}

static int captured_elsewhere(void) {
    return unseen_captured_elsewhere(run_region);
}

static int two_threads(void) {
    return unseen_two_threads(run_region, 10);
}

static const struct scenario scenarios[] = {
    SCENARIO(regions),       SCENARIO(serial),        SCENARIO(one_long_region),    SCENARIO(ends_within),
    SCENARIO(failing_calls), SCENARIO(pending_error), SCENARIO(failing_op),         SCENARIO(reset_between),
    SCENARIO(two_devices),   SCENARIO(captured),      SCENARIO(captured_elsewhere), SCENARIO(two_threads),
};

static char path[] = "/tmp/kesco-profile-XXXXXX";

static int make_path(void **state) {
    const int file = mkstemp(path);

    (void)state;
    return file < 0 ? -1 : close(file);
}

static int remove_path(void **state) {
    (void)state;
    return remove(path);
}

static json_t *load(const char *from) {
    json_error_t error;
    json_t *profile = json_load_file(from, 0, &error);

    if (profile == NULL)
        fail_msg("line %d: %s", error.line, error.text);
    assert_int_equal(json_integer_value(json_object_get(profile, KESCO_PROFILE_KEY_VERSION)),
                     KESCO_PROFILE_VERSION);
    assert_true(json_is_array(json_object_get(profile, KESCO_PROFILE_KEY_OPS)));
    return profile;
}

static json_t *profile_of(const char *scenario, const char *kind) {
    const int status = run_child_with(scenario, kind, "KESCO_PROFILE", path);

    if (status != 0)
        fail_msg("%s on origin '%s': status %d", scenario, kind, status);
    return load(path);
}

/* NULL: the profile does not have it. */
static json_t *find_op(const json_t *profile, const char *name) {
    json_t *op;
    size_t i;

    json_array_foreach(json_object_get(profile, KESCO_PROFILE_KEY_OPS), i,
                       op) if (strcmp(json_string_value(json_object_get(op, KESCO_PROFILE_KEY_NAME)), name) ==
                               0) return op;
    return NULL;
}

static long count_of(const json_t *profile, const char *name) {
    return (long)json_integer_value(json_object_get(find_op(profile, name), KESCO_PROFILE_KEY_COUNT));
}

static double mean_of(const json_t *profile, const char *name) {
    return json_real_value(json_object_get(find_op(profile, name), KESCO_PROFILE_KEY_MEAN));
}

static void require_counts(const char *scenario, const char *kind, long ones, long fives) {
    json_t *profile = profile_of(scenario, kind);

    if (count_of(profile, one.name) != ones || count_of(profile, five.name) != fives)
        fail_msg("%s on origin '%s': %ld and %ld", scenario, kind, count_of(profile, one.name),
                 count_of(profile, five.name));
    json_decref(profile);
}

/* The calls of one thread may let the device go on while another is between an op and the event behind it:
 * such an op was done too soon to be timed, and counts only if all are like that. */
static void require_some(const char *scenario, const char *kind, long most) {
    json_t *profile = profile_of(scenario, kind);

    assert_in_range(count_of(profile, one.name), 1, most);
    assert_in_range(count_of(profile, five.name), 1, most);
    json_decref(profile);
}

static void require_text(const json_t *op, const char *key, const char *text) {
    assert_string_equal(json_string_value(json_object_get(op, key)), text);
}

static void test_ops_are_counted_and_timed(void **state) {
    json_t *profile;
    size_t i;

    (void)state;
    setenv("VGPU_SEED", AS_LATE_AS_POSSIBLE, 1);
    for (i = 0; i < origin_kind_count; i++) {
        profile = profile_of("regions", origin_kinds[i]);
        assert_int_equal(json_array_size(json_object_get(profile, KESCO_PROFILE_KEY_OPS)), 3);
        assert_int_equal(count_of(profile, one.name), 4);
        assert_int_equal(count_of(profile, five.name), 3);
        assert_int_equal(count_of(profile, unknown_place.name), 3);
        assert_true(mean_of(profile, one.name) > 0);
        assert_true(mean_of(profile, five.name) > mean_of(profile, one.name));
        json_decref(profile);
    }
    unsetenv("VGPU_SEED");
}

static void test_sites_are_named(void **state) {
    json_t *profile = profile_of("regions", "null");
    const json_t *op = find_op(profile, one.name), *unknown = find_op(profile, unknown_place.name);

    (void)state;
    require_text(op, KESCO_PROFILE_KEY_KIND, one.kind);
    require_text(op, KESCO_PROFILE_KEY_FUNCTION, one.function);
    require_text(op, KESCO_PROFILE_KEY_FILE, one.file);
    assert_int_equal(json_integer_value(json_object_get(op, KESCO_PROFILE_KEY_LINE)), one.line);
    assert_int_equal(json_integer_value(json_object_get(op, KESCO_PROFILE_KEY_CALL_LINE)), one.call_line);
    require_text(unknown, KESCO_PROFILE_KEY_FUNCTION, unknown_place.function);
    require_text(unknown, KESCO_PROFILE_KEY_FILE, "");
    assert_int_equal(json_integer_value(json_object_get(unknown, KESCO_PROFILE_KEY_LINE)), 0);
    json_decref(profile);
}

static void test_profiled_regions_are_serial(void **state) {
    (void)state;
    require_everywhere("serial", "KESCO_PROFILE", path);
}

static void test_every_op_is_read(void **state) {
    (void)state;
    setenv("VGPU_SEED", AS_LATE_AS_POSSIBLE, 1);
    require_counts("one_long_region", "null", 3000, 0);
    require_counts("ends_within", "null", 1, 0);
    require_counts("ends_within", "nonblocking", 1, 0);
    require_some("two_threads", "null", 20);
    unsetenv("VGPU_SEED");
}

static void test_failures_stay_hidden(void **state) {
    static const char *const calls[] = {"cudaStreamIsCapturing", "cudaEventCreate",
                                        "cudaEventRecord",       "cudaStreamQuery",
                                        "cudaEventQuery",        "cudaEventElapsedTime",
                                        "cudaEventDestroy",      "cudaThreadExchangeStreamCaptureMode"};
    char failure[64];
    size_t i;
    int n;

    (void)state;
    setenv("VGPU_CHECK", "races", 1);
    for (i = 0; i < sizeof calls / sizeof *calls; i++)
        for (n = 1; n <= 7; n++) {
            snprintf(failure, sizeof failure, "%s:%d", calls[i], n);
            setenv("VGPU_FAIL", failure, 1);
            require_everywhere("failing_calls", "KESCO_PROFILE", path);
            json_decref(load(path));
        }
    unsetenv("VGPU_FAIL");
    unsetenv("VGPU_CHECK");
}

static void test_errors_stay_the_programs(void **state) {
    (void)state;
    require_counts("pending_error", "null", 1, 1);
    require_counts("pending_error", "nonblocking", 1, 1);
    require_counts("failing_op", "null", 1, 1);
    require_counts("failing_op", "per-thread", 1, 1);
}

static void test_devices_come_and_go(void **state) {
    (void)state;
    require_counts("reset_between", "null", 2, 2);
    require_counts("reset_between", "nonblocking", 2, 2);
    setenv("VGPU_DEVICES", "2", 1);
    require_counts("two_devices", "null", 2, 2);
    unsetenv("VGPU_DEVICES");
}

static void test_captures_are_left_alone(void **state) {
    (void)state;
    require_counts("captured", "nonblocking", 1, 1);
    require_counts("captured", "per-thread", 1, 1);
    require_counts("captured_elsewhere", "nonblocking", 1, 1);
    require_counts("captured_elsewhere", "per-thread", 1, 1);
}

/* A file that cannot be written costs the program nothing; one that cannot be replaced is written to. */
static void test_files_of_all_kinds(void **state) {
    char folder[] = "/tmp/kesco-profile-XXXXXX", pipe_path[64];
    struct stat status;
    json_t *profile;
    int pipe_end;

    (void)state;
    assert_non_null(mkdtemp(folder));
    assert_int_equal(run_child_with("regions", "null", "KESCO_PROFILE", folder), 0);
    assert_int_equal(run_child_with("regions", "null", "KESCO_PROFILE", ""), 0);
    snprintf(pipe_path, sizeof pipe_path, "%s/pipe", folder);
    assert_int_equal(mkfifo(pipe_path, 0600), 0);
    pipe_end = open(pipe_path, O_RDWR);
    assert_true(pipe_end >= 0);
    assert_int_equal(run_child_with("regions", "null", "KESCO_PROFILE", pipe_path), 0);
    assert_int_equal(stat(pipe_path, &status), 0);
    assert_true(S_ISFIFO(status.st_mode));
    profile = json_loadfd(pipe_end, JSON_DISABLE_EOF_CHECK, NULL);
    assert_int_equal(count_of(profile, one.name), 4);
    json_decref(profile);
    close(pipe_end);
    remove(pipe_path);
    assert_int_equal(rmdir(folder), 0);
}

static void test_a_full_disk_is_told(void **state) {
    FILE *full = fopen("/dev/full", "w");

    (void)state;
    assert_non_null(full);
    assert_false(kesco_profile_print(full));
    fclose(full);
}

/* Texts of any bytes make a file that can be read; sites with the same texts are one. */
static void test_texts_are_escaped(void **state) {
    static const struct {
        const char *text, *read;
    } texts[] = {
        {"plain", "plain"},
        {"\"\\\n\t\x01/", "\"\\\n\t\x01/"},
        {"gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x98\x80",
         "gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x98\x80"},
        {"a\xff", "a\xef\xbf\xbd"},
        {"b\xc3", "b\xef\xbf\xbd"},
        {"c\xe2\x82", "c\xef\xbf\xbd\xef\xbf\xbd"},
        {"d\xc0\x80", "d\xef\xbf\xbd\xef\xbf\xbd"},
        {"e\xed\xa0\x80", "e\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
        {"f\xf4\x90\x80\x80", "f\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
    };
    FILE *file = fopen(path, "w");
    json_t *profile;
    char name[32];
    size_t i;

    (void)state;
    for (i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct kesco_site site = {"kernel", name, "f", "f.cu", 1, 1, 0, 0, 0, 0, 0, NULL};
        strcpy(name, texts[i].text);
        kesco_profile_add(&site, 100, false);
        kesco_profile_add(&site, 1, true);
        kesco_profile_add(&site, 2, true);
        kesco_profile_add(&site, 0.5, false);
    }
    assert_non_null(file);
    assert_true(kesco_profile_print(file));
    assert_int_equal(fclose(file), 0);
    profile = load(path);
    assert_int_equal(json_array_size(json_object_get(profile, KESCO_PROFILE_KEY_OPS)), i);
    for (i = 0; i < sizeof texts / sizeof *texts; i++) {
        assert_int_equal(count_of(profile, texts[i].read), 2);
        assert_true(mean_of(profile, texts[i].read) == 1.5);
    }
    json_decref(profile);
}

static void test_lines_tell_ops_apart(void **state) {
    static const struct kesco_site sites[] = {{"kernel", "here", "g", "g.cu", 2, 8, 0, 0, 0, 0, 0, NULL},
                                              {"kernel", "there", "g", "g.cu", 2, 8, 0, 0, 0, 0, 0, NULL},
                                              {"kernel", "here", "g", "g.cu", 2, 9, 0, 0, 0, 0, 0, NULL},
                                              {"kernel", "here", "g", "g.cu", 3, 8, 0, 0, 0, 0, 0, NULL},
                                              {"kernel", "here", "g", "g.cu", 2, 8, 0, 0, 0, 0, 0, NULL}};
    json_t *profile;
    size_t before, i;

    (void)state;
    kesco_profile_write(path);
    profile = load(path);
    before = json_array_size(json_object_get(profile, KESCO_PROFILE_KEY_OPS));
    json_decref(profile);
    for (i = 0; i < sizeof sites / sizeof *sites; i++)
        kesco_profile_add(&sites[i], 1, true);
    kesco_profile_write(path);
    profile = load(path);
    assert_int_equal(json_array_size(json_object_get(profile, KESCO_PROFILE_KEY_OPS)), before + 4);
    assert_int_equal(count_of(profile, "here"), 2);
    json_decref(profile);
}

/* Of times that may be too long, the least counts where there are no others. */
static void test_late_times_are_bounds(void **state) {
    static const struct kesco_site site = {"kernel", "late", "f", "f.cu", 2, 2, 0, 0, 0, 0, 0, NULL};
    FILE *file = fopen(path, "w");
    json_t *profile;

    (void)state;
    kesco_profile_add(&site, 100, false);
    kesco_profile_add(&site, 4.25, false);
    kesco_profile_add(&site, 50, false);
    assert_non_null(file);
    assert_true(kesco_profile_print(file));
    assert_int_equal(fclose(file), 0);
    profile = load(path);
    assert_int_equal(count_of(profile, site.name), 3);
    assert_true(mean_of(profile, site.name) == 4.25);
    json_decref(profile);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ops_are_counted_and_timed),   cmocka_unit_test(test_sites_are_named),
        cmocka_unit_test(test_profiled_regions_are_serial), cmocka_unit_test(test_every_op_is_read),
        cmocka_unit_test(test_failures_stay_hidden),        cmocka_unit_test(test_errors_stay_the_programs),
        cmocka_unit_test(test_devices_come_and_go),         cmocka_unit_test(test_captures_are_left_alone),
        cmocka_unit_test(test_files_of_all_kinds),          cmocka_unit_test(test_a_full_disk_is_told),
        cmocka_unit_test(test_texts_are_escaped),           cmocka_unit_test(test_lines_tell_ops_apart),
        cmocka_unit_test(test_late_times_are_bounds),
    };

    if (argc == 3)
        return RUN_SCENARIO(argv, scenarios);
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
