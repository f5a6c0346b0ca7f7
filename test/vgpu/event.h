/*
 * Events (CUDA Runtime API, "Event Management"). An event stands for its latest record; a wait takes the
 * record that is the latest at the time of the call, and an event that was never recorded counts as done. An
 * event is recorded in streams of its own device, and waited for in any.
 */
#ifndef KESCO_TEST_VGPU_EVENT_H
#define KESCO_TEST_VGPU_EVENT_H

#include "test/vgpu/stream.h"

cudaError_t event_create(cudaEvent_t *handle, unsigned flags);
cudaError_t event_destroy(cudaEvent_t handle); /* work that waits for a record of it still does */
cudaError_t event_record(cudaEvent_t handle, cudaStream_t stream, unsigned flags);
cudaError_t event_wait(cudaStream_t stream, cudaEvent_t handle, unsigned flags);
cudaError_t event_query(cudaEvent_t handle); /* cudaErrorNotReady: lets the device go on a step */
cudaError_t event_synchronize(cudaEvent_t handle);
cudaError_t event_elapsed(float *milliseconds, cudaEvent_t start,
                          cudaEvent_t end); /* in virtual time, where it is kept (timeline.h); else by the
                                               number of ops that ended between them */
void event_reset(int device);               /* destroys the device's events */

#endif
