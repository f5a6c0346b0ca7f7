#include "test/runtime/unseen.h"

#include "test/runtime/scenario.h"

#include <pthread.h>

int unseen_pending_error(void (*run_region)(void)) {
    cudaError_t pending = cudaSetDevice(-1);

    run_region();
    REQUIRE(pending != cudaSuccess && cudaGetLastError() == pending);
    run_region();
    REQUIRE(cudaGetLastError() == cudaSuccess);
    return 0;
}

int unseen_failing_calls(void (*run_region)(void)) {
    run_region();
    run_region();
    REQUIRE(cudaGetLastError() == cudaSuccess);
    REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
    return 0;
}

int unseen_reset_between(void (*run_region)(void)) {
    bool made = origin != NULL && origin != cudaStreamLegacy && origin != cudaStreamPerThread;

    run_region();
    REQUIRE(cudaDeviceReset() == cudaSuccess);
    forget_cells();
    if (made)
        origin = scenario_stream(cudaStreamNonBlocking);
    run_region();
    REQUIRE(cudaGetLastError() == cudaSuccess);
    return 0;
}

int unseen_two_devices(void (*run_region)(void)) {
    REQUIRE(cudaSetDevice(1) == cudaSuccess);
    origin = NULL;
    run_region();
    REQUIRE(cudaSetDevice(0) == cudaSuccess);
    forget_cells();
    run_region();
    REQUIRE(cudaGetLastError() == cudaSuccess);
    return 0;
}

int unseen_captured_elsewhere(void (*run_region)(void)) {
    cudaStream_t stream = scenario_stream(cudaStreamNonBlocking);
    cudaGraph_t graph = NULL;

    cells();
    REQUIRE(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal) == cudaSuccess);
    run_region();
    write_cell(5, stream);
    REQUIRE(cudaStreamEndCapture(stream, &graph) == cudaSuccess && graph != NULL);
    REQUIRE(cudaGetLastError() == cudaSuccess);
    return 0;
}

struct runs {
    void (*run_region)(void);
    int times;
};

static void *run_all(void *argument) {
    const struct runs *runs = argument;
    int i;

    for (i = 0; i < runs->times; i++)
        runs->run_region();
    return NULL;
}

int unseen_two_threads(void (*run_region)(void), int times) {
    struct runs runs = {run_region, times};
    pthread_t thread;

    cells();
    REQUIRE(pthread_create(&thread, NULL, run_all, &runs) == 0);
    run_all(&runs);
    REQUIRE(pthread_join(thread, NULL) == 0);
    return 0;
}
