#include "plugin/device/assembly.h"

extern "C" {
#include "plugin/summary/summary.h"
}

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

#include <optional>

using namespace llvm;

namespace kesco {

namespace {

/// What the first part of an opcode says of the instruction.
enum class Kind {
    Pure,      ///< touches no memory
    Fence,     ///< orders accesses
    Load,      ///< reads through its address
    Store,     ///< writes through its address
    Atomic,    ///< both
    Copy,      ///< cp: by its state spaces
    Reduction, ///< cp.reduce: by its state spaces
    BlockOnly, ///< touches memory of the block alone
    Texture,   ///< reads through a handle
    Surface,   ///< accesses memory through a handle
    Trap,
};

std::optional<Kind> kindOf(StringRef Opcode) {
    static const StringMap<Kind> Kinds = [] {
        StringMap<Kind> Known;
        for (StringRef Name :
             {"abs",      "activemask", "add",        "addc",      "and",        "applypriority",
              "bfe",      "bfi",        "bfind",      "bmsk",      "bra",        "brev",
              "brkpt",    "clz",        "cnot",       "copysign",  "cos",        "createpolicy",
              "cvt",      "cvta",       "div",        "dp2a",      "dp4a",       "elect",
              "ex2",      "exit",       "fma",        "fns",       "getctarank", "griddepcontrol",
              "isspacep", "istypep",    "lg2",        "lop3",      "mad",        "mad24",
              "madc",     "mapa",       "match",      "max",       "min",        "mma",
              "mov",      "mul",        "mul24",      "nanosleep", "neg",        "not",
              "or",       "pmevent",    "popc",       "prefetch",  "prefetchu",  "prmt",
              "rcp",      "redux",      "rem",        "ret",       "rsqrt",      "sad",
              "selp",     "set",        "setmaxnreg", "setp",      "shf",        "shfl",
              "shl",      "shr",        "sin",        "slct",      "sqrt",       "sub",
              "subc",     "suq",        "szext",      "tanh",      "testp",      "txq",
              "vabsdiff", "vabsdiff2",  "vabsdiff4",  "vadd",      "vadd2",      "vadd4",
              "vavrg2",   "vavrg4",     "vmad",       "vmax",      "vmax2",      "vmax4",
              "vmin",     "vmin2",      "vmin4",      "vote",      "vset",       "vset2",
              "vset4",    "vshl",       "vshr",       "vsub",      "vsub2",      "vsub4",
              "xor"})
            Known[Name] = Kind::Pure;
        for (StringRef Name : {"bar", "barrier", "fence", "membar"})
            Known[Name] = Kind::Fence;
        for (StringRef Name : {"ldmatrix", "mbarrier", "movmatrix", "stmatrix"})
            Known[Name] = Kind::BlockOnly;
        for (StringRef Name : {"ld", "ldu"})
            Known[Name] = Kind::Load;
        for (StringRef Name : {"discard", "st"})
            Known[Name] = Kind::Store;
        for (StringRef Name : {"atom", "multimem", "red"})
            Known[Name] = Kind::Atomic;
        for (StringRef Name : {"tex", "tld4"})
            Known[Name] = Kind::Texture;
        for (StringRef Name : {"suld", "sured", "sust"})
            Known[Name] = Kind::Surface;
        Known["cp"] = Kind::Copy;
        Known["trap"] = Kind::Trap;
        return Known;
    }();
    auto [First, Rest] = Opcode.split('.');
    if (First == "wmma" || First == "wgmma")
        return Rest.starts_with("load") ? Kind::Load : Rest.starts_with("store") ? Kind::Store : Kind::Pure;
    if (Opcode.starts_with("cp.reduce"))
        return Kind::Reduction;
    auto Found = Kinds.find(First);
    return Found == Kinds.end() ? std::nullopt : std::optional<Kind>(Found->second);
}

/// True if \p Opcode has \p Part between its points.
bool hasPart(StringRef Opcode, StringRef Part) {
    SmallVector<StringRef, 8> Parts;
    Opcode.split(Parts, '.');
    return is_contained(Parts, Part);
}

bool isNameStart(char C) {
    return isAlpha(C) || C == '_';
}

std::string withoutComments(StringRef Text) {
    std::string Result;
    while (!Text.empty()) {
        if (Text.consume_front("//")) {
            Text = Text.drop_until([](char C) { return C == '\n'; });
        } else if (Text.consume_front("/*")) {
            size_t End = Text.find("*/");
            Text = End == StringRef::npos ? StringRef() : Text.drop_front(End + 2);
            Result += ' ';
        } else {
            Result += Text.front();
            Text = Text.drop_front();
        }
    }
    return Result;
}

class Reader {
  public:
    AssemblyEffects read(StringRef Text) {
        std::string Plain = withoutComments(Text);
        SmallVector<StringRef, 8> Statements;
        StringRef(Plain).split(Statements, ';');
        for (StringRef Statement : Statements)
            readStatement(Statement);
        return std::move(Result);
    }

