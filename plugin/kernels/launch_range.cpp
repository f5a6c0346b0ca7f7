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

namespace {

struct ConstantLaunch {
    const CallBase &Call;
    const Function &Stub;
};

} // namespace

static bool constantArgument(const void *Context, uint32_t Parameter, uint32_t Offset, uint32_t Bits,
                             int64_t *Value) {
    const auto &Launch = *static_cast<const ConstantLaunch *>(Context);
    kesco_range_token Token = {};
    Token.parameter = Parameter;
    Token.offset = Offset;
    Token.bits = Bits;
    std::optional<GivenInteger> Given = findGiven(Launch.Stub, Token);
    const auto *Number = Given && !Given->InMemory
                             ? dyn_cast<ConstantInt>(Launch.Call.getArgOperand(Given->Operand))
                             : nullptr;
    if (Number)
        *Value = Number->getValue().extractBits(Bits, Given->BitOrOffset).getSExtValue();
    return Number;
}

/// Only grid and block of which all sizes are constants are any.
static bool readSizes(const CallBase &Push, kesco_range_launch &Launch) {
    for (auto [Kind, Sizes] :
         {std::pair(KESCO_RANGE_GRID, Launch.grid), std::pair(KESCO_RANGE_BLOCK, Launch.block)})
        for (unsigned Axis = 0; Axis < 3; ++Axis) {
            kesco_range_token Token = {};
            Token.kind = Kind;
            Token.axis = Axis;
            std::optional<GivenSize> Given = findGiven(Push, Token);
            const auto *Number = Given ? dyn_cast<ConstantInt>(Push.getArgOperand(Given->Operand)) : nullptr;
            if (!Number)
                return false;
            Sizes[Axis] = static_cast<uint32_t>(Number->getValue().extractBitsAsZExtValue(32, Given->Bit));
        }
    return true;
}

std::optional<kesco_range_bytes> constantRange(const std::string &Text, const CallBase &Push,
                                               const CallBase &Call, const Function &Stub) {
    ConstantLaunch Context = {Call, Stub};
    kesco_range_launch Launch = {{0, 0, 0}, {0, 0, 0}, constantArgument, &Context};
    kesco_range_bytes Bytes;
    if (!readSizes(Push, Launch) || kesco_range_evaluate(Text.c_str(), &Launch, &Bytes) != 0)
        return std::nullopt;
    return Bytes;
}

} // namespace kesco
