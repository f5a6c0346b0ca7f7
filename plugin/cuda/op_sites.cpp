#include "plugin/cuda/op_sites.h"

#include "plugin/cuda/transfers.h"
#include "plugin/ir/calls.h"
#include "plugin/ir/kernel_stub.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace kesco {

std::optional<unsigned> constantStream(const Value &Stream) {
    if (isa<ConstantPointerNull>(Stream))
        return 0;
    const auto *Cast = dyn_cast<ConstantExpr>(&Stream);
    const auto *Number = Cast && Cast->getOpcode() == Instruction::IntToPtr
                             ? dyn_cast<ConstantInt>(Cast->getOperand(0))
                             : nullptr;
    for (unsigned Handle : {LegacyStream, PerThreadStream})
        if (Number && Number->equalsInt(Handle))
            return Handle;
    return std::nullopt;
}

bool isPushConfiguration(const CallBase &Call) {
    const Function *Callee = Call.getCalledFunction();
    return Callee && Callee->getName() == "__cudaPushCallConfiguration" && Call.arg_size() > 2 &&
           Call.getArgOperand(pushStreamOperand(Call))->getType()->isPointerTy();
}

unsigned pushStreamOperand(const CallBase &Push) {
    return Push.arg_size() - 1;
}

bool launches(const Function &F) {
    return any_of(callsIn(F), isPushConfiguration);
}

/// The blocks from \p Launch, which \p Branch leads to, up to \p End: they evaluate the arguments and call
/// the stub. Where a sanitizer finds the arguments wrong, the program may end, by blocks that launches share.
/// Empty if control comes in or goes on in another way.
static SmallSetVector<BasicBlock *, 8> blocksOfLaunch(BasicBlock *Launch, const BasicBlock *Branch,
                                                      const BasicBlock *End) {
    SmallSetVector<BasicBlock *, 8> Blocks;
    Blocks.insert(Launch);
    for (unsigned I = 0; I < Blocks.size(); ++I) {
        const Instruction *Terminator = Blocks[I]->getTerminator();
        const auto *Invoke = dyn_cast<InvokeInst>(Terminator);
        if (!Invoke && !isa<BranchInst, SwitchInst>(Terminator))
            return {};
        for (BasicBlock *Successor : successors(Blocks[I]))
            if (Successor != End && !(Invoke && Successor == Invoke->getUnwindDest()) &&
                !isa<UnreachableInst>(Successor->getTerminator()))
                Blocks.insert(Successor);
    }
    for (BasicBlock *Block : Blocks)
        for (BasicBlock *Predecessor : predecessors(Block))
            if (!Blocks.contains(Predecessor) && !(Block == Launch && Predecessor == Branch))
                return {};
    return Blocks;
}

/// The one stub call in \p Blocks; null if there is none, or more than one.
static CallBase *findStubCall(ArrayRef<BasicBlock *> Blocks) {
    CallBase *Found = nullptr;
    for (BasicBlock *Block : Blocks)
        for (CallBase &Call : callsAmong(*Block))
            if (const Function *Callee = Call.getCalledFunction(); Callee && isKernelStub(*Callee))
                if (std::exchange(Found, &Call))
                    return nullptr;
    return Found;
}

bool canEvaluateEarly(const Instruction &I) {
    if (isa<DbgInfoIntrinsic>(I))
        return true;
    if (const auto *Load = dyn_cast<LoadInst>(&I))
        return Load->isSimple();
    return isa<CastInst>(I) || isa<GetElementPtrInst>(I) || isa<BinaryOperator>(I) || isa<CmpInst>(I) ||
           isa<SelectInst>(I) || isa<InsertValueInst>(I) || isa<ExtractValueInst>(I);
}

/// Both calls can be moved if all between them is plain evaluation and nothing refers to memory that may
/// change.
static bool isMovable(const OpSite &Site) {
    if (!isa<CallInst>(Site.Start) || !isa<CallInst>(Site.Issue) || isa<PHINode>(Site.End->front()))
        return false;
    const BasicBlock *Launch = Site.Issue->getParent();
    if (Launch->getSinglePredecessor() != Site.Branch->getParent() ||
        Launch->getSingleSuccessor() != Site.End)
        return false;
    for (unsigned I = 0; I < Site.Issue->arg_size(); ++I)
        if (Site.Issue->isByValArgument(I))
            return false;
    for (const Instruction &I : *Launch)
        if (&I != Site.Issue && !I.isTerminator() && !canEvaluateEarly(I))
            return false;
    return true;
}

/// Finds what a launch that begins with \p Push consists of. \returns the blocks between; none if it looks
/// otherwise.
static SmallSetVector<BasicBlock *, 8> matchBlocks(CallBase *Push, OpSite &Site) {
    Site.Start = Push;
    Site.Test = Push->hasOneUse() ? dyn_cast<ICmpInst>(*Push->user_begin()) : nullptr;
    if (!Site.Test || !Site.Test->isEquality() || !isa<ConstantInt>(Site.Test->getOperand(1)) ||
        !cast<ConstantInt>(Site.Test->getOperand(1))->isZero())
        return {};
    Site.Branch = Site.Test->hasOneUse() ? dyn_cast<BranchInst>(*Site.Test->user_begin()) : nullptr;
    if (!Site.Branch || !Site.Branch->isConditional())
        return {};
    bool FailsFirst = Site.Test->getPredicate() == CmpInst::ICMP_NE;
    Site.End = Site.Branch->getSuccessor(FailsFirst ? 0 : 1);
    return blocksOfLaunch(Site.first(), Site.Branch->getParent(), Site.End);
}

