#include "plugin/cuda/host_summary.h"

#include "plugin/cuda/cuda_model.h"
#include "plugin/cuda/host_effect.h"
#include "plugin/cuda/host_library.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace kesco {

static constexpr char TraitsName[] = "kesco.host";
static constexpr char WhyName[] = "kesco.host.why";

/// True if the body of \p F is the one that a call of it comes to, and all of it runs then.
static bool hasSummary(const Function &F) {
    return !F.isDeclaration() && !F.isInterposable() && !F.isPresplitCoroutine();
}

/// Where \p I stands, as " (line 3)"; with the file's name where that is not the module's.
static std::string placeOf(const Instruction &I) {
    const DILocation *Where = I.getDebugLoc().get();
    if (!Where || Where->getLine() == 0)
        return "";
    StringRef File = sys::path::filename(Where->getFilename());
    bool IsHere = File == sys::path::filename(I.getModule()->getSourceFileName());
    return (" (" + (IsHere ? "line " : File + ":") + Twine(Where->getLine()) + ")").str();
}

/// What \p I, a barrier for the reason \p Why, lets its function do.
static std::string verbOf(const Instruction &I, StringRef Why) {
    std::string Place = placeOf(I);
    if (Why == UnusualLaunch)
        return LaunchesKernel + Place;
    if (Why.consume_front("call to ") || Why.consume_front("call "))
        return "calls " + Why.str() + Place;
    return "has " + Why.str() + Place;
}

/// What makes \p I a barrier in a function that is called, as a verb; empty if it is none. Harmless calls are
/// seen by those who look for them only where they stand in the function at hand.
static std::string barrierIn(const Instruction &I, const HostEffect &What) {
    if (What.What == HostEffect::Barrier)
        return verbOf(I, describeBarrier(I));
    const auto *Call = dyn_cast<CallBase>(&I);
    if (Call && lookUpApi(*Call) && !describesError(*Call->getCalledFunction()))
        return "calls '" + demangle(Call->getCalledFunction()->getName()) + "'" + placeOf(I);
    return "";
}

static bool isOwnVariable(const Value *Pointer) {
    const Value *Base = getUnderlyingObject(Pointer);
    const auto *Global = dyn_cast<GlobalVariable>(Base);
    return isa<AllocaInst>(Base) || (Global && Global->isConstant());
}

static bool touchesMemory(const Instruction &I) {
    if (const Value *Pointer = getLoadStorePointerOperand(&I))
        return !isOwnVariable(Pointer);
    const auto *Call = dyn_cast<CallBase>(&I);
    const auto *Intrinsic = dyn_cast<IntrinsicInst>(&I);
    return Call && !Call->doesNotAccessMemory() && !(Intrinsic && Intrinsic->isAssumeLikeIntrinsic()) &&
           any_of(Call->args(), [](const Value *Argument) {
               return Argument->getType()->isPointerTy() && !isOwnVariable(Argument);
           });
}

/// True for a call that control does not come back from but by an exception of the library's.
static bool endsProgram(const Instruction &I) {
    const auto *Call = dyn_cast<CallBase>(&I);
    const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
    return Call && Call->doesNotReturn() && !(Callee && throwsFromLibrary(*Callee));
}

/// The traits of a function that has \p I, which is no barrier and no call of a function with a summary.
static unsigned traitsOf(const Instruction &I, const HostEffect &What) {
    const auto *Call = dyn_cast<CallBase>(&I);
    const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
    unsigned Traits = What.What == HostEffect::Fence ? HostTrait::Fences : 0;
    Traits |= What.CallsBack ? HostTrait::CallsBack : 0;
    Traits |= (Callee && readsClock(*Callee)) || (Call && Call->isInlineAsm()) ? HostTrait::Clock : 0;
    Traits |= Callee && actsOnFiles(*Callee) ? HostTrait::Files : 0;
    Traits |= endsProgram(I) ? HostTrait::Ends : 0;
    Traits |= mayReleaseWork(I) ? HostTrait::Releases : 0;
    return Traits | (touchesMemory(I) ? HostTrait::Touches : 0);
}

