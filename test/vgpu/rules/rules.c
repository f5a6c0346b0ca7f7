#define _GNU_SOURCE
#include "test/vgpu/rules/rules.h"

#include "test/summary/make_text.h"
#include "test/vgpu/device.h"
#include "test/vgpu/module.h"
#include "test/vgpu/register.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

struct journal journal;
const char note_stub, fill_stub, sum_stub, add_stub, count_stub, trap_stub, share_stub, move_stub, print_stub,
    work_stub, missing_stub;
char counter_shadow;

enum { OUTPUT_LIMIT = 1 << 16 };

/* How a child ended. */
struct outcome {
    int status; /* exit status, or 128 and a signal */
    char output[OUTPUT_LIMIT];
};

static const char *program;

/* Children */

void require(bool condition, const char *text, const char *file, int line) {
    if (condition)
        return;
    printf("%s:%d: %s does not hold\n", file, line, text);
    fflush(NULL);
    _exit(RULE_FAILED);
}

_Noreturn void end_either_way(bool first) {
    fflush(NULL);
    _exit(first ? 0 : RULE_OTHER);
}

/* The image file behind the header that a build would put before it, with summaries behind its last byte:
 * their place in it does not matter. */
static void *read_image(const char *summaries) {
    struct vgpu_image_header header = {0};
    struct image image = {0};
    FILE *file = fopen(RULES_IMAGE, "rb");
    char part[4096];
    size_t size;
    REQUIRE(file);
    image_add(&image, &header, sizeof(header));
    while ((size = fread(part, 1, sizeof(part), file)) > 0)
        image_add(&image, part, size);
    fclose(file);
    if (summaries)
        image_add_lines(&image, summaries, strlen(summaries));
    memcpy(header.magic, VGPU_IMAGE_MAGIC, sizeof(header.magic));
    header.size = image.size - sizeof(header);
    memcpy(image.bytes, &header, sizeof(header));
    return image.bytes;
}

static void register_kernel(void **handle, const char *stub, const char *name) {
    __cudaRegisterFunction(handle, stub, NULL, name, -1, NULL, NULL, NULL, NULL, NULL);
}

static void load_image(const char *summaries) {
    struct fat_binary_wrapper wrapper = {FAT_BINARY_MAGIC, 1, read_image(summaries), NULL};
    void **handle = __cudaRegisterFatBinary(&wrapper);
    register_kernel(handle, &note_stub, "_Z4notePvi");
    register_kernel(handle, &fill_stub, "_Z4fillPcmc");
    register_kernel(handle, &sum_stub, "_Z3sumPKcmPl");
    register_kernel(handle, &add_stub, "_Z3addPii");
    register_kernel(handle, &count_stub, "_Z5counti");
    register_kernel(handle, &trap_stub, "_Z4trapv");
    register_kernel(handle, &share_stub, "_Z5sharev");
    register_kernel(handle, &move_stub, "_Z4move4pair");
    register_kernel(handle, &print_stub, "_Z5printv");
    register_kernel(handle, &work_stub, "_Z4workPKcmm");
    register_kernel(handle, &missing_stub, "_Z7missingv");
    __cudaRegisterVar(handle, &counter_shadow, NULL, "counter", 0, sizeof(int), 0, 0);
    __cudaRegisterFatBinaryEnd(handle);
    free((void *)(uintptr_t)wrapper.image);
}

cudaError_t launch(const void *stub, void **args, cudaStream_t stream) {
    const dim3 one = {1, 1, 1};
    dim3 grid, block;
    size_t shared;
    REQUIRE(__cudaPushCallConfiguration(one, one, 0, stream) == 0);
    OK(__cudaPopCallConfiguration(&grid, &block, &shared, &stream));
    return cudaLaunchKernel(stub, grid, block, args, shared, stream);
}

void reach(const void *memory) {
    (void)memory; /* kernels run here */
}

/* The parent */

