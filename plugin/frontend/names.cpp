#include "plugin/frontend/names.h"

#include "plugin/llvm_version.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/PrettyPrinter.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace clang;

namespace kesco {

SourcePlace placeOf(SourceLocation Location, const ASTContext &Context) {
    const SourceManager &Sources = Context.getSourceManager();
    PresumedLoc Where = Sources.getPresumedLoc(debugLocation(Sources, Location));
    if (Where.isInvalid())
        return {"", 0, 0};
    return {llvm::sys::path::filename(Where.getFilename()).str(), Where.getLine(), Where.getColumn()};
}

/// What an interior pointer is an offset from: `p` for `p + n`, `&p[n]` and the like.
static const Expr *withoutOffset(const Expr *Pointer) {
    Pointer = Pointer->IgnoreParenCasts();
    if (const auto *Sum = dyn_cast<BinaryOperator>(Pointer); Sum && Sum->isAdditiveOp())
        return withoutOffset(Sum->getLHS()->getType()->isPointerType() ? Sum->getLHS() : Sum->getRHS());
    if (const auto *Address = dyn_cast<UnaryOperator>(Pointer); Address && Address->getOpcode() == UO_AddrOf)
        if (const auto *Element = dyn_cast<ArraySubscriptExpr>(Address->getSubExpr()->IgnoreParens()))
            return withoutOffset(Element->getBase());
    return Pointer;
}

static bool isOfProgram(const FunctionDecl *Callee, const ASTContext &Context) {
    return Callee && Callee->hasBody() && !Context.getSourceManager().isInSystemHeader(Callee->getLocation());
}

/// What the function that \p Call calls returns, if it does nothing else and is the program's; else null.
static const Expr *returnedBy(const CXXMemberCallExpr &Call, const ASTContext &Context) {
    const CXXMethodDecl *Getter = Call.getMethodDecl();
    if (!isOfProgram(Getter, Context) || Getter->isVirtual() || Call.getNumArgs() > 0)
        return nullptr;
    const auto *Body = dyn_cast<CompoundStmt>(Getter->getBody());
    const auto *Return = Body && Body->size() == 1 ? dyn_cast<ReturnStmt>(Body->body_front()) : nullptr;
    return Return ? Return->getRetValue() : nullptr;
}

/// Members of members, and functions that return them, not more than these are looked into.
static constexpr unsigned MostGetters = 4;

namespace {

/// Leaves out parentheses that a path needs none of, which nvcc writes: `(data->x)[0]`.
class PathPrinter : public PrinterHelper {
  public:
    explicit PathPrinter(const PrintingPolicy &Policy) : Policy(Policy) {
    }

    bool handledStmt(Stmt *S, llvm::raw_ostream &Out) override {
        auto *Parentheses = dyn_cast<ParenExpr>(S);
        Expr *Inner = Parentheses ? Parentheses->IgnoreParens() : nullptr;
        if (!isa_and_nonnull<DeclRefExpr, MemberExpr, ArraySubscriptExpr>(Inner))
            return false;
        Inner->printPretty(Out, this, Policy);
        return true;
    }

