/*
 * Where a benchmark's data lives, an argument of its build:
 *
 *   (nothing)          device memory, which is filled once
 *   -DMEMORY_MANAGED   managed memory: the host fills its inputs anew before each repetition, waits for each
 *                      kernel of the serial program (AWAIT), and in the end reads of each result
 *   -DMEMORY_FETCHED   the same, and inputs are fetched to the device by hand (FETCH)
 *
 * That is how the paper's programs use memory. Functions here end the program with status 1 and one line on
 * stderr when memory or CUDA fails.
 */
#ifndef KESCO_SAMPLES_MEMORY_H
#define KESCO_SAMPLES_MEMORY_H

#include "samples/check.h"

#include <string.h>

#if defined(MEMORY_FETCHED) && !defined(MEMORY_MANAGED)
#define MEMORY_MANAGED
#endif

#ifdef MEMORY_MANAGED

/* As cudaMalloc. */
#define MEMORY_MALLOC(pointer, size) cudaMallocManaged(pointer, size)

/* Behind a kernel of the serial program. */
#ifdef OWN_STREAM
#define AWAIT() CHECK(cudaStreamSynchronize(OWN_STREAM))
#else
#define AWAIT() CHECK(cudaDeviceSynchronize())
#endif

struct memory_input {
    void *to;   /* managed */
    void *from; /* owned */
    size_t size;
};

static struct {
    struct memory_input *inputs;
    const volatile char **results;
    size_t input_count, result_count;
} memory;

/* Room for one entry more, each of `size` bytes, where there are `count`. */
static inline void *memory_grow(void *entries, size_t count, size_t size) {
    void *grown = realloc(entries, (count + 1) * size);
    if (!grown) {
        fprintf(stderr, "not enough memory for what the host fills\n");
        exit(EXIT_FAILURE);
    }
    return grown;
}

/* Once. */
static inline void memory_set(void *to, const void *from, size_t size) {
    memcpy(to, from, size);
}

/* Now, and before each repetition. */
static inline void memory_fill(void *to, const void *from, size_t size) {
    struct memory_input input = {to, memory_grow(NULL, size, 1), size};
    memcpy(input.from, from, size);
    memcpy(to, from, size);
    memory.inputs =
        (struct memory_input *)memory_grow(memory.inputs, memory.input_count, sizeof *memory.inputs);
    memory.inputs[memory.input_count++] = input;
}

/* What the host reads of behind each repetition. */
static inline void memory_add_result(const void *result) {
    memory.results =
        (const volatile char **)memory_grow(memory.results, memory.result_count, sizeof *memory.results);
    memory.results[memory.result_count++] = (const volatile char *)result;
}

/* Before a repetition, and behind it. */

static inline void memory_refill(void) {
    for (size_t i = 0; i < memory.input_count; i++)
        memcpy(memory.inputs[i].to, memory.inputs[i].from, memory.inputs[i].size);
}

static inline void memory_read_results(void) {
    CHECK(cudaDeviceSynchronize());
    for (size_t i = 0; i < memory.result_count; i++)
        (void)*memory.results[i];
}

/* There are no repetitions any more. */
static inline void memory_end(void) {
    for (size_t i = 0; i < memory.input_count; i++)
        free(memory.inputs[i].from);
    free(memory.inputs);
    free(memory.results);
    memset(&memory, 0, sizeof memory);
}

#else

#define MEMORY_MALLOC(pointer, size) cudaMalloc(pointer, size)

#define AWAIT() ((void)0)

static inline void memory_set(void *to, const void *from, size_t size) {
    CHECK(cudaMemcpy(to, from, size, cudaMemcpyHostToDevice));
}

static inline void memory_fill(void *to, const void *from, size_t size) {
    memory_set(to, from, size);
}

static inline void memory_add_result(const void *) {
}

static inline void memory_refill(void) {
}

static inline void memory_read_results(void) {
}

static inline void memory_end(void) {
}

#endif

/* Fetch an input, before its first kernel: on the default stream, which is the thread's where workers.h says
 * so; on another one. */
#ifdef OWN_STREAM
#define FETCH(input, size) FETCH_ON(input, size, OWN_STREAM)
#else
#define FETCH(input, size) FETCH_ON(input, size, 0)
#endif
#ifdef MEMORY_FETCHED
static inline void memory_fetch(const void *input, size_t size, cudaStream_t stream) {
#if CUDART_VERSION < 13000
    CHECK(cudaMemPrefetchAsync(input, size, 0, stream));
#else
    const struct cudaMemLocation device = {cudaMemLocationTypeDevice, 0};
    CHECK(cudaMemPrefetchAsync(input, size, device, 0, stream));
#endif
}

#define FETCH_ON(input, size, stream) memory_fetch(input, size, stream)
#else
#define FETCH_ON(input, size, stream) ((void)(input), (void)(size), (void)(stream))
#endif

#endif
