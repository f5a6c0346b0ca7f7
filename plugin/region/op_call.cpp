#include "plugin/region/op_call.h"

#include "plugin/cuda/cuda_model.h"
#include "plugin/cuda/stub_launch.h"

using namespace llvm;

namespace kesco {

bool canBeNode(const OpSite &Site) {
    static constexpr StringRef Sets[] = {"cudaMemset", "cudaMemsetAsync"},
                               Copies[] = {"cudaMemcpy", "cudaMemcpyAsync"};
    llvm::Function &Callee = *Site.Issue->getCalledFunction();
    if (Site.isLaunch())
        return findStubLaunch(Callee).has_value();
    if (!is_contained(Copies, Callee.getName()))
        return is_contained(Sets, Callee.getName());
    std::optional<Transfer> Copy = readTransfer(*Site.Issue);
    return Copy && Copy->Way == Transfer::OnDevice;
}

bool isPlainCopy(const OpSite &Site) {
    if (Site.isLaunch() || Site.Issue->getCalledFunction()->getName() != "cudaMemcpy")
        return false;
    std::optional<Transfer> Copy = readTransfer(*Site.Issue);
    return Copy && (Copy->Way == Transfer::ToDevice || Copy->Way == Transfer::ToHost);
}

kesco_pointer pointerHeldAt(unsigned Argument, std::optional<unsigned> Offset) {
    kesco_pointer Result = {};
    Result.held = {Argument, Offset.has_value(), Offset.value_or(0)};
    Result.reach.size = Result.reach.pitch = Result.reach.height = -1;
    return Result;
}

kesco_pointer heldBy(const TransferOperand &O) {
    kesco_pointer Result = pointerHeldAt(O.Member ? 0 : O.Argument, O.Member);
    Result.reach = {O.Size, O.Pitch, O.Height, {}, 0};
    return Result;
}

bool isHeldAlike(const kesco_held &A, const kesco_held &B) {
    return A.argument == B.argument && A.is_address == B.is_address && A.offset == B.offset;
}

kesco_engine engineOf(const Transfer &T) {
    if (T.What == KESCO_OP_ALLOCATE || T.What == KESCO_OP_FREE)
        return KESCO_ENGINE_NONE;
    return T.What == KESCO_OP_COPY && T.Way == Transfer::ToDevice ? KESCO_ENGINE_TO_DEVICE
           : T.What == KESCO_OP_COPY && T.Way == Transfer::ToHost ? KESCO_ENGINE_TO_HOST
                                                                  : KESCO_ENGINE_COMPUTE;
}

kesco_host_wait waitOf(const Transfer &T, unsigned Target, bool MayBePlain) {
    if (T.What != KESCO_OP_COPY && T.What != KESCO_OP_MEMSET)
        return KESCO_HOST_WAIT_NONE;
    bool IsOnDevice = T.What == KESCO_OP_MEMSET || T.Way == Transfer::OnDevice;
    if (T.IsSynchronous)
        return IsOnDevice && MayBePlain ? KESCO_HOST_WAIT_NONE : KESCO_HOST_WAIT_DONE;
    return IsOnDevice || T.Way == Transfer::ToDevice || !(Target & PageableMemory) ? KESCO_HOST_WAIT_NONE
                                                                                   : KESCO_HOST_WAIT_UNSURE;
}

} // namespace kesco
