/* CUDA Runtime API, "API synchronization behavior": when copies and memsets take place, and who waits. */
#include "test/vgpu/rules/filled.h"

#include <string.h>

static char *pinned(char value) {
    void *memory;
    OK(cudaMallocHost(&memory, SIZE));
    memset(memory, value, SIZE);
    return memory;
}

static void a_round_trip_keeps_the_bytes(void) {
    char in[SIZE], out[SIZE];
    char *a = new_memory(SIZE), *b = new_memory(SIZE);
    memset(in, 5, SIZE);
    OK(cudaMemcpy(a, in, SIZE, cudaMemcpyHostToDevice));
    OK(cudaMemcpy(b, a, SIZE, cudaMemcpyDeviceToDevice));
    OK(cudaMemcpy(out, b, SIZE, cudaMemcpyDefault));
    REQUIRE(all(out, 5));
}

static void new_memory_holds_junk(void) {
    REQUIRE(!device_holds(new_memory(SIZE), 0));
}

static void an_async_copy_captures_pageable_memory(void) {
    char host[SIZE];
    char *device = new_memory(SIZE);
    memset(host, 1, SIZE);
    OK(cudaMemcpyAsync(device, host, SIZE, cudaMemcpyHostToDevice, new_stream(0)));
    memset(host, 2, SIZE);
    REQUIRE(device_holds(device, 1));
}

static void an_async_copy_reads_pinned_memory_later(void) {
    char *host = pinned(1), *device = new_memory(SIZE);
    OK(cudaMemcpyAsync(device, host, SIZE, cudaMemcpyHostToDevice, new_stream(0)));
    memset(host, 2, SIZE);
    end_either_way(device_holds(device, 1));
}

static void registered_memory_counts_as_pinned(void) {
    static char host[SIZE];
    char *device = new_memory(SIZE);
    memset(host, 1, SIZE);
    OK(cudaHostRegister(host, SIZE, cudaHostRegisterDefault));
    OK(cudaMemcpyAsync(device, host, SIZE, cudaMemcpyHostToDevice, new_stream(0)));
    memset(host, 2, SIZE);
    const bool first = device_holds(device, 1);
    OK(cudaHostUnregister(host));
    end_either_way(first);
}

static void a_copy_from_pinned_memory_is_done_on_return(void) {
    char *host = pinned(1), *device = new_memory(SIZE);
    OK(cudaMemcpy(device, host, SIZE, cudaMemcpyHostToDevice));
    memset(host, 2, SIZE);
    REQUIRE(device_holds(device, 1));
}

static void a_copy_to_the_host_is_done_on_return(void) {
    char host[SIZE], *device = new_memory(SIZE), *to = pinned(0);
    launch_fill(device, SIZE, 3, 0);
    OK(cudaMemcpy(host, device, SIZE, cudaMemcpyDeviceToHost));
    REQUIRE(all(host, 3));
    launch_fill(device, SIZE, 4, 0);
    OK(cudaMemcpy(to, device, SIZE, cudaMemcpyDeviceToHost));
    REQUIRE(all(to, 4));
}

static void an_async_copy_to_pageable_memory_is_done_on_return(void) {
    char host[SIZE] = {0}, *device = new_memory(SIZE);
    const cudaStream_t stream = new_stream(0);
    launch_fill(device, SIZE, 3, stream);
    OK(cudaMemcpyAsync(host, device, SIZE, cudaMemcpyDeviceToHost, stream));
    REQUIRE(all(host, 3));
}

static void an_async_copy_to_pinned_memory_is_not(void) {
    char *host = pinned(0), *device = new_memory(SIZE);
    const cudaStream_t stream = new_stream(0);
    launch_fill(device, SIZE, 3, stream);
    OK(cudaMemcpyAsync(host, device, SIZE, cudaMemcpyDeviceToHost, stream));
    const bool first = all(host, 3);
    OK(cudaStreamSynchronize(stream));
    REQUIRE(all(host, 3));
    end_either_way(first);
}

