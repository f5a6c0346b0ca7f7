/*
 * A pass as an executable graph (CUDA Programming Guide, "CUDA Graphs"): a node for each launch, edges for
 * what each comes right after (enum kesco_form). A later pass of the same path is launched with it once the
 * nodes that differ have been given the new arguments. CUDA's last error stays as it is, whatever these call.
 */
#ifndef KESCO_RUNTIME_REGION_EXECUTABLE_H
#define KESCO_RUNTIME_REGION_EXECUTABLE_H

#include "runtime/region/pass.h"

struct kesco_executable {
    cudaGraph_t graph; /* lives as long as its nodes are named */
    cudaGraphExec_t handle;
    cudaGraphNode_t nodes[KESCO_PASS_OPS];
    struct kesco_snapshot next; /* what its next launch does */
    uint32_t launches;          /* so far; it may start again */
    enum kesco_form form;
};

/* Makes one of `pass`, which the caller owns. NULL: CUDA refuses, or there is no memory, or there are
 * too many nodes already. */
struct kesco_executable *kesco_executable_make(const struct kesco_pass *pass, enum kesco_form form);

/* Makes its next launch that of `pass`, which is of the same path. False: CUDA refuses, and what it launches
 * is not known. */
bool kesco_executable_update(struct kesco_executable *executable, const struct kesco_pass *pass);

/* Launches it on `stream`, where no error is pending, too. False: CUDA refuses, and nothing was launched. */
bool kesco_executable_launch(const struct kesco_executable *executable, cudaStream_t stream);

/* Frees it; `is_gone`: the device was reset, and CUDA's part of it went with that. Accepts NULL. */
void kesco_executable_destroy(struct kesco_executable *executable, bool is_gone);

#endif
