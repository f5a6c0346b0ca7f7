/* Waits of functions that a region is lent to: they may be put off, and what they would have told is told
 * later. */
#include "runtime/region/region.h"

#include "runtime/call.h"

#include <stddef.h>
#include <string.h>

/* The program's wait of a function that is lent nothing, or no region that it may leave open. */
static int wait_outside(void *stream, uint32_t reach) {
    cudaError_t error;

    if ((reach & KESCO_REACH_FREES) != 0) {
        if (stream != NULL)
            __kesco1_leave();
        return cudaFree(stream);
    }
    if (reach == KESCO_REACH_DEVICE || kesco_call_is_legacy(stream))
        __kesco1_leave_by_next();
    else
        __kesco1_leave_by_wait(stream);
    error = reach == KESCO_REACH_DEVICE ? cudaDeviceSynchronize() : cudaStreamSynchronize(stream);
    __kesco1_leave_behind((int)error);
    return (int)error;
}

/* True for what each call returns from then on, once a kernel has failed (CUDA Runtime API, "CUDA error
 * types"). */
static bool is_of_kernels(cudaError_t error) {
    switch (error) {
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchTimeout:
    case cudaErrorAssert:
    case cudaErrorHardwareStackError:
    case cudaErrorIllegalInstruction:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorLaunchFailure:
        return true;
    default:
        return false;
    }
}

/* An error that the program does not look at, after a wait that was put off and that would have told. */
static void tell_unseen(struct kesco_region_state *region, cudaError_t error) {
    if (!is_of_kernels(error) || region->host.lent.failed == NULL)
        return;
    region->host.lent.error = error;
    kesco_region_tell_lent(region);
}

/* True if the program's wait may be left to the region that is open. Of its error the program is told by
 * `failed`, which NULL does not. */
static bool may_put_off(uint32_t lent, const void *failed, uint32_t ends) {
    struct kesco_region_state *region = &kesco_thread_region;

    if (failed != NULL)
        kesco_region_settle_for(region, ends);
    return lent && region->way.open && region->host.lent.may_wait;
}

/* What is told of errors, by whom, and what has been put off before. */
struct telling {
    const void *failed, *before;
    uint32_t ends;
};

/* What the wait itself returns, the program is told. */
static struct telling begin_wait(const void *failed, uint32_t ends) {
    struct kesco_lent_waits *waits = &kesco_thread_region.host.lent;
    const struct telling telling = {.failed = failed, .before = waits->failed, .ends = ends};

    if (failed != NULL)
        waits->failed = NULL;
    return telling;
}

/* The wait has returned `error`, or was put off. */
static int end_wait(struct telling telling, int error) {
    struct kesco_region_state *region = &kesco_thread_region;
    struct kesco_lent_waits *waits = &region->host.lent;

    if (error != cudaSuccess)
        tell_unseen(region, (cudaError_t)error);
    if (error != cudaSuccess || !region->way.open)
        return error;
    waits->failed = telling.failed != NULL ? telling.failed : telling.before;
    waits->ends = telling.failed != NULL ? telling.ends : waits->ends;
    waits->unasked |= telling.failed == NULL;
    return error;
}

int __kesco1_wait_lent(uint32_t lent, void *stream, uint32_t reach, const void *failed, uint32_t ends) {
    struct telling telling;

    if (!may_put_off(lent, failed, ends))
        return wait_outside(stream, reach);
    telling = begin_wait(failed, ends);
    return end_wait(telling, __kesco1_synchronize(stream, reach));
}

int __kesco1_copy_lent(uint32_t lent, void *to, const void *from, uint64_t bytes, int kind, void *stream,
                       const void *failed, uint32_t ends) {
    const struct kesco_lent_copy copy = {
        .to = to, .from = from, .bytes = bytes, .kind = (enum cudaMemcpyKind)kind, .stream = stream};
    struct telling telling;
    cudaError_t error;

    if (may_put_off(lent, failed, ends)) {
        telling = begin_wait(failed, ends);
        return end_wait(telling, (int)kesco_region_copy(&kesco_thread_region, &copy));
    }
    __kesco1_leave_by_next();
    error = kesco_lent_copy_make(&copy);
    __kesco1_leave_behind((int)error);
    return (int)error;
}

void __kesco1_settle_lent(uint32_t asks) {
    struct kesco_region_state *region = &kesco_thread_region;
    struct kesco_lent_waits *waits = &region->host.lent;

    if (!region->way.open || (!waits->notes && !region->opened.is_own))
        return;
    if (!asks || waits->unasked) {
        /* where that comes behind each wait, they are not to be put off in vain */
        waits->in_vain |= region->host.owed;
        __kesco1_settle();
        if (!asks)
            region->host.covered = 0;
    } else if (waits->failed != NULL && is_of_kernels(cudaPeekAtLastError())) {
        waits->error = cudaPeekAtLastError(); /* the wait would have told */
        kesco_region_tell_lent(region);
    }
}

void __kesco1_ask_lent(const void *failed, uint32_t ends) {
    struct kesco_lent_waits *waits = &kesco_thread_region.host.lent;

    if (kesco_thread_region.way.open && waits->unasked && !is_of_kernels(cudaPeekAtLastError())) {
        waits->failed = failed;
        waits->ends = ends;
        waits->unasked = false;
    } else {
        __kesco1_settle_lent(1);
    }
}

void kesco_region_tell_lent(struct kesco_region_state *region) {
    struct kesco_lent_waits *waits = &region->host.lent;
    void (*tell)(int error);
    const cudaError_t error = waits->error;

    waits->error = cudaSuccess;
    if (error == cudaSuccess)
        return;
    if (waits->failed == NULL) {
        cudaDeviceSynchronize(); /* it fails as the program's did: CUDA has its error from then on */
        return;
    }
    memcpy(&tell, &waits->failed, sizeof tell);
    waits->failed = NULL;
    tell((int)error);
}
