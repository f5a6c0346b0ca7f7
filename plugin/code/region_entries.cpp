#include "plugin/code/region_entries.h"

#include "plugin/code/runtime_abi.h"
#include "plugin/cuda/host_effect.h"
#include "plugin/cuda/op_sites.h"
#include "plugin/ir/calls.h"
#include "plugin/ir/ending_blocks.h"
#include "plugin/ir/kernel_stub.h"
#include "plugin/ir/walk.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SCCIterator.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace kesco {

/// True if \p Call may issue work to the device or wait for it, other than by a function of this unit.
static bool mayTouchDevice(const CallBase &Call) {
    const Function *Callee = Call.getCalledFunction();
    if (!Callee)
        return hostEffectOf(Call).What == HostEffect::Barrier;
    if (isKernelStub(*Callee) || issuesOp(Call))
        return true;
    return Callee->isDeclaration() && !findAbi(Callee->getName()) &&
           hostEffectOf(Call).What == HostEffect::Barrier;
}

/// True if \p I may issue work to the device, wait for it, or let other threads do so or wait for them. What
/// may stand in an open region does none of these: there, the function that does is called as it is.
static bool mayTouchDevice(const Instruction &I) {
    if (const auto *Call = dyn_cast<CallBase>(&I))
        return mayTouchDevice(*Call);
    return !I.isTerminator() && hostEffectOf(I).What == HostEffect::Barrier;
}

/// The region that \p I opens, if it opens one.
static const Value *openedBy(const Instruction &I) {
    const std::optional<AbiFunction> Called = calledAbi(I);
    if (Called == AbiFunction::enter || Called == AbiFunction::enter_behind)
        return cast<CallBase>(I).getArgOperand(1);
    return Called == AbiFunction::join ? cast<CallBase>(I).getArgOperand(2) : nullptr;
}

/// Opening the region that is open already is to go on with it, as in the next pass of a loop; so it must be
/// closed where that is another activation's. What puts a wait off asks the region that is open.
static bool opens(const Instruction &I) {
    return openedBy(I) || calledAbi(I) == AbiFunction::synchronize;
}

/// After these, no other function's region is open. Ops of a region come after its opening on all ways that
/// control can take; what else seems to come to them does not.
static bool closes(const Instruction &I) {
    return is_contained({AbiFunction::leave, AbiFunction::leave_by_next, AbiFunction::leave_by_wait,
                         AbiFunction::leave_by_record, AbiFunction::leave_by_event, AbiFunction::leave_behind,
                         AbiFunction::leave_behind_record, AbiFunction::lane, AbiFunction::origin},
                        calledAbi(I));
}

/// True if \p F is lent what is open, or closes it first (lending.h).
static bool borrows(const Function &F) {
    return any_of(F.getEntryBlock(),
                  [](const Instruction &I) { return calledAbi(I) == AbiFunction::borrow; });
}

/// Nobody calls `main`, and before a module's kernels are registered, it has no region.
static bool isOrdinary(const Function &F) {
    return !F.isDeclaration() && !F.hasAvailableExternallyLinkage() && !isKernelStub(F) &&
           F.getName() != "main" && !F.getName().starts_with("__cuda_") &&
           !F.hasFnAttribute(Attribute::Naked) && !borrows(F);
}

/// Adds what local functions those of \p Found call, directly or through others.
static void addLocalCallees(SmallSetVector<Function *, 16> &Found) {
    addCallees(Found, [](const Function &F) { return F.hasLocalLinkage() && isOrdinary(F); });
}

/// The functions of \p M that control may come to from code that nobody sees, by way of others of \p M
/// perhaps.
static SmallSetVector<Function *, 16> enteredFunctions(Module &M) {
    SmallSetVector<Function *, 16> Found;
    for (Function &F : M)
        if (isOrdinary(F) && mayBeEntered(F))
            Found.insert(&F);
    addLocalCallees(Found);
    return Found;
}

/// What in \p F touches the device or opens a region, with nothing that does or closes one before, on some
/// way from its entry.
static SmallVector<Instruction *, 4> firstOnDevice(Function &F) {
    SmallVector<Instruction *, 4> Found;
    walkForward(beginOf(F.getEntryBlock()), [&](const Instruction &I) {
        if (closes(I))
            return Walk::Turn;
        if (!opens(I) && !mayTouchDevice(I))
            return Walk::On;
        Found.push_back(const_cast<Instruction *>(&I));
        return Walk::Turn;
    });
    return Found;
}

/// The blocks of \p F that control may come back to from themselves.
static SmallPtrSet<const BasicBlock *, 16> blocksInCycles(Function &F) {
    SmallPtrSet<const BasicBlock *, 16> Found;
    for (scc_iterator<Function *> Next = scc_begin(&F); !Next.isAtEnd(); ++Next)
        if (Next.hasCycle())
            Found.insert((*Next).begin(), (*Next).end());
    return Found;
}

