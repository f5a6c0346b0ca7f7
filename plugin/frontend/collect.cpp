#include "plugin/frontend/collect.h"

#include "plugin/frontend/annotations.h"
#include "plugin/frontend/kernel_body.h"
#include "plugin/frontend/pointer_members.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/GlobalDecl.h"
#include "clang/AST/Mangle.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Support/raw_ostream.h"

using namespace clang;

namespace kesco {

namespace {

KernelParameter describeParameter(const ParmVarDecl *P, const ASTContext &Context) {
    KernelParameter Result;
    Result.Name = P->getName().str();
    Result.IsPointer = isDataPointer(P->getType());
    Result.Members = pointerMembers(P->getType(), Context);
    if (Result.IsPointer && !leadsOn(P->getType()->getPointeeType()))
        Result.What = KernelParameter::Pointer;
    else if (leadsOn(P->getType()))
        Result.What = KernelParameter::Opaque;
    return Result;
}

bool isUsedInBody(const FunctionDecl *Kernel, const ParmVarDecl *P) {
    struct Search : ConstDynamicRecursiveASTVisitor {
        const ParmVarDecl *P = nullptr;
        bool VisitDeclRefExpr(const DeclRefExpr *Reference) override {
            return Reference->getDecl() != P;
        }
    };
    Search S;
    S.P = P;
    return Kernel->doesThisDeclarationHaveABody() && !S.TraverseStmt(Kernel->getBody());
}

/// The paper's own form (slide "Compilation Pipeline Integration"): trailing parameters `int outputs = 1` and
/// `int priority = 1` that the kernel's code does not use.
bool isPaperParameter(const FunctionDecl *Kernel, unsigned Index, llvm::StringRef Name, ASTContext &Context) {
    const ParmVarDecl *P = Kernel->getParamDecl(Index);
    return P->getName() == Name && P->hasDefaultArg() &&
           Context.hasSameUnqualifiedType(P->getType(), Context.IntTy) && !isUsedInBody(Kernel, P);
}

void readPaperForm(const FunctionDecl *Kernel, ASTContext &Context, KernelFacts &Facts) {
    unsigned End = Kernel->getNumParams();
    if (End > 0 && isPaperParameter(Kernel, End - 1, "priority", Context) && End > 1 &&
        isPaperParameter(Kernel, End - 2, "outputs", Context)) {
        Facts.PriorityParameter = End - 1;
        Facts.OutputsParameter = End - 2;
    } else if (End > 0 && isPaperParameter(Kernel, End - 1, "outputs", Context)) {
        Facts.OutputsParameter = End - 1;
    }
}

/// The name in IR: of the kernel itself on the device and where nvcc makes the stub, else of its stub.
std::string nameInIR(const FunctionDecl *Kernel, MangleContext &Mangle, bool OnDevice) {
    std::string Name;
    llvm::raw_string_ostream Stream(Name);
    KernelReferenceKind Kind = OnDevice ? KernelReferenceKind::Kernel : KernelReferenceKind::Stub;
    if (Mangle.shouldMangleDeclName(Kernel))
        Mangle.mangleName(Kernel->hasAttr<CUDAGlobalAttr>() ? GlobalDecl(Kernel, Kind) : GlobalDecl(Kernel),
                          Stream);
    else
        Stream << (OnDevice ? "" : "__device_stub__") << Kernel->getName();
    return Name;
}

/// What an interior pointer is an offset from: `p` for `p + n`, `&p[n]` and the like.
const Expr *withoutOffset(const Expr *Pointer) {
    Pointer = Pointer->IgnoreParenCasts();
    if (const auto *Sum = dyn_cast<BinaryOperator>(Pointer); Sum && Sum->isAdditiveOp())
        return withoutOffset(Sum->getLHS()->getType()->isPointerType() ? Sum->getLHS() : Sum->getRHS());
    if (const auto *Address = dyn_cast<UnaryOperator>(Pointer); Address && Address->getOpcode() == UO_AddrOf)
        if (const auto *Element = dyn_cast<ArraySubscriptExpr>(Address->getSubExpr()->IgnoreParens()))
            return withoutOffset(Element->getBase());
    return Pointer;
}

std::string argumentName(const Expr *Argument, const ASTContext &Context) {
    constexpr size_t MostCharacters = 40;
    std::string Text;
    llvm::raw_string_ostream Stream(Text);
    withoutOffset(Argument)->printPretty(Stream, nullptr, Context.getPrintingPolicy());
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

/// What messages call \p Kernel.
std::string titleOf(const FunctionDecl *Kernel, const ASTContext &Context) {
    std::string Title;
    llvm::raw_string_ostream Stream(Title);
    PrintingPolicy Policy = Context.getPrintingPolicy();
    Policy.AnonymousTagLocations = false;
    Kernel->getNameForDiagnostic(Stream, Policy, /*Qualified=*/false);
    return Title;
}

/// Notes every kernel, and in a host compile every launch, below the declarations that it is given.
class Walker : public ConstDynamicRecursiveASTVisitor {
  public:
    Walker(ASTContext &Context, SourceFacts &Facts)
        : Context(Context), Facts(Facts), Mangle(Context.createMangleContext()),
          Annotations(takeAnnotations(Context)), OnDevice(Context.getLangOpts().CUDAIsDevice),
          ByNvcc(!Context.getLangOpts().CUDA) {
        ShouldVisitTemplateInstantiations = true;
    }

    bool VisitFunctionDecl(const FunctionDecl *Function) override {
        if (Function->hasAttr<CUDAGlobalAttr>() && !Function->isDependentContext())
            addKernel(Function);
        return true;
    }

    bool VisitCUDAKernelCallExpr(const CUDAKernelCallExpr *Launch) override {
        if (OnDevice)
            return true;
        /* IR locates a launch by its execution configuration. */
        addLaunch(Launch->getConfig()->getBeginLoc(), Launch->arguments());
        return true;
    }

    bool VisitConditionalOperator(const ConditionalOperator *Choice) override {
        const auto *Push = ByNvcc ? dyn_cast<CallExpr>(Choice->getCond()->IgnoreParenImpCasts()) : nullptr;
        const FunctionDecl *Pushed = Push ? Push->getDirectCallee() : nullptr;
        const auto *Launch = dyn_cast<CallExpr>(Choice->getFalseExpr()->IgnoreParenImpCasts());
        const FunctionDecl *Kernel = Launch ? Launch->getDirectCallee() : nullptr;
        if (!Pushed || !Pushed->getIdentifier() || Pushed->getName() != "__cudaPushCallConfiguration" ||
            !Kernel || Kernel->isDependentContext())
            return true;
        addKernel(Kernel);
        addLaunch(Push->getBeginLoc(), Launch->arguments());
        return true;
    }

    bool VisitCallExpr(const CallExpr *Call) override {
        const FunctionDecl *Callee = Call->getDirectCallee();
        if (OnDevice || !Callee || !Callee->getIdentifier() || Call->getNumArgs() == 0)
            return true;
        if (ByNvcc && Callee->getName() == "__cudaRegisterFunction" && Call->getNumArgs() > 1)
            if (const auto *Named = dyn_cast<DeclRefExpr>(Call->getArg(1)->IgnoreParenCasts()))
                if (const auto *Kernel = dyn_cast<FunctionDecl>(Named->getDecl()))
                    addKernel(Kernel);
        if (Callee->getName().starts_with("cudaMalloc") || Callee->getName() == "cudaHostAlloc")
            if (const auto *Address = dyn_cast<UnaryOperator>(Call->getArg(0)->IgnoreParenCasts()))
                Facts.Allocations[lineAndColumn(Call->getBeginLoc())] =
                    argumentName(Address->getSubExpr(), Context);
        if (Callee->getName().starts_with("cudaMem") || Callee->getName() == "cudaFreeAsync")
            addLaunch(Call->getBeginLoc(), Call->arguments());
        return true;
    }

  private:
    std::pair<unsigned, unsigned> lineAndColumn(SourceLocation Location) const {
        PresumedLoc Where = Context.getSourceManager().getPresumedLoc(Location);
        return Where.isValid() ? std::make_pair(Where.getLine(), Where.getColumn()) : std::make_pair(0u, 0u);
    }

    template <typename Range>
    void addLaunch(SourceLocation Location, const Range &Arguments) {
        LaunchFacts &Found = Facts.Launches[lineAndColumn(Location)];
        Found.Location = Location.getRawEncoding();
        Found.Arguments.clear();
        for (const Expr *Argument : Arguments)
            Found.Arguments.push_back(launchArgumentName(Argument, Context));
    }

    void addKernel(const FunctionDecl *Kernel) {
        const FunctionDecl *Definition = nullptr;
        const FunctionDecl *Best = ByNvcc                        ? Kernel->getCanonicalDecl()
                                   : Kernel->hasBody(Definition) ? Definition
                                                                 : Kernel->getMostRecentDecl();
        auto [Entry, IsNew] = Facts.Kernels.try_emplace(nameInIR(Kernel, *Mangle, OnDevice || ByNvcc));
        if (!IsNew)
            return;
        KernelFacts &Result = Entry->second;
        Result.Name = Kernel->getNameAsString();
        Result.Title = titleOf(Kernel, Context);
        for (const ParmVarDecl *P : Best->parameters())
            Result.Parameters.push_back(describeParameter(P, Context));
        readPaperForm(Best, Context, Result);
        applyAnnotations(Kernel, Result);
        if (!OnDevice && !ByNvcc)
            inspectKernelBody(Kernel, Context, Result);
    }

    void applyAnnotations(const FunctionDecl *Kernel, KernelFacts &Result) {
        const FunctionDecl *Pattern = Kernel->getTemplateInstantiationPattern();
        for (const FunctionDecl *Source : {Pattern, Kernel}) {
            auto Found = Source ? Annotations.find(Source->getCanonicalDecl()) : Annotations.end();
            if (Found == Annotations.end())
                continue;
            if (Found->second.Outputs) {
                Result.Outputs = outputsOf(Found->second, Kernel);
                Result.OutputsLocation = Found->second.OutputsLocation.getRawEncoding();
            }
            if (Found->second.Priority)
                Result.Priority = *Found->second.Priority;
        }
    }

    ASTContext &Context;
    SourceFacts &Facts;
    std::unique_ptr<MangleContext> Mangle;
    llvm::DenseMap<const FunctionDecl *, KernelAnnotations> Annotations;
    bool OnDevice;
    bool ByNvcc;
};

} // namespace

std::optional<llvm::SmallVector<unsigned, 4>> firstPointerParameters(const KernelFacts &Kernel,
                                                                     unsigned Count) {
    llvm::SmallVector<unsigned, 4> Result;
    for (unsigned I = 0; I < Kernel.Parameters.size() && Result.size() < Count; ++I)
        if (Kernel.Parameters[I].IsPointer)
            Result.push_back(I);
    if (Result.size() < Count)
        return std::nullopt;
    return Result;
}

bool FactsCollector::HandleTopLevelDecl(DeclGroupRef Group) {
    for (Decl *D : Group)
        Declarations.push_back(D);
    return true;
}

void FactsCollector::HandleTranslationUnit(ASTContext &Context) {
    Walker W(Context, *Facts);
    const SourceManager &Sources = Context.getSourceManager();
    for (const Decl *D : Declarations)
        if (!Sources.isInSystemHeader(D->getLocation()))
            W.TraverseDecl(D);
}

} // namespace kesco
