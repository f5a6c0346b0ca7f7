#include "plugin/assembly/assembly.h"

extern "C" {
#include "plugin/assembly/instruction_kind.h"
#include "plugin/assembly/ptx.h"
#include "plugin/summary/summary.h"
}

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/ErrorHandling.h"

using namespace llvm;

namespace kesco {

namespace {

using Operands = SmallVector<const kesco_ptx_operand *, 4>;

/// What some of the variables get. These are first the operands of the assembly, then its registers.
struct Definition {
    enum Kind {
        Sum,    ///< a sum of the operands
        Choice, ///< one of them
        Fixed,  ///< a value
        Loaded, ///< what is read by an access
    };
    Kind How;
    SmallVector<unsigned, 4> Variables;
    Operands From = {};
    AssemblyValue Value = {};
    unsigned Access = 0;
};

/// An access, as long as values are not known.
struct OpenAccess {
    const kesco_ptx_operand *Address;
    unsigned Effect;
    bool InBlock;
    Operands Stored;
    AssemblyValue StoredValue;
};

class Statement {
  public:
    Statement(const kesco_ptx &Text, ArrayRef<AssemblyOperand> Given, AssemblyEffects &Result)
        : Text(Text), Given(Given), Result(Result) {
    }

    void run() {
        for (size_t I = 0; I < Text.statement_count; ++I)
            read(Text.statements[I], I);
        solve();
        finish();
    }

  private:
    void read(const kesco_ptx_statement &S, size_t Place) {
        if (S.kind == KESCO_PTX_DIRECTIVE)
            notUnderstood("directive '" + Twine(S.name) + "'");
        if (S.kind != KESCO_PTX_INSTRUCTION)
            return;
        kesco_instruction Kind = kesco_instruction_find(S.name);
        if (Kind == KESCO_PTX_UNKNOWN)
            return notUnderstood("instruction '" + Twine(S.name) + "'");
        if (S.guard)
            checkTerm(*S.guard);
        for (const kesco_ptx_operand &O : operandsOf(S)) {
            for (const kesco_ptx_term &T : termsOf(O))
                checkTerm(T);
            checkMemory(O);
            if (O.computed)
                Mixed.push_back(&O);
        }
        apply(Kind, S, Place);
    }

    static ArrayRef<kesco_ptx_operand> operandsOf(const kesco_ptx_statement &S) {
        return {S.operands, S.operand_count};
    }

    static ArrayRef<kesco_ptx_term> termsOf(const kesco_ptx_operand &O) {
        return {O.terms, O.term_count};
    }

    void notUnderstood(const Twine &What) {
        if (Result.NotUnderstood.empty())
            Result.NotUnderstood = What.str();
    }

    void checkTerm(const kesco_ptx_term &T) {
        if (T.kind == KESCO_PTX_NAME && StringRef(T.name) != "_" && !kesco_is_special_register(T.name))
            notUnderstood("name '" + Twine(T.name) + "'");
        if (T.kind == KESCO_PTX_ASM_OPERAND && T.index >= Given.size())
            notUnderstood("an operand that it is not given");
    }

    /// An operand that is printed with brackets around it has none in the text.
    void checkMemory(const kesco_ptx_operand &O) {
        for (const kesco_ptx_term &T : termsOf(O))
            if (T.kind == KESCO_PTX_ASM_OPERAND && T.index < Given.size() && Given[T.index].IsMemory &&
                !isAddress(O))
                notUnderstood("memory among other operands");
    }

    bool isAddress(const kesco_ptx_operand &O) const {
        if (O.form != KESCO_PTX_VALUE || O.term_count != 1)
            return O.form == KESCO_PTX_ADDRESS &&
                   none_of(termsOf(O), [&](const kesco_ptx_term &T) { return isMemory(T); });
        return isMemory(O.terms[0]) && !O.terms[0].negative && !*O.terms[0].part;
    }

    bool isMemory(const kesco_ptx_term &T) const {
        return T.kind == KESCO_PTX_ASM_OPERAND && T.index < Given.size() && Given[T.index].IsMemory;
    }

