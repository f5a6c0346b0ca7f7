#include "plugin/device/read_variables.h"

#include "plugin/device/address_space.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace kesco {

namespace {

class AddressWalk {
  public:
    AddressWalk(const Module &M, ArrayRef<Function *> Kernels) {
        Running.insert(Kernels.begin(), Kernels.end());
        for (const Function &F : M)
            if (F.hasAddressTaken())
                Running.insert(&F);
        for (size_t I = 0; I < Running.size(); ++I)
            for (const Instruction &At : instructions(*Running[I]))
                if (const auto *Call = dyn_cast<CallBase>(&At); Call && Call->getCalledFunction())
                    Running.insert(Call->getCalledFunction());
    }

    bool isOnlyRead(const GlobalVariable &Variable) {
        Seen.clear();
        return isOnlyLoaded(Variable);
    }

  private:
    /// True if all that is done with \p Address, or one that is made of it, is to load from there.
    bool isOnlyLoaded(const Value &Address) {
        return !Seen.insert(&Address).second ||
               all_of(Address.uses(), [&](const Use &Of) { return isLoad(Of); });
    }

    bool isLoad(const Use &Of) {
        const User &By = *Of.getUser();
        if (const auto *I = dyn_cast<Instruction>(&By); I && !Running.contains(I->getFunction()))
            return true;
        if (isa<LoadInst, CmpInst>(By))
            return true;
        if (isa<GEPOperator, BitCastOperator, AddrSpaceCastOperator, PHINode, SelectInst, FreezeInst>(By))
            return isOnlyLoaded(By);
        if (const auto *Transfer = dyn_cast<AnyMemTransferInst>(&By))
            return &Of == &Transfer->getRawSourceUse();
        return isa<Constant>(By) && isList(cast<Constant>(By));
    }

    /// True for what keeps symbols from being removed.
    static bool isList(const Constant &C) {
        if (const auto *List = dyn_cast<GlobalVariable>(&C))
            return List->getName() == "llvm.used" || List->getName() == "llvm.compiler.used";
        return (isa<ConstantArray>(C) || isa<ConstantExpr>(C)) && all_of(C.users(), [](const User *By) {
                   return isa<Constant>(By) && isList(cast<Constant>(*By));
               });
    }

    SmallSetVector<const Function *, 16> Running; ///< all that kernels may come to
    SmallPtrSet<const Value *, 16> Seen;
};

} // namespace

VariableSet findReadVariables(const Module &M, ArrayRef<Function *> Kernels) {
    VariableSet Found;
    AddressWalk Walk(M, Kernels);
    for (const GlobalVariable &Variable : M.globals())
        if (Variable.getAddressSpace() == KESCO_SPACE_GLOBAL && Walk.isOnlyRead(Variable))
            Found.insert(&Variable);
    return Found;
}

} // namespace kesco
