#include "instructions.h"
#include "library.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace vgpu {
namespace {

using Instruction = PtxInstruction;

constexpr PtxType Word = {'b', 32};

/// Calls libvgpu.so's vgpu_nvvm_NAME.
Value *call(Assembly &A, const Twine &Name, ArrayRef<Value *> Arguments, Type *Result) {
    return callLibrary(A.I, A.B, "vgpu_nvvm_" + Name, Arguments, Result);
}

bool emitBarrier(Assembly &A, const Instruction &Inst, Op) {
    SmallVector<Value *, 2> Numbers;
    for (const kesco_ptx_operand &Operand : Inst.Operands)
        Numbers.push_back(A.value(Operand, {'u', 32}));
    if (Numbers.empty() || Numbers.size() > 2 || is_contained(Numbers, nullptr))
        return false;
    if (Inst.has("warp"))
        return Inst.has("sync") && call(A, "bar_warp_sync", Numbers, A.B.getVoidTy());
    if (Inst.has("sync") == Inst.has("arrive") || (Inst.has("arrive") && Numbers.size() == 1))
        return false;
    return call(A,
                Twine("barrier_cta_") + (Inst.has("sync") ? "sync" : "arrive") + "_aligned_" +
                    (Numbers.size() == 1 ? "all" : "count"),
                Numbers, A.B.getVoidTy());
}

bool emitActiveMask(Assembly &A, const Instruction &Inst, Op) {
    Value *Mask = call(A, "activemask", {}, A.B.getInt32Ty());
    return Inst.Operands.size() == 1 && setFirst(A, Inst, Mask, Word);
}

/* Warp functions. Their lane masks stand last in PTX. */

/// A result, and whether the predicate behind it is wanted, which it is set to then.
bool setPair(Assembly &A, const Instruction &Inst, Value *Pair, PtxType Type) {
    if (!Pair || !setFirst(A, Inst, A.B.CreateExtractValue(Pair, 0), Type))
        return false;
    return Inst.Operands[0].elements == 1 ||
           A.set(Inst.Operands[0], 1, A.B.CreateExtractValue(Pair, 1), Predicate);
}

Type *pairType(Assembly &A) {
    return StructType::get(A.B.getInt32Ty(), A.B.getInt1Ty());
}

/// shfl.sync.MODE.b32 d|p, a, b, c, mask
bool emitShuffle(Assembly &A, const Instruction &Inst, Op) {
    const auto Given = sources(A, Inst, Word, 4);
    if (Given.empty() || Inst.Modifiers.size() != 2 || Inst.Modifiers[0] != "sync")
        return false;
    return setPair(A, Inst,
                   call(A, "shfl_sync_" + Inst.Modifiers[1] + "_i32p",
                        {Given[3], Given[0], Given[1], Given[2]}, pairType(A)),
                   Word);
}

/// vote.sync.MODE.pred p, a, mask; vote.sync.ballot.b32 d, a, mask
bool emitVote(Assembly &A, const Instruction &Inst, Op) {
    if (Inst.Types.size() != 1 || Inst.Operands.size() != 3 || Inst.Modifiers.size() != 2 ||
        !Inst.has("sync"))
        return false;
    Value *Holds = A.value(Inst.Operands[1], Predicate), *Mask = A.value(Inst.Operands[2], Word);
    if (!Holds || !Mask)
        return false;
    const StringRef Mode = Inst.Modifiers[Inst.Modifiers[0] == "sync" ? 1 : 0];
    const PtxType Result = Mode == "ballot" ? Word : Predicate;
    return setFirst(A, Inst, call(A, "vote_" + Mode + "_sync", {Mask, Holds}, A.typeOf(Result)), Result);
}

/// match.any.sync.TYPE d, a, mask; match.all.sync.TYPE d|p, a, mask
bool emitMatch(Assembly &A, const Instruction &Inst, Op) {
    const std::optional<PtxType> Type = onlyType(Inst, "b");
    if (!Type || Inst.Operands.size() != 3)
        return false;
    Value *V = A.value(Inst.Operands[1], *Type), *Mask = A.value(Inst.Operands[2], Word);
    if (!V || !Mask)
        return false;
    const std::string Bits = utostr(Type->Bits);
    if (Inst.has("any"))
        return setFirst(A, Inst, call(A, "match_any_sync_i" + Bits, {Mask, V}, A.B.getInt32Ty()), Word);
    return Inst.has("all") &&
           setPair(A, Inst, call(A, "match_all_sync_i" + Bits + "p", {Mask, V}, pairType(A)), Word);
}

/// redux.sync.OPERATION.TYPE d, a, mask
bool emitReduction(Assembly &A, const Instruction &Inst, Op) {
    const std::optional<PtxType> Type = onlyType(Inst, "bus");
    const auto Given = sources(A, Inst, Word, 2);
    if (!Type || Type->Bits != 32 || Given.empty() || Inst.Modifiers.size() != 2)
        return false;
    const StringRef Name = Inst.Modifiers[1];
    const bool Unsigned = Type->Class == 'u' && (Name == "min" || Name == "max");
    return setFirst(
        A, Inst,
        call(A, Twine("redux_sync_") + (Unsigned ? "u" : "") + Name, {Given[0], Given[1]}, A.B.getInt32Ty()),
        Word);
}

/// elect.sync d|p, mask
bool emitElection(Assembly &A, const Instruction &Inst, Op) {
    const auto Given = sources(A, Inst, Word, 1);
    return !Given.empty() && setPair(A, Inst, call(A, "elect_sync", {Given[0]}, pairType(A)), Word);
}

/* Barriers in memory: mbarrier.WHAT [address], ... */

/// The rest of the operands behind the address, that of a state first.
SmallVector<Value *, 4> barrierOperands(Assembly &A, const Instruction &Inst, size_t Address, PtxType First) {
    SmallVector<Value *, 4> Values;
    if (Inst.Operands.size() <= Address)
        return {};
    Values.push_back(A.address(Inst.Operands[Address], spaceOf(Inst)));
    for (size_t Place = Address + 1; Place < Inst.Operands.size(); Place++)
        Values.push_back(A.value(Inst.Operands[Place], Place == Address + 1 ? First : Word));
    return is_contained(Values, nullptr) ? SmallVector<Value *, 4>() : Values;
}

/// mbarrier.arrive d, [address]{, count}, .expect_tx with the bytes that are to come.
bool emitArrive(Assembly &A, const Instruction &Inst) {
    const bool HasState = Inst.Operands[0].form != KESCO_PTX_ADDRESS;
    SmallVector<Value *, 4> Given = barrierOperands(A, Inst, HasState, Word);
    IRBuilder<> &B = A.B;
    if (Given.empty() || Given.size() > 2 || Inst.has("shared::cluster"))
        return false;
    if (Given.size() == 1)
        Given.push_back(B.getInt32(1));
    if (Inst.has("expect_tx")) {
        callLibrary(A.I, B, "vgpu_mbarrier_expect_tx", Given, B.getVoidTy());
        Given[1] = B.getInt32(1);
    }
    Given.push_back(B.getInt32(Inst.has("arrive_drop")));
    Value *State = callLibrary(A.I, B, "vgpu_mbarrier_arrive", Given, B.getInt64Ty());
    return State && (!HasState || setFirst(A, Inst, State, {'b', 64}));
}

/// mbarrier.test_wait{.parity} p, [address], state or parity; try_wait may have a time behind it.
bool emitTest(Assembly &A, const Instruction &Inst) {
    const bool Parity = Inst.has("parity");
    SmallVector<Value *, 4> Given = barrierOperands(A, Inst, 1, Parity ? Word : PtxType{'b', 64});
    if (Given.size() < 2)
        return false;
    Given.resize(2);
    return setFirst(A, Inst,
                    callLibrary(A.I, A.B, Parity ? "vgpu_mbarrier_test_parity" : "vgpu_mbarrier_test", Given,
                                A.B.getInt1Ty()),
                    Predicate);
}

bool emitMemoryBarrier(Assembly &A, const Instruction &Inst, Op) {
    if (Inst.Operands.empty() || Inst.Modifiers.empty())
        return false;
    const StringRef What = Inst.Modifiers[0];
    if (What == "arrive" || What == "arrive_drop")
        return emitArrive(A, Inst);
    if (What == "test_wait" || What == "try_wait")
        return emitTest(A, Inst);
    if (What == "inval")
        return true;
    if (What == "pending_count") {
        Value *State = A.value(Inst.Operands.back(), {'b', 64});
        return State &&
               setFirst(A, Inst,
                        callLibrary(A.I, A.B, "vgpu_nvvm_mbarrier_pending_count", {State}, A.B.getInt32Ty()),
                        Word);
    }
    const SmallVector<Value *, 4> Given = barrierOperands(A, Inst, 0, Word);
    return Given.size() == 2 && (What == "init" || What == "expect_tx" || What == "complete_tx") &&
           callLibrary(A.I, A.B, "vgpu_mbarrier_" + What, Given, A.B.getVoidTy());
}

constexpr Row Rows[] = {
    {"bar", "sync arrive warp cta", emitBarrier, Op::None},
    {"barrier", "sync arrive cta aligned", emitBarrier, Op::None},
    {"activemask", "", emitActiveMask, Op::None},
    {"shfl", "sync up down bfly idx", emitShuffle, Op::None},
    {"vote", "sync all any uni ballot", emitVote, Op::None},
    {"match", "sync all any", emitMatch, Op::None},
    {"redux", "sync add and or xor min max", emitReduction, Op::None},
    {"elect", "sync", emitElection, Op::None},
    {"mbarrier",
     "init inval arrive arrive_drop test_wait try_wait parity expect_tx complete_tx noComplete pending_count "
     "release acquire relaxed cta cluster shared shared::cta",
     emitMemoryBarrier, Op::None},
    {"griddepcontrol", "wait launch_dependents", emitNothing, Op::None},
};

} // namespace

ArrayRef<Row> threadRows() {
    return Rows;
}

} // namespace vgpu
