#include "plugin/kernels/kernel_summaries.h"

#include "plugin/cuda/cuda_calls.h"
#include "plugin/cuda/op_sites.h"
#include "plugin/frontend/source_facts.h"
#include "plugin/ir/calls.h"
#include "plugin/ir/kernel_stub.h"
#include "plugin/kernels/device_image.h"
#include "plugin/lift/ptx_summaries.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/Support/ErrorHandling.h"

using namespace llvm;

namespace kesco {

using NameMap = DenseMap<const Function *, std::string>;

static void addName(const Value *Stub, const Value *Name, NameMap &Names) {
    const auto *F = dyn_cast<Function>(Stub->stripPointerCasts());
    StringRef Text;
    if (F && isKernelStub(*F) && getConstantStringInfo(Name, Text))
        Names[F] = Text.str();
}

/// Calls \p See with each device variable's name and its shadow in host code, by which it is registered.
static void forEachVariable(const Module &M, function_ref<void(StringRef, const GlobalVariable &)> See) {
    for (const CallBase *Call : callsOf(M, "__cudaRegisterVar")) {
        StringRef Name;
        if (Call->arg_size() < 4 || !getConstantStringInfo(Call->getArgOperand(3), Name))
            continue;
        if (const auto *Shadow = dyn_cast<GlobalVariable>(Call->getArgOperand(1)->stripPointerCasts()))
            See(Name, *Shadow);
    }
}

/// True for CUDA's copies to and from variables, as in C or as its templates around that.
static bool isSymbolCopy(const Function &Callee) {
    StringRef Name = Callee.getName();
    unsigned Length;
    if (Name.consume_front("_ZL")) {
        if (Name.consumeInteger(10, Length) || !Name.substr(Length).starts_with("I"))
            return false;
        Name = Name.take_front(Length);
    }
    const kesco_call *Row = kesco_call_find_op(Name.data(), Name.size(), Callee.arg_size());
    return Row && (kesco_call_argument(Row, KESCO_TO_SYMBOL) >= 0 ||
                   kesco_call_argument(Row, KESCO_FROM_SYMBOL) >= 0);
}

/// True if the host makes no pointer to the device variable of \p Shadow.
static bool isNamedOnly(const GlobalVariable &Shadow) {
    return Shadow.hasLocalLinkage() && all_of(Shadow.users(), [](const User *By) {
               const auto *Call = dyn_cast<CallBase>(By);
               const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
               return Callee && (Callee->getName() == "__cudaRegisterVar" || isSymbolCopy(*Callee));
           });
}

/// What no kernel writes, and no pointer leads to, is as good as constant.
static void settleReadVariables(const Module &M, kesco_summaries &Set) {
    StringSet<> Constant;
    forEachVariable(M, [&](StringRef Name, const GlobalVariable &Shadow) {
        if (isNamedOnly(Shadow))
            Constant.insert(Name);
    });
    for (kesco_summary &Summary : MutableArrayRef(Set.items, Set.count))
        for (kesco_variable_access &Access : MutableArrayRef(Summary.variables, Summary.variable_count))
            if (Access.kind == KESCO_VARIABLE_READ && Constant.contains(Access.name))
                Access.kind = KESCO_CONSTANT;
}

static void findRegistrations(const Module &M, NameMap &Names) {
    for (const CallBase *Call : callsOf(M, "__cudaRegisterFunction"))
        if (Call->arg_size() > 2)
            addName(Call->getArgOperand(1), Call->getArgOperand(2), Names);
}

/// An entry (struct __tgt_offload_entry) has a symbol's address and, right after it, its name in the device
/// code; what stands before them is another with each release of LLVM.
static void findEntries(const Module &M, NameMap &Names) {
    for (const GlobalVariable &Global : M.globals()) {
        if (!Global.getName().starts_with(".offloading.entry.") || !Global.hasInitializer())
            continue;
        const auto *Entry = dyn_cast<ConstantStruct>(Global.getInitializer());
        for (unsigned I = 1; Entry && I < Entry->getNumOperands(); I++)
            addName(Entry->getOperand(I - 1), Entry->getOperand(I), Names);
    }
}

KernelSummaries::~KernelSummaries() {
    kesco_summaries_free(&Set);
}

void KernelSummaries::read(const Module &M, ArrayRef<std::string> Images,
                           function_ref<void(StringRef, Error)> Refuse) {
    findRegistrations(M, Names);
    findEntries(M, Names);
    forEachVariable(
        M, [&](StringRef Name, const GlobalVariable &Shadow) { Variables[Name] = Shadow.getName().str(); });
    bool Refused = false;
    for (const std::string &Image : Images)
        if (Error E = readDeviceImage(Image, Set)) {
            Refuse(Image, std::move(E));
            Refused = true;
        }
    if (Refused)
        kesco_summaries_free(&Set);
    settleReadVariables(M, Set);
}

/// What the host code knows of the kernels' parameters, by the kernels' names in device code.
static StringMap<const KernelFacts *> factsByName(const NameMap &Names, const SourceFacts &Facts) {
    StringMap<const KernelFacts *> Result;
    for (const auto &[Stub, Name] : Names)
        if (auto Known = Facts.Kernels.find(Stub->getName()); Known != Facts.Kernels.end())
            Result[Name] = &Known->second;
    return Result;
}

static bool isPointer(const KernelFacts *Facts, unsigned Parameter, uint64_t Offset) {
    if (!Facts || Parameter >= Facts->Parameters.size())
        return false;
    const KernelParameter &P = Facts->Parameters[Parameter];
    return (P.IsPointer && Offset == 0) || P.Members.count(Offset) != 0;
}

Error KernelSummaries::readPtx(ArrayRef<std::string> Ptx, const SourceFacts &Facts,
                               clang::SourceManager &Sources) {
    const StringMap<const KernelFacts *> Known = factsByName(Names, Facts);
    auto IsPointer = [&](StringRef Kernel, unsigned Parameter, uint64_t Offset) {
        return isPointer(Known.lookup(Kernel), Parameter, Offset);
    };
    for (const std::string &Text : Ptx)
        if (Error E = summarisePtx(Text, IsPointer, Variables, Sources, Set)) {
            kesco_summaries_free(&Set);
            return E;
        }
    markWeak();
    return Error::success();
}

void KernelSummaries::markWeak() {
    for (const auto &[Stub, Name] : Names) {
        if (!GlobalValue::isInterposableLinkage(Stub->getLinkage()) ||
            !kesco_summaries_find(&Set, Name.c_str()))
            continue;
        kesco_summary *Known = kesco_summaries_add(&Set, Name.c_str());
        if (!Known || kesco_summary_add_unseen(Known, "it is weak, so another may take its place", nullptr))
            report_bad_alloc_error("kesco: access summaries");
    }
}

const kesco_summary *KernelSummaries::find(const Function &Stub) const {
    auto Name = Names.find(&Stub);
    return Name == Names.end() ? nullptr : kesco_summaries_find(&Set, Name->second.c_str());
}

bool KernelSummaries::isMissing(const Function &Stub) const {
    return Set.count > 0 && Names.contains(&Stub) && !find(Stub);
}

SmallVector<PointerInMemory, 4> KernelSummaries::pointersInMemory(const Function &Stub) const {
    SmallVector<PointerInMemory, 4> Result;
    const kesco_summary *Summary = find(Stub);
    if (!Summary)
        return Result;
    const DataLayout &Layout = Stub.getDataLayout();
    SmallVector<StubArgument, 8> Arguments = argumentsOfStub(Stub);
    for (unsigned I = 0; I < Arguments.size(); ++I) {
        const StubArgument &A = Arguments[I];
        Type *InMemory = Stub.getParamByValType(I);
        uint64_t Size = InMemory ? Layout.getTypeAllocSize(InMemory).getFixedValue() : UINT32_MAX;
        for (const kesco_parameter_access &Access : ArrayRef(Summary->parameters, Summary->parameter_count))
            if (A.IsAddress && A.Parameter == static_cast<int>(Access.parameter) &&
                Access.offset + uint64_t(Layout.getPointerSize()) <= Size)
                Result.push_back({I, Access.parameter, Access.offset});
    }
    return Result;
}

/// What \p Summary, null for none, says of argument \p Argument of \p Stub; null: it is not touched, or
/// nothing is known.
static const kesco_parameter_access *accessOf(const kesco_summary *Summary, const Function &Stub,
                                              unsigned Argument) {
    if (!Summary)
        return nullptr;
    const StubArgument Given = argumentsOfStub(Stub)[Argument];
    const ArrayRef All(Summary->parameters, Summary->parameter_count);
    const auto *Found = find_if(All, [&](const kesco_parameter_access &Access) {
        return !Given.IsAddress && Given.Parameter == static_cast<int>(Access.parameter) &&
               Given.Offset == Access.offset;
    });
    return Found == All.end() ? nullptr : Found;
}

bool KernelSummaries::hasRanges(const Function &Stub, unsigned Argument) const {
    const kesco_parameter_access *Access = accessOf(find(Stub), Stub, Argument);
    return Access && (!(Access->effect & KESCO_READS) || Access->read_within) &&
           (!(Access->effect & KESCO_WRITES) || Access->written_within);
}

bool KernelSummaries::isOnlyRead(const Function &Stub, unsigned Argument) const {
    const kesco_parameter_access *Access = accessOf(find(Stub), Stub, Argument);
    return Access && !(Access->effect & KESCO_WRITES);
}

} // namespace kesco