static bool matchLaunch(CallBase *Push, OpSite &Site) {
    const SmallSetVector<BasicBlock *, 8> Blocks = matchBlocks(Push, Site);
    Site.Issue = findStubCall(Blocks.getArrayRef());
    if (!Site.Issue)
        return false;
    for (BasicBlock *Predecessor : predecessors(Site.End))
        if (Predecessor != Site.Branch->getParent() && !Blocks.contains(Predecessor))
            return false;
    Site.Movable = isMovable(Site);
    return true;
}

CallBase *findPointedLaunch(CallBase &Push) {
    if (!isPushConfiguration(Push))
        return nullptr;
    OpSite Site = {};
    CallBase *Found = nullptr;
    for (BasicBlock *Block : matchBlocks(&Push, Site))
        for (CallBase &Call : callsAmong(*Block)) {
            const Function *Callee = Call.getCalledFunction();
            if (Callee ? isKernelStub(*Callee) : Call.isIndirectCall() && std::exchange(Found, &Call))
                return nullptr;
        }
    return Found;
}

SharedEnd findSharedEnd(CallBase &Push) {
    OpSite Site = {};
    if (!isPushConfiguration(Push))
        return {};
    const SmallSetVector<BasicBlock *, 8> Blocks = matchBlocks(&Push, Site);
    if (Blocks.empty())
        return {};
    SharedEnd Found = {Site.End, {}};
    bool IsShared = false;
    for (BasicBlock *Predecessor : predecessors(Site.End))
        if (Predecessor == Site.Branch->getParent() || Blocks.contains(Predecessor))
            Found.Own.insert(Predecessor);
        else
            IsShared = true;
    return IsShared ? Found : SharedEnd();
}

/// What \p Pointer is a constant offset from; adds the offset to \p Offset.
static const Value *baseOf(const Value *Pointer, const DataLayout &Layout, uint64_t &Offset) {
    APInt Found(64, 0);
    const Value *Base = Pointer->stripAndAccumulateConstantOffsets(Layout, Found, /*AllowNonInbounds=*/true);
    Offset = Found.getZExtValue();
    return Base;
}

/// True for the array that a stub hands to cudaLaunchKernel or its kin, or to the runtime in place of that.
static bool isArgumentArray(const Value *Memory) {
    return isa<AllocaInst>(Memory) && any_of(Memory->users(), [](const User *U) {
               const Function *Callee = calleeOf(*U);
               return Callee && (Callee->getName().starts_with("cudaLaunchKernel") ||
                                 Callee->getName().starts_with("__cudaLaunchKernel") ||
                                 Callee->getName() == "__kesco1_launch");
           });
}

/// A stub gathers the addresses of its parameters in an array, by position: of copies that it makes, or those
/// that it was given. So its body tells.
static DenseMap<const Value *, int> positionsOf(const Function &Stub) {
    DenseMap<const Value *, int> Positions;
    for (const Instruction &I : instructions(Stub)) {
        const auto *Store = dyn_cast<StoreInst>(&I);
        if (!Store || !Store->getValueOperand()->getType()->isPointerTy())
            continue;
        uint64_t Offset;
        const Value *Array = baseOf(Store->getPointerOperand(), Stub.getDataLayout(), Offset);
        if (isArgumentArray(Array))
            Positions[Store->getValueOperand()->stripPointerCasts()] = static_cast<int>(Offset / 8);
    }
    return Positions;
}

SmallVector<StubArgument, 8> argumentsOfStub(const Function &Stub) {
    SmallVector<StubArgument, 8> Result(Stub.arg_size());
    DenseMap<const Value *, int> Positions = positionsOf(Stub);
    for (const Argument &A : Stub.args()) {
        StubArgument &Description = Result[A.getArgNo()];
        auto Given = Positions.find(&A);
        if (Given != Positions.end())
            Description = {Given->second, 0, /*IsAddress=*/true};
        for (const User *U : A.users()) {
            const auto *Store = dyn_cast<StoreInst>(U);
            if (!Store || Store->getValueOperand() != &A || Description.IsAddress)
                continue;
            uint64_t Offset;
            auto Copied = Positions.find(baseOf(Store->getPointerOperand(), Stub.getDataLayout(), Offset));
            if (Copied != Positions.end())
                Description = {Copied->second, static_cast<unsigned>(Offset), /*IsAddress=*/false};
        }
    }
    return Result;
}

bool issuesOp(const CallBase &Call) {
    return isPushConfiguration(Call) || isTransfer(Call);
}

bool issuesOps(const Function &F) {
    return any_of(callsIn(F), issuesOp);
}

std::string describeCall(const OpSite &Site) {
    return "call to '" + Site.Issue->getCalledFunction()->getName().str() + "'";
}

std::optional<OpSite> findOpSite(CallBase &Call, bool PerThreadDefault) {
    OpSite Site = {&Call, &Call, nullptr, nullptr, nullptr};
    if (isPushConfiguration(Call) && matchLaunch(&Call, Site))
        Site.PerThreadDefault = PerThreadDefault;
    else if (isTransfer(Call) && !Call.isMustTailCall())
        Site.PerThreadDefault = usesPerThreadStream(Call);
    else
        return std::nullopt;
    return Site;
}

SmallVector<OpSite, 8> findOpSites(Function &F, bool PerThreadDefault) {
    SmallVector<OpSite, 8> Sites;
    for (CallBase &Call : callsIn(F))
        if (std::optional<OpSite> Site = findOpSite(Call, PerThreadDefault))
            Sites.push_back(*Site);
    return Sites;
}

} // namespace kesco
