#include "plugin/cuda/stub_launch.h"

#include "plugin/ir/calls.h"

#include "llvm/IR/Module.h"

using namespace llvm;

namespace kesco {

/// Operands of cudaLaunchKernel after grid and block, whose number depends on the target.
enum { ArgumentsFromEnd = 3 };

/// The one call in \p F of a function that \p IsWanted names; null if there is none, or more.
template <typename Predicate>
static CallBase *findOnlyCall(Function &F, Predicate IsWanted) {
    CallBase *Found = nullptr;
    for (CallBase &Call : callsIn(F))
        if (const Function *Callee = Call.getCalledFunction(); Callee && IsWanted(Callee->getName()))
            if (std::exchange(Found, &Call))
                return nullptr;
    return Found;
}

/// How large what \p Address, a parameter's place, leads to is; 0 where that cannot be seen.
static uint32_t sizeAt(const Value &Address, const DataLayout &Layout) {
    if (const auto *Place = dyn_cast<AllocaInst>(&Address))
        return Place->isArrayAllocation() ? 0 : Layout.getTypeAllocSize(Place->getAllocatedType());
    if (const auto *Parameter = dyn_cast<Argument>(&Address); Parameter && Parameter->hasByValAttr())
        return Layout.getTypeAllocSize(Parameter->getParamByValType());
    return 0;
}

/// The sizes of what is stored in \p Array, in order; nothing where a place is missing, or something else is
/// done with the array than \p Launch.
static std::optional<SmallVector<uint32_t, 8>> findSizes(AllocaInst &Array, const CallBase &Launch) {
    const DataLayout &Layout = Launch.getDataLayout();
    SmallVector<uint32_t, 8> Sizes;
    SmallVector<std::pair<Value *, uint64_t>, 8> Work = {{&Array, 0}};
    while (!Work.empty()) {
        auto [Pointer, Offset] = Work.pop_back_val();
        for (User *U : Pointer->users()) {
            APInt Step(64, 0);
            if (auto *Element = dyn_cast<GetElementPtrInst>(U)) {
                if (!Element->accumulateConstantOffset(Layout, Step))
                    return std::nullopt;
                Work.push_back({Element, Offset + Step.getZExtValue()});
            } else if (auto *Store = dyn_cast<StoreInst>(U); Store && Store->getPointerOperand() == Pointer) {
                const uint64_t Place = Offset / Layout.getPointerSize();
                if (Place >= 256)
                    return std::nullopt;
                Sizes.resize(std::max<uint64_t>(Sizes.size(), Place + 1));
                Sizes[Place] = sizeAt(*Store->getValueOperand(), Layout);
            } else if (U != &Launch && !cast<Instruction>(U)->isLifetimeStartOrEnd()) {
                return std::nullopt;
            }
        }
    }
    if (is_contained(Sizes, 0u))
        return std::nullopt;
    return Sizes;
}

std::optional<StubLaunch> findStubLaunch(Function &Stub) {
    if (Stub.isDeclaration() || Stub.isInterposable())
        return std::nullopt;
    StubLaunch Found;
    Found.Pop = findOnlyCall(Stub, [](StringRef Name) { return Name == "__cudaPopCallConfiguration"; });
    Found.Launch = findOnlyCall(Stub, [](StringRef Name) {
        Name.consume_front("__");
        Name.consume_back("_ptsz");
        return Name == "cudaLaunchKernel";
    });
    if (!Found.Pop || !isa_and_nonnull<CallInst>(Found.Launch) || Found.Pop->arg_size() != 4)
        return std::nullopt;
    Found.Kernel = Found.Launch->getArgOperand(0);
    if (Found.Launch->getCalledFunction()->getName().starts_with("__")) {
        const CallBase *Handle = findOnlyCall(Stub, [](StringRef Name) { return Name == "__cudaGetKernel"; });
        if (!Handle || Handle->arg_size() != 2 || !isa<Constant>(Handle->getArgOperand(1)))
            return std::nullopt;
        Found.Kernel = Handle->getArgOperand(1);
    }
    Found.Arguments = Found.Launch->getArgOperand(Found.Launch->arg_size() - ArgumentsFromEnd);
    auto *Array = dyn_cast<AllocaInst>(Found.Arguments);
    auto Sizes = Array ? findSizes(*Array, *Found.Launch) : std::nullopt;
    if (!Sizes)
        return std::nullopt;
    Found.Sizes = std::move(*Sizes);
    return Found;
}

} // namespace kesco
