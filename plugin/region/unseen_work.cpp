#include "plugin/region/unseen_work.h"

#include "plugin/ir/walk.h"
#include "plugin/region/error_checks.h"

#include "llvm/IR/CFG.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace kesco {

UnseenWork::UnseenWork(const Function &F, Calls &Idle, function_ref<Work(const Instruction &)> Does)
    : F(F), Idle(Idle) {
    classify(Does);
    for (;;) {
        findHoistable();
        flow();
        size_t Count = Idle.size();
        Idle.remove_if([&](const Instruction *I) { return !(Before.lookup(I) & Known); });
        if (Idle.size() == Count)
            break;
    }
    for (const Instruction &I : instructions(F))
        if (Kinds.lookup(&I) == Work::Waited && !Idle.contains(&I))
            Waits.push_back(&I);
    findFresh();
}

void UnseenWork::classify(function_ref<Work(const Instruction &)> Does) {
    for (const Instruction &I : instructions(F)) {
        Work Kind = Does(I);
        if (Kind != Work::None)
            Kinds[&I] = Kind;
        if (Kind == Work::Unseen)
            Sources.push_back(&I);
    }
}

/// Whether control always comes to one of Idle from where \p Block begins, before other work may be issued,
/// waited for or let go on, or the function left, but where a call of CUDA's failed. Calls \p See for each op
/// with whether that holds after it.
bool UnseenWork::comesToIdle(const BasicBlock &Block,
                             function_ref<void(const Instruction &, bool)> See) const {
    const Instruction *End = Block.getTerminator();
    bool Holds = !isa<ReturnInst>(End) && !isa<ResumeInst>(End);
    for (const BasicBlock *Next : successors(&Block))
        Holds &= Comes.lookup(Next) || failedCall({&Block, Next});
    for (const Instruction &I : reverse(Block)) {
        Work Kind = Kinds.lookup(&I);
        if (Kind == Work::Waited || Kind == Work::Unseen)
            Holds = Idle.contains(&I);
        else if (Kind == Work::Released)
            Holds = false;
        if (Kind == Work::Op)
            See(I, Holds);
    }
    return Holds;
}

/// The greatest solution: what never ends comes to nothing.
void UnseenWork::findHoistable() {
    for (const BasicBlock &Block : F)
        Comes[&Block] = true;
    for (bool Changed = true; Changed;) {
        Changed = false;
        for (const BasicBlock &Block : reverse(F)) {
            bool Holds = comesToIdle(Block, [](const Instruction &, bool) {});
            Changed |= Holds != Comes[&Block];
            Comes[&Block] = Holds;
        }
    }
    Hoistable.clear();
    for (const BasicBlock &Block : F)
        comesToIdle(Block, [&](const Instruction &Op, bool Holds) {
            if (Holds)
                Hoistable.insert(&Op);
        });
}

unsigned UnseenWork::after(const Instruction &I, Work Does, unsigned States) const {
    switch (Does) {
    case Work::None:
    case Work::Released:
        return States;
    case Work::Unseen:
        return Unseen;
    case Work::Waited:
        return Known;
    case Work::Op:
        if (Hoistable.contains(&I))
            return Known;
        return States & Unseen ? (States & Known) | Covered : States;
    }
    llvm_unreachable("a kind of work");
}

unsigned UnseenWork::flowThrough(const BasicBlock &Block, unsigned States) {
    for (const Instruction &I : Block) {
        auto Found = Kinds.find(&I);
        if (Found == Kinds.end())
            continue;
        Before[&I] = States;
        States = after(I, Found->second, States);
    }
    return States;
}

void UnseenWork::flow() {
    flowForward(
        F, [](const BasicBlock &Block) { return Block.isEntryBlock() || Block.isEHPad() ? Unseen : 0u; },
        [&](const BasicBlock &Block, unsigned States) { return flowThrough(Block, States); });
}

void UnseenWork::findFresh() {
    for (const auto &[Wait, Does] : Kinds) {
        if (Does != Work::Waited)
            continue;
        walkForward(kesco::after(*Wait), [&](const Instruction &I) {
            const Work Kind = Kinds.lookup(&I);
            if (Kind == Work::Op)
                Fresh.insert(&I);
            return Kind == Work::None || Kind == Work::Released ? Walk::On : Walk::Turn;
        });
    }
}

/// The ops of which \p Has holds between \p Call and what waits before it.
SmallVector<const Instruction *, 2> UnseenWork::opsBefore(const Instruction &Call,
                                                          function_ref<bool(const Instruction &)> Has) const {
    SmallVector<const Instruction *, 2> Found;
    walkBackward(before(Call), [&](const Instruction &I) {
        const Work Kind = Kinds.lookup(&I);
        if (Kind == Work::Waited || Kind == Work::Unseen)
            return Walk::Turn;
        if (Kind == Work::Op && Hoistable.contains(&I) && Has(I) && !is_contained(Found, &I))
            Found.push_back(&I);
        return Walk::On;
    });
    return Found;
}

SmallVector<const Instruction *, 2> UnseenWork::firstOps(const Instruction &Call) const {
    return opsBefore(Call, [&](const Instruction &Op) { return Before.lookup(&Op) & (Unseen | Covered); });
}

SmallVector<const Instruction *, 2> UnseenWork::freshOps(const Instruction &Call) const {
    return opsBefore(
        Call, [&](const Instruction &Op) { return Before.lookup(&Op) == Known && Fresh.contains(&Op); });
}

bool UnseenWork::dependsOnWay(const Instruction &I) const {
    unsigned States = Before.lookup(&I);
    return States & Known && States & (Unseen | Covered);
}

} // namespace kesco
