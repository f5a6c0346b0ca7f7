#include "plugin/frontend/annotations.h"

#include "plugin/llvm_version.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/Expr.h"
#include "clang/Basic/Diagnostic.h"
#include "clang/Basic/ParsedAttrInfo.h"
#include "clang/Sema/Lookup.h"
#include "clang/Sema/ParsedAttr.h"
#include "clang/Sema/Sema.h"
#include "llvm/ADT/STLExtras.h"

#include <mutex>

using namespace clang;
using llvm::SmallVector;

namespace kesco {

namespace {

/// Attributes are parsed by objects that Clang makes once per process, so what they find waits here until the
/// end of its translation unit.
class ParsedAnnotations {
  public:
    void add(ASTContext &Context, Annotation Found) {
        std::lock_guard<std::mutex> Guard(Lock);
        ByContext[&Context].push_back(std::move(Found));
    }

    std::vector<Annotation> take(ASTContext &Context) {
        std::lock_guard<std::mutex> Guard(Lock);
        auto Found = ByContext.find(&Context);
        if (Found == ByContext.end())
            return {};
        std::vector<Annotation> Result = std::move(Found->second);
        ByContext.erase(Found);
        return Result;
    }

  private:
    std::mutex Lock;
    llvm::DenseMap<ASTContext *, std::vector<Annotation>> ByContext;
};

ParsedAnnotations &parsedAnnotations() {
    static ParsedAnnotations Instance;
    return Instance;
}

const char *attributeName(Annotation::Kind What) {
    switch (What) {
    case Annotation::Outputs:
        return "kesco_outputs";
    case Annotation::Priority:
        return "kesco_priority";
    case Annotation::Off:
        return "kesco_off";
    }
    llvm_unreachable("no such attribute");
}

/// Clang hands over an attribute's first argument as a name if it is one; \returns the constant after it.
const Expr *lookUpName(Sema &S, const IdentifierLoc &Name) {
    LookupResult Found(S, identifierOf(Name), locationOf(Name), Sema::LookupOrdinaryName);
    S.LookupName(Found, S.getCurScope());
    auto *Value = Found.getAsSingle<ValueDecl>();
    if (!Value || Value->isInvalidDecl())
        return nullptr;
    ExprValueKind Kind = isa<VarDecl>(Value) ? VK_LValue : VK_PRValue;
    return S.BuildDeclRefExpr(Value, Value->getType().getNonReferenceType(), Kind, locationOf(Name));
}

bool readNumber(const Sema &S, const Expr *Argument, Annotation &Result) {
    std::optional<llvm::APSInt> Value;
    if (!Argument->isValueDependent() && !Argument->isTypeDependent())
        Value = Argument->getIntegerConstantExpr(S.Context);
    if (!Value || !Value->isRepresentableByInt64() || Value->getExtValue() > INT32_MAX ||
        Value->getExtValue() < (Result.What == Annotation::Outputs ? 0 : INT32_MIN))
        return false;
    Result.HasNumber = true;
    Result.Number = static_cast<int>(Value->getExtValue());
    Result.NumberRange = Argument->getSourceRange();
    return true;
}

bool readArgument(Sema &S, const ParsedAttr &Attribute, unsigned Index, Annotation &Result) {
    if (Attribute.isArgIdent(Index)) {
        const Expr *Value = lookUpName(S, *Attribute.getArgAsIdent(Index));
        return Value && readNumber(S, Value, Result);
    }
    const Expr *Argument =
        Attribute.isArgExpr(Index) ? Attribute.getArgAsExpr(Index)->IgnoreParenImpCasts() : nullptr;
    const auto *Text = dyn_cast_or_null<StringLiteral>(Argument);
    if (!Text || !Text->isOrdinary() || Result.What != Annotation::Outputs)
        return Argument && readNumber(S, Argument, Result);
    Result.Names.emplace_back(Text->getString().str(), Text->getSourceRange());
    return true;
}

SourceRange argumentRange(const ParsedAttr &Attribute, unsigned Index) {
    if (Attribute.isArgIdent(Index))
        return locationOf(*Attribute.getArgAsIdent(Index));
    return Attribute.isArgExpr(Index) ? Attribute.getArgAsExpr(Index)->getSourceRange()
                                      : Attribute.getRange();
}

bool readArguments(Sema &S, const ParsedAttr &Attribute, Annotation &Result) {
    unsigned BadArgument = S.Diags.getCustomDiagID(
        DiagnosticsEngine::Error,
        "argument of '%0' must be %select{a non-negative integer constant or the names of "
        "parameters in quotes|an integer constant}1");
    unsigned Mixed = S.Diags.getCustomDiagID(
        DiagnosticsEngine::Error, "'kesco_outputs' takes either one number or names in quotes, not both");
    for (unsigned I = 0; I < Attribute.getNumArgs(); ++I) {
        if (readArgument(S, Attribute, I, Result))
            continue;
        SourceRange Range = argumentRange(Attribute, I);
        S.Diag(Range.getBegin(), BadArgument)
            << attributeName(Result.What) << (Result.What == Annotation::Priority) << Range;
        return false;
    }
    if (Result.HasNumber && Attribute.getNumArgs() > 1) {
        S.Diag(Attribute.getLoc(), Mixed) << Attribute.getRange();
        return false;
    }
    return true;
}

/// Shared by the attributes: parses one and puts it aside.
struct KescoAttrInfo : public ParsedAttrInfo {
    explicit KescoAttrInfo(Annotation::Kind What) : What(What) {
        NumArgs = What == Annotation::Off ? 0 : 1;
        OptArgs = What == Annotation::Outputs ? 14 : 0;
    }

