/*
 * Chains of launches: how much parallelism a program has, and how much of it is taken. VGPU_STATS has the
 * longest chains of two kinds, in both of which the kernels of graphs count:
 *
 * In `ordered_chain`, CUDA's rules order each launch behind the one before (vector_clock.h), by waits of the
 * host, too. Launches over it is the parallelism that is taken.
 *
 * In `data_chain`, each launch touches a byte that the one before touched, one of the two writing, or both
 * print. Launches over it is the parallelism that there is. It needs VGPU_CHECK=races, and is 0 without.
 * Copies and memsets carry the depth of a chain on, and add nothing to it. What the host reads counts, as it
 * may use that for all that it issues later: memory that devices see where the host reads it, other memory as
 * soon as a copy has brought something there. What the host writes carries depth on to those who touch it.
 * New memory has no depth.
 */
#ifndef KESCO_TEST_VGPU_CHAIN_H
#define KESCO_TEST_VGPU_CHAIN_H

#include "test/vgpu/race.h"

/* `op` is issued, its clock complete: it is behind all that this has, and what the host has read. */
void chain_issue(struct op *op);

/*
 * `op` has run. Its records are given twice: first each to chain_follow, which puts it behind what it
 * conflicts with, then, after chain_end, each to chain_leave, which puts later ops behind it.
 */
void chain_follow(struct op *op, const struct allocation *allocation, const struct race_record *record);
void chain_end(struct op *op, bool printed);
void chain_leave(const struct op *op, struct allocation *allocation, const struct race_record *record);

/* The host, or a host function, touches a range of an allocation; `kind` is a VGPU_ access kind. */
void chain_host(struct allocation *allocation, const char *address, size_t size, uint32_t kind);

/* The allocation is about to go. */
void chain_forget(struct allocation *allocation);

/* Bytes of an allocation become new memory. */
void chain_forget_range(struct allocation *allocation, size_t offset, size_t size);

#endif