static void a_copy_from_pageable_memory_may_end_later(void) {
    char host[SIZE] = {0};
    OK(cudaMemcpy(new_memory(SIZE), host, SIZE, cudaMemcpyHostToDevice));
    end_either_way(cudaStreamQuery(0) == cudaSuccess);
}

static void a_copy_from_pageable_memory_waits_for_earlier_work(void) {
    char host[SIZE] = {0};
    launch_note(1, new_stream(0));
    OK(cudaMemcpy(new_memory(SIZE), host, SIZE, cudaMemcpyHostToDevice));
    REQUIRE(place_of(1) == 0);
}

static void a_copy_on_the_device_does_not_wait(void) {
    char *device = new_memory(2 * SIZE);
    launch_note(1, 0);
    OK(cudaMemcpy(device, device + SIZE, SIZE, cudaMemcpyDeviceToDevice));
    end_either_way(place_of(1) == 0);
}

static void a_copy_is_ordered_on_the_legacy_stream(void) {
    char *a = new_memory(SIZE), *b = new_memory(SIZE);
    const cudaStream_t before = new_stream(0), after = new_stream(0);
    OK(cudaMemset(b, 0, SIZE));
    launch_fill(a, SIZE, 7, before);
    OK(cudaMemcpy(b, a, SIZE, cudaMemcpyDeviceToDevice));
    launch_fill(a, SIZE, 8, after);
    REQUIRE(device_holds(b, 7) && device_holds(a, 8));
}

static void an_async_copy_belongs_to_its_stream_only(void) {
    char *host = pinned(1), *device = new_memory(SIZE);
    launch_fill(device, SIZE, 2, new_stream(0));
    OK(cudaMemcpyAsync(device, host, SIZE, cudaMemcpyHostToDevice, new_stream(0)));
    OK(cudaDeviceSynchronize());
    end_either_way(device_holds(device, 1));
}

static void a_memset_does_not_wait(void) {
    launch_note(1, 0);
    OK(cudaMemset(new_memory(SIZE), 0, SIZE));
    end_either_way(place_of(1) == 0);
}

static void a_memset_of_managed_memory_waits(void) {
    void *managed;
    OK(cudaMallocManaged(&managed, SIZE, cudaMemAttachGlobal));
    OK(cudaMemset(managed, 6, SIZE));
    REQUIRE(all(managed, 6));
}

static void rows_are_copied_by_pitch(void) {
    char in[4][8], out[4][8];
    void *device;
    size_t pitch;
    memset(in, 1, sizeof(in));
    memset(out, 9, sizeof(out));
    OK(cudaMallocPitch(&device, &pitch, 5, 4));
    REQUIRE(pitch >= 5 && pitch % 512 == 0);
    OK(cudaMemset2D(device, pitch, 3, 5, 4));
    OK(cudaMemcpy2D(device, pitch, in, 8, 3, 4, cudaMemcpyHostToDevice));
    OK(cudaMemcpy2D(out, 8, device, pitch, 5, 4, cudaMemcpyDeviceToHost));
    for (int row = 0; row < 4; row++)
        REQUIRE(memcmp(out[row], "\1\1\1\3\3\11\11\11", 8) == 0);
    REQUIRE(cudaMemcpy2D(out, 4, device, pitch, 5, 4, cudaMemcpyDeviceToHost) == cudaErrorInvalidPitchValue);
    REQUIRE(cudaMemcpy2D(out, 8, device, pitch, 5, 5, cudaMemcpyDeviceToHost) == cudaErrorInvalidValue);
}

/* A region of 2 x 2 x 2 bytes, one byte into every dimension of either side. */
static struct cudaMemcpy3DParms slices(void *to, size_t to_pitch, void *from, size_t from_pitch,
                                       enum cudaMemcpyKind kind) {
    return (struct cudaMemcpy3DParms){
        .srcPtr = {from, from_pitch, from_pitch, 3},
        .dstPtr = {to, to_pitch, to_pitch, 3},
        .srcPos = {1, 1, 1},
        .dstPos = {1, 1, 1},
        .extent = {2, 2, 2},
        .kind = kind,
    };
}

