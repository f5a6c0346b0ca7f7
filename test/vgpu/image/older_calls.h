/* Functions that CUDA 13 gave other arguments under the same name. */
#ifndef KESCO_TEST_VGPU_IMAGE_OLDER_CALLS_H
#define KESCO_TEST_VGPU_IMAGE_OLDER_CALLS_H

#include "llvm/IR/Module.h"

namespace vgpu {

/// Where the headers of CUDA 12 were used, lets calls of such functions go to what libvgpu.so has for them.
void renameOlderCalls(llvm::Module &M);

} // namespace vgpu

#endif
