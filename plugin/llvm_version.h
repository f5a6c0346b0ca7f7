//===- llvm_version.h - what differs between LLVM's releases ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one place that asks for LLVM's version, which cmake/KescoToolchain.cmake chooses. Other files are
// written so that they mean the same with each release, and come here for what cannot be: names that an older
// release lacks are defined as the newer one has them, and what was changed has a function.
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_LLVM_VERSION_H
#define KESCO_PLUGIN_LLVM_VERSION_H

#include "llvm/ADT/ScopeExit.h"
#include "llvm/Analysis/CaptureTracking.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"

#if LLVM_VERSION_MAJOR < 19 || LLVM_VERSION_MAJOR > 22
#error "KeSCo builds for LLVM 19 to 22 alone"
#endif

/// Headers by their present names. Clang 20 has a visitor with virtual functions, but not one of constant
/// nodes.
#if LLVM_VERSION_MAJOR >= 22
#define KESCO_PASS_PLUGIN_H "llvm/Plugins/PassPlugin.h"
#else
#define KESCO_PASS_PLUGIN_H "llvm/Passes/PassPlugin.h"
#endif
#if LLVM_VERSION_MAJOR >= 21
#define KESCO_AST_VISITOR_H "clang/AST/DynamicRecursiveASTVisitor.h"
#else
#define KESCO_AST_VISITOR_H "plugin/frontend/dynamic_visitor.h"
#endif

#if LLVM_VERSION_MAJOR < 20
namespace llvm {

/// A message of a pass, which Clang has in the group -Wbackend-plugin.
class DiagnosticInfoGeneric : public DiagnosticInfo {
  public:
    DiagnosticInfoGeneric(const Twine &Text, DiagnosticSeverity Severity)
        : DiagnosticInfo(pluginKind(), Severity), Text(Text) {
    }

    void print(DiagnosticPrinter &Printer) const override {
        Printer << Text;
    }

  private:
    static int pluginKind() {
        static const int Kind = getNextAvailablePluginDiagnosticKind();
        return Kind;
    }

    const Twine &Text;
};

} // namespace llvm
#endif

#if LLVM_VERSION_MAJOR < 22
namespace llvm {

template <typename Callable>
class scope_exit : public detail::scope_exit<Callable> {
  public:
    using detail::scope_exit<Callable>::scope_exit;
};

template <typename Callable>
scope_exit(Callable) -> scope_exit<Callable>;

} // namespace llvm
#endif

namespace kesco {

/// What modules and makers of machines take for a triple; llvm::Triple is made of it, and it of a text.
using TargetTriple = std::decay_t<decltype(std::declval<llvm::Module>().getTargetTriple())>;

/// The section in which host objects tell of their kernels and variables, of CUDA.
#if LLVM_VERSION_MAJOR >= 21
constexpr llvm::StringLiteral OffloadEntries = "llvm_offload_entries";
#else
constexpr llvm::StringLiteral OffloadEntries = "cuda_offloading_entries";
#endif

/// Gives the kernels of device code the calling convention that says so. Older releases have them in a list,
/// a row of a function and pairs of words and values each.
#if LLVM_VERSION_MAJOR >= 20
inline void markKernels(llvm::Module &) {
}
#else
inline void markKernels(llvm::Module &M) {
    const llvm::NamedMDNode *List = M.getNamedMetadata("nvvm.annotations");
    if (!List)
        return;
    for (const llvm::MDNode *Row : List->operands())
        for (unsigned I = 1; I < Row->getNumOperands(); I += 2) {
            auto *Of = llvm::mdconst::dyn_extract_or_null<llvm::Function>(Row->getOperand(0));
            const auto *Word = llvm::dyn_cast_or_null<llvm::MDString>(Row->getOperand(I));
            if (Of && Word && Word->getString() == "kernel")
                Of->setCallingConv(llvm::CallingConv::PTX_Kernel);
        }
}
#endif

/// Clang's visitor of the AST comes by itself to the calls that structured bindings of a tuple's kind are
/// made by.
constexpr bool VisitsHolders = LLVM_VERSION_MAJOR >= 20;

/// LLVM folds less of a function before it asks what is captured and stored, and so asks about more.
constexpr bool SearchesNarrowly = LLVM_VERSION_MAJOR < 22;

/// Of an argument: the callee keeps no copy of the pointer.
inline llvm::Attribute capturesNothing(llvm::LLVMContext &Context) {
#if LLVM_VERSION_MAJOR >= 21
    return llvm::Attribute::getWithCaptureInfo(Context, llvm::CaptureInfo::none());
#else
    return llvm::Attribute::get(Context, llvm::Attribute::NoCapture);
#endif
}

/// True if the function may keep or give away a copy of \p Pointer, other than by returning it.
inline bool mayBeCaptured(const llvm::Value *Pointer) {
#if LLVM_VERSION_MAJOR >= 21
    return llvm::PointerMayBeCaptured(Pointer, /*ReturnCaptures=*/false);
#else
    return llvm::PointerMayBeCaptured(Pointer, /*ReturnCaptures=*/false, /*StoreCaptures=*/true);
#endif
}

/// \p Effects without those on errno. Before LLVM 21 that is memory like any other, and they stay.
inline llvm::MemoryEffects withoutErrno(llvm::MemoryEffects Effects) {
#if LLVM_VERSION_MAJOR >= 21
    return Effects.getWithoutLoc(llvm::IRMemLocation::ErrnoMem);
#else
    return Effects;
#endif
}

/// The name of a clang::IdentifierLoc, and where it stands.
template <typename IdentifierLoc>
auto *identifierOf(const IdentifierLoc &Name) {
#if LLVM_VERSION_MAJOR >= 21
    return Name.getIdentifierInfo();
#else
    return Name.Ident;
#endif
}

template <typename IdentifierLoc>
auto locationOf(const IdentifierLoc &Name) {
#if LLVM_VERSION_MAJOR >= 21
    return Name.getLoc();
#else
    return Name.Loc;
#endif
}

/// The text of a clang::GCCAsmStmt.
template <typename Statement>
std::string textOf(const Statement &Assembly) {
#if LLVM_VERSION_MAJOR >= 21
    return Assembly.getAsmString();
#else
    return Assembly.getAsmString()->getString().str();
#endif
}

/// Where debug information has the location \p Where: in a macro's argument, or where the macro stands.
template <typename SourceManager, typename SourceLocation>
SourceLocation debugLocation(const SourceManager &Sources, SourceLocation Where) {
#if LLVM_VERSION_MAJOR >= 22
    return Sources.getFileLoc(Where);
#else
    return Sources.getExpansionLoc(Where);
#endif
}

/// The line in what SpecialCaseList::inSectionBlame tells: newer releases have the file's number before it.
inline unsigned lineIn(unsigned Line) {
    return Line;
}

inline unsigned lineIn(std::pair<unsigned, unsigned> FileAndLine) {
    return FileAndLine.second;
}

} // namespace kesco

#endif
