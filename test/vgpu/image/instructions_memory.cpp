#include "instructions.h"
#include "library.h"

#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace vgpu {

using Instruction = PtxInstruction;

StringRef spaceOf(const Instruction &Inst) {
    for (StringRef Modifier : Inst.Modifiers)
        if (Modifier == "shared" || Modifier == "shared::cta" || Modifier == "shared::cluster")
            return "shared";
    return "";
}

bool emitNothing(Assembly &, const Instruction &, Op) {
    return true;
}

namespace {

unsigned elementsOf(const Instruction &Inst) {
    return Inst.has("v8") ? 8 : Inst.has("v4") ? 4 : Inst.has("v2") ? 2 : 1;
}

bool hasElements(const Assembly &A, const kesco_ptx_operand &Operand, unsigned Count) {
    return Operand.form != KESCO_PTX_ADDRESS && A.elements(Operand) == Count;
}

Value *elementAt(Assembly &A, Value *Address, PtxType Type, unsigned Element) {
    return Element ? A.B.CreateConstGEP1_32(A.typeOf(Type), Address, Element) : Address;
}

/// Loads that must look again, as those of a loop that waits.
bool looksAgain(const Assembly &A, const Instruction &Inst) {
    return A.isVolatile() || Inst.has("volatile") || Inst.has("acquire") || Inst.has("relaxed");
}

/// A cache policy may stand behind the operands that an access has.
bool hasOperands(const Instruction &Inst, size_t Count) {
    return Inst.Operands.size() == Count + Inst.has("L2::cache_hint");
}

bool emitLoad(Assembly &A, const Instruction &Inst, Op) {
    const unsigned Count = elementsOf(Inst);
    if (Inst.Types.size() != 1 || !hasOperands(Inst, 2) || !hasElements(A, Inst.Operands[0], Count))
        return false;
    const PtxType Type = Inst.Types[0];
    Value *Address = A.address(Inst.Operands[1], spaceOf(Inst));
    if (!Address)
        return false;
    SmallVector<Value *, 4> Loaded;
    for (unsigned Element = 0; Element < Count; Element++)
        Loaded.push_back(
            A.B.CreateLoad(A.typeOf(Type), elementAt(A, Address, Type, Element), looksAgain(A, Inst)));
    for (unsigned Element = 0; Element < Count; Element++)
        if (!A.set(Inst.Operands[0], Element, Loaded[Element], Type))
            return false;
    return true;
}

bool emitStore(Assembly &A, const Instruction &Inst, Op) {
    const unsigned Count = elementsOf(Inst);
    if (Inst.Types.size() != 1 || !hasOperands(Inst, 2) || !hasElements(A, Inst.Operands[1], Count))
        return false;
    const PtxType Type = Inst.Types[0];
    Value *Address = A.address(Inst.Operands[0], spaceOf(Inst));
    SmallVector<Value *, 4> Stored;
    for (unsigned Element = 0; Element < Count; Element++)
        Stored.push_back(A.value(Inst.Operands[1], Element, Type));
    if (!Address || is_contained(Stored, nullptr))
        return false;
    for (unsigned Element = 0; Element < Count; Element++)
        A.B.CreateStore(Stored[Element], elementAt(A, Address, Type, Element));
    return true;
}

AtomicRMWInst::BinOp atomicOperation(StringRef Name, PtxType Type) {
    return StringSwitch<AtomicRMWInst::BinOp>(Name)
        .Case("add", Type.isReal() ? AtomicRMWInst::FAdd : AtomicRMWInst::Add)
        .Case("and", AtomicRMWInst::And)
        .Case("or", AtomicRMWInst::Or)
        .Case("xor", AtomicRMWInst::Xor)
        .Case("exch", AtomicRMWInst::Xchg)
        .Case("inc", AtomicRMWInst::UIncWrap)
        .Case("dec", AtomicRMWInst::UDecWrap)
        .Case("min", Type.isSigned() ? AtomicRMWInst::Min : AtomicRMWInst::UMin)
        .Case("max", Type.isSigned() ? AtomicRMWInst::Max : AtomicRMWInst::UMax)
        .Default(AtomicRMWInst::BAD_BINOP);
}

/// Sums of half precision, which libvgpu.so has: threads run one at a time, and none leaves off in between.
bool emitHalfAtomic(Assembly &A, const Instruction &Inst, Op What) {
    const bool HasResult = What != Op::None;
    const PtxType Type = Inst.Types[0];
    const auto Operands = Inst.Operands.drop_front(HasResult);
    Value *Address = A.address(Operands[0], spaceOf(Inst)), *Given = A.value(Operands[1], Type);
    if (!Address || !Given || !Inst.has("add"))
        return false;
    Value *Old = A.B.CreateLoad(A.typeOf(Type), Address, /*isVolatile=*/true);
    Value *New =
        callLibrary(A.I, A.B, "vgpu_asm_add_" + Inst.Opcode.rsplit('.').second, {Old, Given}, Old->getType());
    if (!New)
        return false;
    A.B.CreateStore(New, Address);
    return !HasResult || setFirst(A, Inst, Old, Type);
}

/// atom has its old value as a result, red has none: Op::None.
bool emitAtomic(Assembly &A, const Instruction &Inst, Op What) {
    const bool HasResult = What != Op::None;
    const bool Exchanges = Inst.has("cas");
    if (Inst.Types.size() != 1 || !hasOperands(Inst, 2 + HasResult + Exchanges))
        return false;
    const PtxType Type = Inst.Types[0];
    if (Type.Class == 'h')
        return emitHalfAtomic(A, Inst, What);
    const auto Operands = Inst.Operands.drop_front(HasResult);
    Value *Address = A.address(Operands[0], spaceOf(Inst)), *Given = A.value(Operands[1], Type);
    Value *New = Exchanges ? A.value(Operands[2], Type) : nullptr;
    if (!Address || !Given || (Exchanges && !New))
        return false;
    const AtomicOrdering Order = AtomicOrdering::SequentiallyConsistent;
    Value *Old = nullptr;
    for (StringRef Modifier : Inst.Modifiers)
        if (const auto Operation = atomicOperation(Modifier, Type); Operation != AtomicRMWInst::BAD_BINOP)
            Old = A.B.CreateAtomicRMW(Operation, Address, Given, MaybeAlign(), Order);
    if (Exchanges)
        Old = A.B.CreateExtractValue(A.B.CreateAtomicCmpXchg(Address, Given, New, MaybeAlign(), Order, Order),
                                     0);
    return Old && (!HasResult || setFirst(A, Inst, Old, Type));
}

bool emitFence(Assembly &A, const Instruction &, Op) {
    A.B.CreateFence(AtomicOrdering::SequentiallyConsistent);
    return true;
}

/* Copies into shared memory, which are done at once: as early as they may be. */

/// \p Bytes of memory, of which \p Given are copied and the rest is zero.
void copy(Assembly &A, Value *To, Value *From, Value *Bytes, Value *Given) {
    IRBuilder<> &B = A.B;
    if (Given && Given != Bytes) {
        B.CreateMemSet(To, B.getInt8(0), Bytes, MaybeAlign());
        Bytes = B.CreateBinaryIntrinsic(Intrinsic::umin, Given, Bytes);
    }
    B.CreateMemCpy(To, MaybeAlign(), From, MaybeAlign(), Bytes);
}

/// cp.async.bulk TO, FROM, size: between global and shared memory, the latter of this block.
bool emitBulkCopy(Assembly &A, const Instruction &Inst) {
    const bool Completes = Inst.has("mbarrier::complete_tx::bytes");
    const bool IntoShared = Inst.Modifiers.size() > 2 && Inst.Modifiers[2].starts_with("shared");
    if (!hasOperands(Inst, Completes ? 4 : 3) || !Inst.has("global"))
        return false;
    Value *To = A.address(Inst.Operands[0], IntoShared ? "shared" : "");
    Value *From = A.address(Inst.Operands[1], IntoShared ? "" : "shared");
    Value *Bytes = A.value(Inst.Operands[2], {'u', 32});
    Value *Barrier = Completes ? A.address(Inst.Operands[3], "shared") : nullptr;
    if (!To || !From || !Bytes || (Completes && !Barrier))
        return false;
    copy(A, To, From, Bytes, nullptr);
    if (Completes)
        callLibrary(A.I, A.B, "vgpu_mbarrier_complete_tx", {Barrier, Bytes}, A.B.getVoidTy());
    return true;
}

bool emitAsyncCopy(Assembly &A, const Instruction &Inst, Op) {
    if (Inst.has("commit_group") || Inst.has("wait_group") || Inst.has("wait_all"))
        return true;
    if (Inst.has("bulk"))
        return emitBulkCopy(A, Inst);
    if (Inst.has("mbarrier")) {
        Value *Barrier = A.address(Inst.Operands[0], spaceOf(Inst));
        return Barrier && callLibrary(A.I, A.B, "vgpu_mbarrier_copies_arrive",
                                      {Barrier, A.B.getInt32(Inst.has("noinc"))}, A.B.getVoidTy());
    }
    const size_t Count = Inst.Operands.size() - Inst.has("L2::cache_hint");
    if (Count < 3 || Count > 4 || !Inst.has("global") || Inst.has("prefetch"))
        return false;
    Value *To = A.address(Inst.Operands[0], "shared"), *From = A.address(Inst.Operands[1], "");
    Value *Bytes = A.value(Inst.Operands[2], {'u', 32});
    Value *Given = Count == 4 ? A.value(Inst.Operands[3], {'u', 32}) : nullptr;
    if (!To || !From || !Bytes || (Count == 4 && !Given))
        return false;
    copy(A, To, From, Bytes, Given);
    return true;
}

#define SPACES "global shared shared::cta local const "
#define ORDERS "weak volatile relaxed acquire release acq_rel cta cluster gpu sys "
#define HINTS "L1::* L2::* "

constexpr Row Rows[] = {
    {"ld", SPACES ORDERS HINTS "nc ca cg cs lu cv v2 v4 v8 mmio", emitLoad, Op::None},
    {"ldu", "global v2 v4", emitLoad, Op::None},
    {"st", SPACES ORDERS HINTS "wb cg cs wt v2 v4 v8 mmio", emitStore, Op::None},
    {"atom", SPACES ORDERS HINTS "add and or xor exch cas inc dec min max noftz", emitAtomic, Op::Add},
    {"red", SPACES ORDERS HINTS "add and or xor inc dec min max noftz", emitAtomic, Op::None},
    {"membar", "cta gl sys", emitFence, Op::None},
    {"fence",
     "sc acq_rel acquire release cta cluster gpu sys proxy async async::* alias generic::* "
     "mbarrier_init " SPACES "shared::cluster",
     emitFence, Op::None},
    {"prefetch", "global local " HINTS "L1 L2", emitNothing, Op::None},
    {"prefetchu", "L1", emitNothing, Op::None},
    {"applypriority", "global " HINTS, emitNothing, Op::None},
    {"discard", "global " HINTS "L2", emitNothing, Op::None},
    {"cp",
     "async bulk ca cg global shared shared::cta shared::cluster mbarrier mbarrier::complete_tx::bytes "
     "arrive noinc "
     "bulk_group commit_group wait_group wait_all read " HINTS,
     emitAsyncCopy, Op::None},
};

} // namespace

ArrayRef<Row> memoryRows() {
    return Rows;
}

} // namespace vgpu
