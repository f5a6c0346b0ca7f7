#include "plugin/lift/address.h"

#include "plugin/device/memory.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;

namespace kesco {

namespace {

/// What of an integer may be addresses: what is added to the rest of it, and what is subtracted.
struct AddressParts {
    bool Added = false, Subtracted = false;

    bool isAny() const {
        return Added || Subtracted;
    }
    bool operator==(const AddressParts &Other) const {
        return Added == Other.Added && Subtracted == Other.Subtracted;
    }
    AddressParts operator|(const AddressParts &Other) const {
        return {Added || Other.Added, Subtracted || Other.Subtracted};
    }
    AddressParts operator-() const {
        return {Subtracted, Added};
    }
};

/// The same for each integer of a function.
class PartsOfIntegers {
  public:
    explicit PartsOfIntegers(Function &F) {
        for (bool Changed = true; Changed;) {
            Changed = false;
            for (Instruction &I : instructions(F)) {
                AddressParts Now = I.getType()->isIntegerTy(64) ? compute(I) : AddressParts();
                Changed |= !(Now == Known[&I]);
                Known[&I] = Now;
            }
        }
    }

    AddressParts of(const Value *V) const {
        if (isa<Argument>(V))
            return {V->getType()->isIntegerTy(64), false};
        return isa<PtrToIntOperator>(V) ? AddressParts{true, false} : Known.lookup(V);
    }

    /// What is subtracted with \p V. A number that the launch gives is none.
    AddressParts ofSubtracted(const Value *V) const {
        const auto *Given = dyn_cast<LoadInst>(V);
        return Given && isa<Argument>(getUnderlyingObject(Given->getPointerOperand())) ? AddressParts()
                                                                                       : -of(V);
    }

  private:
    AddressParts ofOperands(const Instruction &I) const {
        AddressParts All;
        for (const Use &Operand : I.operands())
            All = All | of(Operand.get());
        return All;
    }

    /// Of bits that are taken one by one.
    AddressParts ofLogic(const Instruction &I) const {
        const auto *Number = dyn_cast<ConstantInt>(I.getOperand(1));
        if (!Number)
            return ofOperands(I).isAny() ? AddressParts{true, true} : AddressParts();
        if (I.getOpcode() == Instruction::Xor && Number->isMinusOne())
            return ofSubtracted(I.getOperand(0));
        const bool IsSmall = I.getOpcode() == Instruction::And && Number->getValue().isIntN(32);
        return IsSmall ? AddressParts() : of(I.getOperand(0));
    }

    AddressParts compute(const Instruction &I) const {
        switch (I.getOpcode()) {
        case Instruction::Add:
        case Instruction::PHI:
        case Instruction::Select:
        case Instruction::Freeze:
            return ofOperands(I);
        case Instruction::Sub:
            return of(I.getOperand(0)) | ofSubtracted(I.getOperand(1));
        case Instruction::And:
        case Instruction::Or:
        case Instruction::Xor:
            return ofLogic(I);
        case Instruction::Load:
        case Instruction::PtrToInt:
            return {true, false};
        case Instruction::Call:
            return ofOperands(I).isAny() ? AddressParts{true, true}
                                         : AddressParts{I.mayReadFromMemory(), false};
        default: /* products, quotients, and what has fewer bits */
            return {};
        }
    }

    DenseMap<const Value *, AddressParts> Known;
};

/// Of the integers of a function, those that were made of a pointer, and those that are a pointer and
/// numbers.
class PointerMaker {
  public:
    explicit PointerMaker(Function &F) : Parts(F) {
        while (grow(F))
            ;
        while (gather())
            ;
        Good = Tainted;
        while (shrink())
            ;
    }

    /// The integer \p V as a pointer; null where it is none.
    Value *pointer(Value *V) {
        return isGood(V) ? make(V) : nullptr;
    }

  private:
    static bool isNull(const Value *V) {
        const auto *Number = dyn_cast<ConstantInt>(V);
        return Number && Number->isZero();
    }

    static bool handsOn(const Instruction &I) {
        return I.getOpcode() == Instruction::Add || I.getOpcode() == Instruction::Sub || isa<PHINode>(I) ||
               isa<SelectInst>(I);
    }

    bool isTainted(Value *V) const {
        return isa<PtrToIntOperator>(V) || Tainted.contains(V);
    }

    bool isGood(const Value *V) const {
        return isa<PtrToIntOperator>(V) || Good.contains(const_cast<Value *>(V));
    }

    bool grow(Function &F) {
        bool Changed = false;
        for (Instruction &I : instructions(F))
            if (I.getType()->isIntegerTy(64) && handsOn(I) &&
                any_of(I.operands(), [&](const Use &Operand) { return isTainted(Operand.get()); }))
                Changed |= Tainted.insert(&I);
        return Changed;
    }

    /// Finds what is beside the pointer in each.
    bool gather() {
        bool Changed = false;
        for (Value *V : Tainted) {
            const auto &I = *cast<Instruction>(V);
            AddressParts Now;
            for (const Use &Operand : drop_begin(I.operands(), isa<SelectInst>(I)))
                Now =
                    Now | (isTainted(Operand.get()) ? Beside.lookup(Operand.get()) : besidePointer(Operand));
            Changed |= !(Now == Beside[V]);
            Beside[V] = Now;
        }
        return Changed;
    }

