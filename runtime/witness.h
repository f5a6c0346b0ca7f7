/*
 * By what to tell that a device was reset. Streams, events and graphs go with that, and to hand one that is
 * gone to a real driver is to crash, so they cannot be asked. What is asked is the context: it has a number
 * that no other of the process ever has (CUDA Driver API, cuCtxGetId), and after a reset there is another
 * one. Where the driver does not have that function, the number of the legacy default stream stands for it.
 */
#ifndef KESCO_RUNTIME_WITNESS_H
#define KESCO_RUNTIME_WITNESS_H

#include <cuda_runtime_api.h>
#include <stdbool.h>

struct kesco_witness {
    bool is_chosen;
    int device;
    unsigned long long id; /* of its context */
};

/*
 * Makes the context of `device`, which is the current one, the witness. Returns cudaSuccess or CUDA's error,
 * which is then pending; so do the next three.
 */
cudaError_t kesco_witness_choose(struct kesco_witness *witness, int device);

/* The same of the current device, whichever that is. */
cudaError_t kesco_witness_choose_current(struct kesco_witness *witness);

/*
 * True if its context is the calling thread's: its device is the current one and was not reset. Takes a tenth
 * of what asking for the device does (cudaGetDevice), and leaves no error. False also where nobody can tell.
 */
bool kesco_witness_is_current(const struct kesco_witness *witness);

/* Stores in `*is_gone` whether its device, which is the current one, was reset since it was chosen. */
cudaError_t kesco_witness_ask(const struct kesco_witness *witness, bool *is_gone);

/* The same, whatever device is the current one. */
cudaError_t kesco_witness_ask_anywhere(const struct kesco_witness *witness, bool *is_gone);

/*
 * True if one was chosen, and what was made on its device since is there still; not where nobody can tell.
 * May leave an error of CUDA's pending.
 */
bool kesco_witness_is_there(const struct kesco_witness *witness);

#endif
