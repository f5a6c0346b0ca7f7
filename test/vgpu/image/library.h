/* What the steps ask of libvgpu.so for device code: calls of its functions, special registers. */
#ifndef KESCO_TEST_VGPU_IMAGE_LIBRARY_H
#define KESCO_TEST_VGPU_IMAGE_LIBRARY_H

#include "image.h"

namespace vgpu {

/// Calls the library's function; null if the library has none or the types cannot travel.
llvm::Value *callLibrary(Image &I, llvm::IRBuilder<> &B, const llvm::Twine &Name,
                         llvm::ArrayRef<llvm::Value *> Arguments, llvm::Type *Result);

/// Ends the process with status 65 if it is reached. Returns a value of the type to go on compiling with.
llvm::Value *unmodelled(Image &I, llvm::IRBuilder<> &B, llvm::StringRef Name, llvm::Type *Result);

/// The special register that PTX calls %NAME, "tid.x"; null if it is none of those that device code has
/// itself.
llvm::Value *readRegister(Image &I, llvm::IRBuilder<> &B, llvm::StringRef Name);

/// Whether the pointer leads into the state space; null for a space that is not modelled.
llvm::Value *isInSpace(Image &I, llvm::IRBuilder<> &B, llvm::StringRef Space, llvm::Value *Pointer);

} // namespace vgpu

#endif