    /// The \p Index-th address of \p S; null if it has none.
    const kesco_ptx_operand *addressOf(const kesco_ptx_statement &S, unsigned Index = 0) {
        for (const kesco_ptx_operand &O : operandsOf(S))
            if (isAddress(O) && Index-- == 0)
                return &O;
        notUnderstood("an access without an address");
        return nullptr;
    }

    /// What is no address, from the \p First-th operand on.
    Operands valuesOf(const kesco_ptx_statement &S, size_t First) const {
        Operands Found;
        for (const kesco_ptx_operand &O : operandsOf(S).drop_front(std::min(First, S.operand_count)))
            if (!isAddress(O))
                Found.push_back(&O);
        return Found;
    }

    unsigned variableOf(const kesco_ptx_term &T) const {
        return T.kind == KESCO_PTX_ASM_OPERAND ? T.index : Given.size() + T.index;
    }

    /// What the first operand of \p S names.
    SmallVector<unsigned, 4> resultsOf(const kesco_ptx_statement &S) const {
        SmallVector<unsigned, 4> Variables;
        if (S.operand_count > 0 && !isAddress(S.operands[0]))
            for (const kesco_ptx_term &T : termsOf(S.operands[0]))
                if (T.kind == KESCO_PTX_REGISTER ||
                    (T.kind == KESCO_PTX_ASM_OPERAND && T.index < Given.size()))
                    Variables.push_back(variableOf(T));
        return Variables;
    }

    void defineAs(const kesco_ptx_statement &S, AssemblyValue Value) {
        Definitions.push_back({Definition::Fixed, resultsOf(S), {}, std::move(Value)});
    }

    void apply(kesco_instruction Kind, const kesco_ptx_statement &S, size_t Place) {
        switch (Kind) {
        case KESCO_PTX_IDLE:
        case KESCO_PTX_COPY_CONTROL:
            break;
        case KESCO_PTX_COUNT:
        case KESCO_PTX_MBARRIER:
            defineAs(S, number());
            break;
        case KESCO_PTX_SUM:
        case KESCO_PTX_FIRST:
        case KESCO_PTX_CHOICE:
        case KESCO_PTX_DIFFERENCE:
        case KESCO_PTX_PRODUCT:
        case KESCO_PTX_MASK:
        case KESCO_PTX_MIXTURE:
            compute(Kind, S);
            break;
        case KESCO_PTX_JUMP:
            applyJump(S, Place);
            break;
        case KESCO_PTX_TRAP:
            Result.Traps = true;
            break;
        default:
            applyToMemory(Kind, S);
        }
    }

    void compute(kesco_instruction Kind, const kesco_ptx_statement &S) {
        Operands From = valuesOf(S, 1);
        if (Kind == KESCO_PTX_FIRST || Kind == KESCO_PTX_CHOICE)
            From.truncate(std::min<size_t>(Kind == KESCO_PTX_FIRST ? 1 : 2, From.size()));
        /* Two addresses are beside each other in 128 bits. */
        const bool Chooses = Kind == KESCO_PTX_CHOICE || hasPart(S, "b128");
        Definitions.push_back({Chooses ? Definition::Choice : Definition::Sum, resultsOf(S), From});
        if (Kind == KESCO_PTX_MIXTURE || (Kind == KESCO_PTX_MASK && none_of(From, keepsAddress)))
            append_range(Mixed, From);
        else if (Kind == KESCO_PTX_PRODUCT)
            append_range(Mixed, ArrayRef(From).take_front(2));
        else if (Kind == KESCO_PTX_DIFFERENCE)
            append_range(Mixed, ArrayRef(From).drop_front(std::min<size_t>(1, From.size())));
    }

    /// True for a mask that leaves the upper half of an address as it is.
    static bool keepsAddress(const kesco_ptx_operand *O) {
        return O->term_count == 1 && O->terms[0].kind == KESCO_PTX_INTEGER &&
               (O->terms[0].negative || O->terms[0].bits > UINT32_MAX);
    }

