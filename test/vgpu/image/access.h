/* The memory accesses of a function, for those who record them: in device images and in host code. */
#ifndef KESCO_TEST_VGPU_IMAGE_ACCESS_H
#define KESCO_TEST_VGPU_IMAGE_ACCESS_H

#include "test/vgpu/device.h"

#include "llvm/IR/Instruction.h"

#include <vector>

namespace vgpu {

struct Access {
    llvm::Instruction *Where; ///< the access is recorded before it
    llvm::Value *Address;
    llvm::Value *Size; ///< in bytes
    uint32_t Kind;     ///< VGPU_READ, VGPU_WRITE or VGPU_ATOMIC
};

/// Loads, stores, atomics, and what llvm.memcpy and its kin do, in the order of the function's instructions.
std::vector<Access> findAccesses(llvm::Function &F);

} // namespace vgpu

#endif