static bool holds_slices(const char cube[3][3][4]) {
    for (int z = 0; z < 3; z++) {
        for (int y = 0; y < 3; y++) {
            for (int x = 0; x < 4; x++) {
                if (cube[z][y][x] != (z > 0 && y > 0 && x > 0 && x < 3 ? 1 + x + 4 * y + 16 * z : 0))
                    return false;
            }
        }
    }
    return true;
}

static void fill_cube(char cube[3][3][4]) {
    for (int z = 0; z < 3; z++) {
        for (int y = 0; y < 3; y++) {
            for (int x = 0; x < 4; x++)
                cube[z][y][x] = (char)(1 + x + 4 * y + 16 * z);
        }
    }
}

static void slices_are_copied_by_pitch_and_height(void) {
    char in[3][3][4], out[3][3][4] = {{{0}}};
    struct cudaPitchedPtr device;
    const cudaStream_t stream = new_stream(cudaStreamNonBlocking);
    fill_cube(in);
    OK(cudaMalloc3D(&device, (struct cudaExtent){4, 3, 3}));
    struct cudaMemcpy3DParms there = slices(device.ptr, device.pitch, in, 4, cudaMemcpyHostToDevice);
    struct cudaMemcpy3DParms back = slices(out, 4, device.ptr, device.pitch, cudaMemcpyDeviceToHost);
    OK(cudaMemcpy3D(&there));
    OK(cudaMemcpy3D(&back));
    REQUIRE(holds_slices((const char (*)[3][4])out));
    memset(out, 0, sizeof(out));
    OK(cudaMemset(device.ptr, 0, 9 * device.pitch));
    OK(cudaDeviceSynchronize());
    OK(cudaMemcpy3DAsync(&there, stream));
    memset(in, 0, sizeof(in)); /* it was captured */
    OK(cudaMemcpy3DAsync(&back, stream));
    REQUIRE(holds_slices((const char (*)[3][4])out));
}

static void slices_want_their_places(void) {
    char host[3][3][4];
    char *device = new_memory(36);
    const struct cudaMemcpy3DParms good = slices(device, 4, host, 4, cudaMemcpyHostToDevice);
    struct cudaMemcpy3DParms asked = good;
    OK(cudaMemcpy3D(&asked));
    asked.extent.width = 4;
    REQUIRE(cudaMemcpy3D(&asked) == cudaErrorInvalidValue); /* as driver 580 on an H100 */
    asked = good;
    asked.extent.height = 3;
    REQUIRE(cudaMemcpy3D(&asked) == cudaErrorInvalidValue);
    asked = good;
    asked.extent.depth = 3;
    REQUIRE(cudaMemcpy3D(&asked) == cudaErrorInvalidValue);
    asked.extent.depth = 0;
    OK(cudaMemcpy3D(&asked));
    asked = good;
    asked.kind = cudaMemcpyDeviceToHost;
    REQUIRE(cudaMemcpy3D(&asked) == cudaErrorInvalidValue);
    asked = good;
    asked.srcPtr.ptr = NULL;
    REQUIRE(cudaMemcpy3D(&asked) == cudaErrorInvalidValue);
    asked = good;
    asked.dstArray = (cudaArray_t)device;
    REQUIRE(cudaMemcpy3D(&asked) == cudaErrorInvalidValue);
}

