#include "plugin/plan/selection.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Demangle/Demangle.h"

using namespace llvm;

namespace kesco {

std::string functionTitle(const Function &F) {
    return demangle(GlobalValue::dropLLVMManglingEscape(F.getName()));
}

Expected<Selection> Selection::read(const char *Names) {
    Selection Result;
    if (Names && kesco_function_list_read(&Result.List, Names) != 0)
        return createStringError("cannot read the names of functions");
    return std::move(Result);
}

bool Selection::has(const Function &F) {
    return List.count == 0 || kesco_function_list_has(&List, functionTitle(F).c_str());
}

SmallVector<StringRef, 4> Selection::namesOfNone() const {
    SmallVector<StringRef, 4> Result;
    for (const kesco_function_name &Name : ArrayRef(List.names, List.count))
        if (!Name.found)
            Result.push_back(Name.text);
    return Result;
}

} // namespace kesco
