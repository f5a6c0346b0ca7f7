#include "plugin/messages/stages.h"

#include "plugin/code/runtime_abi.h"
#include "plugin/cuda/cuda_model.h"
#include "plugin/ir/kernel_stub.h"
#include "plugin/messages/describe_summary.h"
#include "plugin/plan/selection.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
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

static const char *streamOf(kesco_origin From) {
    switch (From) {
    case KESCO_ORIGIN_LEGACY:
        return "the legacy default stream";
    case KESCO_ORIGIN_PER_THREAD:
        return "the per-thread default stream";
    case KESCO_ORIGIN_GIVEN:
        break;
    }
    return "a stream of the program's";
}

static std::string linesOf(const Op &O) {
    const std::string Line = O.source.line == 0 ? "" : ", line " + std::to_string(O.source.line);
    return kesco_op_is_elsewhere(&O.source)
               ? Line + " by " + StringRef(O.source.own_file).str() + ":" + std::to_string(O.source.own_line)
               : Line;
}

/// "; VERB a, b" of the accesses that write, or do not; empty where there are none.
static std::string accessesOf(const Region &R, const Op &O, bool Write, StringRef Verb) {
    SmallSetVector<StringRef, 8> Names;
    for (const kesco_op_access &A : all(O.memory.accesses))
        if ((A.access == KESCO_WRITE) == Write || (A.also_reads && !Write))
            Names.insert(A.object == KESCO_OBJECT_ANY ? "anything" : StringRef(R.parts.items[A.object]));
    return Names.empty() ? "" : ("; " + Verb + " " + join(Names, ", ")).str();
}

static const char *waitOf(kesco_host_wait Wait) {
    switch (Wait) {
    case KESCO_HOST_WAIT_NONE:
        return "";
    case KESCO_HOST_WAIT_UNSURE:
        return "; the host may wait for it";
    case KESCO_HOST_WAIT_DONE:
        return "; the host waits for it";
    }
    llvm_unreachable("no other value");
}

static void printOp(raw_ostream &Out, const Region &R, unsigned Index) {
    const Op &O = R.ops.items[Index];
    Out << "    op " << Index << linesOf(O) << ": " << kesco_op_kind_name(O.op.kind) << " " << O.op.name
        << accessesOf(R, O, false, "reads") << accessesOf(R, O, true, "writes") << waitOf(O.host.wait);
    if (O.memory.doubt != nullptr)
        Out << "; " << O.memory.doubt;
    if (O.way.next.count > 0)
        Out << "; then op "
            << join(map_range(all(O.way.next), [](unsigned Next) { return std::to_string(Next); }), " or ");
    Out << "\n";
}

/// The kinds of memory in \p Where, as "device or managed".
static std::string memoryText(unsigned Where) {
    static constexpr std::pair<unsigned, const char *> Kinds[] = {{DeviceMemory, "device"},
                                                                  {ManagedMemory, "managed"},
                                                                  {PinnedMemory, "pinned"},
                                                                  {PageableMemory, "pageable"}};
    SmallVector<StringRef, 4> Names;
    for (const auto &[Bit, Name] : Kinds)
        if (Where & Bit)
            Names.push_back(Name);
    return Where == AnyMemory ? "any" : join(Names, " or ");
}

static void printCalls(raw_ostream &Out, const SmallSetVector<CallBase *, 4> &Calls, StringRef What) {
    for (const CallBase *Call : Calls)
        Out << "    call of " << Call->getCalledFunction()->getName() << ", line "
            << lineOf(Call->getDebugLoc()) << ": " << What << "\n";
}

/// True if \p Op is issued behind all ops before it, in whatever order others are.
static bool keepsPlace(const Region &R, unsigned Op) {
    return Op > 0 && R.ops.items[Op].op.segment != R.ops.items[Op - 1].op.segment;
}

static void printOps(raw_ostream &Out, const Region &R) {
    const auto Kept = seq(1U, std::max(R.ops.count, 1U));
    const bool AllKeep = R.ops.count > 2 && all_of(Kept, [&](unsigned Op) { return keepsPlace(R, Op); });
    if (AllKeep)
        Out << "    -- no op changes places\n";
    for (unsigned I = 0; I < R.ops.count; ++I) {
        if (!AllKeep && keepsPlace(R, I))
            Out << "    -- no op changes places across this line\n";
        printOp(Out, R, I);
    }
}

/// The pairs that the run compares, those with one pointer in common in one line.
static void printGuards(raw_ostream &Out, const Region &R) {
    const auto nameOf = [&](unsigned Object) { return StringRef(R.objects.items[Object].name); };
    ArrayRef<kesco_pair> Rest(R.guards.checked.items, R.guards.checked.count);
    while (!Rest.empty()) {
        const unsigned First = Rest.front().a;
        const auto Alike = Rest.take_while([&](const kesco_pair &G) { return G.a == First; });
        SmallVector<StringRef, 8> Others;
        for (const kesco_pair &G : Alike)
            Others.push_back(nameOf(G.b));
        Out << "    guard: serial where " << nameOf(First) << " and " << (Alike.size() > 1 ? "one of " : "")
            << join(Others, ", ") << " lead to the same memory\n";
        Rest = Rest.drop_front(Alike.size());
    }
}

static void printRegion(raw_ostream &Out, const Region &R, unsigned Number) {
    Out << "  region " << Number << ", on " << streamOf(R.origin) << ":\n";
    printOps(Out, R);
    for (const kesco_object &O : all(R.objects))
        Out << "    object " << O.name << ": " << memoryText(O.where) << " memory"
            << (O.written ? ", written\n" : "\n");
    printGuards(Out, R);
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
