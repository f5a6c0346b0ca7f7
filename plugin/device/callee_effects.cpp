#include "plugin/device/callee_effects.h"

#include "plugin/words.h"

extern "C" {
#include "plugin/summary/summary.h"
}

#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace kesco {

static unsigned effectOf(ModRefInfo Info) {
    return (isRefSet(Info) ? unsigned(KESCO_READS) : 0) | (isModSet(Info) ? unsigned(KESCO_WRITES) : 0);
}

/// The operands of \p Assembly as its text numbers them. \returns whether all are of a kind that is known.
static bool findOperands(const InlineAsm::ConstraintInfoVector &Constraints,
                         SmallVectorImpl<kesco_assembly_operand> &Operands) {
    unsigned Next = 0;
    bool Known = true;
    for (const InlineAsm::ConstraintInfo &C : Constraints) {
        if (C.Type == InlineAsm::isClobber || C.Type == InlineAsm::isLabel)
            continue;
        kesco_assembly_operand Operand = {};
        Operand.is_given = C.hasArg();
        if (Operand.is_given)
            Operand.argument = Next++;
        Operand.is_output = C.Type == InlineAsm::isOutput;
        Operand.is_memory = C.isIndirect;
        Known &= !C.isIndirect || (C.Codes.size() == 1 && C.Codes[0] == "m");
        Operands.push_back(Operand);
    }
    for (unsigned I = 0; I < Operands.size(); ++I)
        if (Constraints[I].hasMatchingInput()) {
            const kesco_assembly_operand &Input = Operands[Constraints[I].MatchingInput];
            Operands[I].is_given = Input.is_given;
            Operands[I].argument = Input.argument;
        }
    return Known;
}

static bool clobbersMemory(const InlineAsm::ConstraintInfoVector &Constraints) {
    return any_of(Constraints, [](const InlineAsm::ConstraintInfo &C) {
        return C.Type == InlineAsm::isClobber && is_contained(C.Codes, "{memory}");
    });
}

static bool looksAtOthers(const kesco_assembly_access &Access) {
    return !Access.in_block && (Access.effect & KESCO_READS) != 0;
}

bool CalleeEffects::readsShared() const {
    return any_of(Arguments, [](const ArgumentAccess &A) { return (A.Effect & KESCO_READS) != 0; }) ||
           (Assembly && any_of(accessesOf(*Assembly), looksAtOthers));
}

static CalleeEffects effectsOfAssembly(const InlineAsm &Assembly) {
    CalleeEffects Result;
    const InlineAsm::ConstraintInfoVector Constraints = Assembly.ParseConstraints();
    SmallVector<kesco_assembly_operand, 8> Operands;
    const bool OperandsKnown = findOperands(Constraints, Operands);
    const AssemblyEffects Read = readAssembly(Assembly.getAsmString(), Operands);
    const bool LooksAtOthers = any_of(accessesOf(*Read), looksAtOthers);
    Result.Assembly = Read;
    Result.Anywhere = Read->anywhere.effect;
    if (Result.Anywhere)
        Result.AnywhereWhy = Read->anywhere.why;
    const char *NotUnderstood = OperandsKnown ? Read->not_understood : "an operand in memory or elsewhere";
    if (NotUnderstood)
        Result.Unseen = std::string("inline assembly has ") + NotUnderstood + ", which is not understood";
    if (Read->flags & KESCO_ASSEMBLY_TRAPS)
        Result.Flags |= KESCO_MAY_TRAP;
    if ((Read->flags & KESCO_ASSEMBLY_LOOPS) && ((Result.Anywhere & KESCO_READS) != 0 || LooksAtOthers))
        Result.Flags |= KESCO_WAITS;
    /* What is volatile looks again each time. */
    Result.Watches =
        (Read->flags & KESCO_ASSEMBLY_WATCHES) != 0 || (Assembly.hasSideEffects() && LooksAtOthers);
    Result.Fences = (Read->flags & KESCO_ASSEMBLY_FENCES) != 0 || clobbersMemory(Constraints);
    return Result;
}

/// True if printf's format is known and has no conversion that reads through its argument.
static bool printsOnlyValues(const Value *Format) {
    StringRef Text;
    if (!getConstantStringInfo(Format, Text))
        return false;
    for (size_t At = Text.find('%'); At != StringRef::npos; At = Text.find('%', At)) {
        At = Text.find_first_not_of("-+ #0123456789.*hlLjzt", At + 1);
        if (At == StringRef::npos || Text[At] == 's' || Text[At] == 'n')
            return false;
        ++At;
    }
    return true;
}

/// The device runtime's functions, by CUDA's C++ Programming Guide ("Formatted Output", "Dynamic Global
/// Memory Allocation", "Assertion") and the libdevice User's Guide.
static std::optional<CalleeEffects> effectsOfRuntime(StringRef Name, const CallBase &Call) {
    CalleeEffects Result;
    if (Name == "malloc" || Name == "__kmpc_alloc_shared") {
        Result.Allocates = true;
        Result.Flags = KESCO_USES_HEAP;
    } else if (Name == "free") {
        Result.Flags = KESCO_USES_HEAP;
    } else if (Name == "vprintf" && Call.arg_size() == 2) {
        Result.Flags = KESCO_PRINTS;
        Result.Arguments = {{0, KESCO_READS}};
        if (!printsOnlyValues(Call.getArgOperand(0)))
            Result.ReadsPointeesOf = Call.getArgOperand(1);
    } else if (Name == "__assertfail" || Name == "__trap") {
        Result.Flags = KESCO_MAY_TRAP;
    } else if (Name.starts_with("__nv_")) {
        /* Mathematics; pointers are for further results, but for the norms of vectors. */
        bool IsNorm = Name.starts_with("__nv_norm") || Name.starts_with("__nv_rnorm");
        for (unsigned I = 0; I < Call.arg_size(); ++I)
            if (Call.getArgOperand(I)->getType()->isPointerTy())
                Result.Arguments.push_back({I, IsNorm ? KESCO_READS : KESCO_WRITES});
    } else if (Name != "__nvvm_reflect") {
        return std::nullopt;
    }
    return Result;
}