    bool diagAppertainsToDecl(Sema &S, const ParsedAttr &Attribute, const Decl *D) const override {
        if (isa<FunctionDecl>(D))
            return true;
        unsigned NoFunction = S.Diags.getCustomDiagID(
            DiagnosticsEngine::Error,
            "'%0' only applies to %select{kernels (__global__ functions)|functions}1");
        S.Diag(Attribute.getLoc(), NoFunction)
            << attributeName(What) << (What == Annotation::Off) << Attribute.getRange();
        return false;
    }

    bool isParamExpr(size_t) const override {
        return true;
    }

    AttrHandling handleDeclAttribute(Sema &S, Decl *D, const ParsedAttr &Attribute) const override {
        Annotation Found(cast<FunctionDecl>(D), What, Attribute.getRange());
        if (!readArguments(S, Attribute, Found))
            return AttributeNotApplied;
        parsedAnnotations().add(S.Context, std::move(Found));
        return AttributeApplied;
    }

    Annotation::Kind What;
};

template <Annotation::Kind Kind>
struct AttrInfoOf : public KescoAttrInfo {
    AttrInfoOf() : KescoAttrInfo(Kind) {
        static const char *const Name = attributeName(Kind);
        static const Spelling S[] = {
            {ParsedAttr::AS_GNU, Name}, {ParsedAttr::AS_C23, Name}, {ParsedAttr::AS_CXX11, Name}};
        Spellings = S;
    }
};

void noteKernel(DiagnosticsEngine &Diags, const FunctionDecl *Kernel) {
    Diags.Report(Kernel->getLocation(),
                 Diags.getCustomDiagID(DiagnosticsEngine::Note, "kernel %0 is declared here"))
        << Kernel;
}

/// The first parameters of \p Kernel that \p IsPointer holds for, as many as \p A counts. Reports too few.
std::optional<SmallVector<unsigned, 4>> firstPointers(const Annotation &A, const FunctionDecl *Kernel,
                                                      llvm::function_ref<bool(QualType)> IsPointer) {
    SmallVector<unsigned, 4> Pointers;
    for (const ParmVarDecl *P : Kernel->parameters())
        if (IsPointer(P->getType()))
            Pointers.push_back(P->getFunctionScopeIndex());
    if (static_cast<unsigned>(A.Number) > Pointers.size()) {
        DiagnosticsEngine &Diags = Kernel->getASTContext().getDiagnostics();
        unsigned TooFew = Diags.getCustomDiagID(
            DiagnosticsEngine::Error,
            "'%0' says that %1 pointer parameters are written, but kernel %2 has only %3");
        Diags.Report(A.NumberRange.getBegin(), TooFew)
            << attributeName(A.What) << A.Number << Kernel << static_cast<unsigned>(Pointers.size())
            << A.NumberRange;
        noteKernel(Diags, Kernel);
        return std::nullopt;
    }
    Pointers.truncate(A.Number);
    return Pointers;
}

/// Turns the annotations of a translation unit into what they say, one rule a function.
class AnnotationChecker {
  public:
    explicit AnnotationChecker(ASTContext &Context)
        : Diags(Context.getDiagnostics()), IsCuda(Context.getLangOpts().CUDA) {
    }