    void applyJump(const kesco_ptx_statement &S, size_t Place) {
        if (S.operand_count != 1 || S.operands[0].term_count != 1 ||
            S.operands[0].terms[0].kind != KESCO_PTX_LABEL)
            notUnderstood("a jump that leaves it");
        else
            Result.Loops |= S.operands[0].terms[0].index <= Place;
    }

    static bool hasPart(const kesco_ptx_statement &S, const char *Part) {
        return kesco_ptx_has_part(S.name, Part);
    }

    static bool isInBlock(const kesco_ptx_statement &S) {
        return hasPart(S, "shared") || hasPart(S, "local") || hasPart(S, "param");
    }

    void applyToMemory(kesco_instruction Kind, const kesco_ptx_statement &S) {
        const bool InBlock = isInBlock(S);
        if (!InBlock && hasPart(S, "sys") &&
            (Kind == KESCO_PTX_FENCE || hasPart(S, "release") || hasPart(S, "acq_rel")))
            anywhere(KESCO_READS | KESCO_WRITES, SignalsTheHost);
        switch (Kind) {
        case KESCO_PTX_FENCE:
            Result.Fences = true;
            if (hasPart(S, "red"))
                defineAs(S, number());
            break;
        case KESCO_PTX_LOAD:
        case KESCO_PTX_MATRIX_LOAD:
            Result.Watches |=
                !InBlock && (hasPart(S, "volatile") || hasPart(S, "cv") || hasPart(S, "acquire") ||
                             hasPart(S, "relaxed") || hasPart(S, "mmio"));
            load(S, KESCO_READS, InBlock || Kind == KESCO_PTX_MATRIX_LOAD, {});
            break;
        case KESCO_PTX_STORE:
        case KESCO_PTX_MATRIX_STORE:
            store(S, KESCO_WRITES, InBlock || Kind == KESCO_PTX_MATRIX_STORE, valuesOf(S, 1));
            break;
        case KESCO_PTX_DISCARD:
            store(S, KESCO_WRITES, InBlock, {});
            break;
        case KESCO_PTX_ATOMIC:
            Result.Watches |= !InBlock;
            load(S, KESCO_READS | KESCO_WRITES, InBlock, valuesOf(S, 1));
            break;
        case KESCO_PTX_REDUCTION:
            Result.Watches |= !InBlock;
            store(S, KESCO_READS | KESCO_WRITES, InBlock, valuesOf(S, 1));
            break;
        case KESCO_PTX_COPY:
            copy(S, KESCO_WRITES);
            break;
        case KESCO_PTX_COPY_AND_ADD:
            copy(S, KESCO_READS | KESCO_WRITES);
            break;
        default:
            applyToAnyMemory(Kind, S);
        }
    }

    /// Of handles and addresses that stand for memory without saying which.
    void applyToAnyMemory(kesco_instruction Kind, const kesco_ptx_statement &S) {
        const bool Reads = Kind == KESCO_PTX_TEXTURE || Kind == KESCO_PTX_SURFACE_LOAD;
        if (Kind == KESCO_PTX_TEXTURE)
            anywhere(KESCO_READS, "it reads through a texture");
        else if (Kind == KESCO_PTX_SURFACE_LOAD)
            anywhere(KESCO_READS, "it reads through a surface");
        else if (Kind == KESCO_PTX_SURFACE_STORE)
            anywhere(KESCO_WRITES, "it writes through a surface");
        else if (Kind == KESCO_PTX_SURFACE_ADD)
            anywhere(KESCO_READS | KESCO_WRITES, "it writes through a surface");
        else
            anywhere(KESCO_READS | KESCO_WRITES, "it accesses memory of several devices");
        Result.Watches |= Kind == KESCO_PTX_MULTICAST;
        defineAs(S, anything());
        if (!Reads)
            append_range(Leaving, valuesOf(S, 0));
    }

    void anywhere(unsigned Effect, StringRef Why) {
        Result.Anywhere |= Effect;
        Result.AnywhereWhy = Why.str();
    }

    /// \returns the number of the access.
    unsigned access(const kesco_ptx_operand *Address, unsigned Effect, bool InBlock, Operands Stored,
                    AssemblyValue StoredValue = {}) {
        Accesses.push_back({Address, Effect, InBlock, std::move(Stored), std::move(StoredValue)});
        return Accesses.size() - 1;
    }

