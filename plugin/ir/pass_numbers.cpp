#include "plugin/ir/pass_numbers.h"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace kesco {

static constexpr char CallTag[] = "kesco.unrolled", PassesTag[] = "kesco.passes";

static Metadata *makeNumber(LLVMContext &Context, unsigned Number) {
    return ConstantAsMetadata::get(ConstantInt::get(Type::getInt32Ty(Context), Number));
}

static unsigned numberAt(const MDNode &Node, unsigned Index) {
    return static_cast<unsigned>(mdconst::extract<ConstantInt>(Node.getOperand(Index))->getZExtValue());
}

PassNumbers::PassNumbers(const Loop &L, const LoopInfo &Loops,
                         function_ref<bool(const Instruction &)> Matters)
    : Begin(L.getStartLoc()) {
    if (!Begin)
        return;
    for (BasicBlock *Block : L.blocks())
        if (Loops.getLoopFor(Block) == &L)
            for (Instruction &I : *Block)
                if (Matters(I))
                    I.setMetadata(CallTag, MDNode::get(I.getContext(), makeNumber(I.getContext(), Count++)));
}

/// Adds \p More to what the tag of \p I has.
static void append(Instruction &I, ArrayRef<Metadata *> More) {
    SmallVector<Metadata *, 2> All;
    if (const MDNode *Before = I.getMetadata(PassesTag))
        All.append(Before->op_begin(), Before->op_end());
    All.append(More.begin(), More.end());
    I.setMetadata(PassesTag, MDNode::get(I.getContext(), All));
}

static Metadata *makePass(const DebugLoc &Begin, unsigned Pass, bool IsWhole) {
    LLVMContext &Context = Begin->getContext();
    return MDNode::get(Context,
                       {Begin.getAsMDNode(), makeNumber(Context, Pass), makeNumber(Context, IsWhole)});
}

/// Each pass leads to the next one, so that calls come in the order of passes.
void PassNumbers::assign(Function &F, bool IsWhole) const {
    SmallVector<unsigned, 8> Passes(Count);
    for (BasicBlock *Block : ReversePostOrderTraversal<Function *>(&F))
        for (Instruction &I : *Block)
            if (const MDNode *Tag = I.getMetadata(CallTag)) {
                append(I, makePass(Begin, Passes[numberAt(*Tag, 0)]++, IsWhole));
                I.setMetadata(CallTag, nullptr);
            }
}

SmallVector<PassNumbers::Number, 2> PassNumbers::of(const CallBase &Call) {
    SmallVector<Number, 2> Result;
    if (const MDNode *All = Call.getMetadata(PassesTag))
        for (const MDOperand &Each : All->operands()) {
            const auto &Node = *cast<MDNode>(Each);
            Result.push_back(
                {cast<DILocation>(Node.getOperand(0)), numberAt(Node, 1), numberAt(Node, 2) != 0});
        }
    return Result;
}

MDNode *PassNumbers::tagOf(const CallBase &Call) {
    return Call.getMetadata(PassesTag);
}

void PassNumbers::add(CallBase &Call, const MDNode *Tag) {
    append(Call, SmallVector<Metadata *, 2>(Tag->op_begin(), Tag->op_end()));
}

void PassNumbers::takeOut(Module &M) {
    for (Function &F : M)
        for (Instruction &I : instructions(F))
            I.setMetadata(PassesTag, nullptr);
}

} // namespace kesco
