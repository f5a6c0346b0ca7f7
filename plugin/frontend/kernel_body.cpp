#include "plugin/frontend/kernel_body.h"

#include "plugin/frontend/assembly_statement.h"
#include "plugin/frontend/loop_variables.h"
#include "plugin/llvm_version.h"

#include "clang/AST/Attr.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include KESCO_AST_VISITOR_H

using namespace clang;

namespace kesco {

namespace {

/// Texture and surface handles are plain integers to the language but lead to memory.
bool isMemoryHandle(QualType Type) {
    for (const TypedefType *T = Type->getAs<TypedefType>(); T;
         T = T->getDecl()->getUnderlyingType()->getAs<TypedefType>())
        if (T->getDecl()->getName() == "cudaTextureObject_t" ||
            T->getDecl()->getName() == "cudaSurfaceObject_t")
            return true;
    return false;
}

bool holdsPointer(QualType Type) {
    Type = Type.getCanonicalType();
    if (Type->isAnyPointerType() || Type->isReferenceType() || Type->isMemberPointerType())
        return true;
    if (const ArrayType *Array = Type->getAsArrayTypeUnsafe())
        return holdsPointer(Array->getElementType());
    const RecordDecl *Record = Type->getAsRecordDecl();
    if (!Record || !Record->getDefinition())
        return Record != nullptr;
    Record = Record->getDefinition();
    if (llvm::any_of(Record->fields(), [](const FieldDecl *F) {
            return isMemoryHandle(F->getType()) || holdsPointer(F->getType());
        }))
        return true;
    const auto *Class = dyn_cast<CXXRecordDecl>(Record);
    return Class &&
           llvm::any_of(Class->bases(), [](const CXXBaseSpecifier &B) { return holdsPointer(B.getType()); });
}

llvm::StringRef nameOf(const FunctionDecl *Function) {
    return Function->getIdentifier() ? Function->getName() : "";
}

/// Visits code and all that runs with it: functions called, constructors and destructors, defaults.
class Code : public ConstDynamicRecursiveASTVisitor {
  public:
    /// Loops over ranges, rewritten comparisons and structured bindings call what the source does not name.
    Code() {
        ShouldVisitImplicitCode = true;
    }

    void enter(const FunctionDecl *Function) {
        const FunctionDecl *Definition = nullptr;
        if (!Function)
            return;
        if (!Function->hasBody(Definition)) {
            see(Function, /*HasBody=*/false);
            return;
        }
        if (llvm::is_contained(Path, Definition))
            recur(Definition);
        if (!Seen.insert(Definition).second)
            return;
        see(Definition, /*HasBody=*/true);
        Path.push_back(Definition);
        if (const auto *Constructor = dyn_cast<CXXConstructorDecl>(Definition))
            for (const CXXCtorInitializer *Initializer : Constructor->inits())
                TraverseStmt(Initializer->getInit());
        if (const auto *Destructor = dyn_cast<CXXDestructorDecl>(Definition))
            enterPartsOf(Destructor->getParent());
        TraverseStmt(Definition->getBody());
        Path.pop_back();
    }

    bool VisitDeclRefExpr(const DeclRefExpr *Reference) override {
        if (const auto *Callee = dyn_cast<FunctionDecl>(Reference->getDecl()))
            enter(Callee);
        return true;
    }

    bool VisitMemberExpr(const MemberExpr *Member) override {
        if (const auto *Callee = dyn_cast<FunctionDecl>(Member->getMemberDecl()))
            enter(Callee);
        return true;
    }

    bool VisitCXXConstructExpr(const CXXConstructExpr *Construct) override {
        enter(Construct->getConstructor());
        enterDestructorOf(Construct->getType());
        return true;
    }

    bool VisitCXXInheritedCtorInitExpr(const CXXInheritedCtorInitExpr *Construct) override {
        enter(Construct->getConstructor());
        return true;
    }

    bool VisitCXXBindTemporaryExpr(const CXXBindTemporaryExpr *Temporary) override {
        enterDestructorOf(Temporary->getType());
        return true;
    }

