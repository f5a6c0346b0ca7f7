#include "plugin/device/provenance.h"

#include "plugin/device/members.h"
#include "plugin/ir/calls.h"

extern "C" {
#include "plugin/summary/summary.h"
}

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace kesco {

/// Contents of own places are told apart by slots of the size of a pointer.
static constexpr uint64_t SlotMask = 7;

Provenance::Provenance(Function &Kernel) : Kernel(Kernel) {
    Functions.insert(&Kernel);
    addCallees(Functions, hasKnownBody);
    do
        solve();
    while (seedNumbers());
}

static PlaceSet only(unsigned Place) {
    PlaceSet Result;
    Result.set(Place);
    return Result;
}

PlaceSet Provenance::ofGlobal(const GlobalVariable &Global) {
    unsigned Space = Global.getAddressSpace();
    if (Space == KESCO_SPACE_SHARED && Global.isDeclaration()) {
        return only(Places.dynamicShared(Global));
    }
    if (isOwnSpace(Space))
        return only(Places.variable(&Global, MemoryPlace::Own));
    if (!isTable(Global))
        return only(Places.variable(&Global, MemoryPlace::Variable));
    bool IsNew = !Places.contains(&Global);
    unsigned Place = Places.variable(&Global, MemoryPlace::Own);
    if (IsNew)
        addContents(Place, AnySlot, ofConstant(Global.getInitializer()));
    return only(Place);
}

PlaceSet Provenance::ofConstant(const Constant *C) {
    if (const auto *Global = dyn_cast<GlobalVariable>(C))
        return ofGlobal(*Global);
    if (const auto *Alias = dyn_cast<GlobalAlias>(C))
        return ofConstant(Alias->getAliasee());
    if (isa<GlobalValue>(C) || isa<ConstantData>(C))
        return {};
    if (const auto *Expression = dyn_cast<ConstantExpr>(C)) {
        const Constant *Operand = Expression->getOperand(0);
        if (isa<GEPOperator>(Expression))
            return ofConstant(Operand);
        if (Expression->getOpcode() == Instruction::IntToPtr && isa<ConstantInt>(Operand))
            return cast<ConstantInt>(Operand)->isZero() ? PlaceSet()
                                                        : only(Places.fixed(MemoryPlace::Number));
    }
    return ofOperands(*C);
}

PlaceSet Provenance::ofOperands(const User &U) {
    PlaceSet Result;
    for (const Use &Operand : U.operands())
        if (!isa<BasicBlock>(Operand.get()) && !Operand->getType()->isMetadataTy())
            Result |= of(Operand.get());
    return Result;
}

/// True for a type of which a number may be an address.
static bool canHoldAddress(const Type &T) {
    return T.isIntOrIntVectorTy() && T.getPrimitiveSizeInBits() >= 64;
}

/// True if a part of \p T can.
static bool hasPartForAddress(const Type &T) {
    if (const auto *Array = dyn_cast<ArrayType>(&T))
        return Array->getElementType()->isIntegerTy(8) || hasPartForAddress(*Array->getElementType());
    if (const auto *Record = dyn_cast<StructType>(&T))
        return any_of(Record->elements(), [](const Type *Part) { return hasPartForAddress(*Part); });
    return canHoldAddress(T);
}

PlaceSet Provenance::ofArgument(const Argument &A) {
    if (A.hasByValAttr())
        return only(Places.variable(&A, MemoryPlace::Own));
    if (A.getParent() != &Kernel)
        return Found.Values.lookup(&A);
    if (A.getType()->isPointerTy())
        return only(Places.parameter(A.getArgNo(), 0));
    return canHoldAddress(*A.getType()) ? only(Places.fixed(MemoryPlace::Number)) : PlaceSet();
}

PlaceSet Provenance::of(const Value *V) {
    if (const auto *C = dyn_cast<Constant>(V))
        return ofConstant(C);
    if (const auto *A = dyn_cast<Argument>(V))
        return ofArgument(*A);
    if (isa<AllocaInst>(V))
        return only(Places.variable(V, MemoryPlace::Own));
    return Found.Values.lookup(V);
}

bool Provenance::isKernelStruct(const MemoryPlace &Place) const {
    const auto *A = dyn_cast_or_null<Argument>(Place.Base);
    return A && A->getParent() == &Kernel;
}

PlaceSet Provenance::allMembers(const Argument &Struct) {
    SmallVector<uint64_t, 8> Slots = pointersIn(Struct);
    if (Slots.size() > MostMembers)
        return only(Places.fixed(MemoryPlace::Elsewhere));
    PlaceSet Result;
    if (hasPartForAddress(*Struct.getParamByValType()))
        Result.set(Places.fixed(MemoryPlace::Number));
    for (uint64_t Slot : Slots)
        Result.set(Places.parameter(Struct.getArgNo(), Slot));
    return Result;
}

/// What a value of \p Type that is loaded at \p Address, in a struct that the kernel is given, leads to.
PlaceSet Provenance::membersAt(const Argument &Struct, const Value *Address, Type *Type) {
    const DataLayout &Layout = Kernel.getDataLayout();
    auto Offsets = offsetsFrom(&Struct, Address, Layout);
    if (!Offsets)
        return allMembers(Struct);
    PlaceSet Result;
    const SmallVector<uint64_t, 8> Slots = pointersIn(Struct);
    uint64_t Size = Layout.getTypeStoreSize(Type);
    for (uint64_t Offset : *Offsets) {
        if (Type->isPointerTy() || (Size == 8 && is_contained(Slots, Offset))) {
            Result.set(Places.parameter(Struct.getArgNo(), Offset));
            continue;
        }
        if (canHoldAddress(*Type))
            Result.set(Places.fixed(MemoryPlace::Number));
        for (uint64_t Slot : Slots)
            if (Slot < Offset + Size && Offset < Slot + 8)
                Result.set(Places.parameter(Struct.getArgNo(), Slot));
    }
    return Result;
}

/// The slots of \p Place, eight bytes each, that a value of \p Type at \p Address may lie in; AnySlot alone
/// where that is not known.
SmallVector<uint64_t, 8> Provenance::slotsAt(const MemoryPlace &Place, const Value *Address,
                                             Type *Type) const {
    const DataLayout &Layout = Kernel.getDataLayout();
    auto Offsets = Type ? offsetsFrom(Place.Base, Address, Layout) : std::nullopt;
    if (!Offsets)
        return {AnySlot};
    uint64_t Size = Layout.getTypeStoreSize(Type);
    SmallVector<uint64_t, 8> Slots;
    for (uint64_t Offset : *Offsets)
        for (uint64_t Slot = Offset & ~SlotMask; Slot < Offset + Size; Slot += SlotMask + 1)
            Slots.push_back(Slot);
    return Slots;
}

PlaceSet Provenance::contentsAt(unsigned Place, ArrayRef<uint64_t> Slots) const {
    PlaceSet Result;
    for (uint64_t Slot : Slots) {
        auto First = Found.Contents.lower_bound({Place, Slot == AnySlot ? 0 : Slot});
        auto Last = Found.Contents.upper_bound({Place, Slot});
        for (; First != Last; ++First)
            Result |= First->second;
    }
    auto Any = Found.Contents.find({Place, AnySlot});
    if (Any != Found.Contents.end())
        Result |= Any->second;
    return Result | Found.Strayed;
}

PlaceSet Provenance::loadFrom(const Value *Address, Type *Type) {
    PlaceSet Result;
    for (unsigned Number : of(Address)) {
        const MemoryPlace Place = Places[Number];
        if (Place.What != MemoryPlace::Own) {
            Result.set(Places.fixed(MemoryPlace::Elsewhere));
            continue;
        }
        Result |= contentsAt(Number, slotsAt(Place, Address, Type));
        if (isKernelStruct(Place))
            Result |= Type ? membersAt(*cast<Argument>(Place.Base), Address, Type)
                           : allMembers(*cast<Argument>(Place.Base));
    }
    return Result;
}

PlaceSet Provenance::pointeesOf(const Value *V) {
    return loadFrom(V, nullptr);
}

/// What any of the memory in \p From has in it.
PlaceSet Provenance::loadThrough(const PlaceSet &From) {
    PlaceSet Result;
    if (leadsNowhere(From))
        Result.set(Places.fixed(MemoryPlace::Elsewhere));
    for (unsigned Number : From) {
        const MemoryPlace Place = Places[Number];
        if (Place.What == MemoryPlace::Own)
            Result |= contentsAt(Number, {AnySlot});
        else
            Result.set(Places.fixed(MemoryPlace::Elsewhere));
        if (isKernelStruct(Place))
            Result |= allMembers(*cast<Argument>(Place.Base));
    }
    return Result;
}

/// True once it is known that nothing else will be found.
bool Provenance::leadsNowhere(const PlaceSet &To) {
    Made.SawNowhere |= To.empty();
    return To.empty() && Made.Settled;
}

bool Provenance::areShared(const PlaceSet &Some) const {
    for (unsigned Number : Some)
        if (Places[Number].What != MemoryPlace::Own)
            return true;
    return false;
}

/// An address that is a number may be that of any own memory. In memory of the block, all others are.
void Provenance::stray(const PlaceSet &To, const PlaceSet &Stored, bool InBlock) {
    if (Stored.empty())
        return;
    const bool Strays = To.test(Places.fixed(MemoryPlace::Number)) || leadsNowhere(To);
    if (Strays || (InBlock && areShared(To)))
        Now.Changed |= Found.Strayed |= Stored;
}

void Provenance::storeThrough(const PlaceSet &To, const PlaceSet &Stored, bool InBlock) {
    bool Leaves = false;
    for (unsigned Number : To) {
        if (Places[Number].What == MemoryPlace::Own)
            addContents(Number, AnySlot, Stored);
        else
            Leaves = !InBlock;
    }
    if (Leaves || (!InBlock && leadsNowhere(To)))
        escape(Stored);
    stray(To, Stored, InBlock);
}

void Provenance::storeTo(const Value *Address, const PlaceSet &Stored, Type *Type) {
    bool Leaves = false;
    PlaceSet To = of(Address);
    for (unsigned Number : To) {
        if (Places[Number].What == MemoryPlace::Own)
            for (uint64_t Slot : slotsAt(Places[Number], Address, Type))
                addContents(Number, Slot, Stored);
        else
            Leaves = true;
    }
    if (Leaves || To.empty())
        escape(Stored);
    stray(To, Stored, /*InBlock=*/false);
}

/// Own memory whose address others may know has in it what they may store there.
void Provenance::escape(const PlaceSet &Known) {
    for (unsigned Number : Known) {
        if (Places[Number].What != MemoryPlace::Own || !Now.Escaped.insert(Number).second)
            continue;
        addContents(Number, AnySlot, only(Places.fixed(MemoryPlace::Elsewhere)));
        escape(contentsAt(Number, {AnySlot}));
    }
}

void Provenance::add(const Value &V, const PlaceSet &New) {
    if (!New.empty())
        Now.Changed |= Found.Values[&V] |= New;
}

void Provenance::addContents(unsigned Place, uint64_t Slot, const PlaceSet &New) {
    if (!New.empty())
        Now.Changed |= Found.Contents[{Place, Slot}] |= New;
}

void Provenance::solve() {
    do {
        Now = {};
        for (Function *F : Functions)
            for (BasicBlock *Block : ReversePostOrderTraversal<Function *>(F))
                for (Instruction &I : *Block)
                    visit(I);
    } while (Now.Changed);
}

/// True for what becomes the upper half of a number that is put together.
static bool isUpperHalf(const Instruction &I) {
    const auto *Amount = I.getOpcode() == Instruction::Shl ? dyn_cast<ConstantInt>(I.getOperand(1)) : nullptr;
    return Amount && canHoldAddress(*I.getType()) && Amount->getValue().uge(32);
}

/// What no pointer went into is a number.
bool Provenance::seedNumbers() {
    Now.Changed = Made.SawNowhere && !Made.Settled;
    Made.Settled = true;
    for (Function *F : Functions)
        for (Instruction &I : instructions(*F))
            if ((isa<IntToPtrInst>(I) || isUpperHalf(I)) && of(&I).empty())
                add(I, only(Places.fixed(MemoryPlace::Number)));
    return Now.Changed;
}

/// A number plus the distance of two addresses may be any address. Where there are distances, nothing says
/// what they are added to.
void Provenance::noteDistances(const PlaceSet &Mixed) {
    PlaceSet Named = Mixed;
    Named.reset(Places.fixed(MemoryPlace::Number));
    Named.reset(Places.fixed(MemoryPlace::Elsewhere));
    if (!Named.empty() && !Made.HaveDistances)
        Made.HaveDistances = Now.Changed = true;
}

/// An address plus a number is an address.
PlaceSet Provenance::ofSum(const PlaceSet &Left, const PlaceSet &Right) {
    const unsigned Number = Places.fixed(MemoryPlace::Number);
    if (!Made.HaveDistances && Left == only(Number) && !Right.empty() && !Right.test(Number))
        return Right;
    if (!Made.HaveDistances && Right == only(Number) && !Left.empty() && !Left.test(Number))
        return Left;
    return Left | Right;
}

PlaceSet Provenance::ofArithmetic(const BinaryOperator &I) {
    const PlaceSet Left = of(I.getOperand(0)), Right = of(I.getOperand(1));
    const auto *Mask = dyn_cast<ConstantInt>(I.getOperand(1));
    bool KeepsAddress = I.getOpcode() == Instruction::Add || I.getOpcode() == Instruction::Or ||
                        (I.getOpcode() == Instruction::Sub &&
                         (Right.empty() || Right == only(Places.fixed(MemoryPlace::Number)))) ||
                        (I.getOpcode() == Instruction::And && Mask && Mask->getValue().getActiveBits() > 32);
    if (!KeepsAddress)
        noteDistances(Left | Right);
    return ofSum(Left, Right);
}

PlaceSet Provenance::ofSource(const CallBase &Call, const kesco_assembly_source &Source) {
    switch (Source.kind) {
    case KESCO_ASSEMBLY_ARGUMENT:
        return of(Call.getArgOperand(Source.index));
    case KESCO_ASSEMBLY_LOADED:
        return loadThrough(ofAssembly(Call, effectsOf(Call).Assembly->accesses[Source.index].address));
    case KESCO_ASSEMBLY_NUMBER:
        return only(Places.fixed(MemoryPlace::Number));
    case KESCO_ASSEMBLY_ANYTHING:
        break;
    }
    return only(Places.fixed(MemoryPlace::Elsewhere));
}

PlaceSet Provenance::ofAssembly(const CallBase &Call, const kesco_assembly_value &V) {
    PlaceSet Result;
    for (const kesco_assembly_sum &Sum : sumsOf(V)) {
        PlaceSet OfSum;
        for (const kesco_assembly_source &Source : sourcesOf(Sum))
            OfSum = ofSum(OfSum, ofSource(Call, Source));
        Result |= OfSum;
    }
    return Result;
}

/// What \p I takes out of several outputs of assembly; null for all else.
const kesco_assembly_value *Provenance::outputOfAssembly(const Instruction &I) {
    const auto *Part = dyn_cast<ExtractValueInst>(&I);
    const auto *Call = Part ? dyn_cast<CallBase>(Part->getAggregateOperand()) : nullptr;
    if (!Call || !Call->isInlineAsm() || !effectsOf(*Call).Unseen.empty())
        return nullptr;
    return &effectsOf(*Call).Assembly->results[Part->getIndices()[0]];
}

void Provenance::visit(Instruction &I) {
    if (auto *Call = dyn_cast<CallBase>(&I))
        return visitCall(*Call);
    if (auto *Load = dyn_cast<LoadInst>(&I))
        return add(I, loadFrom(Load->getPointerOperand(), Load->getType()));
    if (auto *Store = dyn_cast<StoreInst>(&I))
        return storeTo(Store->getPointerOperand(), of(Store->getValueOperand()),
                       Store->getValueOperand()->getType());
    if (auto *Atomic = dyn_cast<AtomicRMWInst>(&I)) {
        storeTo(Atomic->getPointerOperand(), of(Atomic->getValOperand()), Atomic->getType());
        return add(I, loadFrom(Atomic->getPointerOperand(), Atomic->getType()));
    }
    if (auto *Exchange = dyn_cast<AtomicCmpXchgInst>(&I)) {
        storeTo(Exchange->getPointerOperand(), of(Exchange->getNewValOperand()),
                Exchange->getNewValOperand()->getType());
        return add(I, loadFrom(Exchange->getPointerOperand(), Exchange->getNewValOperand()->getType()));
    }
    if (auto *Return = dyn_cast<ReturnInst>(&I)) {
        if (Return->getReturnValue())
            Now.Changed |= Found.Returned[I.getFunction()] |= of(Return->getReturnValue());
        return;
    }
    if (isa<CmpInst>(I) || isa<AllocaInst>(I) || I.getType()->isVoidTy())
        return;
    if (isa<GetElementPtrInst>(I))
        return add(I, of(cast<GetElementPtrInst>(I).getPointerOperand()));
    if (const kesco_assembly_value *Output = outputOfAssembly(I))
        return add(I, ofAssembly(*cast<CallBase>(I.getOperand(0)), *Output));
    if (auto *Choice = dyn_cast<SelectInst>(&I)) {
        add(I, of(Choice->getTrueValue()));
        return add(I, of(Choice->getFalseValue()));
    }
    if (const auto *Arithmetic = dyn_cast<BinaryOperator>(&I))
        return add(I, ofArithmetic(*Arithmetic));
    add(I, ofOperands(I));
}

} // namespace kesco