    void store(const kesco_ptx_statement &S, unsigned Effect, bool InBlock, Operands Stored) {
        if (const kesco_ptx_operand *Address = addressOf(S))
            access(Address, Effect, InBlock, std::move(Stored));
    }

    void load(const kesco_ptx_statement &S, unsigned Effect, bool InBlock, Operands Stored) {
        if (const kesco_ptx_operand *Address = addressOf(S))
            Definitions.push_back({Definition::Loaded,
                                   resultsOf(S),
                                   {},
                                   {},
                                   access(Address, Effect, InBlock, std::move(Stored))});
    }

    /// cp.async and its kin name the destination's state space before the source's.
    void copy(const kesco_ptx_statement &S, unsigned OnDestination) {
        const StringRef Opcode = S.name;
        const size_t Global = Opcode.find(".global"), Shared = Opcode.find(".shared");
        const bool ToGlobal = Global < Shared;
        if (hasPart(S, "tensor"))
            return copyTensor(S, ToGlobal, OnDestination);
        if (hasPart(S, "prefetch"))
            return;
        const kesco_ptx_operand *To = addressOf(S), *From = addressOf(S, 1);
        if (Shared == StringRef::npos)
            notUnderstood("instruction '" + Opcode + "'");
        if (!To || !From)
            return;
        const bool FromBlock = ToGlobal || Global == StringRef::npos;
        const unsigned Read = access(From, KESCO_READS, FromBlock, {});
        access(To, OnDestination, /*InBlock=*/!ToGlobal, {}, {{{AssemblySource::Loaded, Read}}});
    }

    void copyTensor(const kesco_ptx_statement &S, bool ToGlobal, unsigned OnDestination) {
        anywhere(ToGlobal ? OnDestination : unsigned(KESCO_READS), "it copies by a tensor map");
        if (hasPart(S, "prefetch"))
            return;
        const kesco_ptx_operand *Address = addressOf(S, ToGlobal ? 1 : 0);
        if (Address && ToGlobal)
            Result.Leaving.insert({{AssemblySource::Loaded, access(Address, KESCO_READS, true, {})}});
        else if (Address)
            access(Address, KESCO_WRITES, true, {}, anything());
    }

    AssemblyValue valueOf(const kesco_ptx_term &T) const {
        switch (T.kind) {
        case KESCO_PTX_REGISTER:
        case KESCO_PTX_ASM_OPERAND:
            return Values[variableOf(T)];
        case KESCO_PTX_INTEGER:
            return T.bits == 0 ? AssemblyValue{{}} : number();
        default:
            return number();
        }
    }

    /// The sum of the terms of the \p Element-th element of \p O.
    AssemblyValue valueOf(const kesco_ptx_operand &O, unsigned Element) const {
        AssemblyValue Sum = {{}};
        for (const kesco_ptx_term &T : termsOf(O))
            if (T.element == Element)
                Sum = sumOf(Sum, valueOf(T));
        return Sum;
    }

    /// The sum of all elements.
    AssemblyValue valueOf(const kesco_ptx_operand &O) const {
        AssemblyValue Sum = {{}};
        for (unsigned I = 0; I < O.elements; ++I)
            Sum = sumOf(Sum, valueOf(O, I));
        return Sum;
    }

    /// Any of the elements of any of \p All.
    AssemblyValue choiceOf(const Operands &All) const {
        AssemblyValue Choice;
        for (const kesco_ptx_operand *O : All)
            for (unsigned I = 0; I < O->elements; ++I)
                Choice.merge(valueOf(*O, I));
        return Choice;
    }

    /// What the access number \p Access may load.
    AssemblyValue loadedBy(unsigned Access) const {
        const AssemblyValue Address = valueOf(*Accesses[Access].Address, 0);
        if (Address.empty())
            return {};
        return followsLoaded(Address) ? anything() : AssemblyValue{{{AssemblySource::Loaded, Access}}};
    }

