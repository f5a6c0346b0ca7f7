#include "plugin/ir/place_numbers.h"

#include "plugin/ir/calls.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;

namespace kesco {

static constexpr char NumberTag[] = "kesco.place";

namespace {

/// The calls of a function, by place and kind.
class CallsByPlace {
  public:
    CallsByPlace(Function &F, function_ref<unsigned(const CallBase &)> KindOf) {
        for (CallBase &Call : callsIn(F))
            if (unsigned Kind = Call.getDebugLoc() ? KindOf(Call) : 0)
                Found[placeOf(Call, Kind)].push_back(&Call);
    }

    auto begin() const {
        return Found.begin();
    }
    auto end() const {
        return Found.end();
    }

  private:
    using Place = std::pair<std::pair<const DIFile *, unsigned>, std::pair<unsigned, unsigned>>;

    static Place placeOf(const CallBase &Call, unsigned Kind) {
        const DebugLoc &At = Call.getDebugLoc();
        return {{At->getFile(), Kind}, {At.getLine(), At.getCol()}};
    }

    MapVector<Place, SmallVector<CallBase *, 1>> Found;
};

} // namespace

static MDNode *makeTag(LLVMContext &Context, unsigned Which, unsigned Of) {
    Type *Number = Type::getInt32Ty(Context);
    return MDNode::get(Context, {ConstantAsMetadata::get(ConstantInt::get(Number, Which)),
                                 ConstantAsMetadata::get(ConstantInt::get(Number, Of))});
}

PlaceNumbers::PlaceNumbers(Module &M, function_ref<unsigned(const CallBase &)> KindOf) : M(M) {
    for (Function &F : M)
        for (const auto &Entry : CallsByPlace(F, KindOf)) {
            const auto &Calls = Entry.second;
            for (unsigned I = 0; Calls.size() > 1 && I < Calls.size(); ++I)
                Calls[I]->setMetadata(NumberTag, makeTag(M.getContext(), I, Calls.size()));
            HasNumbers |= Calls.size() > 1;
        }
}

PlaceNumbers::~PlaceNumbers() {
    if (!HasNumbers)
        return;
    for (Function &F : M)
        for (Instruction &I : instructions(F))
            I.setMetadata(NumberTag, nullptr);
}

PlaceNumbers::Number PlaceNumbers::of(const CallBase &Call) {
    const MDNode *Node = Call.getMetadata(NumberTag);
    if (!Node)
        return {};
    const auto numberAt = [&](unsigned I) {
        return static_cast<unsigned>(mdconst::extract<ConstantInt>(Node->getOperand(I))->getZExtValue());
    };
    return {numberAt(0), numberAt(1)};
}

} // namespace kesco
