/* Intrinsics about the thread and its memory: special registers beyond vgpu_registers, address spaces, traps.
 */
#define _GNU_SOURCE
#include "test/vgpu/device.h"
#include "test/vgpu/exec.h"

#include <errno.h>
#include <stdio.h>
#include <time.h>

static uint64_t nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Clocks: real time, one cycle a nanosecond. */

VGPU_DEVICE_FN(uint64_t, vgpu_nvvm_read_ptx_sreg_clock64, void) {
    return nanoseconds();
}
VGPU_DEVICE_FN(uint32_t, vgpu_nvvm_read_ptx_sreg_clock, void) {
    return (uint32_t)nanoseconds();
}
VGPU_DEVICE_FN(uint64_t, vgpu_nvvm_read_ptx_sreg_globaltimer, void) {
    return nanoseconds();
}
VGPU_DEVICE_FN(uint32_t, vgpu_nvvm_read_ptx_sreg_globaltimer_lo, void) {
    return (uint32_t)nanoseconds();
}

/* A sleep lets nothing else of the block run: it may only wait for what has happened. */
VGPU_DEVICE_FN(void, vgpu_nvvm_nanosleep, uint32_t duration) {
    (void)duration;
}
VGPU_DEVICE_FN(void, vgpu_asm_nanosleep_u32, uint32_t duration) {
    (void)duration;
}

/* The one processor that runs everything. */

VGPU_DEVICE_FN(uint32_t, vgpu_nvvm_read_ptx_sreg_smid, void) {
    return 0;
}
VGPU_DEVICE_FN(uint32_t, vgpu_nvvm_read_ptx_sreg_nsmid, void) {
    return 1;
}
VGPU_DEVICE_FN(uint32_t, vgpu_nvvm_read_ptx_sreg_nwarpid, void) {
    return VGPU_BLOCK_LIMIT / VGPU_WARP_SIZE;
}

/* Clusters of one block */

VGPU_DEVICE_FN(uint32_t, vgpu_nvvm_read_ptx_sreg_cluster_ctarank, void) {
    return 0;
}
VGPU_DEVICE_FN(uint32_t, vgpu_nvvm_read_ptx_sreg_cluster_nctarank, void) {
    return 1;
}
VGPU_DEVICE_FN(uint32_t, vgpu_nvvm_is_explicit_cluster, void) {
    return 0;
}
VGPU_DEVICE_FN(uint32_t, vgpu_nvvm_read_ptx_sreg_is_explicit_cluster, void) {
    return 0;
}

/* Where shared memory is that the system reserves, as the instructions have its addresses. */
VGPU_DEVICE_FN(uint32_t, vgpu_nvvm_read_ptx_sreg_reserved_smem_offset_1, void) {
    return (uint32_t)(uintptr_t)(vgpu_dynamic_shared + VGPU_DYNAMIC_SHARED_LIMIT);
}

/* Lane masks */

VGPU_DEVICE_FN(uint32_t, vgpu_nvvm_read_ptx_sreg_lanemask_eq, void) {
    return 1u << vgpu_registers.laneid;
}
VGPU_DEVICE_FN(uint32_t, vgpu_nvvm_read_ptx_sreg_lanemask_lt, void) {
    return (1u << vgpu_registers.laneid) - 1;
}
VGPU_DEVICE_FN(uint32_t, vgpu_nvvm_read_ptx_sreg_lanemask_le, void) {
    return (2u << vgpu_registers.laneid) - 1;
}
VGPU_DEVICE_FN(uint32_t, vgpu_nvvm_read_ptx_sreg_lanemask_gt, void) {
    return ~((2u << vgpu_registers.laneid) - 1);
}
VGPU_DEVICE_FN(uint32_t, vgpu_nvvm_read_ptx_sreg_lanemask_ge, void) {
    return ~((1u << vgpu_registers.laneid) - 1);
}

/* Address spaces. vgpu-device adds what only the image knows: its static shared memory and its constants. */

void *vgpu_shared_pointer(char *start, uint64_t size, uint32_t address) {
    const uint32_t in_static = address - (uint32_t)(uintptr_t)start;
    const uint32_t in_dynamic = address - (uint32_t)(uintptr_t)vgpu_dynamic_shared;
    if (in_static < size)
        return start + in_static;
    if (in_dynamic < sizeof(vgpu_dynamic_shared))
        return vgpu_dynamic_shared + in_dynamic;
    return address < size ? start + address : vgpu_dynamic_shared + (address - size);
}

VGPU_DEVICE_FN(uint32_t, vgpu_nvvm_isspacep_local, const void *address) {
    return vgpu_is_local(address);
}
VGPU_DEVICE_FN(uint32_t, vgpu_nvvm_isspacep_shared, const void *address) {
    return vgpu_is_dynamic_shared(address);
}
VGPU_DEVICE_FN(uint32_t, vgpu_nvvm_isspacep_global, const void *address) {
    return !vgpu_is_local(address) && !vgpu_is_dynamic_shared(address);
}

/* Ends */

VGPU_DEVICE_FN(void, vgpu_nvvm_exit, void) {
    vgpu_thread_exit();
}

VGPU_DEVICE_FN(void, vgpu_asm_exit, void) {
    vgpu_thread_exit();
}

VGPU_DEVICE_FN(void, vgpu_asm_brkpt, void) {
}

VGPU_DEVICE_FN(void, vgpu_asm_trap, void) {
    const struct vgpu_registers *r = &vgpu_registers;
    fprintf(stderr, "vgpu: kernel %s, block (%u,%u,%u), thread (%u,%u,%u): trap\n", vgpu_kernel_name(),
            r->ctaid[0], r->ctaid[1], r->ctaid[2], r->tid[0], r->tid[1], r->tid[2]);
    vgpu_trapped();
    vgpu_grid_abort(-EFAULT);
}

VGPU_DEVICE_FN(void, vgpu_fn___assertfail, const char *message, const char *file, uint32_t line,
               const char *function, uint64_t character_size) {
    const struct vgpu_registers *r = &vgpu_registers;
    (void)character_size;
    fprintf(stderr, "%s:%u: %s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` failed.\n", file, line,
            function, r->ctaid[0], r->ctaid[1], r->ctaid[2], r->tid[0], r->tid[1], r->tid[2], message);
    vgpu_trapped();
    vgpu_grid_abort(-ECANCELED);
}
