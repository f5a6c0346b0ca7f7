#include "plugin/region/launch_arguments.h"

#include "llvm/IR/Constants.h"

using namespace llvm;

namespace kesco {

bool hasArgumentPerParameter(const KernelFacts &Facts, const Function &Stub) {
    return Facts.Parameters.size() == Stub.arg_size() && all_of(Stub.args(), [&](const Argument &A) {
               bool IsPointer = A.getType()->isPointerTy() && !A.hasByValAttr();
               return Facts.Parameters[A.getArgNo()].IsPointer == IsPointer;
           });
}

SmallVector<StubArgument, 8> argumentsOf(const Kernel &K, const Function &Stub) {
    SmallVector<StubArgument, 8> Arguments = argumentsOfStub(Stub);
    if (!K.IsDefined && K.Facts && hasArgumentPerParameter(*K.Facts, Stub))
        for (unsigned I = 0; I < Arguments.size(); ++I)
            Arguments[I] = {static_cast<int>(I), 0, Stub.hasParamAttribute(I, Attribute::ByVal)};
    return Arguments;
}

std::optional<int64_t> givenNumber(std::optional<unsigned> Parameter, ArrayRef<StubArgument> Arguments,
                                   const CallBase &Stub) {
    for (unsigned I = 0; Parameter && I < Arguments.size(); ++I)
        if (Arguments[I].Parameter == static_cast<int>(*Parameter))
            if (const auto *Given = dyn_cast<ConstantInt>(Stub.getArgOperand(I)))
                return Given->getSExtValue();
    return std::nullopt;
}

std::string pointerName(const Effect &E, const Kernel &K, const LaunchFacts *Launch) {
    std::string Given =
        Launch && E.Parameter < Launch->Arguments.size() ? Launch->Arguments[E.Parameter] : "";
    if (!K.Facts || E.Parameter >= K.Facts->Parameters.size())
        return Given;
    const KernelParameter &P = K.Facts->Parameters[E.Parameter];
    auto Member = P.Members.find(E.Offset);
    if (Member == P.Members.end())
        return Given.empty() ? P.Name : Given;
    return Given.empty() ? Member->second : Given + "." + Member->second;
}

} // namespace kesco
