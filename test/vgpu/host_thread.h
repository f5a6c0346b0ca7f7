/*
 * Host functions run on threads of the engine's own, as CUDA's do on one of the driver's: they see no other
 * thread's thread-local variables, and what a thread does next need not wait for them.
 */
#ifndef KESCO_TEST_VGPU_HOST_THREAD_H
#define KESCO_TEST_VGPU_HOST_THREAD_H

#include <time.h>

struct op;

/*
 * Runs `op`, which is a host function, and calls `ended` with it, both on such a thread, the same one
 * wherever it is free. Returns when it has ended; or, for it may wait for what the calling thread does next,
 * after a tenth of a second. Called with the engine's lock, which is given away meanwhile, as `ended` is.
 */
void host_thread_run(struct op *op, void (*ended)(struct op *op));

/* When, by CLOCK_REALTIME, so many nanoseconds will have passed; less than a second. */
struct timespec host_thread_deadline(long ns);

#endif
