/*
 * CUDASTF's host time for the ops that host_cost.c has the run place: four pointers, 16 pieces of data in
 * turn, over the CUDA runtime that does nothing. Its tasks are told what they access as logical data, and as
 * tokens, which stand for data that CUDASTF does not move. placing.sh builds this where CUDASTF's headers are
 * at hand.
 */
#include <cuda/experimental/stf.cuh>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <vector>

using namespace cuda::experimental::stf;

enum { LANES = 4, OPS = 64, POINTERS = 4, PASSES = 8, TURNS = 101 };

extern "C" unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, void *stream);
extern "C" cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream);

extern "C" cudaError_t cudaGetDeviceProperties(cudaDeviceProp *properties, int) {
    std::memset(properties, 0, sizeof *properties);
    properties->major = 9;
    properties->multiProcessorCount = 100;
    return cudaSuccess;
}

extern "C" cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *attributes, const void *) {
    std::memset(attributes, 0, sizeof *attributes);
    return cudaSuccess;
}

/* What a compiler makes of a kernel: the stub that launches it. */
__attribute__((noinline)) static void stub(int argument) {
    void *arguments[] = {&argument};
    dim3 grid, block;
    cudaStream_t stream;
    size_t shared;

    __cudaPopCallConfiguration(&grid, &block, &shared, &stream);
    cudaLaunchKernel(reinterpret_cast<const void *>(stub), grid, block, arguments, shared, stream);
}

static void launch(int argument, cudaStream_t stream) {
    if (__cudaPushCallConfiguration(dim3(1), dim3(1), 0, stream) == 0)
        stub(argument);
}

static void make_task(stream_ctx &context, std::vector<token> &data, size_t at, int number) {
    context.task(data[at].rw(), data[at + 1].rw(), data[at + 2].rw(), data[at + 3].rw())
            ->*[number](cudaStream_t stream) { launch(number, stream); };
}

static void make_task(stream_ctx &context, std::vector<logical_data<slice<double>>> &data, size_t at,
                      int number) {
    context.task(data[at].rw(), data[at + 1].rw(), data[at + 2].rw(), data[at + 3].rw())
            ->*[number](cudaStream_t stream, auto, auto, auto, auto) { launch(number, stream); };
}

static double now() {
    timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
}

/* The median time of an op, in nanoseconds. */
template <class Run>
static double measure(Run run) {
    std::vector<double> times;

    for (int turn = 0; turn < TURNS; turn++) {
        const double begin = now();
        for (int i = 0; i < PASSES * OPS; i++)
            run(i);
        times.push_back((now() - begin) / (PASSES * OPS));
    }
    std::sort(times.begin(), times.end());
    return times[TURNS / 2];
}

template <class Data>
static double measure_tasks(stream_ctx &context, std::vector<Data> &data) {
    return measure([&](int i) { make_task(context, data, static_cast<size_t>(i % LANES * POINTERS), i); });
}

static double measure_data() {
    static double memory[LANES * POINTERS][8];
    std::vector<logical_data<slice<double>>> data;
    stream_ctx context;

    for (auto &part : memory)
        data.push_back(context.logical_data(part));
    const double time = measure_tasks(context, data);
    data.clear();
    context.finalize();
    return time;
}

static double measure_tokens() {
    std::vector<token> tokens;
    stream_ctx context;

    for (int i = 0; i < LANES * POINTERS; i++) {
        tokens.push_back(context.token());
        context.task(tokens.back().write())->*[](cudaStream_t) {};
    }
    const double time = measure_tasks(context, tokens);
    tokens.clear();
    context.finalize();
    return time;
}

int main() {
    cudaStream_t streams[LANES];

    for (cudaStream_t &stream : streams)
        cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    const double by_hand = measure([&](int i) { launch(i, streams[i % LANES]); });
    std::printf("logical data %.1f\n", measure_data() - by_hand);
    std::printf("tokens %.1f\n", measure_tokens() - by_hand);
}
