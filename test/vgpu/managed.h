/*
 * Devices without concurrent managed access (VGPU_CONCURRENT_MANAGED=0): while a kernel may run, all managed
 * memory is the devices' alone, whether the kernel uses it or not (CUDA Programming Guide, "Unified Memory":
 * "GPU Exclusive Access To Managed Memory"). A kernel may run from its launch until the host has waited for
 * it, or for what comes after it, however soon it really ends ("Explicit Synchronization and Logical GPU
 * Activity"). Copies and memsets keep the host from the memory that they touch only, as everywhere (race.h).
 *
 * With VGPU_CHECK=races, an access of the host, or of a host function, beside such a kernel counts as a race
 * with it. Memory made with cudaMemAttachHost is the host's to touch;
 * cudaStreamAttachMemAsync changes that, once the host has waited for it, and can leave memory to the kernels
 * of one stream.
 */
#ifndef KESCO_TEST_VGPU_MANAGED_H
#define KESCO_TEST_VGPU_MANAGED_H

#include "test/vgpu/memory.h"
#include "test/vgpu/op.h"

/* An op is issued. */
void managed_issue(struct op *op);

/* `op`, not yet issued, attaches managed memory: `flags` is a cudaMemAttach flag, `component` its stream's.
 */
void managed_attach(struct allocation *allocation, struct op *op, unsigned flags, uint32_t component);

/* `op`, the host or a host function, touches the allocation; `kind` is a VGPU_ access kind. Of what it
 * touches beside kernels, the first is reported. */
void managed_touch(struct op *op, const struct allocation *allocation, uint32_t kind);

#endif