    AddressParts besidePointer(const Use &Operand) const {
        const auto *Sum = dyn_cast<BinaryOperator>(Operand.getUser());
        if (!Sum) /* of a choice: one of them alone is it */
            return {};
        return Sum->getOpcode() == Instruction::Sub && Operand.getOperandNo() == 1
                   ? Parts.ofSubtracted(Operand.get())
                   : Parts.of(Operand.get());
    }

    bool shrink() {
        size_t Before = Good.size();
        Good.remove_if([&](Value *V) { return !staysGood(*cast<Instruction>(V)); });
        return Good.size() != Before;
    }

    bool staysGood(const Instruction &I) const {
        auto IsChoice = [&](const Value *One) { return isNull(One) || isGood(One); };
        if (const auto *Select = dyn_cast<SelectInst>(&I))
            return IsChoice(Select->getTrueValue()) && IsChoice(Select->getFalseValue());
        if (const auto *Phi = dyn_cast<PHINode>(&I))
            return all_of(Phi->incoming_values(), [&](const Use &One) { return IsChoice(One.get()); });
        const Value *Base = baseOf(I);
        return Base && isGood(Base) && isPointer(I);
    }

    /// False if it may be the distance from one pointer to another, added to a third that looks like a
    /// number.
    bool isPointer(const Instruction &I) const {
        const AddressParts Others = Beside.lookup(&I);
        return !Others.Added || !Others.Subtracted;
    }

    /// The operand of a sum that was made of a pointer; null where both were, or what is subtracted.
    Value *baseOf(const Instruction &I) const {
        const bool Left = isTainted(I.getOperand(0)), Right = isTainted(I.getOperand(1));
        if (Left == Right || (Right && I.getOpcode() == Instruction::Sub))
            return nullptr;
        return I.getOperand(Left ? 0 : 1);
    }

    Value *make(Value *V) {
        if (isNull(V))
            return ConstantPointerNull::get(PointerType::getUnqual(V->getContext()));
        if (auto Known = Made.find(V); Known != Made.end())
            return Known->second;
        if (auto *Cast = dyn_cast<PtrToIntOperator>(V))
            return Made[V] = generic(*Cast);
        if (auto *Choice = dyn_cast<PHINode>(V))
            return makeChoice(*Choice);
        auto *I = cast<Instruction>(V);
        IRBuilder<> Builder(I);
        Value *Result;
        if (auto *Select = dyn_cast<SelectInst>(I)) {
            Value *True = make(Select->getTrueValue()), *False = make(Select->getFalseValue());
            Result = Builder.CreateSelect(Select->getCondition(), True, False);
        } else {
            Value *Base = baseOf(*I);
            Value *Other = I->getOperand(0) == Base ? I->getOperand(1) : I->getOperand(0);
            Value *Pointer = make(Base);
            if (I->getOpcode() == Instruction::Sub)
                Other = Builder.CreateNeg(Other);
            Result = Builder.CreatePtrAdd(Pointer, Other);
        }
        return Made[V] = Result;
    }

    static Value *generic(PtrToIntOperator &Cast) {
        Value *Pointer = Cast.getPointerOperand();
        if (Cast.getPointerAddressSpace() == 0)
            return Pointer;
        Type *Generic = PointerType::getUnqual(Pointer->getContext());
        if (auto *C = dyn_cast<Constant>(Pointer))
            return ConstantExpr::getAddrSpaceCast(C, Generic);
        return IRBuilder<>(cast<Instruction>(&Cast)).CreateAddrSpaceCast(Pointer, Generic);
    }

    Value *makeChoice(PHINode &Choice) {
        IRBuilder<> Builder(&Choice);
        PHINode *Result = Builder.CreatePHI(Builder.getPtrTy(), Choice.getNumIncomingValues());
        Made[&Choice] = Result;
        for (unsigned I = 0; I < Choice.getNumIncomingValues(); ++I)
            Result->addIncoming(make(Choice.getIncomingValue(I)), Choice.getIncomingBlock(I));
        return Result;
    }

    PartsOfIntegers Parts;
    SmallSetVector<Value *, 32> Tainted, Good;
    DenseMap<const Value *, AddressParts> Beside;
    DenseMap<Value *, Value *> Made;
};

} // namespace

/// Memory of the block is named by its space; elsewhere the pointer says where it leads.
static bool keepsSpace(unsigned Space) {
    return Space == SharedSpace || Space == ClusterSpace;
}

void makePointers(Function &F) {
    PointerMaker Pointers(F);
    for (Instruction &I : make_early_inc_range(instructions(F))) {
        auto *Address = dyn_cast<IntToPtrInst>(&I);
        if (!Address || Address->getOperand(0)->getType()->getIntegerBitWidth() != 64)
            continue;
        Value *Pointer = Pointers.pointer(Address->getOperand(0));
        if (!Pointer)
            continue;
        if (keepsSpace(Address->getAddressSpace()))
            Pointer = IRBuilder<>(Address).CreateAddrSpaceCast(Pointer, Address->getType());
        if (Pointer->getType() == Address->getType()) {
            Address->replaceAllUsesWith(Pointer);
            Address->eraseFromParent();
            continue;
        }
        for (Use &U : make_early_inc_range(Address->uses()))
            if (isa<LoadInst, StoreInst, AtomicRMWInst, AtomicCmpXchgInst>(U.getUser()) &&
                getLoadStorePointerOperand(U.getUser()) == Address)
                U.set(Pointer);
        if (Address->use_empty())
            Address->eraseFromParent();
    }
}

} // namespace kesco
