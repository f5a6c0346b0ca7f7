//===- lazy_waits.h - host synchronisation that the run may put off ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the calls of cudaDeviceSynchronize and cudaStreamSynchronize that need not end a region: the runtime
// makes them in place of the program, and puts them off while nothing could tell (__kesco1_synchronize). What
// it puts off is waited for before the host could: where the region is closed, which all barriers do, and
// before a clock is read. That is so for calls after which launches come, on
// a way without a clock. These are the conditions:
//
//   memory       All ops since the last wait work on memory that the host cannot touch. Where the allocation
//                is not in sight, the guard looks while the program runs. So loads and stores are nothing
//                that could tell. On memory that both touch, managed memory above all, they are; but where
//                all that the host touches before the next such call lies at addresses that are known at this
//                one (members by `this`, variables), the runtime is told them, and looks whether an op works
//                there.
//   unseen work  What other code has issued is waited for (unseen_work.h): the runtime puts off only what it
//                has waited for as much since the region was opened. Where ops always come to such a call, a
//                call before them does that, so that it waits for nothing of the function's own. Where the
//                function itself has waited right before them, but for events that it has recorded on the
//                stream that the ops come after, the runtime is told so, and waits for nothing. Where it has
//                waited right before a loop of ops, the first of these waits once more.
//   errors       Kernels that may trap or print are told from others by what the host does meanwhile, so
//                nothing is put off in their functions. A fault that nobody foresaw shows in all calls after
//                it: where the program looks at what a call returns, it has to come to another at which it
//                does the same (error_checks.h), before the function ends, files change their names, or code
//                runs that nobody sees. That may be a synchronous copy, before which the host waits then.
//                Where all such calls of the function only store what they return, at one member, so does the
//                end of the function. And where the program ends or the function returns by what follows from
//                an error, it does so at any place where that would be lost (late_check.h).
//
//===----------------------------------------------------------------------===//

#ifndef KESCO_PLUGIN_REGION_LAZY_WAITS_H
#define KESCO_PLUGIN_REGION_LAZY_WAITS_H

#include "plugin/region/host_touches.h"
#include "plugin/region/sync_elision.h"
#include "plugin/region/wait_options.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"

#include <optional>

namespace kesco {

/// A member by an argument of the original, where errors are stored.
struct ErrorPlace {
    llvm::Argument *Base = nullptr;
    int64_t Offset = 0; ///< bytes
};

/// A call that may be put off.
struct LazyWait {
    llvm::CallBase *Original = nullptr;
    Reach Of = Reach::Nothing; ///< DefaultStream: the stream of the function's ops
    /// Of the original: all that leads to what the host touches before the next call; nothing where that is
    /// not known.
    std::optional<llvm::SmallVector<HostTouch, 4>> Touched;
    const llvm::Instruction *Touches = nullptr; ///< of the copy: what is in the way of that
    bool IsCheckedLate = false;                 ///< on some way, by one of LateChecks
};

/// What ops of a region need before the first of them, so that waits after them can be put off.
struct Cover {
    Reach Of = Reach::Nothing; ///< for how much the host waits
    bool IsKnown = false;      ///< it has: nothing is in flight
    bool IsFresh = false;      ///< it has where the region begins: nothing of others is in flight
};

struct LazyWaits {
    llvm::MapVector<const llvm::Instruction *, LazyWait> Calls; ///< by call of the copy
    /// Ops, by site, before which the host waits for unseen work.
    llvm::MapVector<unsigned, Cover> Covers;
    /// Calls of the copy that stay where they are, and why, as part of a sentence.
    llvm::DenseMap<const llvm::Instruction *, std::string> Kept;
    /// Of the original: before these, the host waits for what was put off.
    llvm::SmallSetVector<llvm::Instruction *, 4> Observers;
    /// Of the original: before the function returns here, what is still put off stores its error at ErrorsAt.
    llvm::SmallSetVector<llvm::Instruction *, 4> Ends;
    ErrorPlace ErrorsAt;
    /// Of the original: before these, after which nothing is launched, an error of what is still put off is
    /// dealt with as one of those calls, with which it is the same.
    llvm::MapVector<llvm::Instruction *, llvm::SmallVector<llvm::CallBase *, 2>> LateChecks;
    /// Of the original: where the program deals with an error like those of LateChecks, so that these need
    /// not.
    llvm::SmallSetVector<llvm::Instruction *, 4> Told;
    /// Of the original: calls that wait, but do not tell of errors that are left to later.
    llvm::SmallPtrSet<const llvm::Instruction *, 4> Silent;
};

/// Finds them for \p F, whose ops are issued at \p Sites, by its copy in \p Copy. Those of \p Elided, calls
/// of the copy, are taken out anyway. \p Hindrance: why none can be put off; empty if that is not so. \p
/// Options is what the user wants.
LazyWaits findLazyWaits(llvm::Function &F, llvm::ArrayRef<OpSite> Sites, NormalisedModule &Copy,
                        const llvm::DenseMap<const llvm::Instruction *, llvm::CallBase *> &Elided,
                        const std::string &Hindrance, const kesco_wait_options &Options);

} // namespace kesco

#endif
