#include "plugin/messages/nearest.h"

#include "runtime/nearest.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace kesco {

static StringRef withoutParameters(StringRef Function) {
    return Function.take_until([](char C) { return C == '(' || C == '<'; });
}

static size_t distanceTo(const std::string &Function, StringRef Name) {
    return kesco_distance_to_function(Name.data(), Name.size(), Function.c_str());
}

bool isNear(StringRef Name, const std::string &Function) {
    Name = withoutParameters(Name);
    return distanceTo(Function, Name) <= Name.size() / 3;
}

const std::string &nearestFunction(StringRef Name, ArrayRef<std::string> Functions) {
    Name = withoutParameters(Name);
    return *min_element(Functions, [&](const std::string &A, const std::string &B) {
        return distanceTo(A, Name) < distanceTo(B, Name);
    });
}

} // namespace kesco
