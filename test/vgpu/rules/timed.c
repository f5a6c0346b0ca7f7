#define _GNU_SOURCE
#include "test/vgpu/rules/timed.h"

#include "test/vgpu/device.h"
#include "test/vgpu/host_access.h"

#include <errno.h>
#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

cudaStream_t streams[STREAMS];
const struct cudaMemLocation to_device = {.type = cudaMemLocationTypeDevice},
                             to_host = {.type = cudaMemLocationTypeHost};

void make_streams(bool different) {
    for (int i = 0; i < STREAMS; i++)
        streams[i] = new_stream(cudaStreamNonBlocking);
    for (int i = 1; i < STREAMS && !different; i++)
        streams[i] = streams[0];
}

void nothing_but_streams(void) {
    make_streams(true);
}

char *new_pinned(size_t size) {
    void *memory;
    OK(cudaMallocHost(&memory, size));
    return memory;
}

char *new_managed(size_t size) {
    void *memory;
    OK(cudaMallocManaged(&memory, size, cudaMemAttachGlobal));
    return memory;
}

void host_touch(const void *memory, size_t size) {
    if (vgpu_host_recording)
        vgpu_host_access(memory, size, VGPU_READ);
}

void launch_graph(bool parallel) {
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    make_streams(true);
    OK(cudaStreamBeginCapture(streams[0], cudaStreamCaptureModeRelaxed));
    for (int i = 1; i < STREAMS && parallel; i++)
        fork_stream(streams[0], streams[i]);
    for (int i = 0; i < CHUNKS; i++)
        launch_work(SOME_BLOCKS, THREADS, NULL, 0, 10000, streams[parallel ? i % STREAMS : 0]);
    for (int i = 1; i < STREAMS && parallel; i++)
        fork_stream(streams[i], streams[0]);
    OK(cudaStreamEndCapture(streams[0], &graph));
    OK(cudaGraphInstantiate(&exec, graph, 0));
    for (int i = 0; i < 4; i++)
        OK(cudaGraphLaunch(exec, streams[0]));
    OK(cudaStreamSynchronize(streams[0]));
}

/* Of this test alone: others may run beside it. */
static const char *stats_file(void) {
    static char name[64];
    snprintf(name, sizeof(name), "%s.json", program_invocation_short_name);
    return name;
}

static void start_program(const char *name, int seed, bool checked) {
    char text[16];
    snprintf(text, sizeof(text), "%d", seed);
    setenv("VGPU_SEED", text, 1);
    setenv("VGPU_STATS", stats_file(), 1);
    if (checked)
        setenv("VGPU_CHECK", "races", 1);
    execl("/proc/self/exe", program_invocation_short_name, name, (char *)NULL);
    _exit(127);
}

static json_int_t integer(const json_t *stats, const char *name) {
    const json_t *value = json_object_get(stats, name);
    assert_true(json_is_integer(value));
    return json_integer_value(value);
}

static struct result read_result(void) {
    json_t *stats = json_load_file(stats_file(), 0, NULL);
    assert_non_null(stats);
    assert_true(json_is_real(json_object_get(stats, "virtual_time_us")));
    const struct result result = {
        .us = json_real_value(json_object_get(stats, "virtual_time_us")),
        .faults = integer(stats, "page_faults"),
        .migrated = integer(stats, "migrated_bytes"),
        .to_device = integer(stats, "bytes_to_device"),
        .to_host = integer(stats, "bytes_to_host"),
    };
    json_decref(stats);
    assert_int_equal(remove(stats_file()), 0);
    return result;
}

struct result run(const char *name, int seed, bool checked) {
    int status;
    fflush(NULL);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        start_program(name, seed, checked);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    return read_result();
}
