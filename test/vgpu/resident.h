/*
 * The blocks that a grid has on the device at once. A block runs until it has ended; only where all its
 * threads wait by reading memory, for what another block may write, it is left: one more begins, as far as
 * there is room, or else one goes on that was left before. What shared memory has goes with a block.
 */
#ifndef KESCO_TEST_VGPU_RESIDENT_H
#define KESCO_TEST_VGPU_RESIDENT_H

#include "test/vgpu/device.h"
#include "test/vgpu/exec.h"

enum { VGPU_BLOCK_ENDED = 0, VGPU_BLOCK_WAITS = 1 };

/*
 * Runs all blocks. `prepare` makes vgpu_block, whose place in the grid is set, ready to begin; `run` runs it:
 * VGPU_BLOCK_ENDED, VGPU_BLOCK_WAITS, or a negative errno, with which this ends, as `prepare` does.
 */
int vgpu_resident_run(const struct vgpu_launch *launch, int (*prepare)(void), int (*run)(void));

/* Makes vgpu_block the one that is always there, and frees all others. */
void vgpu_resident_reset(void);

#endif
