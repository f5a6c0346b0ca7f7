/*
 * Times by the clock of a device, through timing events (CUDA Runtime API, cudaEventElapsedTime): what was
 * recorded on a stream happened so many microseconds after the device's first mark. Marks of one device can
 * be compared, whatever their threads and streams are; those of two devices as far as the host's clock said
 * when each had its first.
 *
 * Events are used again. cudaDeviceReset destroys them all, with the times that were not read yet: then the
 * clock starts anew, and marks of its earlier epoch are lost.
 *
 * All functions are called with the device being the current one, with no error pending and in the relaxed
 * mode of capture (kesco_call_relax); what they leave as CUDA's last error is of no meaning. Threads may call
 * them at once.
 */
#ifndef KESCO_RUNTIME_WATCH_DEVICE_CLOCK_H
#define KESCO_RUNTIME_WATCH_DEVICE_CLOCK_H

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stdint.h>

/* A point of time on a device. */
struct kesco_mark {
    cudaEvent_t event; /* NULL: there is none */
    int device;
    uint32_t epoch; /* of the device's clock */
};

/* Starts the clock of `device`, or finds that it runs. Not cudaSuccess: it does not. */
cudaError_t kesco_device_clock_start(int device);

/* Gives in `*mark` a mark on `stream` after what that has so far; or, for KESCO_DEVICE_CLOCK_NOW, one as
 * soon as the device hears of it. */
cudaError_t kesco_device_clock_mark(struct kesco_mark *mark, int device, cudaStream_t stream);
#define KESCO_DEVICE_CLOCK_NOW ((cudaStream_t) - 1)

/* True if the mark's event is there still, to be asked. May be called while another device is the current
 * one, as the next. */
bool kesco_device_clock_has(const struct kesco_mark *mark);

/* Gives in `*microseconds` the time of a mark; -ENODATA: it is lost, or not done yet. To be read once, then
 * dropped. */
int kesco_device_clock_read(struct kesco_mark *mark, double *microseconds);

/* Takes back what the mark holds. */
void kesco_device_clock_drop(struct kesco_mark *mark);

#endif
