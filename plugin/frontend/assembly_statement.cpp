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
    llvm::SmallVector<AssemblyOperand, 8> Operands;
    for (unsigned I = 0; I < Assembly.getNumOutputs(); ++I) {
        const std::string Constraint(Assembly.getOutputConstraint(I));
        const bool Given = Assembly.isOutputPlusConstraint(I) || isMemory(Constraint);
        Operands.push_back({Given ? std::optional<unsigned>(I) : std::nullopt, true, isMemory(Constraint)});
    }
    for (unsigned I = 0; I < Assembly.getNumInputs(); ++I) {
        const std::string Constraint(Assembly.getInputConstraint(I));
        const unsigned Number = Operands.size();
        unsigned Output;
        if (!StringRef(Constraint).getAsInteger(10, Output) && Output < Assembly.getNumOutputs())
            Operands[Output].Argument = Number;
        Operands.push_back({Number, false, isMemory(Constraint)});
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
static bool isMadeOfPlaces(const GCCAsmStmt &Assembly, const AssemblyValue &V) {
    return llvm::all_of(V, [&](const AssemblySum &Sum) {
        return llvm::all_of(Sum,
                            [](const AssemblySource &S) { return S.What == AssemblySource::Argument; }) &&
               llvm::any_of(Sum, [&](const AssemblySource &S) { return isPlace(Assembly, S.Index); });
    });
}

std::string hiddenBy(const GCCAsmStmt &Assembly, const AssemblyEffects &Effects) {
    if (!Effects.NotUnderstood.empty())
        return "the kernel's assembly has " + Effects.NotUnderstood + ", which is not understood";
    if (Effects.Anywhere)
        return Effects.AnywhereWhy;
    const bool MakesAddress = llvm::any_of(Effects.Accesses, [&](const AssemblyAccess &A) {
        return !A.InBlock && !isMadeOfPlaces(Assembly, A.Address);
    });
    unsigned Result = 0;
    bool MakesPointer = false;
    for (unsigned I = 0; I < Assembly.getNumOutputs(); ++I)
        if (!isMemory(Assembly.getOutputConstraint(I)))
            MakesPointer |= !isMadeOfPlaces(Assembly, Effects.Results[Result++]) &&
                            Assembly.getOutputExpr(I)->getType()->isAnyPointerType();
    return MakesAddress || MakesPointer ? "the kernel's assembly makes an address of its own" : "";
}

} // namespace kesco