    bool VisitVarDecl(const VarDecl *Variable) override {
        enterDestructorOf(Variable->getType());
        return true;
    }

    bool VisitCXXDefaultArgExpr(const CXXDefaultArgExpr *Default) override {
        return TraverseStmt(Default->getExpr());
    }

    /// What a list leaves out is in its other form only.
    bool VisitInitListExpr(const InitListExpr *List) override {
        const InitListExpr *Whole = List->isSemanticForm() ? List : List->getSemanticForm();
        for (const Expr *Value : Whole ? Whole->inits() : llvm::ArrayRef<const Expr *>())
            if (const auto *Default = dyn_cast<CXXDefaultInitExpr>(Value))
                VisitCXXDefaultInitExpr(Default);
        return true;
    }

    bool VisitCXXDefaultInitExpr(const CXXDefaultInitExpr *Default) override {
        return TraverseStmt(Default->getExpr());
    }

  protected:
    /// The function that is being visited.
    const FunctionDecl *current() const {
        return Path.back();
    }

    /// Called for each function that the code runs, once.
    virtual void see(const FunctionDecl *, bool /*HasBody*/) {
    }

    /// Called where a function runs within itself.
    virtual void recur(const FunctionDecl *) {
    }

  private:
    void enterDestructorOf(QualType Type) {
        const CXXRecordDecl *Record = Type->getBaseElementTypeUnsafe()->getAsCXXRecordDecl();
        if (Record && Record->hasDefinition() && !Record->hasTrivialDestructor() &&
            !Record->isDependentContext()) {
            enter(Record->getDestructor());
            enterPartsOf(Record->getDefinition());
        }
    }

    void enterPartsOf(const CXXRecordDecl *Record) {
        if (!Parts.insert(Record).second)
            return;
        for (const CXXBaseSpecifier &Base : Record->bases())
            enterDestructorOf(Base.getType());
        for (const FieldDecl *Field : Record->fields())
            enterDestructorOf(Field->getType());
    }

    llvm::SmallPtrSet<const FunctionDecl *, 16> Seen;
    llvm::SmallPtrSet<const CXXRecordDecl *, 8> Parts; ///< whose parts' destructors were entered
    llvm::SmallVector<const FunctionDecl *, 8> Path;   ///< functions that are being visited, outermost first
};

/// Looks for what lets a thread see what others do while they run.
class Watching : public Code {
  public:
    bool Found = false;

    bool VisitImplicitCastExpr(const ImplicitCastExpr *Cast) override {
        Found |=
            Cast->getCastKind() == CK_LValueToRValue && Cast->getSubExpr()->getType().isVolatileQualified();
        return !Found;
    }

    bool VisitAtomicExpr(const AtomicExpr *) override {
        Found = true;
        return false;
    }

    /// An empty one only stops the compiler, but from keeping what was read before.
    bool VisitGCCAsmStmt(const GCCAsmStmt *Assembly) override {
        const std::string Text = textOf(*Assembly);
        Found |= llvm::StringRef(Text).contains("ld.") || llvm::StringRef(Text).contains("atom") ||
                 llvm::is_contained(clobbersOf(*Assembly), "memory");
        return !Found;
    }

  private:
    static llvm::SmallVector<std::string, 2> clobbersOf(const GCCAsmStmt &Assembly) {
        llvm::SmallVector<std::string, 2> Result;
        for (unsigned I = 0; I < Assembly.getNumClobbers(); ++I)
            Result.emplace_back(Assembly.getClobber(I));
        return Result;
    }

    void see(const FunctionDecl *Function, bool) override {
        llvm::StringRef Name = nameOf(Function);
        Found |= Name.starts_with("atomic") || Name.contains("_atom") || Name.contains("Atomic") ||
                 Name.starts_with("__threadfence") || Name.contains("membar");
    }
};

class KernelBody : public Code {
  public:
    KernelBody(const ASTContext &Context, KernelFacts &Facts) : Context(Context), Facts(Facts) {
    }