  private:
    /// Takes off what stands before an instruction: braces of a scope, labels, a guard.
    static StringRef withoutPrefix(StringRef Statement) {
        for (;;) {
            Statement = Statement.ltrim(" \t\r\n{}");
            StringRef Name =
                Statement.take_while([](char C) { return isAlnum(C) || C == '_' || C == '$' || C == '%'; });
            StringRef Behind = Statement.drop_front(Name.size());
            if (!Name.empty() && Behind.starts_with(":"))
                Statement = Behind.drop_front();
            else if (Statement.starts_with("@"))
                Statement = Statement.drop_until([](char C) { return isSpace(C); });
            else
                return Statement.rtrim();
        }
    }

    void readStatement(StringRef Statement) {
        Statement = withoutPrefix(Statement);
        if (Statement.empty())
            return;
        if (Statement.starts_with(".")) {
            readDirective(Statement);
            return;
        }
        size_t End = Statement.find_first_of(" \t\r\n");
        StringRef Opcode = Statement.take_front(End);
        StringRef Operands = End == StringRef::npos ? StringRef() : Statement.drop_front(End);
        std::optional<Kind> What = kindOf(Opcode);
        if (!What) {
            notUnderstood("instruction '" + Opcode + "'");
            return;
        }
        if (Opcode.starts_with("bra"))
            Result.Jumps = true;
        else
            checkNames(Operands);
        apply(*What, Opcode, Operands);
    }

    /// `.reg .u64 a, b<4>` declares registers; what else may stand here, nobody knows.
    void readDirective(StringRef Directive) {
        if (!Directive.consume_front(".reg")) {
            notUnderstood("directive '" + Directive.take_until([](char C) { return isSpace(C); }) + "'");
            return;
        }
        SmallVector<StringRef, 4> Words;
        Directive = Directive.ltrim();
        Directive = Directive.drop_until([](char C) { return isSpace(C); });
        Directive.split(Words, ',');
        for (StringRef Word : Words)
            Registers.insert(Word.trim().take_until([](char C) { return C == '<' || isSpace(C); }));
    }

    bool isRegister(StringRef Name) const {
        return Name.starts_with("%") || Registers.contains(Name) ||
               Registers.contains(Name.rtrim("0123456789")); /* of a range, `.reg .u32 r<4>` */
    }

    /// A name that is no register is a variable's or a function's.
    void checkNames(StringRef Operands) {
        for (size_t I = 0; I < Operands.size();) {
            if (!isNameStart(Operands[I])) {
                bool Skips =
                    Operands[I] == '$' || Operands[I] == '%' || Operands[I] == '.' || isDigit(Operands[I]);
                ++I;
                while (Skips && I < Operands.size() && (isAlnum(Operands[I]) || Operands[I] == '_'))
                    ++I;
                continue;
            }
            StringRef Name =
                Operands.drop_front(I).take_while([](char C) { return isAlnum(C) || C == '_' || C == '$'; });
            if (!isRegister(Name) && Name != "_")
                notUnderstood("name '" + Name + "'");
            I += Name.size();
        }
    }

