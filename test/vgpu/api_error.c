/* API functions: error handling. */
#include "test/vgpu/api.h"
#include "test/vgpu/engine.h"
#include "test/vgpu/error_list.h"
#include "test/vgpu/hardware.h"
#include "test/vgpu/timeline.h"

#include <stddef.h>

static const struct {
    cudaError_t error;
    const char *name, *description;
} errors[] = {
#define ERROR_ENTRY(name, description) {name, #name, description},
    ERROR_LIST(ERROR_ENTRY)
#undef ERROR_ENTRY
};

enum { ERRORS = sizeof(errors) / sizeof(*errors) };

VGPU_EXPORT const char *cudaGetErrorName(cudaError_t error) {
    for (size_t i = 0; i < ERRORS; i++) {
        if (errors[i].error == error)
            return errors[i].name;
    }
    return "unrecognized error code";
}

VGPU_EXPORT const char *cudaGetErrorString(cudaError_t error) {
    for (size_t i = 0; i < ERRORS; i++) {
        if (errors[i].error == error)
            return errors[i].description;
    }
    return "unrecognized error code";
}

/* With the lock. */
static void spend_time(void) {
    if (!thread_state.host_function)
        timeline_work(hardware->host.read_us);
}

VGPU_EXPORT cudaError_t cudaPeekAtLastError(void) {
    if (!settings.null_mode) {
        pthread_mutex_lock(&engine.lock);
        spend_time();
        pthread_mutex_unlock(&engine.lock);
    }
    return thread_state.last_error;
}

/* Takes a sticky error, too: later calls find it again, but cudaGetLastError alone does not (as driver 580 on
 * an H100). */
VGPU_EXPORT cudaError_t cudaGetLastError(void) {
    const cudaError_t error = thread_state.last_error;
    if (settings.null_mode) {
        thread_state.last_error = cudaSuccess;
        return error;
    }
    pthread_mutex_lock(&engine.lock);
    spend_time();
    thread_state.last_error = cudaSuccess;
    pthread_mutex_unlock(&engine.lock);
    return error;
}
