/*
 * What host code reads and writes, while races are checked (VGPU_CHECK=races) or virtual time is kept: pages
 * of managed memory have to come to the host (timeline.h), and memory that devices see too must be left alone
 * until the host has waited for the ops that touch it (CUDA Programming Guide, "Unified Memory": "Coherency
 * and Concurrency"). vgpu-clang++ makes host code call vgpu_host_access before every access.
 *
 * The host is one more component of vector clocks. It takes a step whenever it touches memory after an op was
 * issued or waited for, so that ops issued later come after it, and ops that it waited for before it. Host
 * functions are ops of their streams, also in what they touch.
 *
 * Devices without concurrent managed access ask for more: managed.h.
 */
#ifndef KESCO_TEST_VGPU_HOST_ACCESS_H
#define KESCO_TEST_VGPU_HOST_ACCESS_H

#include <stdint.h>

/* Not 0 while host accesses are recorded; host code tests it inline. */
extern int vgpu_host_recording;

/* Host code touches `size` bytes at `address`; `kind` is a VGPU_ access kind. Anything but device memory and
 * memory that devices see is ignored. Where races are checked, device memory ends the process as it does on
 * hardware. */
void vgpu_host_access(const void *address, uint64_t size, uint32_t kind);

/* Host accesses are recorded from now on. */
void host_access_start(void);

#endif
