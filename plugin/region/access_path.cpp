#include "plugin/region/access_path.h"

#include "llvm/ADT/APInt.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace kesco {

std::string accessPathOf(const Value &Place, const DataLayout &Layout) {
    constexpr unsigned MostLoads = 8;
    std::string Path;
    const Value *At = &Place;
    for (unsigned Loads = 0;; ++Loads) {
        APInt Offset(Layout.getIndexTypeSizeInBits(At->getType()), 0);
        At = At->stripAndAccumulateConstantOffsets(Layout, Offset, /*AllowNonInbounds=*/true);
        Path += "+" + toString(Offset, 10, /*Signed=*/true);
        const auto *Load = dyn_cast<LoadInst>(At);
        if (!Load || Loads == MostLoads)
            return Path + "@" + utohexstr(reinterpret_cast<uintptr_t>(At));
        Path += "*";
        At = Load->getPointerOperand();
    }
}

/// The end of the literal that \p Text, without spaces at its front, begins with; 0 where none does.
static size_t endOfLiteral(StringRef Text) {
    if (Text.starts_with("\"") || Text.starts_with("'")) {
        const size_t End = Text.find(Text.front(), 1);
        return End == StringRef::npos || Text.take_front(End).contains('\\') ? 0 : End + 1;
    }
    return Text.empty() || !isDigit(Text.front())
               ? 0
               : Text.find_if_not([](char C) { return isAlnum(C) || C == '.'; });
}

bool picksOneElement(StringRef Name) {
    bool Picks = false;
    for (size_t Open = Name.find_first_of("[("); Open != StringRef::npos; Open = Name.find_first_of("[(")) {
        const bool IsCall = Name[Open] == '(';
        Name = Name.drop_front(Open + 1).ltrim();
        if (!IsCall || !Name.starts_with(")")) {
            const size_t End = endOfLiteral(Name);
            Name = Name.drop_front(End == StringRef::npos ? Name.size() : End).ltrim();
            if (End == 0 || !Name.starts_with(IsCall ? ")" : "]"))
                return false;
            Picks = true;
        }
        Name = Name.drop_front();
    }
    return Picks;
}

} // namespace kesco
