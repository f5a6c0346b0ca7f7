#include "plugin/ir/walk.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/IR/CFG.h"

using namespace llvm;

namespace kesco {

bool isInCycle(const BasicBlock &Block) {
    auto *Begin = const_cast<BasicBlock *>(&Block);
    SmallVector<BasicBlock *, 4> After(successors(Begin));
    return !After.empty() && isPotentiallyReachableFromMany(After, Begin, nullptr);
}

bool mayBeEntered(const Function &F) {
    return (!F.hasLocalLinkage() || F.hasAddressTaken()) && F.getName() != "main";
}

/// Visits \p Part, a part of a block. \returns how the walk goes on after it.
template <typename Range>
static Walk walkPart(Range Part, function_ref<Walk(const Instruction &)> Visit) {
    for (const Instruction &I : Part)
        if (Walk How = Visit(I); How != Walk::On)
            return How;
    return Walk::On;
}

/// Visits what control may come to from \p From on, along all edges that \p Takes accepts.
static void walkOn(Point From, function_ref<Walk(const Instruction &)> Visit,
                   function_ref<bool(const Edge &)> Takes) {
    SmallVector<Point, 16> Work = {From};
    while (!Work.empty()) {
        Point At = Work.pop_back_val();
        Walk How = walkPart(make_range(At.Next, At.Block->end()), Visit);
        if (How == Walk::End)
            return;
        if (How == Walk::Turn)
            continue;
        for (const BasicBlock *Successor : successors(At.Block))
            if (Takes({At.Block, Successor}))
                Work.push_back(beginOf(*Successor));
    }
}

void walkForward(Point From, function_ref<Walk(const Instruction &)> Visit,
                 function_ref<bool(const BasicBlock &)> Enters) {
    SmallPtrSet<const BasicBlock *, 16> Seen;
    walkOn(From, Visit, [&](const Edge &E) { return Enters(*E.To) && Seen.insert(E.To).second; });
}

bool mayComeTo(Point From, function_ref<bool(const Instruction &)> Is,
               function_ref<bool(const BasicBlock &)> Enters) {
    bool Comes = false;
    walkForward(
        From,
        [&](const Instruction &I) {
            Comes = Is(I);
            return Comes ? Walk::End : Walk::On;
        },
        Enters);
    return Comes;
}

void walkAlongEdges(Point From, function_ref<Walk(const Instruction &)> Visit,
                    function_ref<bool(const Edge &)> Follows) {
    SmallDenseSet<std::pair<const BasicBlock *, const BasicBlock *>, 16> Seen;
    walkOn(From, Visit, [&](const Edge &E) { return Seen.insert({E.From, E.To}).second && Follows(E); });
}

void walkBackward(Point From, function_ref<Walk(const Instruction &)> Visit,
                  function_ref<Walk(const BasicBlock &)> AtBegin) {
    SmallPtrSet<const BasicBlock *, 16> Seen;
    SmallVector<Point, 16> Work = {From};
    while (!Work.empty()) {
        Point At = Work.pop_back_val();
        Walk How = walkPart(reverse(make_range(At.Block->begin(), At.Next)), Visit);
        if (How == Walk::On)
            How = AtBegin(*At.Block);
        if (How == Walk::End)
            return;
        if (How == Walk::Turn)
            continue;
        for (const BasicBlock *Predecessor : predecessors(At.Block))
            if (Seen.insert(Predecessor).second)
                Work.push_back({Predecessor, Predecessor->end()});
    }
}

DenseMap<const BasicBlock *, unsigned>
flowForward(const Function &F, function_ref<unsigned(const BasicBlock &)> Enters,
            function_ref<unsigned(const BasicBlock &, unsigned)> Through) {
    DenseMap<const BasicBlock *, unsigned> AtBegin;
    SmallVector<const BasicBlock *, 16> Work;
    auto Reach = [&](const BasicBlock &Block, unsigned Holds) {
        unsigned &Known = AtBegin[&Block];
        if ((Known | Holds) != Known) {
            Known |= Holds;
            Work.push_back(&Block);
        }
    };
    for (const BasicBlock &Block : F)
        Reach(Block, Enters(Block));
    while (!Work.empty()) {
        const BasicBlock *Block = Work.pop_back_val();
        const unsigned Holds = Through(*Block, AtBegin.lookup(Block));
        for (const BasicBlock *Next : successors(Block))
            Reach(*Next, Holds);
    }
    return AtBegin;
}

} // namespace kesco