/* Extents and places in an array count its elements, places in memory bytes. */
static void arrays_are_copied_by_element(void) {
    const struct cudaChannelFormatDesc format =
        cudaCreateChannelDesc(16, 16, 0, 0, cudaChannelFormatKindUnsigned);
    uint32_t in[2][3] = {{1, 2, 3}, {4, 5, 6}}, out[2][2] = {{0}};
    cudaArray_t array, other;
    OK(cudaMallocArray(&array, &format, 3, 2, 0));
    OK(cudaMallocArray(&other, &format, 3, 2, 0));
    OK(cudaMemcpy2DToArray(array, 0, 0, in, sizeof(in[0]), sizeof(in[0]), 2, cudaMemcpyHostToDevice));
    OK(cudaMemcpy2DArrayToArray(other, 0, 0, array, 0, 0, sizeof(in[0]), 2, cudaMemcpyDeviceToDevice));
    struct cudaMemcpy3DParms back = {.srcArray = other,
                                     .srcPos = {1, 0, 0},
                                     .dstPtr = {out, sizeof(out[0]), 2, 2},
                                     .extent = {2, 2, 1},
                                     .kind = cudaMemcpyDeviceToHost};
    OK(cudaMemcpy3D(&back));
    REQUIRE(out[0][0] == 2 && out[0][1] == 3 && out[1][0] == 5 && out[1][1] == 6);
    back.srcPos.x = 2;
    REQUIRE(cudaMemcpy3D(&back) == cudaErrorInvalidValue);
}

static void arrays_want_a_format_and_an_extent(void) {
    struct cudaChannelFormatDesc format = cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindFloat), got;
    struct cudaExtent extent;
    unsigned flags;
    cudaArray_t array;
    REQUIRE(cudaMalloc3DArray(&array, &format, (struct cudaExtent){4, 4, 5}, cudaArrayCubemap) ==
            cudaErrorInvalidValue);
    REQUIRE(cudaMalloc3DArray(&array, &format, (struct cudaExtent){4, 0, 3}, 0) == cudaErrorInvalidValue);
    OK(cudaMalloc3DArray(&array, &format, (struct cudaExtent){4, 0, 3}, cudaArrayLayered));
    OK(cudaArrayGetInfo(&got, &extent, &flags, array));
    REQUIRE(got.x == 32 && extent.width == 4 && !extent.height && extent.depth == 3 &&
            flags == cudaArrayLayered);
    format.z = 32;
    REQUIRE(cudaMallocArray(&array, &format, 4, 4, 0) == cudaErrorInvalidChannelDescriptor);
    OK(cudaFreeArray(NULL));
}

static void a_copy_of_slices_can_be_captured(void) {
    static char in[3][3][4], out[3][3][4];
    const cudaStream_t stream = new_stream(0);
    char *device = new_memory(36);
    struct cudaMemcpy3DParms there = slices(device, 4, in, 4, cudaMemcpyHostToDevice);
    struct cudaMemcpy3DParms back = slices(out, 4, device, 4, cudaMemcpyDeviceToHost);
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    OK(cudaMemcpy3DAsync(&there, stream));
    OK(cudaMemcpy3DAsync(&back, stream));
    OK(cudaStreamEndCapture(stream, &graph));
    OK(cudaGraphInstantiate(&exec, graph, 0));
    fill_cube(in); /* it is read when the graph runs */
    OK(cudaGraphLaunch(exec, stream));
    OK(cudaStreamSynchronize(stream));
    REQUIRE(holds_slices((const char (*)[3][4])out));
    OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    REQUIRE(cudaMemcpy3D(&there) == cudaErrorStreamCaptureImplicit);
}

