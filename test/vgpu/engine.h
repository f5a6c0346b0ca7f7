/*
 * The engine's shared state: one lock, the devices, and what the current API call is.
 *
 * Everything runs in the host threads that call the API, under one lock. Calling an API function queues ops;
 * ops run when the chosen order (order.h) lets them, inside whichever call makes progress. Only host
 * functions run without the lock, on threads of the engine's own (host_thread.h).
 */
#ifndef KESCO_TEST_VGPU_ENGINE_H
#define KESCO_TEST_VGPU_ENGINE_H

#include "test/vgpu/api_list.h"
#include "test/vgpu/settings.h"
#include "test/vgpu/site.h"
#include "test/vgpu/vector_clock.h"

#include <pthread.h>
#include <stdbool.h>

struct gpu {
    struct vector_clock issued; /* joins the clocks of all ops issued on the device */
    cudaError_t fault;          /* sticky: a kernel's fault ends the device until cudaDeviceReset */
    uint64_t context;           /* its number, that no other ever has; 0: not made, or reset */
    uint32_t peers;             /* one bit per device whose memory its kernels may touch */
};

struct op;

struct engine {
    pthread_mutex_t lock;
    pthread_cond_t changed;        /* an op that ran without the lock has ended */
    struct vector_clock host;      /* what the host knows to be done: what it waited for */
    struct vector_clock issued;    /* by component: tick of the last op issued */
    uint64_t steps;                /* how often `host` or `issued` changed, from 1 */
    uint64_t ended;                /* ops run so far */
    bool exiting;                  /* the program has ended: no more host functions */
    struct gpu gpus[DEVICE_LIMIT]; /* by device */
};
extern struct engine engine;

/*
 * Of each host thread. All host threads share the clock `host`: how they order themselves (joins, mutexes) is
 * not seen, so what one of them waited for counts as known to all.
 */
struct thread_state {
    cudaError_t last_error;   /* cudaGetLastError's */
    struct op *host_function; /* that it is inside of, and that must not call the API, or NULL */
    enum cudaStreamCaptureMode capture_mode; /* cudaThreadExchangeStreamCaptureMode's */
    int device;                              /* cudaSetDevice's */
    uint64_t contexts[DEVICE_LIMIT];         /* by device: the one that the thread used last; 0: none yet */
    uint64_t id;                             /* thread_id's; 0: not yet given */
    bool locked;                             /* it has the engine's lock */
    const char *api;                         /* the API call that the thread is in */
    struct site site;                        /* who called it; captured only while races are checked */
};
extern _Thread_local struct thread_state thread_state;

/* A number that only the calling thread has, from 1. */
uint64_t thread_id(void);

/* The host has waited for everything in `clock`. */
void engine_host_knows(const struct vector_clock *clock);

/*
 * A kernel faulted: all later calls on its device return `error` (CUDA Runtime API, cudaError: "this leaves
 * the process in an inconsistent state and any further CUDA work will return the same error"). The first
 * fault counts.
 */
void engine_fault(int device, cudaError_t error);

/* The calling thread uses its device's context, which is made where there is none. With the lock. */
void engine_use_context(void);

bool device_exists(int device);

/* The calling thread's device. */
struct gpu *engine_gpu(void);

#endif