/// Intrinsics of NVPTX that LLVM says may touch any memory, but that touch none beyond the block's own.
static bool touchesNothingShared(StringRef Name) {
    static const char Names[] =
        "activemask bar. barrier clusterlaunchcontrol cp.async.bulk.commit cp.async.bulk.wait "
        "cp.async.commit cp.async.mbarrier cp.async.wait elect exit fence griddepcontrol ldmatrix mapa "
        "match mbarrier membar nanosleep pm.event redux setmaxnreg shfl stmatrix vote wgmma";
    return Name.consume_front("llvm.nvvm.") && kesco_words_have(Names, Name.data(), Name.size(), true);
}

static bool isFence(StringRef Name) {
    return Name.starts_with("llvm.nvvm.bar") || Name.starts_with("llvm.nvvm.membar") ||
           Name.starts_with("llvm.nvvm.fence");
}

/// By what LLVM knows of the intrinsic and of each of its arguments.
static CalleeEffects effectsOfIntrinsic(const CallBase &Call, StringRef Name) {
    CalleeEffects Result;
    Result.Fences = isFence(Name);
    Result.Watches = Name.starts_with("llvm.nvvm.atomic.");
    if (Name == "llvm.trap" || Name == "llvm.debugtrap" || Name == "llvm.ubsantrap") {
        Result.Flags = KESCO_MAY_TRAP;
        return Result;
    }
    const auto *Bytes = dyn_cast<AnyMemIntrinsic>(&Call);
    const auto *Length = Bytes ? dyn_cast<ConstantInt>(Bytes->getLength()) : nullptr;
    if (Length && Length->isZero())
        return Result;
    MemoryEffects Effects = Call.getMemoryEffects();
    if (Result.Fences && Name.ends_with(".sys")) {
        Result.Anywhere = KESCO_READS | KESCO_WRITES;
        Result.AnywhereWhy = KESCO_SIGNALS_THE_HOST;
        return Result;
    }
    if (cast<IntrinsicInst>(Call).isAssumeLikeIntrinsic() || Effects.doesNotAccessMemory() ||
        touchesNothingShared(Name))
        return Result;
    if (Name.contains(".tensor.") && Name.starts_with("llvm.nvvm.cp.")) {
        Result.Anywhere = Name.contains(".g2s.") || Name.contains("prefetch") ? unsigned(KESCO_READS)
                                                                              : KESCO_READS | KESCO_WRITES;
        Result.AnywhereWhy = "it copies by a tensor map";
        return Result;
    }
    if (Name.starts_with("llvm.nvvm.tex.") || Name.starts_with("llvm.nvvm.tld4.") ||
        Name.starts_with("llvm.nvvm.suld.") || Name.starts_with("llvm.nvvm.sust.")) {
        bool Writes = Name.starts_with("llvm.nvvm.sust.");
        Result.Anywhere = Writes ? KESCO_WRITES : KESCO_READS;
        Result.AnywhereWhy = Writes ? "it writes through a surface" : "it reads through a texture or surface";
        return Result;
    }
    if (!Effects.onlyAccessesInaccessibleOrArgMem()) {
        Result.Unseen = ("instruction '" + Name + "' is not understood").str();
        return Result;
    }
    unsigned Most = effectOf(Effects.getModRef(IRMemLocation::ArgMem));
    for (unsigned I = 0; I < Call.arg_size(); ++I) {
        if (!Call.getArgOperand(I)->getType()->isPtrOrPtrVectorTy() || Call.doesNotAccessMemory(I))
            continue;
        unsigned Effect = Call.onlyReadsMemory(I)    ? KESCO_READS
                          : Call.onlyWritesMemory(I) ? KESCO_WRITES
                                                     : Most;
        Result.Arguments.push_back({I, Effect & Most});
    }
    Result.CopiesArguments = isa<AnyMemTransferInst>(Call);
    return Result;
}

/// True for what a launch in device code calls; since CUDA 12 its names begin with __cudaCDP2.
static bool isDeviceLaunch(StringRef Name) {
    return (Name.consume_front("__cudaCDP2") || Name.consume_front("cuda")) &&
           (Name.starts_with("LaunchDevice") || Name.starts_with("GetParameterBuffer"));
}

CalleeEffects findCalleeEffects(const CallBase &Call) {
    if (const auto *Assembly = dyn_cast<InlineAsm>(Call.getCalledOperand()))
        return effectsOfAssembly(*Assembly);
    CalleeEffects Result;
    const auto *Callee = dyn_cast<Function>(Call.getCalledOperand()->stripPointerCasts());
    if (!Callee) {
        Result.Unseen = "it calls a function through a pointer";
        return Result;
    }
    if (Callee->isIntrinsic())
        return effectsOfIntrinsic(Call, Callee->getName());
    if (std::optional<CalleeEffects> Known = effectsOfRuntime(Callee->getName(), Call))
        return *Known;
    if (isDeviceLaunch(Callee->getName()))
        Result.Unseen = "it launches kernels";
    else
        Result.Unseen = "it calls '" + demangle(Callee->getName()) +
                        (Callee->isDeclaration() ? "', whose body is not seen"
                                                 : "', which another definition may replace");
    return Result;
}

} // namespace kesco