static void a_copy_checks_its_ranges(void) {
    char host[2 * SIZE] = {0}, *device = new_memory(SIZE);
    REQUIRE(cudaMemcpy(device, host, SIZE + 1, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
    REQUIRE(cudaMemcpy(device + 1, host, SIZE, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
    REQUIRE(cudaMemcpy(host, device - 1, 1, cudaMemcpyDeviceToHost) == cudaErrorInvalidValue);
    REQUIRE(cudaMemcpy(host, host + SIZE, 1, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
    REQUIRE(cudaMemcpy(device, NULL, 1, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
    REQUIRE(cudaMemcpy(device, host, 1, (enum cudaMemcpyKind)7) == cudaErrorInvalidMemcpyDirection);
    REQUIRE(cudaMemset(host, 0, 1) == cudaErrorInvalidValue);
    REQUIRE(cudaMemset(device, 0, SIZE + 1) == cudaErrorInvalidValue);
    REQUIRE(cudaMemcpyPeer(device, 1, device, 0, 1) == cudaErrorInvalidDevice);
    OK(cudaMemcpy(NULL, NULL, 0, cudaMemcpyDeviceToHost));
}

static void a_symbol_is_copied_both_ways(void) {
    int value = 0;
    size_t size = 0;
    void *address = NULL;
    OK(cudaMemcpyFromSymbol(&value, &counter_shadow, sizeof(int), 0, cudaMemcpyDeviceToHost));
    REQUIRE(value == 7);
    value = 11;
    OK(cudaMemcpyToSymbol(&counter_shadow, &value, sizeof(int), 0, cudaMemcpyHostToDevice));
    OK(launch(&count_stub, (void *[]){&value}, 0));
    OK(cudaGetSymbolAddress(&address, &counter_shadow));
    OK(cudaGetSymbolSize(&size, &counter_shadow));
    REQUIRE(size == sizeof(int));
    OK(cudaMemcpy(&value, address, sizeof(int), cudaMemcpyDeviceToHost));
    REQUIRE(value == 15);
    REQUIRE(cudaMemcpyToSymbol(&counter_shadow, &value, 4, 1, cudaMemcpyHostToDevice) ==
            cudaErrorInvalidValue);
    REQUIRE(cudaMemcpyToSymbol(&note_stub, &value, 4, 0, cudaMemcpyHostToDevice) == cudaErrorInvalidSymbol);
}

static void a_reset_gives_symbols_their_first_values(void) {
    int value = 11;
    OK(cudaMemcpyToSymbol(&counter_shadow, &value, sizeof(int), 0, cudaMemcpyHostToDevice));
    OK(cudaDeviceReset());
    OK(cudaMemcpyFromSymbol(&value, &counter_shadow, sizeof(int), 0, cudaMemcpyDeviceToHost));
    REQUIRE(value == 7);
}

int main(int argc, char **argv) {
    static const struct rule rules[] = {
        RULE(a_round_trip_keeps_the_bytes, EVERY_SEED),
        RULE(new_memory_holds_junk, ONCE, .alone = "a real one may"),
        RULE(an_async_copy_captures_pageable_memory, EVERY_SEED),
        RULE(an_async_copy_reads_pinned_memory_later, DIFFERS),
        RULE(registered_memory_counts_as_pinned, DIFFERS),
        RULE(a_copy_from_pinned_memory_is_done_on_return, EVERY_SEED),
        RULE(a_copy_to_the_host_is_done_on_return, EVERY_SEED),
        RULE(an_async_copy_to_pageable_memory_is_done_on_return, EVERY_SEED),
        RULE(an_async_copy_to_pinned_memory_is_not, DIFFERS),
        RULE(a_copy_from_pageable_memory_may_end_later, DIFFERS),
        RULE(a_copy_from_pageable_memory_waits_for_earlier_work, EVERY_SEED),
        RULE(a_copy_on_the_device_does_not_wait, DIFFERS),
        RULE(a_copy_is_ordered_on_the_legacy_stream, EVERY_SEED),
        RULE(an_async_copy_belongs_to_its_stream_only, DIFFERS),
        RULE(a_memset_does_not_wait, DIFFERS),
        RULE(a_memset_of_managed_memory_waits, EVERY_SEED),
        RULE(rows_are_copied_by_pitch, EVERY_SEED),
        RULE(slices_are_copied_by_pitch_and_height, EVERY_SEED),
        RULE(slices_want_their_places, ONCE),
        RULE(arrays_are_copied_by_element, EVERY_SEED),
        RULE(arrays_want_a_format_and_an_extent, ONCE),
        RULE(a_copy_of_slices_can_be_captured, EVERY_SEED),
        RULE(a_copy_checks_its_ranges, ONCE),
        RULE(a_symbol_is_copied_both_ways, EVERY_SEED),
        RULE(a_reset_gives_symbols_their_first_values, EVERY_SEED),
    };
    return RULES_MAIN(rules);
}