    AssemblyValue valueOf(const Definition &D) const {
        switch (D.How) {
        case Definition::Fixed:
            return D.Value;
        case Definition::Loaded:
            return loadedBy(D.Access);
        case Definition::Choice:
            return choiceOf(D.From);
        case Definition::Sum:
            break;
        }
        AssemblyValue Sum = {{}};
        for (const kesco_ptx_operand *O : D.From)
            Sum = sumOf(Sum, valueOf(*O));
        return Sum;
    }

    /// \returns whether that was new.
    bool add(unsigned Variable, AssemblyValue New) {
        AssemblyValue &Known = Values[Variable];
        const size_t Before = Known.size();
        if (InParts[Variable])
            addParts(Known, New);
        else
            Known.merge(New);
        if (InParts[Variable] || Known.size() <= MostSums)
            return Known.size() != Before;
        InParts[Variable] = true;
        addParts(New, std::exchange(Known, {}));
        addParts(Known, New);
        return true;
    }

    void solve() {
        Values.resize(Given.size() + Text.register_count);
        InParts.resize(Values.size());
        for (unsigned I = 0; I < Given.size(); ++I)
            if (Given[I].Argument)
                add(I, {{{AssemblySource::Argument, *Given[I].Argument}}});
        bool Changed;
        do {
            Changed = false;
            for (const Definition &D : Definitions) {
                const AssemblyValue New = valueOf(D);
                for (unsigned Variable : D.Variables)
                    Changed |= add(Variable, New);
            }
            /* What has no value by now is read as it was before the statement. */
            for (unsigned I = 0; I < Values.size() && !Changed; ++I)
                if (Values[I].empty())
                    Changed |= add(I, anything());
        } while (Changed);
    }

    /// What is loaded through what is loaded may be anything.
    AssemblyValue settled(const AssemblyValue &V) const {
        AssemblyValue Sums;
        for (const AssemblySum &Sum : V) {
            const bool Deep = any_of(Sum, [&](const AssemblySource &S) {
                return S.What == AssemblySource::Loaded &&
                       followsLoaded(valueOf(*Accesses[S.Index].Address, 0));
            });
            Sums.insert(Deep ? AssemblySum{{AssemblySource::Anything}} : Sum);
        }
        return Sums;
    }

    void finish() {
        for (const OpenAccess &A : Accesses) {
            AssemblyValue Address = settled(valueOf(*A.Address, 0)), Stored = choiceOf(A.Stored);
            Stored.insert(A.StoredValue.begin(), A.StoredValue.end());
            Result.FollowsAnything |= has(Address, AssemblySource::Anything);
            Result.Accesses.push_back({std::move(Address), A.Effect, A.InBlock, settled(Stored)});
        }
        for (unsigned I = 0; I < Given.size(); ++I)
            if (Given[I].IsOutput && !Given[I].IsMemory)
                Result.Results.push_back(settled(Values[I]));
        for (const kesco_ptx_operand *O : Mixed)
            Result.Mixed.merge(withoutNumbers(settled(valueOf(*O))));
        Result.Leaving.merge(withoutNumbers(settled(choiceOf(Leaving))));
    }

    const kesco_ptx &Text;
    ArrayRef<AssemblyOperand> Given;
    AssemblyEffects &Result;
    std::vector<Definition> Definitions;
    std::vector<OpenAccess> Accesses;
    std::vector<AssemblyValue> Values; ///< by variable
    std::vector<bool> InParts;         ///< by variable: it had too many sums
    Operands Mixed, Leaving;
};

} // namespace

AssemblyEffects readAssembly(StringRef Text, ArrayRef<AssemblyOperand> Operands) {
    AssemblyEffects Result;
    kesco_ptx Read;
    const char *Problem;
    int Status = kesco_ptx_read(&Read, Text.data(), Text.size(), &Problem);
    if (Status == -ENOMEM)
        report_bad_alloc_error("kesco: inline assembly");
    if (Status != 0) {
        Result.NotUnderstood = Problem;
        Result.Watches = Result.Loops = true;
        Result.Traps = Text.contains("trap") || Text.contains("brkpt");
        return Result;
    }
    Statement(Read, Operands, Result).run();
    kesco_ptx_free(&Read);
    return Result;
}

} // namespace kesco