namespace {

struct Summary {
    unsigned Traits = 0;
    std::string Barrier; ///< the first instruction that is one, as a verb; empty if there is none
    unsigned Calls = 0;  ///< how many functions lie between this one and that with the barrier
    std::string Callee;  ///< the first of them
    SmallVector<const CallBase *, 4> Callers;
};

/// Summaries of functions, on their way up the call graph.
class Summaries {
  public:
    explicit Summaries(Module &M) {
        for (Function &F : M)
            if (hasSummary(F))
                All[&F];
        for (auto &[F, Own] : All)
            for (const Instruction &I : instructions(*F))
                add(I, Own);
    }

    void settle() {
        SetVector<const Function *> Work;
        for (const auto &Entry : reverse(All))
            Work.insert(Entry.first);
        while (!Work.empty()) {
            const Function *F = Work.pop_back_val();
            for (const CallBase *Call : All[const_cast<Function *>(F)].Callers)
                if (takeOver(*F, All[const_cast<Function *>(Call->getFunction())]))
                    Work.insert(Call->getFunction());
        }
    }

    void write() const {
        for (const auto &[F, Found] : All)
            if (Found.Barrier.empty())
                F->addFnAttr(TraitsName, std::to_string(Found.Traits));
            else
                F->addFnAttr(WhyName, whyOf(Found));
    }

  private:
    void add(const Instruction &I, Summary &Own) {
        const auto *Call = dyn_cast<CallBase>(&I);
        const Function *Comparison = Call ? comparisonOf(*Call) : nullptr;
        const Function *Called = Comparison ? Comparison : Call ? Call->getCalledFunction() : nullptr;
        if (auto Callee = All.find(const_cast<Function *>(Called)); Callee != All.end()) {
            Callee->second.Callers.push_back(Call);
            Own.Traits |= Comparison ? HostTrait::Fences | HostTrait::Touches : 0;
            return;
        }
        const HostEffect What = hostEffectOf(I);
        if (Own.Barrier.empty())
            Own.Barrier = barrierIn(I, What);
        Own.Traits |= traitsOf(I, What);
    }

    /// Lets \p Caller do what \p F does. True if that is new.
    bool takeOver(const Function &F, Summary &Caller) {
        const Summary &Callee = All[const_cast<Function *>(&F)];
        const bool IsNew =
            (Callee.Traits & ~Caller.Traits) || (Caller.Barrier.empty() && !Callee.Barrier.empty());
        Caller.Traits |= Callee.Traits;
        if (Caller.Barrier.empty() && !Callee.Barrier.empty()) {
            Caller.Barrier = Callee.Barrier;
            Caller.Calls = Callee.Calls + 1;
            Caller.Callee = demangle(F.getName());
        }
        return IsNew;
    }

    static std::string whyOf(const Summary &S) {
        if (S.Calls == 0)
            return S.Barrier;
        return (S.Calls == 1 ? "calls function '" + S.Callee + "', which " : "by way of others ") + S.Barrier;
    }

    MapVector<Function *, Summary> All;
};

} // namespace

void summariseHostFunctions(Module &M) {
    Summaries Found(M);
    Found.settle();
    Found.write();
}

std::optional<unsigned> hostTraitsOf(const Function &F) {
    unsigned Traits = 0;
    return F.getFnAttribute(TraitsName).getValueAsString().getAsInteger(10, Traits) ? std::nullopt
                                                                                    : std::optional(Traits);
}

bool hostFunctionDoes(const Function &F, HostTrait::Bit What) {
    return hostTraitsOf(F).value_or(0) & What;
}

std::string whyHostBarrier(const Function &F) {
    return F.getFnAttribute(WhyName).getValueAsString().str();
}

} // namespace kesco
