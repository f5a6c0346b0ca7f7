#include "plugin/frontend/loop_variables.h"

#include "plugin/frontend/names.h"
#include "plugin/llvm_version.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Expr.h"
#include "clang/AST/Stmt.h"
#include KESCO_AST_VISITOR_H

using namespace clang;

namespace kesco {

static std::optional<int64_t> numberOf(const Expr *Value, const ASTContext &Context) {
    Expr::EvalResult Result;
    if (!Value || Value->isValueDependent() || !Value->getType()->isIntegralOrEnumerationType() ||
        !Value->EvaluateAsInt(Result, Context))
        return std::nullopt;
    return Result.Val.getInt().tryExtValue();
}

static const VarDecl *variableOf(const Expr *Reference) {
    const auto *Named = dyn_cast<DeclRefExpr>(Reference->IgnoreParenImpCasts());
    return Named ? dyn_cast<VarDecl>(Named->getDecl()) : nullptr;
}

/// The variable that \p Step changes, and by how much; null if it does anything else.
static std::pair<const VarDecl *, int64_t> stepOf(const Expr *Step, const ASTContext &Context) {
    Step = Step->IgnoreParens();
    if (const auto *Unary = dyn_cast<UnaryOperator>(Step); Unary && Unary->isIncrementDecrementOp())
        return {variableOf(Unary->getSubExpr()), Unary->isIncrementOp() ? 1 : -1};
    const auto *Sum = dyn_cast<CompoundAssignOperator>(Step);
    const bool IsAdded = Sum && Sum->getOpcode() == BO_AddAssign;
    if (!IsAdded && !(Sum && Sum->getOpcode() == BO_SubAssign))
        return {};
    const std::optional<int64_t> By = numberOf(Sum->getRHS(), Context);
    return By ? std::pair(variableOf(Sum->getLHS()), IsAdded ? *By : -*By)
              : std::pair<const VarDecl *, int64_t>();
}

/// The value that \p Variable begins with, where \p Begin says.
static std::optional<int64_t> firstOf(const VarDecl *Variable, const Stmt *Begin, const ASTContext &Context) {
    if (const auto *Declared = dyn_cast_or_null<DeclStmt>(Begin))
        return is_contained(Declared->decls(), Variable) ? numberOf(Variable->getInit(), Context)
                                                         : std::nullopt;
    const auto *Set = dyn_cast_or_null<BinaryOperator>(Begin);
    return Set && Set->getOpcode() == BO_Assign && variableOf(Set->getLHS()) == Variable
               ? numberOf(Set->getRHS(), Context)
               : std::nullopt;
}

bool onlyReads(const Stmt *Code, const VarDecl *Variable) {
    struct Search : ConstDynamicRecursiveASTVisitor {
        const VarDecl *Variable = nullptr;
        unsigned References = 0, Reads = 0;
        bool VisitDeclRefExpr(const DeclRefExpr *Reference) override {
            References += Reference->getDecl() == Variable;
            return true;
        }
        bool VisitImplicitCastExpr(const ImplicitCastExpr *Cast) override {
            const auto *Named = dyn_cast<DeclRefExpr>(Cast->getSubExpr()->IgnoreParens());
            Reads += Cast->getCastKind() == CK_LValueToRValue && Named && Named->getDecl() == Variable;
            return true;
        }
    };
    Search S;
    S.Variable = Variable;
    S.ShouldVisitImplicitCode = true;
    S.TraverseStmt(Code);
    return S.References == S.Reads;
}

void noteLoop(const ForStmt *Loop, const ASTContext &Context, SourceFacts &Facts) {
    if (!Loop->getInc() || Loop->getInc()->isTypeDependent())
        return;
    const auto [Variable, Step] = stepOf(Loop->getInc(), Context);
    if (!Variable || !Variable->getType()->isIntegerType() || Variable->getName().empty() ||
        !onlyReads(Loop->getBody(), Variable) || (Loop->getCond() && !onlyReads(Loop->getCond(), Variable)))
        return;
    const LoopFacts Found = {Variable->getName().str(), firstOf(Variable, Loop->getInit(), Context), Step};
    auto [Entry, IsNew] = Facts.Loops.try_emplace(placeOf(Loop->getForLoc(), Context), Found);
    /* Instances of a template, or a macro's loops, that differ have one place. */
    LoopFacts &Known = Entry->second;
    if (!IsNew && Known.First != Found.First)
        Known.First.reset();
    if (!IsNew && (Known.Variable != Found.Variable || Known.Step != Found.Step))
        Known.Variable.clear();
}

} // namespace kesco
