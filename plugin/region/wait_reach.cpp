#include "plugin/region/wait_reach.h"

#include "plugin/cuda/cuda_model.h"
#include "plugin/cuda/op_sites.h"
#include "plugin/cuda/transfers.h"
#include "plugin/region/reloaded_streams.h"

#include "llvm/IR/InstIterator.h"

using namespace llvm;

namespace kesco {

bool frees(const Instruction &I) {
    const auto *Call = dyn_cast<CallBase>(&I);
    const kesco_call *Api = Call ? lookUpApi(*Call) : nullptr;
    return Api && Api->effect == KESCO_FREES;
}

static Reach reachOfWait(const CallBase &Call, const Origin &Stream, ReloadedStreams &Reloaded) {
    const kesco_call *Api = lookUpApi(Call);
    if (!Api || !kesco_call_waits(Api))
        return Reach::Nothing;
    if (Call.arg_empty() || Api->effect == KESCO_FREES)
        return Reach::Device;
    const Value *Given = Call.getArgOperand(0);
    std::optional<unsigned> Handle = constantStream(*Given);
    if (!Handle)
        return Stream.What == KESCO_ORIGIN_GIVEN && Stream.Stream == Reloaded.unify(*Given)
                   ? Reach::DefaultStream
                   : Reach::Nothing;
    bool IsLegacy = *Handle == LegacyStream || (*Handle == 0 && !usesPerThreadStream(Call));
    return IsLegacy && Stream.What == KESCO_ORIGIN_LEGACY ? Reach::DefaultStream : Reach::Nothing;
}

DenseMap<const CallBase *, Reach> findReaches(const Function &Copy, const Origin &Stream,
                                              ReloadedStreams &Reloaded) {
    DenseMap<const CallBase *, Reach> Found;
    for (const Instruction &I : instructions(Copy)) {
        const auto *Call = dyn_cast<CallBase>(&I);
        const Reach Of = Call ? reachOfWait(*Call, Stream, Reloaded) : Reach::Nothing;
        if (Of != Reach::Nothing)
            Found[Call] = Of;
    }
    return Found;
}

bool waitsForPerThread(const CallBase &Call) {
    std::optional<unsigned> Handle = constantStream(*Call.getArgOperand(0));
    return Handle == PerThreadStream || (Handle == 0u && usesPerThreadStream(Call));
}

bool recordsOnDefaultStream(const Instruction &I) {
    const auto *Call = dyn_cast<CallBase>(&I);
    const kesco_call *Api = Call ? lookUpApi(*Call) : nullptr;
    if (!Api || Api->effect != KESCO_RECORDS || Call->arg_size() < 2 || usesPerThreadStream(*Call))
        return false;
    const std::optional<unsigned> Handle = constantStream(*Call->getArgOperand(1));
    return Handle == 0u || Handle == LegacyStream;
}

} // namespace kesco
