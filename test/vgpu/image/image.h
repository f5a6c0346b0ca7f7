/*
 * Steps from NVPTX bitcode to the x86-64 code of a device image, in the order in which vgpu-device takes
 * them. Each works on the whole module. Between them they share one Image.
 */
#ifndef KESCO_TEST_VGPU_IMAGE_IMAGE_H
#define KESCO_TEST_VGPU_IMAGE_IMAGE_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace vgpu {

/// A variable that the host may know by its mangled name.
struct Variable {
    llvm::GlobalVariable *Storage;
    uint32_t Kind; ///< VGPU_VAR_
};

struct Image {
    llvm::Module &M;
    const llvm::StringSet<> &Exports;        ///< what libvgpu.so defines; everything else is not modelled
    std::vector<llvm::Function *> Kernels;   ///< __global__ functions, in the module's order
    std::vector<Variable> Variables;         ///< __device__ and __constant__ variables
    llvm::GlobalVariable *Shared = nullptr;  ///< all static shared memory; null if there is none
    llvm::GlobalVariable *Dynamic = nullptr; ///< libvgpu's buffer; null if nothing is `extern __shared__`
    llvm::GlobalVariable *Registers;         ///< libvgpu's struct vgpu_registers
    llvm::GlobalVariable *Work = nullptr;    ///< libvgpu's count of instructions
    /// Bytes of static shared memory that a function itself names.
    llvm::DenseMap<llvm::Function *, uint64_t> SharedBytes;

    Image(llvm::Module &Mod, const llvm::StringSet<> &Names) : M(Mod), Exports(Names) {
    }
};

/// memory.cpp: gives every global of the address spaces 1, 3 and 4 its place in flat memory. Fails on a
/// variable that another translation unit defines.
llvm::Error lowerMemory(Image &I);

/// assembly.cpp: turns inline asm into plain IR and calls of libvgpu.so. An instruction that is not modelled
/// becomes a call that ends with its name once it is reached.
void lowerAssembly(Image &I);

/// calls.cpp: turns intrinsics and functions without a body into plain IR, into calls of libvgpu.so, or into
/// calls that end with "not modelled" once they are reached.
void lowerCalls(Image &I);

/// calls.cpp: true if the function meets other threads of its block itself.
bool meetsThreads(const llvm::Function &F);

/// work.cpp: lets every function count the instructions that it runs (vgpu_work). Before recordAccesses, so
/// that what that adds does not count.
void countWork(Image &I);

/// accesses.cpp: records, while vgpu_recording is set, every access that may reach global memory; and makes
/// known what a thread may wait with for another one.
void recordAccesses(Image &I);

/// target.cpp: the module is for x86-64.
llvm::Error setTarget(llvm::Module &M);

/// target.cpp: changes triple, data layout, attributes, linkage and calling conventions to x86-64's. Finds
/// the kernels.
llvm::Error retarget(Image &I);

/// table.cpp: adds an entry per kernel, and the module table (struct vgpu_module), the one exported symbol.
void addTable(Image &I);

/// target.cpp: optimises the module and writes its object code.
llvm::Error emitObject(llvm::Module &M, unsigned OptLevel, llvm::StringRef Path);

} // namespace vgpu

#endif
