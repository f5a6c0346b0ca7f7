#include "plugin/frontend/collect.h"

#include "plugin/frontend/annotations.h"
#include "plugin/frontend/claims.h"
#include "plugin/frontend/kernel_body.h"
#include "plugin/frontend/loop_variables.h"
#include "plugin/frontend/names.h"
#include "plugin/frontend/struct_members.h"
#include "plugin/llvm_version.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/ASTLambda.h"
#include "clang/AST/Attr.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/GlobalDecl.h"
#include "clang/AST/Mangle.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Support/raw_ostream.h"
#include KESCO_AST_VISITOR_H

using namespace clang;

namespace kesco {

namespace {

/// The name in IR of a function that is neither kernel nor constructor or destructor.
std::string functionName(const FunctionDecl *Function, MangleContext &Mangle) {
    if (!Mangle.shouldMangleDeclName(Function))
        return Function->getNameAsString();
    std::string Name;
    llvm::raw_string_ostream Stream(Name);
    Mangle.mangleName(GlobalDecl(Function), Stream);
    return Name;
}

KernelParameter describeParameter(const ParmVarDecl *P, const ASTContext &Context) {
    KernelParameter Result;
    Result.Name = P->getName().str();
    Result.IsPointer = isDataPointer(P->getType());
    StructMembers Members = structMembers(P->getType(), Context);
    Result.Members = std::move(Members.Pointers);
    Result.Integers = std::move(Members.Integers);
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
        if (!OnDevice && !Function->isDependentContext() && isOff(Function))
            addOff(Function);
        if (Function->hasAttr<CUDAGlobalAttr>() && !Function->isDependentContext())
            addKernel(Function);
        return true;
    }

    /// What a lambda calls is no declaration that is walked to.
    bool VisitLambdaExpr(const LambdaExpr *Lambda) override {
        if (const FunctionTemplateDecl *Generic = Lambda->getDependentCallOperator()) {
            for (const FunctionDecl *Instance : Generic->specializations())
                VisitFunctionDecl(Instance);
            return true;
        }
        return VisitFunctionDecl(Lambda->getCallOperator());
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
        if (OnDevice || !Callee)
            return true;
        noteCall(Call, Context, Facts);
        if (Checked.insert(Call).second)
            checkClaim(Call, Context);
        if (!Callee->getIdentifier() || Call->getNumArgs() == 0)
            return true;
        if (ByNvcc && Callee->getName() == "__cudaRegisterFunction" && Call->getNumArgs() > 1)
            if (const auto *Named = dyn_cast<DeclRefExpr>(Call->getArg(1)->IgnoreParenCasts()))
                if (const auto *Kernel = dyn_cast<FunctionDecl>(Named->getDecl()))
                    addKernel(Kernel);
        if (Callee->getName().starts_with("cudaMalloc") || Callee->getName() == "cudaHostAlloc")
            if (std::string Name = allocatedName(Call, Context); !Name.empty())
                Facts.Allocations[placeOf(Call->getBeginLoc(), Context)]
                                 [Call->getBeginLoc().getRawEncoding()] = Name;
        if (Callee->getName().starts_with("cudaMem") || Callee->getName() == "cudaFreeAsync")
            addLaunch(Call->getBeginLoc(), Call->arguments());
        return true;
    }

    bool VisitForStmt(const ForStmt *Loop) override {
        if (!OnDevice)
            noteLoop(Loop, Context, Facts);
        return true;
    }

    bool VisitVarDecl(const VarDecl *Variable) override {
        if (!OnDevice)
            noteVariable(Variable, Context, Facts);
        return true;
    }

    bool VisitBinaryOperator(const BinaryOperator *Operator) override {
        if (!OnDevice && Operator->getOpcode() == BO_Assign)
            noteResult(Operator->getRHS(), argumentName(Operator->getLHS(), Context), Context, Facts);
        return true;
    }

    bool VisitCXXConstructorDecl(const CXXConstructorDecl *Constructor) override {
        if (!OnDevice)
            noteMembers(Constructor, Context, Facts);
        return true;
    }

  private:
    /// An instance of a template has the places of its pattern: the last one is as good as any.
    template <typename Range>
    void addLaunch(SourceLocation Location, const Range &Arguments) {
        auto &AtPlace = Facts.Launches[placeOf(Location, Context)];
        const unsigned Number = Location.getRawEncoding();
        auto *Found = llvm::find_if(AtPlace, [&](const LaunchFacts &L) { return L.Location == Number; });
        LaunchFacts &Launch = Found == AtPlace.end() ? AtPlace.emplace_back() : *Found;
        Launch.Location = Number;
        Launch.Arguments.clear();
        for (const Expr *Argument : Arguments)
            Launch.Arguments.push_back(launchArgumentName(Argument, Context));
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

    /// A lambda in a template is one of its own in each instance, in the place of its pattern.
    bool isOffLambda(const FunctionDecl *Operator) const {
        return llvm::any_of(Annotations, [&](const auto &Entry) {
            return Entry.second.IsOff && isLambdaCallOperator(Entry.first) &&
                   Entry.first->getLocation() == Operator->getLocation();
        });
    }

    bool isOff(const FunctionDecl *Function) const {
        if (isLambdaCallOperator(Function))
            return isOffLambda(Function);
        const FunctionDecl *Pattern = Function->getTemplateInstantiationPattern();
        return llvm::any_of(
            std::initializer_list<const FunctionDecl *>{Pattern, Function}, [&](const FunctionDecl *Source) {
                auto Found = Source ? Annotations.find(Source->getCanonicalDecl()) : Annotations.end();
                return Found != Annotations.end() && Found->second.IsOff;
            });
    }

    /// Constructors and destructors are several functions.
    void addOff(const FunctionDecl *Function) {
        llvm::SmallVector<GlobalDecl, 3> All;
        if (const auto *Constructor = dyn_cast<CXXConstructorDecl>(Function))
            All = {GlobalDecl(Constructor, Ctor_Complete), GlobalDecl(Constructor, Ctor_Base)};
        else if (const auto *Destructor = dyn_cast<CXXDestructorDecl>(Function))
            All = {GlobalDecl(Destructor, Dtor_Complete), GlobalDecl(Destructor, Dtor_Base),
                   GlobalDecl(Destructor, Dtor_Deleting)};
        for (const GlobalDecl &Each : All) {
            std::string Name;
            llvm::raw_string_ostream Stream(Name);
            Mangle->mangleName(Each, Stream);
            Facts.Off.insert(Name);
        }
        if (All.empty())
            Facts.Off.insert(Function->hasAttr<CUDAGlobalAttr>() ? nameInIR(Function, *Mangle, OnDevice)
                                                                 : functionName(Function, *Mangle));
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
    llvm::SmallPtrSet<const CallExpr *, 32> Checked; ///< instances of templates come twice
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
