#include "plugin/frontend/assembly_statement.h"

#include "clang/AST/Expr.h"
#include "clang/AST/Stmt.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace kesco {

/// The text as the device compile has it: the host may have dialects of assembly, which PTX has not, and
/// braces then stand for alternatives.
static std::string deviceText(const GCCAsmStmt &Assembly, const ASTContext &Context) {
    const std::string Text = Assembly.generateAsmString(Context);
    std::string Result;
    for (size_t I = 0; I < Text.size(); ++I) {
        const char Escaped = Text[I] == '$' && I + 1 < Text.size() ? Text[++I] : 0;
        if (Escaped == '(' || Escaped == '|' || Escaped == ')')
            Result += Escaped == '(' ? '{' : Escaped == ')' ? '}' : '|';
        else if (Escaped)
            (Result += '$') += Escaped;
        else
            Result += Text[I];
    }
    return Result;
}

static bool isMemory(StringRef Constraint) {
    return Constraint.contains('m');
}

AssemblyEffects readAssembly(const GCCAsmStmt &Assembly, const ASTContext &Context) {
    llvm::SmallVector<kesco_assembly_operand, 8> Operands;
    for (unsigned I = 0; I < Assembly.getNumOutputs(); ++I) {
        const std::string Constraint(Assembly.getOutputConstraint(I));
        const bool Given = Assembly.isOutputPlusConstraint(I) || isMemory(Constraint);
        Operands.push_back({Given, I, true, isMemory(Constraint)});
    }
    for (unsigned I = 0; I < Assembly.getNumInputs(); ++I) {
        const std::string Constraint(Assembly.getInputConstraint(I));
        const unsigned Number = Operands.size();
        unsigned Output;
        if (!StringRef(Constraint).getAsInteger(10, Output) && Output < Assembly.getNumOutputs()) {
            Operands[Output].is_given = true;
            Operands[Output].argument = Number;
        }
        Operands.push_back({true, Number, false, isMemory(Constraint)});
    }
    return readAssembly(deviceText(Assembly, Context), Operands);
}

/// A number, too, may be where something is, but for one that only a cast makes of a pointer.
static bool isPlace(const GCCAsmStmt &Assembly, unsigned Operand) {
    const unsigned Outputs = Assembly.getNumOutputs();
    const bool IsOutput = Operand < Outputs;
    const Expr *Given = IsOutput ? Assembly.getOutputExpr(Operand) : Assembly.getInputExpr(Operand - Outputs);
    const QualType Type = Given->IgnoreParenCasts()->getType();
    return Type->isAnyPointerType() || Type->isArrayType() ||
           isMemory(IsOutput ? Assembly.getOutputConstraint(Operand)
                             : Assembly.getInputConstraint(Operand - Outputs));
}

/// True if each sum is of operands, of which one says where it leads.
static bool isMadeOfPlaces(const GCCAsmStmt &Assembly, const kesco_assembly_value &V) {
    return llvm::all_of(sumsOf(V), [&](const kesco_assembly_sum &Sum) {
        const llvm::ArrayRef<kesco_assembly_source> All = sourcesOf(Sum);
        return llvm::all_of(All, [](const auto &S) { return S.kind == KESCO_ASSEMBLY_ARGUMENT; }) &&
               llvm::any_of(All, [&](const auto &S) { return isPlace(Assembly, S.index); });
    });
}

std::string hiddenBy(const GCCAsmStmt &Assembly, const kesco_assembly_effects &Effects) {
    if (Effects.not_understood)
        return std::string("the kernel's assembly has ") + Effects.not_understood +
               ", which is not understood";
    if (Effects.anywhere.effect)
        return Effects.anywhere.why;
    const bool MakesAddress = llvm::any_of(accessesOf(Effects), [&](const kesco_assembly_access &A) {
        return !A.in_block && !isMadeOfPlaces(Assembly, A.address);
    });
    unsigned Result = 0;
    bool MakesPointer = false;
    for (unsigned I = 0; I < Assembly.getNumOutputs(); ++I)
        if (!isMemory(Assembly.getOutputConstraint(I)))
            MakesPointer |= !isMadeOfPlaces(Assembly, Effects.results[Result++]) &&
                            Assembly.getOutputExpr(I)->getType()->isAnyPointerType();
    return MakesAddress || MakesPointer ? "the kernel's assembly makes an address of its own" : "";
}

} // namespace kesco