    bool VisitDeclRefExpr(const DeclRefExpr *Reference) override {
        if (const auto *Variable = dyn_cast<VarDecl>(Reference->getDecl()))
            addVariable(Variable);
        return Code::VisitDeclRefExpr(Reference);
    }

    bool VisitMemberExpr(const MemberExpr *Member) override {
        if (const auto *Variable = dyn_cast<VarDecl>(Member->getMemberDecl()))
            addVariable(Variable);
        return Code::VisitMemberExpr(Member);
    }

    bool VisitCallExpr(const CallExpr *Call) override {
        /* In a generic lambda; what is called is seen where that is. */
        if (Call->isInstantiationDependent())
            return true;
        const auto *Method = dyn_cast_or_null<CXXMethodDecl>(Call->getCalleeDecl());
        const auto *Member = dyn_cast<MemberExpr>(Call->getCallee()->IgnoreParens());
        if (Method && Method->isVirtual() && Member && !Member->hasQualifier())
            noteHidden("the kernel calls a virtual function");
        else if (!Call->getDirectCallee() && !isa<CXXPseudoDestructorExpr>(Call->getCallee()->IgnoreParens()))
            noteHidden("the kernel calls a function through a pointer");
        return true;
    }

    bool VisitCUDAKernelCallExpr(const CUDAKernelCallExpr *) override {
        noteHidden("the kernel launches others");
        return true;
    }

    bool VisitCXXNewExpr(const CXXNewExpr *) override {
        noteHidden("the kernel uses the device heap");
        return true;
    }

    bool VisitCXXDeleteExpr(const CXXDeleteExpr *) override {
        noteHidden("the kernel uses the device heap");
        return true;
    }

    bool VisitCastExpr(const CastExpr *Cast) override {
        if (Cast->getCastKind() == CK_IntegralToPointer && !isTrusted(Cast->getBeginLoc()))
            noteHidden("the kernel makes a pointer of a number");
        return true;
    }

    /// Operands lead where the code lets them; what else the text makes an address of leads elsewhere.
    bool VisitGCCAsmStmt(const GCCAsmStmt *Assembly) override {
        const AssemblyEffects Effects = readAssembly(*Assembly, Context);
        if (Effects->flags & KESCO_ASSEMBLY_TRAPS)
            noteGlobal(MayTrap.str());
        if (Effects->flags & KESCO_ASSEMBLY_LOOPS)
            visitLoop(Assembly);
        std::string Why = hiddenBy(*Assembly, *Effects);
        if (!Why.empty() && !isTrusted(Assembly->getBeginLoc()))
            noteHidden(std::move(Why));
        return true;
    }

    bool VisitWhileStmt(const WhileStmt *Loop) override {
        return visitLoop(Loop);
    }

    bool VisitDoStmt(const DoStmt *Loop) override {
        return visitLoop(Loop);
    }

    bool VisitForStmt(const ForStmt *Loop) override {
        return isCounted(*Loop) || visitLoop(Loop);
    }

    bool VisitGotoStmt(const GotoStmt *Jump) override {
        if (Context.getSourceManager().isBeforeInTranslationUnit(Jump->getLabel()->getStmt()->getBeginLoc(),
                                                                 Jump->getBeginLoc()))
            visitLoop(current()->getBody());
        return true;
    }

  private:
    void see(const FunctionDecl *Callee, bool HasBody) override {
        llvm::StringRef Name = nameOf(Callee);
        if (endsKernels(Name))
            noteGlobal(MayTrap.str());
        if (Name == "malloc" || Name == "free")
            noteHidden("the kernel uses the device heap");
        else if (Name == "printf" || Name == "vprintf")
            noteGlobal(PrintBuffer.str());
        else if (!HasBody && !Callee->getBuiltinID() && !Callee->isImplicit() && !Callee->isTrivial() &&
                 !Callee->isDefaulted() && !isTrusted(Callee->getLocation()))
            noteHidden("the kernel calls '" + Callee->getQualifiedNameAsString() +
                       "', whose body is not seen");
    }

