/*
 * Device code of several translation units (-fgpu-rdc). A compile puts its bitcode, packed as clang packs
 * offload objects, into a section of its host object; a link takes it out of all of them, makes one image,
 * and adds an object that registers that with what the host objects know of (clang, "Offloading Design &
 * Internals").
 */
#ifndef KESCO_TEST_VGPU_IMAGE_RELOCATABLE_H
#define KESCO_TEST_VGPU_IMAGE_RELOCATABLE_H

#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <string>

namespace vgpu {

/// Packs the bitcode at \p Bitcode into \p Package, for clang's -fembed-offload-object.
llvm::Error packBitcode(llvm::StringRef Bitcode, llvm::StringRef Package);

/// Links what is packed in objects and archives, which may be nothing.
llvm::Expected<std::unique_ptr<llvm::Module>> linkPacked(llvm::ArrayRef<std::string> Files,
                                                         llvm::LLVMContext &Context);

/// Writes the object that registers the image at \p ImageFile.
llvm::Error emitRegistration(llvm::StringRef ImageFile, llvm::StringRef Object, llvm::LLVMContext &Context);

} // namespace vgpu

#endif
