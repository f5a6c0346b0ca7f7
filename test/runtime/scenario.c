#include "test/runtime/scenario.h"
#include "test/cmocka.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SEEDS = 12, LETTERS = 64 };

void *origin;
const char *const origin_kinds[] = {"null", "legacy", "blocking", "nonblocking", "per-thread"};
const size_t origin_kind_count = sizeof origin_kinds / sizeof *origin_kinds;

static char issued[LETTERS + 1];
static size_t issued_count;
static void *cell_memory;

void scenario_complain(const char *file, int line, const char *text) {
    fprintf(stderr, "%s:%d: not so: %s\n", file, line, text);
}

bool origin_is_legacy(void) {
    return origin == NULL || origin == cudaStreamLegacy;
}

cudaStream_t scenario_stream(unsigned flags) {
    cudaStream_t stream = NULL;

    if (cudaStreamCreateWithPriority(&stream, flags, 0) != cudaSuccess)
        abort();
    return stream;
}

static void CUDART_CB append(void *letter) {
    if (issued_count < LETTERS)
        issued[issued_count++] = (char)(uintptr_t)letter;
}

void issue(char letter, void *stream) {
    cudaLaunchHostFunc(stream, append, (void *)(uintptr_t)letter);
}

bool come_in_order(char first, char second) {
    const char *a = strchr(issued, first), *b = strchr(issued, second);

    return a != NULL && b != NULL && a < b;
}

size_t letters(void) {
    return issued_count;
}

void forget_letters(void) {
    memset(issued, 0, sizeof issued);
    issued_count = 0;
}

char *cells(void) {
    const size_t size = (size_t)SCENARIO_CELLS * SCENARIO_CELL_SIZE;

    if (cell_memory == NULL && cudaMalloc(&cell_memory, size) != cudaSuccess)
        abort();
    return cell_memory;
}

void forget_cells(void) {
    cell_memory = NULL;
}

int scenario_reset(void) {
    unsigned flags = 0;
    bool made = origin != NULL && origin != cudaStreamLegacy && origin != cudaStreamPerThread;

    REQUIRE(!made || cudaStreamGetFlags(origin, &flags) == cudaSuccess);
    REQUIRE(cudaDeviceReset() == cudaSuccess);
    forget_cells();
    if (made)
        origin = scenario_stream(flags);
    return 0;
}

static char *find_cell(int cell) {
    return cells() + (ptrdiff_t)cell * SCENARIO_CELL_SIZE;
}

void write_cell(int cell, void *stream) {
    cudaMemsetAsync(find_cell(cell), 1, SCENARIO_CELL_SIZE, stream);
}

void copy_cell(int to, int from, void *stream) {
    cudaMemcpyAsync(find_cell(to), find_cell(from), SCENARIO_CELL_SIZE, cudaMemcpyDeviceToDevice, stream);
}

int run_child(const char *scenario, const char *kind) {
    pid_t child;
    int status;

    fflush(NULL);
    child = fork();
    if (child == 0) {
        execl("/proc/self/exe", "scenario", scenario, kind, (char *)NULL);
        _exit(101);
    }
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 102;
}

int run_child_with(const char *scenario, const char *kind, const char *variable, const char *value) {
    int status;

    setenv(variable, value, 1);
    status = run_child(scenario, kind);
    unsetenv(variable);
    return status;
}

static void require_none(const char *scenario, const char *kind, const char *variable, const char *value) {
    int status = run_child_with(scenario, kind, variable, value);

    if (status != 0)
        fail_msg("%s on origin '%s' with %s=%s: status %d", scenario, kind, variable, value, status);
}

static int count_in(const char *stats, const char *key) {
    const char *found = strstr(stats, key);

    assert_non_null(found);
    return (int)strtol(found + strlen(key), NULL, 10);
}

void require_events(const char *scenario, const char *kind, int records, int waits) {
    char path[] = "/tmp/kesco_events_XXXXXX", stats[4096];
    const int descriptor = mkstemp(path);
    ssize_t size;

    assert_true(descriptor >= 0);
    require_none(scenario, kind, "VGPU_STATS", path);
    size = read(descriptor, stats, sizeof stats - 1);
    close(descriptor);
    unlink(path);
    assert_true(size > 0);
    stats[size] = '\0';
    assert_int_equal(count_in(stats, "\"event_records\":"), records);
    assert_int_equal(count_in(stats, "\"event_waits\":"), waits);
}

void require_order(const char *scenario, const char *kind) {
    char seed[8];
    int i;

    for (i = 0; i < SEEDS; i++) {
        snprintf(seed, sizeof seed, "%d", i);
        require_none(scenario, kind, "VGPU_SEED", seed);
    }
    require_none(scenario, kind, "VGPU_CHECK", "races");
}

static void make_origin(const char *kind) {
    if (strcmp(kind, "legacy") == 0)
        origin = cudaStreamLegacy;
    else if (strcmp(kind, "blocking") == 0)
        origin = scenario_stream(cudaStreamDefault);
    else if (strcmp(kind, "nonblocking") == 0)
        origin = scenario_stream(cudaStreamNonBlocking);
    else if (strcmp(kind, "per-thread") == 0)
        origin = cudaStreamPerThread;
}

void require_everywhere(const char *scenario, const char *variable, const char *value) {
    size_t i;

    for (i = 0; i < origin_kind_count; i++) {
        int status = run_child_with(scenario, origin_kinds[i], variable, value);
        if (status != 0)
            fail_msg("%s on origin '%s' with %s=%s: status %d", scenario, origin_kinds[i], variable, value,
                     status);
    }
}

void require_order_everywhere(const char *scenario) {
    size_t i;

    for (i = 0; i < origin_kind_count; i++)
        require_order(scenario, origin_kinds[i]);
}

void require_races(const char *scenario, const char *kind) {
    if (run_child_with(scenario, kind, "VGPU_CHECK", "races") != SCENARIO_RACES)
        fail_msg("%s on origin '%s' does not race", scenario, kind);
}

int run_scenario(char **argv, const struct scenario *scenarios, size_t count) {
    size_t i;

    for (i = 0; i < count; i++)
        if (strcmp(scenarios[i].name, argv[1]) == 0) {
            make_origin(argv[2]);
            return scenarios[i].run();
        }
    return 100;
}