    void apply(Kind What, StringRef Opcode, StringRef Operands) {
        bool InBlock = hasPart(Opcode, "shared") || hasPart(Opcode, "shared::cta") ||
                       hasPart(Opcode, "shared::cluster") || hasPart(Opcode, "local") ||
                       hasPart(Opcode, "param");
        if (!InBlock && hasPart(Opcode, "sys") &&
            (What == Kind::Fence || hasPart(Opcode, "release") || hasPart(Opcode, "acq_rel")))
            anywhere(KESCO_READS | KESCO_WRITES, SignalsTheHost);
        switch (What) {
        case Kind::Pure:
        case Kind::BlockOnly:
            break;
        case Kind::Fence:
            Result.Fences = true;
            break;
        case Kind::Load:
            Result.Watches |= !InBlock && (hasPart(Opcode, "volatile") || hasPart(Opcode, "acquire") ||
                                           hasPart(Opcode, "relaxed") || hasPart(Opcode, "mmio"));
            access(InBlock, Operands, 0, KESCO_READS);
            break;
        case Kind::Store:
            access(InBlock, Operands, 0, KESCO_WRITES);
            break;
        case Kind::Atomic:
            Result.Watches |= !InBlock;
            access(InBlock, Operands, 0, KESCO_READS | KESCO_WRITES);
            break;
        case Kind::Copy:
            applyCopy(Opcode, Operands, KESCO_WRITES);
            break;
        case Kind::Reduction:
            applyCopy(Opcode, Operands, KESCO_READS | KESCO_WRITES);
            break;
        case Kind::Texture:
            anywhere(KESCO_READS, "it reads through a texture");
            break;
        case Kind::Surface:
            applySurface(Opcode);
            break;
        case Kind::Trap:
            Result.Traps = true;
            break;
        }
    }

    void applySurface(StringRef Opcode) {
        if (Opcode.starts_with("suld"))
            anywhere(KESCO_READS, "it reads through a surface");
        else
            anywhere(Opcode.starts_with("sust") ? KESCO_WRITES : KESCO_READS | KESCO_WRITES,
                     "it writes through a surface");
    }

    /// cp.async and its kin name the destination's state space before the source's.
    void applyCopy(StringRef Opcode, StringRef Operands, unsigned OnDestination) {
        size_t Global = Opcode.find(".global"), Shared = Opcode.find(".shared");
        if (hasPart(Opcode, "tensor"))
            anywhere(Opcode.contains("prefetch") ? unsigned(KESCO_READS)
                     : Global < Shared           ? OnDestination
                                                 : unsigned(KESCO_READS),
                     "it copies by a tensor map");
        else if (!Opcode.contains("prefetch") && Global < Shared)
            access(/*InBlock=*/false, Operands, 0, OnDestination);
        else if (!Opcode.contains("prefetch") && Global != StringRef::npos)
            access(/*InBlock=*/false, Operands, 1, KESCO_READS);
        if (Shared != StringRef::npos)
            accessInBlock(KESCO_READS | KESCO_WRITES);
    }

    void anywhere(unsigned Effect, StringRef Why) {
        Result.Anywhere |= Effect;
        Result.AnywhereWhy = Why.str();
    }

    /// Which of the operands is the address is not told apart: others see none of it.
    void accessInBlock(unsigned Effect) {
        Result.Accesses.push_back({AssemblyAccess::AnyOperand, Effect, /*InBlock=*/true});
    }

    /// The \p Index-th address among \p Operands is accessed.
    void access(bool InBlock, StringRef Operands, unsigned Index, unsigned Effect) {
        if (InBlock) {
            accessInBlock(Effect);
            return;
        }
        StringRef Address = Operands;
        for (unsigned I = 0; I <= Index; ++I) {
            size_t Open = Address.find('[');
            if (Open == StringRef::npos) {
                notUnderstood("an access without an address");
                return;
            }
            Address = Address.drop_front(Open + 1);
        }
        Address = Address.ltrim();
        unsigned Number;
        StringRef Digits = Address;
        if (Digits.consume_front("$")) {
            Digits.consume_front("{");
            if (!Digits.consumeInteger(10, Number))
                Result.Accesses.push_back({Number, Effect, /*InBlock=*/false});
            else
                notUnderstood("an address");
        } else if (!Address.empty() && !isDigit(Address.front())) {
            Result.Accesses.push_back({AssemblyAccess::AnyOperand, Effect, /*InBlock=*/false});
        } else {
            anywhere(Effect, "its assembly has an address that is a number");
        }
    }

    void notUnderstood(const Twine &What) {
        if (Result.NotUnderstood.empty())
            Result.NotUnderstood = What.str();
    }

    AssemblyEffects Result;
    StringSet<> Registers; ///< that the text declares
};

} // namespace

AssemblyEffects readAssembly(StringRef Text) {
    return Reader().read(Text);
}

} // namespace kesco
