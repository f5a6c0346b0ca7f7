#include "plugin/messages/stages.h"

#include "plugin/code/runtime_abi.h"
#include "plugin/ir/kernel_stub.h"
#include "plugin/messages/describe_summary.h"
#include "plugin/messages/print_region.h"
#include "plugin/plan/selection.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/ModuleSlotTracker.h"

using namespace llvm;

namespace kesco {

/// " (FILE:LINE)"; empty where unknown.
static std::string placeOf(const Function &F) {
    const DISubprogram *Subprogram = F.getSubprogram();
    return Subprogram ? (" (" + Subprogram->getFilename() + ":" + Twine(Subprogram->getLine()) + ")").str()
                      : "";
}

static std::string summaryText(const Kernel &K) {
    if (!K.Summary)
        return "no summary";
    return describeSummary(K) + (K.Summary->work != 0
                                     ? "; about " + std::to_string(K.Summary->work) + " instructions a thread"
                                     : "");
}

void printSummaries(raw_ostream &Out, const Module &M, const Knowledge &Program) {
    Out << "kernels of " << M.getSourceFileName() << ":\n";
    bool IsAny = false;
    for (const Function &Stub : M) {
        if (!isKernelStub(Stub))
            continue;
        const Kernel K = Program.kernel(Stub);
        Out << "  " << (K.Summary || K.Facts ? kernelTitle(K) : Stub.getName().str()) << placeOf(Stub) << ": "
            << summaryText(K) << "\n";
        IsAny = true;
    }
    if (!IsAny)
        Out << "  none\n";
}

static void printCalls(raw_ostream &Out, const SmallSetVector<CallBase *, 4> &Calls, StringRef What) {
    for (const CallBase *Call : Calls)
        Out << "    call of " << Call->getCalledFunction()->getName() << ", line "
            << lineOf(Call->getDebugLoc()) << ": " << What << "\n";
}

static void printRegion(raw_ostream &Out, const Region &R, unsigned Number) {
    const std::unique_ptr<char, decltype(&free)> Text(kesco_print_region(&R, Number), free);
    Out << Text.get();
    printCalls(Out, R.Elided, "need not wait here");
    printCalls(Out, R.Lazy, "may be put off by the run");
}

void printRegions(raw_ostream &Out, ArrayRef<ScheduledFunction> Functions) {
    if (Functions.empty())
        Out << "no regions: no function issues an op to the device\n";
    for (const ScheduledFunction &Function : Functions) {
        const FunctionAnalysis &Analysis = Function.Analysis;
        Out << "regions of " << functionTitle(*Analysis.Named) << placeOf(*Analysis.Named) << ":\n";
        for (unsigned I = 0; I < Analysis.Regions.size(); ++I)
            printRegion(Out, Analysis.Regions[I], I);
        for (const Barrier &B : Analysis.Barriers)
            Out << "  barrier" << (B.Line == 0 ? "" : ", line " + std::to_string(B.Line)) << ": " << B.Why
                << "\n";
    }
}

/// Adds to \p Used the constants without a name that \p C leads to: the rewrite's are so.
static void addConstants(const Constant &C, SmallSetVector<const GlobalVariable *, 16> &Used) {
    if (const auto *Global = dyn_cast<GlobalVariable>(&C)) {
        if (Global->hasName() || !Used.insert(Global) || !Global->hasInitializer())
            return;
    }
    for (const Use &Operand : C.operands())
        addConstants(*cast<Constant>(Operand), Used);
}

static bool callsRuntime(const Function &F) {
    return any_of(instructions(F), [](const Instruction &I) { return calledAbi(I).has_value(); });
}

void printRewritten(raw_ostream &Out, const Module &M) {
    SmallSetVector<const GlobalVariable *, 16> Constants;
    SmallVector<const Function *, 8> Rewritten;
    for (const Function &F : M) {
        if (!callsRuntime(F))
            continue;
        Rewritten.push_back(&F);
        for (const Instruction &I : instructions(F))
            for (const Use &Operand : I.operands())
                if (const auto *C = dyn_cast<Constant>(Operand); C && !isa<Function>(C))
                    addConstants(*C, Constants);
    }
    Out << "; " << M.getSourceFileName() << ": " << Rewritten.size()
        << (Rewritten.size() == 1 ? " function calls" : " functions call") << " the runtime\n";
    ModuleSlotTracker Slots(&M);
    for (const GlobalVariable *Global : Constants) {
        Global->print(Out, Slots);
        Out << "\n";
    }
    for (const Function *F : Rewritten) {
        Out << "\n; " << functionTitle(*F) << "\n";
        F->print(Out);
    }
}

} // namespace kesco