/// By region, where control comes to all of \p First that open it: it must not be closed between them.
static DenseMap<const Value *, BasicBlock *> findEntries(ArrayRef<Instruction *> First,
                                                         const DominatorTree &Dominators) {
    DenseMap<const Value *, BasicBlock *> Entries;
    for (Instruction *I : First)
        if (const Value *Region = openedBy(*I)) {
            BasicBlock *&Entry = Entries[Region];
            Entry = Entry ? Dominators.findNearestCommonDominator(Entry, I->getParent()) : I->getParent();
        }
    return Entries;
}

/// The places in \p F after which it first touches the device. A region of its own goes on through the
/// passes of a loop, so where one is opened in a cycle, that is on the way there.
static SmallSetVector<Instruction *, 4> placesToClose(Function &F) {
    SmallSetVector<Instruction *, 4> Found;
    const SmallVector<Instruction *, 4> First = firstOnDevice(F);
    if (none_of(First, [](const Instruction *I) { return opens(*I); })) {
        Found.insert(First.begin(), First.end());
        return Found;
    }
    const SmallPtrSet<const BasicBlock *, 16> Cycles = blocksInCycles(F);
    DominatorTree Dominators(F);
    const DenseMap<const Value *, BasicBlock *> Entries = findEntries(First, Dominators);
    for (Instruction *I : First) {
        const Value *Region = openedBy(*I);
        const DomTreeNode *Node = Dominators.getNode(Region ? Entries.lookup(Region) : I->getParent());
        while (opens(*I) && Cycles.contains(Node->getBlock()))
            Node = Node->getIDom();
        Found.insert(Node->getBlock() == I->getParent() ? I : Node->getBlock()->getTerminator());
    }
    return Found;
}

/// The runtime's function. In a module that calls no other of the runtime's, it may be that there is none.
static Function &interruptFunction(Module &M, bool HasRegions) {
    auto *F = cast<Function>(declareAbi(M, AbiFunction::interrupt).getCallee());
    if (!HasRegions)
        F->setLinkage(GlobalValue::ExternalWeakLinkage);
    return *F;
}

static void closeBefore(Instruction &I, Function &Interrupt) {
    Instruction *Next = &I;
    if (Interrupt.hasExternalWeakLinkage())
        Next = SplitBlockAndInsertIfThen(IRBuilder<>(Next).CreateIsNotNull(&Interrupt), Next, false);
    IRBuilder<> Builder(Next);
    Builder.SetCurrentDebugLocation(I.getDebugLoc());
    callAbi(Builder, AbiFunction::interrupt);
}

/// What the functions of \p M call where they do not come back: a region may be open there, and then in all
/// of those (op_flow.cpp).
static SmallSetVector<Function *, 16> functionsCalledAtEnds(Module &M) {
    SmallSetVector<Function *, 16> Found;
    for (Function &F : M) {
        const SmallPtrSet<const BasicBlock *, 16> Ending = findEndingBlocks(F);
        for (const CallBase &Call : callsIn(F))
            if (Function *Callee = Call.getCalledFunction();
                Callee && Ending.contains(Call.getParent()) && isOrdinary(*Callee))
                Found.insert(Callee);
    }
    addLocalCallees(Found);
    return Found;
}

/// Of placesToClose, those where \p F does not come back.
static SmallSetVector<Instruction *, 4> placesWhereItEnds(Function &F) {
    const SmallPtrSet<const BasicBlock *, 16> Ending = findEndingBlocks(F);
    SmallSetVector<Instruction *, 4> Found = placesToClose(F);
    Found.remove_if([&](const Instruction *I) { return !Ending.contains(I->getParent()); });
    return Found;
}

bool closeAtEntries(Module &M, bool HasRegions) {
    SmallSetVector<Function *, 16> Entered = enteredFunctions(M);
    if (HasRegions)
        for (Function *F : functionsCalledAtEnds(M))
            Entered.insert(F);
    SmallSetVector<Instruction *, 16> Places;
    for (Function *F : Entered)
        for (Instruction *I : placesToClose(*F))
            Places.insert(I);
    if (HasRegions)
        for (Function &F : M)
            if (isOrdinary(F) && !Entered.contains(&F))
                for (Instruction *I : placesWhereItEnds(F))
                    Places.insert(I);
    if (Places.empty())
        return false;
    Function &Interrupt = interruptFunction(M, HasRegions);
    for (Instruction *I : Places)
        closeBefore(*I, Interrupt);
    return true;
}

} // namespace kesco