static void set_environment(const char *text) {
    char copy[1024], *rest;
    snprintf(copy, sizeof(copy), "%s", text);
    for (char *name = strtok_r(copy, " ", &rest); name; name = strtok_r(NULL, " ", &rest)) {
        char *value = strchr(name, '=');
        *value++ = '\0';
        setenv(name, value, 1);
    }
}

static void start_child(const struct rule *rule, int seed, const int ends[2]) {
    char seed_text[16];
    snprintf(seed_text, sizeof(seed_text), "%d", seed);
    setenv("VGPU_SEED", seed_text, 1);
    if (seed != 0)
        setenv("LSAN_OPTIONS", "detect_leaks=0",
               1); /* what leaks leaks in any order, and to look takes time */
    if (rule->environment)
        set_environment(rule->environment);
    dup2(ends[1], STDOUT_FILENO);
    dup2(ends[1], STDERR_FILENO);
    close(ends[0]);
    close(ends[1]);
    execl("/proc/self/exe", program, rule->name, (char *)NULL);
    _exit(127);
}

static void run_child(const struct rule *rule, int seed, struct outcome *outcome) {
    int ends[2], status;
    size_t length = 0;
    ssize_t got;
    assert_int_equal(pipe(ends), 0);
    fflush(NULL);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        start_child(rule, seed, ends);
    close(ends[1]);
    while ((got = read(ends[0], outcome->output + length, OUTPUT_LIMIT - 1 - length)) > 0)
        length += (size_t)got;
    outcome->output[length] = '\0';
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    outcome->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void check_outcome(const struct rule *rule, int seed, const struct outcome *outcome) {
    if (outcome->status != rule->status)
        fail_msg("seed %d: exit status %d, not %d:\n%s", seed, outcome->status, rule->status,
                 outcome->output);
    if (rule->prints && !strstr(outcome->output, rule->prints))
        fail_msg("seed %d: does not print '%s':\n%s", seed, rule->prints, outcome->output);
    if (rule->prints_not && strstr(outcome->output, rule->prints_not))
        fail_msg("seed %d: prints '%s':\n%s", seed, rule->prints_not, outcome->output);
}

static void check_differs(const struct rule *rule) {
    static struct outcome outcome;
    int one = 0, other = 0;
    for (int seed = 0; seed < RULE_SEEDS; seed++) {
        run_child(rule, seed, &outcome);
        one += outcome.status == 0;
        other += outcome.status == RULE_OTHER;
        if (outcome.status != 0 && outcome.status != RULE_OTHER)
            fail_msg("seed %d: exit status %d:\n%s", seed, outcome.status, outcome.output);
    }
    assert_true(one > 0);
    assert_true(other > 0);
}

static void check_rule(void **state) {
    static struct outcome outcome;
    const struct rule *rule = *state;
    const int seeds = rule->kind == ONCE ? 1 : RULE_SEEDS;
    if (rule->kind == DIFFERS) {
        check_differs(rule);
        return;
    }
    for (int seed = 0; seed < seeds; seed++) {
        run_child(rule, seed, &outcome);
        check_outcome(rule, seed, &outcome);
    }
}

static int run_rule(const char *name, const struct rule *rules, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (strcmp(rules[i].name, name) == 0) {
            load_image(rules[i].summaries);
            rules[i].run();
            return 0;
        }
    }
    return 127;
}

int rules_main(int argc, char **argv, const struct rule *rules, size_t count) {
    struct CMUnitTest tests[64];
    if (argc > 1)
        return run_rule(argv[1], rules, count);
    program = argv[0];
    if (count > sizeof(tests) / sizeof(*tests))
        return 1;
    for (size_t i = 0; i < count; i++)
        tests[i] = (struct CMUnitTest){rules[i].name, check_rule, NULL, NULL, (void *)(uintptr_t)&rules[i]};
    return _cmocka_run_group_tests(program, tests, count, NULL, NULL);
}
