#include "plugin/code/op_amount.h"

#include "plugin/code/early_value.h"
#include "plugin/code/range_code.h"
#include "plugin/cuda/cuda_calls.h"
#include "plugin/kernels/launch_range.h"
#include "runtime/kesco_abi.h"

using namespace llvm;

namespace kesco {

static Value *threadsOf(IRBuilderBase &Builder, const CallBase &Push) {
    Value *Threads = nullptr;
    auto Times = [&](Value *Factor) { Threads = Threads ? Builder.CreateMul(Threads, Factor) : Factor; };
    for (unsigned Pair : {0, 2}) {
        Value *Both = Push.getArgOperand(Pair);
        Times(Builder.CreateAnd(Both, Builder.getInt64(UINT32_MAX)));
        Times(Builder.CreateLShr(Both, 32));
        Times(Builder.CreateZExt(Push.getArgOperand(Pair + 1), Builder.getInt64Ty()));
    }
    return Threads;
}

/// The operand of \p Call, which issues an op, that has the role \p Role; null where there is none.
static Value *operandOf(const CallBase &Call, kesco_call_role Role) {
    StringRef Name = Call.getCalledFunction()->getName();
    const kesco_call *Row = kesco_call_find_op(Name.data(), Name.size(), Call.arg_size());
    int Argument = Row ? kesco_call_argument(Row, Role) : -1;
    return Argument < 0 ? nullptr : Call.getArgOperand(static_cast<unsigned>(Argument));
}

/// Null where unknown.
static Value *bytesOf(IRBuilderBase &Builder, const CallBase &Call) {
    Value *Bytes = operandOf(Call, KESCO_SIZE), *Rows = operandOf(Call, KESCO_HEIGHT);
    return Bytes && Rows ? Builder.CreateMul(Bytes, Rows) : Bytes;
}

/// Bytes to or from the host, and in the device's memory, while a thread runs an instruction; and how many
/// are taken for a copy that does not say.
static constexpr uint64_t LinkBytes = 250, MemoryBytes = 20000, UnknownBytes = 1 << 20;

uint32_t estimateTransfer(const Op &O, const CallBase &Call) {
    if (O.op.engine == KESCO_ENGINE_NONE)
        return 0;
    const auto *Bytes = dyn_cast_or_null<ConstantInt>(operandOf(Call, KESCO_SIZE));
    uint64_t Rate = O.op.engine == KESCO_ENGINE_COMPUTE ? MemoryBytes : LinkBytes;
    return static_cast<uint32_t>(
        std::min<uint64_t>(UINT32_MAX, (Bytes ? Bytes->getZExtValue() : UnknownBytes) / Rate));
}

/// The call that \p Issue is, with its integers as they are before \p Start; in no function. Null where they
/// are not known there.
static unique_value issueBefore(IRBuilderBase &Builder, const CallBase &Start, const CallBase &Issue) {
    unique_value Early(Issue.clone());
    const BasicBlock *Late = Issue.getParent();
    if (!Late)
        return Early; /* the program's own place was before, and all was moved there */
    if (Late->getSinglePredecessor() != Start.getParent())
        return nullptr;
    for (Use &Operand : cast<CallBase>(*Early).args()) {
        if (!Operand->getType()->isIntegerTy())
            continue;
        Value *Found = evaluateEarly(Builder, Operand, Start, *Late);
        if (!Found)
            return nullptr;
        Operand = Found;
    }
    return Early;
}

/// True if \p Range speaks of what stands in memory when \p Stub is called: it may not be there before.
static bool readsMemory(const std::string &Range, const Function &Stub) {
    kesco_range_token Token;
    for (const char *At = Range.c_str(); kesco_range_read(&At, &Token) > 0;) {
        std::optional<GivenInteger> Given =
            Token.kind == KESCO_RANGE_ARGUMENT ? findGiven(Stub, Token) : std::nullopt;
        if (Given && Given->InMemory)
            return true;
    }
    return false;
}

/// \p Threads, and above them what each has to do, which \p Range says; \p Threads alone where the launch
/// does not show that yet.
static Value *addWork(IRBuilderBase &Builder, Value *Threads, const std::string &Range, const CallBase &Start,
                      const CallBase &Issue) {
    if (readsMemory(Range, *Issue.getCalledFunction()))
        return Threads;
    const unique_value Early = issueBefore(Builder, Start, Issue);
    std::optional<RangeValues> Work =
        Early ? evaluateRange(Builder, Range.c_str(), Start, cast<CallBase>(*Early)) : std::nullopt;
    if (!Work)
        return Threads;
    Value *Most = Builder.getInt64(KESCO_AMOUNT_MOST_WORK), *None = Builder.getInt64(0);
    Value *Each = Builder.CreateBinaryIntrinsic(Intrinsic::smin, Work->End, Most);
    Each = Builder.CreateBinaryIntrinsic(Intrinsic::smax, Each, None);
    Value *Shown =
        Builder.CreateBinaryIntrinsic(Intrinsic::umin, Threads, Builder.getInt64(KESCO_AMOUNT_MOST_THREADS));
    return Builder.CreateOr(Shown, Builder.CreateShl(Each, KESCO_AMOUNT_WORK));
}

Value *amountOf(IRBuilderBase &Builder, const Op &O, const CallBase &Start, const CallBase &Issue) {
    Value *Amount = nullptr;
    if (O.op.kind != KESCO_OP_KERNEL)
        Amount = O.op.engine == KESCO_ENGINE_NONE ? Builder.getInt64(0) : bytesOf(Builder, Start);
    else if (O.work > 0 && isInPairs(Start))
        Amount = threadsOf(Builder, Start);
    if (Amount && O.op.kind == KESCO_OP_KERNEL && O.work_range)
        Amount = addWork(Builder, Amount, O.work_range, Start, Issue);
    return Amount ? Amount : Builder.getInt64(KESCO_AMOUNT_UNKNOWN);
}

} // namespace kesco
