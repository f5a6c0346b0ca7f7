#include "plugin/kernels/launch_range.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"

using namespace llvm;

namespace kesco {

std::optional<GivenInteger> findGiven(const Function &Stub, const kesco_range_token &Token) {
    SmallVector<StubArgument, 8> Arguments = argumentsOfStub(Stub);
    for (unsigned I = 0; I < Arguments.size(); ++I) {
        const StubArgument &A = Arguments[I];
        if (A.Parameter != static_cast<int>(Token.parameter))
            continue;
        if (A.IsAddress)
            return GivenInteger{I, true, Token.offset};
        const auto *Type = dyn_cast<IntegerType>(Stub.getArg(I)->getType());
        if (Type && A.Offset <= Token.offset &&
            8 * static_cast<uint64_t>(Token.offset - A.Offset) + Token.bits <= Type->getBitWidth())
            return GivenInteger{I, false, 8 * (Token.offset - A.Offset)};
    }
    return std::nullopt;
}

bool isInPairs(const CallBase &Push) {
    static constexpr unsigned Bits[] = {64, 32, 64, 32};
    for (unsigned I = 0; I < std::size(Bits); ++I)
        if (Push.arg_size() <= I || !Push.getArgOperand(I)->getType()->isIntegerTy(Bits[I]))
            return false;
    return true;
}

std::optional<GivenSize> findGiven(const CallBase &Push, const kesco_range_token &Token) {
    if (!isInPairs(Push))
        return std::nullopt;
    unsigned First = Token.kind == KESCO_RANGE_GRID ? 0 : 2;
    return GivenSize{First + Token.axis / 2, Token.axis == 1 ? 32u : 0u};
}

std::optional<int64_t> readConstant(const Value &V, unsigned Bit, unsigned Bits) {
    const auto *Number = dyn_cast<ConstantInt>(&V);
    return Number ? std::optional(Number->getValue().extractBits(Bits, Bit).getSExtValue()) : std::nullopt;
}

namespace {

struct LaunchAtHand {
    const CallBase &Call;
    const Function &Stub;
    ReadInteger Read;
};

} // namespace

static bool readArgument(const void *Context, uint32_t Parameter, uint32_t Offset, uint32_t Bits,
                         int64_t *Value) {
    const auto &Launch = *static_cast<const LaunchAtHand *>(Context);
    kesco_range_token Token = {};
    Token.parameter = Parameter;
    Token.offset = Offset;
    Token.bits = Bits;
    const std::optional<GivenInteger> Given = findGiven(Launch.Stub, Token);
    if (!Given)
        return false;
    const std::optional<int64_t> Number = Launch.Read(*Launch.Call.getArgOperand(Given->Operand),
                                                      (Given->InMemory ? 8 : 1) * Given->BitOrOffset, Bits);
    if (Number)
        *Value = *Number;
    return Number.has_value();
}

/// Only grid and block of which all sizes are known are any.
static bool readSizes(const CallBase &Push, kesco_range_launch &Launch, ReadInteger Read) {
    for (auto [Kind, Sizes] :
         {std::pair(KESCO_RANGE_GRID, Launch.grid), std::pair(KESCO_RANGE_BLOCK, Launch.block)})
        for (unsigned Axis = 0; Axis < 3; ++Axis) {
            kesco_range_token Token = {};
            Token.kind = Kind;
            Token.axis = Axis;
            const std::optional<GivenSize> Given = findGiven(Push, Token);
            const std::optional<int64_t> Number =
                Given ? Read(*Push.getArgOperand(Given->Operand), Given->Bit, 32) : std::nullopt;
            if (!Number)
                return false;
            Sizes[Axis] = static_cast<uint32_t>(*Number);
        }
    return true;
}

void RangeParts::add(const char *Text) {
    All.push_back(Text);
    while (kesco_range_next_part(&Text)) {
        All.push_back(Text);
        AreApart = true;
    }
}

std::optional<kesco_pieces> rangeOf(const char *Text, const CallBase &Push, const CallBase &Call,
                                    const Function &Stub, ReadInteger Read) {
    const LaunchAtHand Context = {Call, Stub, Read};
    kesco_range_launch Launch = {{0, 0, 0}, {0, 0, 0}, readArgument, &Context};
    kesco_pieces Bytes;
    if (!readSizes(Push, Launch, Read) || kesco_range_evaluate(Text, &Launch, &Bytes) != 0)
        return std::nullopt;
    return Bytes;
}

} // namespace kesco
