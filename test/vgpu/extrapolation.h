/*
 * Programs too large to run: VGPU_EXTRAPOLATE=FILE:R takes each op for what it would be at a larger size.
 * FILE has the counts A of a run of the same program at a small size (VGPU_COUNTS), this run has the counts B
 * at a second size, and the op's counts become A + R * (B - A), rounded: those at the size s1 + R * (s2 -
 * s1), if they grow with the size as a straight line does. What is no straight line (a sort's work, say) is
 * wrong.
 *
 * Only virtual time is extrapolated. The two runs must issue the same ops; that they have the same number of
 * each kind and name is checked, but for prefetches, which a program may decide about as it runs: one that
 * the first run does not have is taken to grow as another one of the same memory, or else from nothing, as is
 * one that brings less than it did. Host code that touches managed memory which lives on a device cannot be
 * extrapolated, and ends the process; with VGPU_EXTRAPOLATE_TOUCHES=0, it brings what it does in this run,
 * which is right where that is the same at all sizes, or not timed. Pages that an op brings are as many
 * neighbourhoods as they fill at least, however few it were in the runs.
 */
#ifndef KESCO_TEST_VGPU_EXTRAPOLATION_H
#define KESCO_TEST_VGPU_EXTRAPOLATION_H

#include "test/vgpu/counts.h"

enum { COUNTS_VERSION = 1 };

/* Reads VGPU_EXTRAPOLATE. Ends the process with status 64 if it, or the file, is not as it should be. */
void extrapolation_read(const char *text);

bool extrapolation_is_on(void);

/* Ends the process with status 64 where the file does not have the op, which is no prefetch, or what comes
 * out is negative. */
void extrapolation_apply(const struct op_identity *identity, struct op_counts *counts);

/* A host access that cannot be extrapolated: ends the process with status 64 if extrapolation is on, and
 * that is not said to be well. */
void extrapolation_refuse_touch(void);

/* The program has ended: ends the process with status 64 if the file has ops that it did not issue. */
void extrapolation_end(void);

#endif