    /// What a failing assert calls, and what traps.
    static bool endsKernels(llvm::StringRef Name) {
        return llvm::is_contained(llvm::ArrayRef<llvm::StringRef>{"__assert_fail", "__assertfail", "__trap",
                                                                  "__builtin_trap", "__builtin_verbose_trap",
                                                                  "__builtin_debugtrap", "abort"},
                                  Name);
    }

    void recur(const FunctionDecl *Callee) override {
        visitLoop(Callee->getBody());
    }

    bool isTrusted(SourceLocation Where) const {
        return Where.isInvalid() || Context.getSourceManager().isInSystemHeader(Where);
    }

    /// The variable that \p Step counts up or down; null if it does something else.
    static const VarDecl *countedBy(const Expr *Step) {
        Step = Step ? Step->IgnoreParenImpCasts() : nullptr;
        const Expr *Target = nullptr;
        if (const auto *Unary = dyn_cast_or_null<UnaryOperator>(Step);
            Unary && Unary->isIncrementDecrementOp())
            Target = Unary->getSubExpr();
        else if (const auto *Compound = dyn_cast_or_null<CompoundAssignOperator>(Step))
            Target = Compound->getLHS();
        const auto *Reference = Target ? dyn_cast<DeclRefExpr>(Target->IgnoreParens()) : nullptr;
        return Reference ? dyn_cast<VarDecl>(Reference->getDecl()) : nullptr;
    }

    /// True for `for (...; I < End; ++I)` and the like, whose code leaves I alone: it ends whatever others
    /// do.
    static bool isCounted(const ForStmt &Loop) {
        const VarDecl *Counter = countedBy(Loop.getInc());
        const auto *Test = dyn_cast_or_null<BinaryOperator>(Loop.getCond());
        while (Test && Test->getOpcode() == BO_LAnd)
            Test = dyn_cast<BinaryOperator>(Test->getLHS()->IgnoreParenImpCasts());
        if (!Counter || !Test || !Test->isComparisonOp() || Counter->getType().isVolatileQualified())
            return false;
        auto IsCounter = [&](const Expr *Side) {
            const auto *Reference = dyn_cast<DeclRefExpr>(Side->IgnoreParenImpCasts());
            return Reference && Reference->getDecl() == Counter;
        };
        Watching Bound;
        Bound.TraverseStmt(Test);
        return (IsCounter(Test->getLHS()) || IsCounter(Test->getRHS())) && !Bound.Found &&
               onlyReads(Loop.getBody(), Counter);
    }

    bool visitLoop(const Stmt *Loop) {
        Watching Search;
        Search.TraverseStmt(Loop);
        if (Search.Found)
            noteGlobal(SpinLoop.str());
        return true;
    }

    void addVariable(const VarDecl *Variable) {
        bool Constant = Variable->hasAttr<CUDAConstantAttr>() || Variable->getType().isConstQualified();
        bool OnDevice = Variable->hasAttr<CUDADeviceAttr>() || Variable->hasAttr<CUDAConstantAttr>() ||
                        Variable->isStaticLocal();
        if (!OnDevice || Variable->hasAttr<CUDASharedAttr>())
            return;
        std::string Name = Variable->getQualifiedNameAsString();
        if (leadsOn(Variable->getType()))
            noteHidden("the kernel uses '" + Name + "', which may lead to any memory");
        if (!Constant)
            noteGlobal(std::move(Name));
    }

    void noteHidden(std::string Why) {
        if (Facts.Hidden.empty())
            Facts.Hidden = std::move(Why);
    }

    void noteGlobal(std::string Name) {
        if (!llvm::is_contained(Facts.Globals, Name))
            Facts.Globals.push_back(std::move(Name));
    }

    const ASTContext &Context;
    KernelFacts &Facts;
};

} // namespace

bool leadsOn(QualType Type) {
    return isMemoryHandle(Type) || holdsPointer(Type);
}

void inspectKernelBody(const FunctionDecl *Kernel, const ASTContext &Context, KernelFacts &Facts) {
    if (Kernel->hasBody())
        KernelBody(Context, Facts).enter(Kernel);
}

} // namespace kesco