  private:
    const PrintingPolicy &Policy;
};

} // namespace

static std::string textOf(const Expr *Expression, const ASTContext &Context) {
    std::string Text;
    llvm::raw_string_ostream Stream(Text);
    PathPrinter Paths(Context.getPrintingPolicy());
    Expression->printPretty(Stream, &Paths, Context.getPrintingPolicy());
    return Text;
}

/// What \p Pointer is called, without offset. A function that only returns a member is called as that is: one
/// thing has one name.
static std::string nameOf(const Expr *Pointer, const ASTContext &Context, unsigned Getters = MostGetters) {
    Pointer = withoutOffset(Pointer);
    const auto *Call = dyn_cast<CXXMemberCallExpr>(Pointer);
    if (const Expr *Returned = Call && Getters > 0 ? returnedBy(*Call, Context) : nullptr) {
        const Expr *Object = Call->getImplicitObjectArgument()->IgnoreParenImpCasts();
        const std::string Member = nameOf(Returned, Context, Getters - 1);
        llvm::StringRef Path = Member;
        if (Path.consume_front("this->") && Path.find_first_of("([ ") == llvm::StringRef::npos)
            return nameOf(Object, Context, Getters - 1) + (Object->getType()->isPointerType() ? "->" : ".") +
                   Path.str();
    }
    const auto *Operator = dyn_cast<CXXOperatorCallExpr>(Pointer);
    if (Operator && Operator->getOperator() == OO_Star && Operator->getNumArgs() == 1)
        return "*" + nameOf(Operator->getArg(0), Context, Getters);
    return textOf(Pointer, Context);
}

std::string argumentName(const Expr *Argument, const ASTContext &Context) {
    constexpr size_t MostCharacters = 40;
    std::string Text = nameOf(Argument, Context);
    if (Text.size() > MostCharacters)
        Text = Text.substr(0, MostCharacters) + "...";
    return Text;
}

/// What a launch's argument is called. A struct that is made for the launch has no name.
std::string launchArgumentName(const Expr *Argument, const ASTContext &Context) {
    if (isa<CXXDefaultArgExpr>(Argument))
        return "";
    const RecordDecl *Record = Argument->getType()->getAsRecordDecl();
    if (!Record)
        return argumentName(Argument, Context);
    const Expr *Spelled = Argument->IgnoreUnlessSpelledInSource();
    const auto *Class = dyn_cast<CXXRecordDecl>(Record);
    return Spelled->isLValue() && !(Class && Class->isLambda()) ? argumentName(Spelled, Context) : "";
}

std::string allocatedName(const CallExpr *Call, const ASTContext &Context) {
    const Expr *Place = Call->getArg(0)->IgnoreParenCasts();
    if (const auto *Address = dyn_cast<UnaryOperator>(Place))
        return argumentName(Address->getSubExpr(), Context);
    return isa<DeclRefExpr>(Place) ? "*" + argumentName(Place, Context) : "";
}

/// True for what may lead a function to memory that it allocates or launches on.
static bool mayLead(QualType Type) {
    return Type->isPointerType() || Type->isReferenceType() || Type->isRecordType();
}

/// What a function is given as \p Argument: a place for a pointer keeps its index.
static std::string givenName(const Expr *Argument, QualType Type, const ASTContext &Context) {
    const auto *Address = dyn_cast<UnaryOperator>(Argument->IgnoreParenCasts());
    const bool IsPlace = Type->isPointerType() && Type->getPointeeType()->isPointerType();
    if (IsPlace && Address && Address->getOpcode() == UO_AddrOf)
        return "&" + argumentName(Address->getSubExpr(), Context);
    return Type->isIntegerType() ? textOf(Argument->IgnoreImplicit(), Context)
                                 : argumentName(Argument->IgnoreImplicit(), Context);
}

static void noteArguments(const FunctionDecl *Callee, llvm::ArrayRef<const Expr *> Given,
                          const ASTContext &Context, CallFacts &Call) {
    for (unsigned I = 0; I < Given.size() && I < Callee->getNumParams(); ++I) {
        const ParmVarDecl *P = Callee->getParamDecl(I);
        const bool IsNamed = !P->getName().empty() && !isa<CXXDefaultArgExpr>(Given[I]);
        if (IsNamed && (mayLead(P->getType()) || P->getType()->isIntegerType()))
            Call.Arguments[P->getName().str()] = givenName(Given[I], P->getType(), Context);
    }
}

void noteCall(const CallExpr *Call, const ASTContext &Context, SourceFacts &Facts) {
    const FunctionDecl *Callee = Call->getDirectCallee();
    if (!isOfProgram(Callee, Context) || Callee->hasAttr<CUDAGlobalAttr>())
        return;
    CallFacts &Found = Facts.Calls[placeOf(Call->getExprLoc(), Context)];
    llvm::ArrayRef<const Expr *> Given(Call->getArgs(), Call->getNumArgs());
    if (isa<CXXOperatorCallExpr>(Call) && isa<CXXMethodDecl>(Callee))
        Given = Given.drop_front();
    noteArguments(Callee, Given, Context, Found);
    const auto *Member = dyn_cast<CXXMemberCallExpr>(Call);
    const Expr *Object = Member ? Member->getImplicitObjectArgument()->IgnoreParenImpCasts() : nullptr;
    const bool IsNamed = Object && (Object->isGLValue() || Object->getType()->isPointerType());
    if (!IsNamed || isa<CXXThisExpr>(Object))
        return;
    Found.Object = argumentName(Object, Context);
    Found.IsPointed = Object->getType()->isPointerType();
}

void noteResult(const Expr *Value, llvm::StringRef Name, const ASTContext &Context, SourceFacts &Facts) {
    const auto *Call = dyn_cast<CallExpr>(Value->IgnoreImplicit()->IgnoreParenCasts());
    if (!Call || !mayLead(Call->getType()))
        return;
    CallFacts &Found = Facts.Calls[placeOf(Call->getExprLoc(), Context)];
    Found.Result = Name.str();
    Found.IsStruct = Call->getType()->isRecordType();
}

/// Notes that the object \p Name is made by \p Value, if it is a constructor, at \p Location in IR.
static void noteObject(const Expr *Value, llvm::StringRef Name, SourceLocation Location,
                       const ASTContext &Context, SourceFacts &Facts) {
    const auto *Made = dyn_cast<CXXConstructExpr>(Value->IgnoreImplicit());
    if (!Made || !isOfProgram(Made->getConstructor(), Context)) {
        noteResult(Value, Name, Context, Facts);
        return;
    }
    CallFacts &Found = Facts.Calls[placeOf(Location, Context)];
    Found.Object = Name.str();
    noteArguments(Made->getConstructor(), {Made->getArgs(), Made->getNumArgs()}, Context, Found);
}

void noteVariable(const VarDecl *Variable, const ASTContext &Context, SourceFacts &Facts) {
    if (const Expr *Value = Variable->getInit(); Value && !Variable->getType()->isDependentType())
        noteObject(Value, Variable->getName(), Variable->getLocation(), Context, Facts);
}

void noteMembers(const CXXConstructorDecl *Constructor, const ASTContext &Context, SourceFacts &Facts) {
    for (const CXXCtorInitializer *Member : Constructor->inits())
        if (Member->isMemberInitializer())
            noteObject(Member->getInit(), ("this->" + Member->getMember()->getName()).str(),
                       Member->getMemberLocation(), Context, Facts);
}

} // namespace kesco
