#include "plugin/region/name_in_pass.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CheckedArithmetic.h"

using namespace llvm;

namespace kesco {

namespace {

/// Arithmetic on numbers, as text.
class Arithmetic {
  public:
    explicit Arithmetic(StringRef Text) : Rest(Text) {
    }

    /// Its value; nothing where there is more than numbers, or where that has none.
    std::optional<int64_t> run() {
        const std::optional<int64_t> Value = sum();
        return Rest.ltrim().empty() ? Value : std::nullopt;
    }

  private:
    std::optional<int64_t> atom() {
        Rest = Rest.ltrim();
        if (!Rest.consume_front("(")) {
            int64_t Number;
            return Rest.consumeInteger(10, Number) ? std::nullopt : std::optional(Number);
        }
        const std::optional<int64_t> Value = sum();
        Rest = Rest.ltrim();
        return Rest.consume_front(")") ? Value : std::nullopt;
    }

    std::optional<int64_t> product() {
        std::optional<int64_t> Value = atom();
        while (Value) {
            Rest = Rest.ltrim();
            const bool IsProduct = Rest.starts_with("*"), IsQuotient = Rest.starts_with("/");
            if (!IsProduct && !IsQuotient && !Rest.starts_with("%"))
                break;
            Rest = Rest.drop_front();
            const std::optional<int64_t> By = atom();
            if (!By || (!IsProduct && *By <= 0))
                return std::nullopt;
            Value = IsProduct ? checkedMul(*Value, *By) : IsQuotient ? *Value / *By : *Value % *By;
        }
        return Value;
    }

    std::optional<int64_t> sum() {
        std::optional<int64_t> Value = product();
        while (Value) {
            Rest = Rest.ltrim();
            const bool IsSum = Rest.starts_with("+");
            if (!IsSum && !Rest.starts_with("-"))
                break;
            Rest = Rest.drop_front();
            const std::optional<int64_t> By = product();
            if (!By)
                return std::nullopt;
            Value = IsSum ? checkedAdd(*Value, *By) : checkedSub(*Value, *By);
        }
        return Value;
    }

    StringRef Rest;
};

} // namespace

/// \p Name with the values of what stands in brackets, where that is arithmetic on numbers.
static std::string withIndexes(StringRef Name) {
    std::string Result;
    while (!Name.empty()) {
        const size_t Begin = Name.find('['), End = Name.find_first_of("[]", Begin + 1);
        if (Begin == StringRef::npos || End == StringRef::npos)
            break;
        const StringRef Index = Name.slice(Begin + 1, End);
        const std::optional<int64_t> Value = Name[End] == ']' ? Arithmetic(Index).run() : std::nullopt;
        Result += Name.take_front(Begin + 1).str() + (Value ? std::to_string(*Value) : Index.str());
        Name = Name.drop_front(End);
    }
    return Result + Name.str();
}

static bool isOfWord(char C) {
    return isAlnum(C) || C == '_';
}

std::string replaceWords(StringRef Name, function_ref<std::optional<std::string>(StringRef)> For) {
    std::string Result;
    while (!Name.empty()) {
        const StringRef Between = Name.take_until(isOfWord);
        const StringRef Word = Name.substr(Between.size()).take_while(isOfWord);
        Result += Between;
        Name = Name.drop_front(Between.size() + Word.size());
        const StringRef Before = StringRef(Result).rtrim(), After = Name.ltrim();
        const bool IsMember = Before.ends_with(".") || Before.ends_with("->") || Before.ends_with("::");
        const bool IsAlone =
            StringRef("[(,").contains(Before.take_back(1)) && StringRef("]),").contains(After.take_front(1));
        const std::optional<std::string> New = IsMember ? std::nullopt : For(Word);
        const bool IsTerm = New && New->find(' ') != std::string::npos && !IsAlone;
        Result += IsTerm ? "(" + *New + ")" : New.value_or(Word.str());
    }
    return withIndexes(Result);
}

/// What the variable of \p Loop is in the pass \p In.
static std::string valueOf(const LoopFacts &Loop, const PassNumbers::Number &In) {
    const int64_t After = static_cast<int64_t>(In.Pass) * Loop.Step;
    if (In.IsFromFirst && Loop.First)
        return std::to_string(*Loop.First + After);
    if (After == 0)
        return Loop.Variable;
    return Loop.Variable + (After < 0 ? " - " : " + ") + std::to_string(After < 0 ? -After : After);
}

std::string nameInPass(StringRef Name, const LoopFacts &Loop, const PassNumbers::Number &In) {
    return replaceWords(Name, [&](StringRef Word) {
        return Word == Loop.Variable ? std::optional(valueOf(Loop, In)) : std::nullopt;
    });
}

} // namespace kesco
