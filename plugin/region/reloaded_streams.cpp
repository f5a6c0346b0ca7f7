#include "plugin/region/reloaded_streams.h"

#include "plugin/ir/walk.h"
#include "plugin/region/access_path.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"

#include <set>

using namespace llvm;

namespace kesco {

ReloadedStreams::ReloadedStreams(const Function &F) : Layout(F.getDataLayout()) {
    for (const Instruction &I : instructions(F))
        if (const auto *Store = dyn_cast<StoreInst>(&I);
            Store && Store->getValueOperand()->getType()->isPointerTy() &&
            !isa<UndefValue>(Store->getValueOperand())) /* which no variable has of another */
            StoredTo.insert(Stored[Store] = accessPathOf(*Store->getPointerOperand(), Layout));
}

const Value *ReloadedStreams::unify(const Value &Stream) {
    const auto *Load = dyn_cast<LoadInst>(&Stream);
    if (!Load)
        return &Stream;
    std::string Key = accessPathOf(*Load->getPointerOperand(), Layout);
    if (!StoredTo.contains(Key))
        return First.try_emplace(Key, Load).first->second;
    std::set<const Value *> Values; /* null: what was there when the function began */
    walkBackward(
        before(*Load),
        [&](const Instruction &I) {
            auto Found = Stored.find(&I);
            if (Found == Stored.end() || Found->second != Key)
                return Walk::On;
            Values.insert(cast<StoreInst>(I).getValueOperand());
            return Walk::Turn;
        },
        [&](const BasicBlock &Block) {
            if (Block.isEntryBlock())
                Values.insert(nullptr);
            return Walk::On;
        });
    if (Values.size() == 1 && *Values.begin())
        return *Values.begin();
    for (const Value *V : Values)
        Key += " " + utohexstr(reinterpret_cast<uintptr_t>(V));
    return First.try_emplace(Key, Load).first->second;
}

} // namespace kesco
