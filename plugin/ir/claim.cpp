#include "plugin/ir/claim.h"

#include "plugin/ir/calls.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Operator.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace kesco {

/// As kesco.h has it: what the source calls the pointers, then the pointers.
static constexpr char SourceName[] = "__kesco_distinct";
enum SourceOperand : unsigned { FirstName, SecondName, FirstPointer, SecondPointer, OperandCount };

/// What it is spelled out as: the pointer, and for the second of two the first, else null.
static constexpr char ClaimedName[] = "kesco.claimed";
static constexpr char StoreTag[] = "kesco.claim.store";
static constexpr char NamesTag[] = "kesco.claim.names";

/// The claims that \p M has as its source has them.
static SmallVector<CallBase *, 4> findClaims(const Module &M) {
    SmallVector<CallBase *, 4> Found;
    for (CallBase *Call : callsOf(M, SourceName))
        if (Call->arg_size() == OperandCount)
            Found.push_back(Call);
    return Found;
}

static FunctionCallee claimedFunction(Module &M) {
    Type *Pointer = PointerType::getUnqual(M.getContext());
    FunctionCallee Callee = M.getOrInsertFunction(ClaimedName, Pointer, Pointer, Pointer);
    auto *F = cast<Function>(Callee.getCallee());
    /* Two claims of the same pointers, at different times, must not become one. */
    F->setMemoryEffects(MemoryEffects::inaccessibleMemOnly());
    F->setDoesNotThrow();
    F->setWillReturn();
    return Callee;
}

/// Stores the new value \p New where \p Load has the old one from.
static void storeBack(CallInst &New, LoadInst &Load) {
    IRBuilder<> Builder(New.getNextNode());
    Builder.CreateStore(&New, Load.getPointerOperand())
        ->setMetadata(StoreTag, MDNode::get(New.getContext(), {}));
}

/// The new value of \p Pointer.
static CallInst *claim(IRBuilder<> &Builder, Value *Pointer, Value *First) {
    CallInst *New = Builder.CreateCall(claimedFunction(*Builder.GetInsertBlock()->getModule()),
                                       {Pointer, First ? First : Constant::getNullValue(Pointer->getType())});
    New->addFnAttr(Attribute::NoMerge);
    auto *Load = dyn_cast<LoadInst>(Pointer);
    if (Load && Load->isSimple() && isa<AllocaInst>(Load->getPointerOperand()))
        storeBack(*New, *Load);
    return New;
}

static MDNode *describeNames(const CallBase &Call) {
    StringRef First, Second;
    getConstantStringInfo(Call.getArgOperand(FirstName), First);
    getConstantStringInfo(Call.getArgOperand(SecondName), Second);
    LLVMContext &Context = Call.getContext();
    return MDNode::get(Context, {MDString::get(Context, First), MDString::get(Context, Second)});
}

void expandClaims(Module &M) {
    for (CallBase *Call : findClaims(M)) {
        Value *First = Call->getArgOperand(FirstPointer), *Second = Call->getArgOperand(SecondPointer);
        if (First->getType()->isPointerTy() && Second->getType() == First->getType()) {
            IRBuilder<> Builder(Call);
            CallInst *New = claim(Builder, First, nullptr);
            claim(Builder, Second, New)->setMetadata(NamesTag, describeNames(*Call));
        }
        SmallVector<WeakTrackingVH, 4> Operands(Call->args());
        plainCall(*Call)->eraseFromParent();
        RecursivelyDeleteTriviallyDeadInstructionsPermissive(Operands);
    }
    Function *F = M.getFunction(SourceName);
    if (F && F->use_empty() && F->hasLinkOnceLinkage())
        F->eraseFromParent();
}

/// The calls that claims in \p M are spelled out as.
static SmallVector<CallInst *, 8> findClaimed(const Module &M) {
    SmallVector<CallInst *, 8> Found;
    for (CallBase *Call : callsOf(M, ClaimedName))
        Found.push_back(cast<CallInst>(Call));
    return Found;
}

void storeClaimed(Module &Copy) {
    for (CallInst *New : findClaimed(Copy)) {
        auto *Load = dyn_cast<LoadInst>(New->getArgOperand(0));
        if (Load && Load->isSimple() && none_of(New->users(), [](const User *U) {
                return isa<StoreInst>(U) && cast<StoreInst>(U)->hasMetadata(StoreTag);
            }))
            storeBack(*New, *Load);
    }
}

void takeOutClaimStores(Function &F) {
    for (Instruction &I : make_early_inc_range(instructions(F)))
        if (I.hasMetadata(StoreTag))
            I.eraseFromParent();
}

void describeClaims(Module &Copy) {
    Function *F = Copy.getFunction(ClaimedName);
    if (!F)
        return;
    F->addParamAttr(0, Attribute::Returned);
    F->setMemoryEffects(MemoryEffects::none());
}

bool isClaim(const Instruction &I) {
    const Function *Callee = calleeOf(I);
    return Callee && Callee->getName() == ClaimedName;
}

ClaimChain claimsOn(const Value &Pointer) {
    ClaimChain Chain;
    const Value *V = &Pointer;
    while (true) {
        if (const auto *Offset = dyn_cast<GEPOperator>(V)) {
            V = Offset->getPointerOperand();
        } else if (const auto *Call = dyn_cast<CallBase>(V); Call && isClaim(*Call)) {
            Chain.push_back(Call);
            V = Call->getArgOperand(0);
        } else {
            return Chain;
        }
    }
}

bool isInReach(const CallBase &Claim, const Instruction &I) {
    const DILocation *Made = Claim.getDebugLoc().get();
    for (const DILocation *Frame = I.getDebugLoc().get(); Made && Frame; Frame = Frame->getInlinedAt())
        if (Frame->getInlinedAt() == Made->getInlinedAt())
            return Frame->getScope()->getSubprogram() == Made->getScope()->getSubprogram();
    return false;
}

const CallBase *firstOf(const CallBase &Second) {
    const auto *First = dyn_cast<CallBase>(Second.getArgOperand(1));
    return First && isClaim(*First) ? First : nullptr;
}

const CallBase *claimBetween(ArrayRef<const CallBase *> A, ArrayRef<const CallBase *> B) {
    for (const CallBase *X : A)
        for (const CallBase *Y : B) {
            if (firstOf(*X) == Y)
                return X;
            if (firstOf(*Y) == X)
                return Y;
        }
    return nullptr;
}

std::pair<std::string, std::string> namesIn(const CallBase &Second) {
    const MDNode *Names = Second.getMetadata(NamesTag);
    if (!Names)
        return {};
    return {cast<MDString>(Names->getOperand(0))->getString().str(),
            cast<MDString>(Names->getOperand(1))->getString().str()};
}

bool eraseClaims(Module &M) {
    const SmallVector<CallInst *, 8> Claimed = findClaimed(M);
    for (CallInst *New : Claimed) {
        for (User *U : make_early_inc_range(New->users()))
            if (auto *Store = dyn_cast<StoreInst>(U); Store && Store->hasMetadata(StoreTag))
                Store->eraseFromParent();
        WeakTrackingVH Old = New->getArgOperand(0);
        New->replaceAllUsesWith(Old);
        New->eraseFromParent();
        RecursivelyDeleteTriviallyDeadInstructions(Old);
    }
    if (Function *F = M.getFunction(ClaimedName))
        F->eraseFromParent();
    return !Claimed.empty();
}

} // namespace kesco
