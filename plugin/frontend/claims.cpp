#include "plugin/frontend/claims.h"

#include "plugin/frontend/annotations.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Expr.h"
#include "clang/Basic/Diagnostic.h"

using namespace clang;

namespace kesco {

static constexpr unsigned FirstPointer = 2, OperandCount = 4;

template <unsigned N>
static DiagnosticBuilder report(const Expr *Where, const ASTContext &Context, const char (&Text)[N]) {
    DiagnosticsEngine &Diags = Context.getDiagnostics();
    DiagnosticBuilder Builder =
        Diags.Report(Where->getBeginLoc(), Diags.getCustomDiagID(DiagnosticsEngine::Error, Text));
    Builder << Where->getSourceRange();
    return Builder;
}

/// What a call returns may be another place each time, as far as the claim can tell.
static bool isVariable(const Expr *Given, const ASTContext &Context) {
    const auto *Unary = dyn_cast<UnaryOperator>(Given);
    const auto *Binary = dyn_cast<BinaryOperator>(Given);
    return Given->isLValue() && !(Unary && Unary->isIncrementDecrementOp()) &&
           !(Binary && (Binary->isAssignmentOp() || Binary->isCommaOp())) &&
           !Given->HasSideEffects(Context, /*IncludePossibleEffects=*/true);
}

/// True if the two are written alike.
static bool isSame(const Expr *A, const Expr *B, const ASTContext &Context) {
    llvm::FoldingSetNodeID First, Second;
    A->Profile(First, Context, /*Canonical=*/true);
    B->Profile(Second, Context, /*Canonical=*/true);
    return First == Second;
}

/// True if \p Given, written as \p Name, is a variable that holds a pointer. Reports what is not.
static bool checkPointer(const Expr *Given, const Expr *Name, const ASTContext &Context) {
    const auto *Text = dyn_cast<StringLiteral>(Name->IgnoreParenImpCasts());
    const llvm::StringRef Called = Text ? Text->getString() : "";
    if (Given->isNullPointerConstant(const_cast<ASTContext &>(Context), Expr::NPC_NeverValueDependent)) {
        report(Given, Context,
               "'KESCO_DISTINCT' is given '%0', a null pointer; it takes two variables that hold pointers")
            << Called;
        return false;
    }
    if (!isDataPointer(Given->getType())) {
        report(Given, Context,
               "'KESCO_DISTINCT' is given '%0' of type %1, which is no pointer; it takes two variables that "
               "hold pointers")
            << Called << Given->getType();
        return false;
    }
    if (!isVariable(Given, Context)) {
        report(Given, Context,
               "'KESCO_DISTINCT' is given '%0', which is no variable; it takes two variables that hold "
               "pointers, and says something of what is computed from these: store '%0' in one, "
               "and use that from there on")
            << Called;
        return false;
    }
    return true;
}

void checkClaim(const CallExpr *Call, const ASTContext &Context) {
    const FunctionDecl *Callee = Call->getDirectCallee();
    if (!Callee || !Callee->getIdentifier() || Callee->getName() != "__kesco_distinct" ||
        Call->getNumArgs() != OperandCount)
        return;
    const Expr *Pointers[2];
    bool AreFine = true;
    for (unsigned I : {0u, 1u}) {
        Pointers[I] = Call->getArg(FirstPointer + I)->IgnoreParenImpCasts();
        if (Pointers[I]->isTypeDependent() || Pointers[I]->isValueDependent())
            return;
        AreFine &= checkPointer(Pointers[I], Call->getArg(I), Context);
    }
    if (AreFine && isSame(Pointers[0], Pointers[1], Context))
        report(Pointers[1], Context, "'KESCO_DISTINCT' is given the same pointer twice");
}

} // namespace kesco
