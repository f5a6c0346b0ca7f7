/* What the virtual device says of itself: the limits of its model (hardware.h), with less memory. */
#ifndef KESCO_TEST_VGPU_PROPERTIES_H
#define KESCO_TEST_VGPU_PROPERTIES_H

#include <cuda_runtime_api.h>

const struct cudaDeviceProp *properties(void);

/* cudaErrorInvalidValue for a number that is no attribute; an attribute that is not modelled ends the
 * process. */
cudaError_t properties_attribute(int *value, enum cudaDeviceAttr attribute);

/* Blocks of a kernel that fit on a multiprocessor, by NVIDIA's own rules (cuda_occupancy.h). */
int properties_blocks_per_multiprocessor(int block_size, size_t shared);

#endif
