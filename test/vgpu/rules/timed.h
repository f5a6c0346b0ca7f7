/*
 * Programs whose virtual time tests compare. Each runs in a process of its own and tells by VGPU_STATS; only
 * ratios and orders count.
 */
#ifndef KESCO_TEST_VGPU_RULES_TIMED_H
#define KESCO_TEST_VGPU_RULES_TIMED_H

#include "test/vgpu/rules/rules.h"

enum { MIB = 1 << 20, STREAMS = 3, CHUNKS = 6, SEEDS = 12 };

/* Grids that take all places of the device, and a sixth of them. */
enum { THREADS = 256, ALL_BLOCKS = 132 * 8, SOME_BLOCKS = 132 * 8 / 6 };

extern cudaStream_t streams[STREAMS];

/* Different streams, or the same one under all names; either takes as long. */
void make_streams(bool different);

/* The program that does that alone. */
void nothing_but_streams(void);

char *new_pinned(size_t size);
char *new_managed(size_t size);

extern const struct cudaMemLocation to_device, to_host;

/* What host code does that vgpu-clang++ compiled. */
void host_touch(const void *memory, size_t size);

/* Makes streams, and launches a graph of small kernels some times, which are ordered or, on all streams, not.
 */
void launch_graph(bool parallel);

/* What VGPU_STATS says of a program. */
struct result {
    double us;
    long long faults, migrated, to_device, to_host;
};

/* Runs a program of this test. */
struct result run(const char *name, int seed, bool checked);

#define RESULT(program) run(#program, 1, false)
#define TIME(program) RESULT(program).us
/* Of what makes streams: the rest. */
#define TIME_ON_STREAMS(program) (TIME(program) - TIME(nothing_but_streams))

#endif
