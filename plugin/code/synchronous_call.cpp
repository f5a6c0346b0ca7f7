#include "plugin/code/synchronous_call.h"

#include "plugin/code/runtime_abi.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace kesco {

/// The runtime hears of what comes after an op where the region is serial, too: graphs keep that order.
static void copyRecords(BasicBlock &Lanes, Instruction &Before) {
    for (Instruction &I : Lanes)
        if (calledAbi(I) == AbiFunction::record)
            I.clone()->insertBefore(Before.getIterator());
}

void keepSynchronousCall(Instruction &Issue, const SynchronousCall &Call, Value &Lane) {
    IRBuilder<> Builder(Call.Lane->getNextNode());
    Builder.SetCurrentDebugLocation(Issue.getDebugLoc());
    Value *IsSerial = Builder.CreateICmpNE(callAbi(Builder, AbiFunction::serial), Builder.getInt32(0));
    Instruction *InSerial, *InLanes;
    SplitBlockAndInsertIfThenElse(IsSerial, Issue.getIterator(), &InSerial, &InLanes);
    BasicBlock *After = InLanes->getSuccessor(0);
    while (Call.Last->getParent() == After)
        After->front().moveBefore(*InLanes->getParent(), InLanes->getIterator());
    Call.Original->insertBefore(InSerial->getIterator());
    copyRecords(*InLanes->getParent(), *InSerial);
    auto *Finish = calledAbi(*Call.Last) == AbiFunction::finish ? cast<CallInst>(Call.Last) : nullptr;
    bool Waits = Finish && Finish->getArgOperand(1) == Builder.getInt32(KESCO_FINISH_ALWAYS);
    Builder.SetInsertPoint(InSerial);
    Builder.SetCurrentDebugLocation(Issue.getDebugLoc());
    Value *Serial =
        callAbi(Builder, AbiFunction::finish,
                {&Lane, Builder.getInt32(Waits ? KESCO_FINISH_DONE : KESCO_FINISH_CALL), Call.Original});
    Instruction *Result = Finish ? Finish : &Issue;
    PHINode *Both = PHINode::Create(Result->getType(), 2, "", After->begin());
    Result->replaceUsesOutsideBlock(Both, InLanes->getParent());
    Both->addIncoming(Serial, InSerial->getParent());
    Both->addIncoming(Result, InLanes->getParent());
}

} // namespace kesco