    void check(const Annotation &A) {
        if (A.What == Annotation::Off) {
            Result[A.Function->getCanonicalDecl()].IsOff = true;
            return;
        }
        if (IsCuda && !A.Function->getMostRecentDecl()->hasAttr<CUDAGlobalAttr>()) {
            report(A.Range, "'%0' only applies to kernels (__global__ functions)", A);
            return;
        }
        KernelAnnotations &All = Result[A.Function->getCanonicalDecl()];
        if (A.What == Annotation::Priority) {
            merge(A, All.Priority, A.Number);
        } else if (auto Written = writtenParameters(A)) {
            if (!All.Outputs)
                All.OutputsLocation = A.Range.getBegin();
            merge(A, All.Outputs, *Written);
            if (A.HasNumber)
                All.Counted = A;
        }
    }

    llvm::DenseMap<const FunctionDecl *, KernelAnnotations> Result;

  private:
    template <unsigned N>
    DiagnosticBuilder report(SourceRange Range, const char (&Text)[N], const Annotation &A) {
        DiagnosticBuilder Builder =
            Diags.Report(Range.getBegin(), Diags.getCustomDiagID(DiagnosticsEngine::Error, Text));
        Builder << attributeName(A.What) << Range;
        return Builder;
    }

    std::optional<SmallVector<unsigned, 4>> writtenParameters(const Annotation &A) {
        return A.HasNumber ? countedParameters(A) : namedParameters(A);
    }

    /// A template's parameter may be a pointer in some instances.
    std::optional<SmallVector<unsigned, 4>> countedParameters(const Annotation &A) {
        return firstPointers(A, A.Function,
                             [](QualType Type) { return isDataPointer(Type) || Type->isDependentType(); });
    }

    std::optional<SmallVector<unsigned, 4>> namedParameters(const Annotation &A) {
        SmallVector<unsigned, 4> Written;
        for (const auto &[Name, Range] : A.Names) {
            const auto *Found =
                llvm::find_if(A.Function->parameters(),
                              [&, &Asked = Name](const ParmVarDecl *P) { return P->getName() == Asked; });
            if (Found == A.Function->param_end()) {
                report(Range, "'%0' names '%1', which is no parameter of kernel %2", A) << Name << A.Function;
                noteKernel(Diags, A.Function);
                return std::nullopt;
            }
            if (!isDataPointer((*Found)->getType()) && !(*Found)->getType()->isDependentType()) {
                report(Range, "'%0' names parameter '%1' of kernel %2, which is no pointer", A)
                    << Name << A.Function;
                noteKernel(Diags, A.Function);
                return std::nullopt;
            }
            Written.push_back((*Found)->getFunctionScopeIndex());
        }
        llvm::sort(Written);
        Written.erase(llvm::unique(Written), Written.end());
        return Written;
    }

    template <typename T>
    void merge(const Annotation &A, std::optional<T> &Known, const T &Said) {
        const Annotation *&First = Firsts[{A.Function->getCanonicalDecl(), A.What}];
        if (!Known) {
            Known = Said;
            First = &A;
        } else if (*Known != Said) {
            report(A.Range, "'%0' disagrees with an earlier annotation of kernel %1", A) << A.Function;
            Diags.Report(First->Range.getBegin(),
                         Diags.getCustomDiagID(DiagnosticsEngine::Note, "the earlier annotation is here"))
                << First->Range;
        }
    }

    DiagnosticsEngine &Diags;
    bool IsCuda; ///< else the host code that nvcc makes, which does not say what kernels are
    std::map<std::pair<const FunctionDecl *, Annotation::Kind>, const Annotation *> Firsts;
};

} // namespace

std::optional<SmallVector<unsigned, 4>> outputsOf(const KernelAnnotations &Said, const FunctionDecl *Kernel) {
    return Said.Counted ? firstPointers(*Said.Counted, Kernel, isDataPointer) : Said.Outputs;
}

bool isDataPointer(QualType Type) {
    return Type->isPointerType() && !Type->isFunctionPointerType();
}

llvm::DenseMap<const FunctionDecl *, KernelAnnotations> takeAnnotations(ASTContext &Context) {
    const std::vector<Annotation> Parsed = parsedAnnotations().take(Context);
    AnnotationChecker Checker(Context);
    for (const Annotation &A : Parsed)
        Checker.check(A);
    return std::move(Checker.Result);
}

} // namespace kesco

static ParsedAttrInfoRegistry::Add<kesco::AttrInfoOf<kesco::Annotation::Outputs>>
    RegisterOutputs("kesco_outputs", "which pointer parameters a kernel writes");
static ParsedAttrInfoRegistry::Add<kesco::AttrInfoOf<kesco::Annotation::Priority>>
    RegisterPriority("kesco_priority", "the priority of a kernel's task");
static ParsedAttrInfoRegistry::Add<kesco::AttrInfoOf<kesco::Annotation::Off>>
    RegisterOff("kesco_off", "a function, or a kernel's launches, stay as they are");
