#include "plugin/messages/nearest.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace kesco {

static StringRef withoutParameters(StringRef Function) {
    return Function.take_until([](char C) { return C == '(' || C == '<'; });
}

bool isNear(StringRef Name, StringRef Function) {
    Name = withoutParameters(Name);
    return Name.edit_distance(withoutParameters(Function)) <= Name.size() / 3;
}

const std::string &nearestFunction(StringRef Name, ArrayRef<std::string> Functions) {
    const auto distanceTo = [&](const std::string &Function) {
        return withoutParameters(Name).edit_distance(withoutParameters(Function));
    };
    return *min_element(
        Functions, [&](const std::string &A, const std::string &B) { return distanceTo(A) < distanceTo(B); });
}

} // namespace kesco
