//===- host_library.h - library functions without a device --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KESCO_PLUGIN_CUDA_HOST_LIBRARY_H
#define KESCO_PLUGIN_CUDA_HOST_LIBRARY_H

namespace llvm {
class CallBase;
class Function;
} // namespace llvm

namespace kesco {

/// True for a function of the C or C++ library, with no body but one to inline, that neither orders host
/// threads nor takes a function of the program's to call, and so has nothing to do with the device itself:
/// output, strings, memory, mathematics, time, and the ways to end or to throw.
bool isHostLibraryFunction(const llvm::Function &F);

/// Those of kesco_host_trait that \p F, declared only, has by its name; 0 where it has a body.
unsigned libraryTraits(const llvm::Function &F);

/// True if \p F, for which isHostLibraryFunction holds, may come back into the program all the same: through
/// the buffer of a stream, the functions of a FILE, or an operator new or malloc of the program's own.
/// Such code may do anything with the device (code/region_entries.h).
bool mayCallBack(const llvm::Function &F);

/// True for qsort and bsearch.
bool comparesByGiven(const llvm::Function &F);

/// The function in sight that \p Call, of such a function, has compared elements by, and does nothing else
/// with; null for any other call.
const llvm::Function *comparisonOf(const llvm::CallBase &Call);

/// True if \p F, for which isHostLibraryFunction holds or which has a body, tells the time.
bool readsClock(const llvm::Function &F);

/// True if \p F, as above, changes names or rights of files: other programs may rely on what the program did
/// before.
bool actsOnFiles(const llvm::Function &F);

/// True if \p F belongs to CUDA or one of its libraries: the program cannot define it, nor its author.
bool isCudaFunction(const llvm::Function &F);

/// True for one of CUDA's that only makes words of an error.
bool describesError(const llvm::Function &F);

/// True if \p F has a name that no program may give a function: the language's or the threads' library has
/// it.
bool isOfLibrary(const llvm::Function &F);

/// True if \p F is one of those that the C++ library throws its exceptions by.
bool throwsFromLibrary(const llvm::Function &F);

} // namespace kesco

#endif
