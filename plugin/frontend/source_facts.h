//===- source_facts.h - what the source says that IR no longer does -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The frontend's result, read by the host pass: for each kernel its parameters and annotations, for each
// launch, copy and the like the names of its arguments. Plain data, filled once at the end of the translation
// unit.
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_FRONTEND_SOURCE_FACTS_H
#define KESCO_PLUGIN_FRONTEND_SOURCE_FACTS_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSet.h"

#include <map>
#include <optional>
#include <string>
#include <tuple>

namespace kesco {

/// What kernels share that is in no memory: the names that it has in KernelFacts and in reports.
constexpr llvm::StringLiteral PrintBuffer = "printf", DeviceHeap = "device heap", SpinLoop = "spin loop",
                              MayTrap = "kernel may trap";

struct KernelParameter {
    enum Kind {
        Scalar,  ///< holds no pointer
        Pointer, ///< a plain pointer to data
        Opaque,  ///< may lead to memory that no annotation names: pointers in structs, handles
    };
    std::string Name; ///< as declared; may be empty
    Kind What = Scalar;
    bool IsPointer = false;                  ///< the parameter itself is a pointer to data, whatever it is to
    std::map<unsigned, std::string> Members; ///< of a struct: what its pointers are called, by offset,
    std::map<unsigned, std::string> Integers; ///< and its integers
};

struct KernelFacts {
    std::string Name;                                      ///< as in the source, without scope and arguments
    std::string Title;                                     ///< the same, with template arguments
    llvm::SmallVector<KernelParameter, 8> Parameters;      ///< in order
    std::optional<llvm::SmallVector<unsigned, 4>> Outputs; ///< written parameters, where annotated
    unsigned OutputsLocation = 0;                          ///< of that annotation, Clang's own number for it
    std::optional<unsigned> OutputsParameter;  ///< paper's form: the parameter whose argument says how many
    std::optional<unsigned> PriorityParameter; ///< paper's form: the parameter whose argument is the priority
    int Priority = 1;                          ///< as annotated
    /// What the kernel's code shares with others: device variables, PrintBuffer, SpinLoop, MayTrap.
    llvm::SmallVector<std::string, 2> Globals;
    std::string Hidden; ///< why it may touch what neither parameters nor Globals name; empty: it does not
};

/// The first \p Count pointer parameters of \p Kernel; nothing if it has fewer.
std::optional<llvm::SmallVector<unsigned, 4>> firstPointerParameters(const KernelFacts &Kernel,
                                                                     unsigned Count);

/// A place in the source, as IR has it: the file's name without folders, line and column.
using SourcePlace = std::tuple<std::string, unsigned, unsigned>;

struct LaunchFacts {
    /// As people read them; empty for a struct that has no name, or where the argument is a default.
    llvm::SmallVector<std::string, 8> Arguments;
    unsigned Location = 0; ///< Clang's own number for it
};

/// What names in a function that is called mean to its caller.
struct CallFacts {
    std::string Object;                           ///< what `this` leads to, as people read it; may be empty
    bool IsPointed = false;                       ///< Object is a pointer
    std::map<std::string, std::string> Arguments; ///< by parameter: those that lead to memory, and integers
    std::string Result;                           ///< the variable that the result goes to; may be empty
    bool IsStruct = false;                        ///< Result has members
};

/// The variable that counts the passes of a loop.
struct LoopFacts {
    std::string Variable;         ///< empty where loops of one place differ
    std::optional<int64_t> First; ///< its value in the first pass, where that is a constant
    int64_t Step = 1;             ///< from pass to pass
};

struct SourceFacts {
    /// Names in IR of functions, and of kernels' stubs, with the attribute kesco_off.
    llvm::StringSet<> Off;
    /// By the mangled name of the kernel's host stub, in a device compile of the kernel.
    llvm::StringMap<KernelFacts> Kernels;
    /// By the place of a launch's <<<, or where the call of an API function begins that issues an op: in
    /// order of the source, where a macro has several.
    std::map<SourcePlace, llvm::SmallVector<LaunchFacts, 1>> Launches;
    /// By the place of a call of cudaMalloc or its kin: the pointers that such calls there set, as people
    /// read them, by Clang's own number for the call.
    std::map<SourcePlace, std::map<unsigned, std::string>> Allocations;
    /// By the place of a call of a function of the program's.
    std::map<SourcePlace, CallFacts> Calls;
    /// By the place of a loop's `for`.
    std::map<SourcePlace, LoopFacts> Loops;
};

} // namespace kesco

#endif
