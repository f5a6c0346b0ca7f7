#include "plugin/assembly/instruction_kind.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

using namespace llvm;

namespace kesco {

using Kinds = StringMap<InstructionKind>;

static void add(Kinds &Known, InstructionKind Kind, ArrayRef<StringRef> Names) {
    for (StringRef Name : Names)
        Known[Name] = Kind;
}

static void addArithmetic(Kinds &Known) {
    add(Known, InstructionKind::Sum, {"add", "addc", "cvt", "cvta", "mov", "movmatrix", "or"});
    add(Known, InstructionKind::First, {"mapa", "shfl"});
    add(Known, InstructionKind::Choice, {"max", "min", "selp", "slct"});
    add(Known, InstructionKind::Difference, {"sub", "subc"});
    add(Known, InstructionKind::Product, {"fma", "mad", "mad24", "madc"});
    add(Known, InstructionKind::Mask, {"and"});
    add(Known, InstructionKind::Count,
        {"activemask", "bfind",   "clz",   "cnot", "createpolicy", "elect", "fns",  "getctarank",
         "isspacep",   "istypep", "match", "mma",  "popc",         "set",   "setp", "suq",
         "testp",      "txq",     "vote",  "vset", "vset2",        "vset4"});
    add(Known, InstructionKind::Mixture,
        {"abs",    "bfe",    "bfi",  "bmsk",     "brev",      "copysign",  "cos",  "div",   "dp2a",
         "dp4a",   "ex2",    "lg2",  "lop3",     "mul",       "mul24",     "neg",  "not",   "prmt",
         "rcp",    "redux",  "rem",  "rsqrt",    "sad",       "shf",       "shl",  "shr",   "sin",
         "sqrt",   "szext",  "tanh", "vabsdiff", "vabsdiff2", "vabsdiff4", "vadd", "vadd2", "vadd4",
         "vavrg2", "vavrg4", "vmad", "vmax",     "vmax2",     "vmax4",     "vmin", "vmin2", "vmin4",
         "vshl",   "vshr",   "vsub", "vsub2",    "vsub4",     "xor"});
}

static void addMemory(Kinds &Known) {
    add(Known, InstructionKind::Idle,
        {"applypriority", "exit", "griddepcontrol", "nanosleep", "pmevent", "prefetch", "prefetchu", "ret",
         "setmaxnreg", "wgmma.commit_group", "wgmma.fence", "wgmma.wait_group"});
    add(Known, InstructionKind::Fence, {"bar", "barrier", "fence", "membar"});
    add(Known, InstructionKind::Load, {"ld", "ldu", "wmma.load"});
    add(Known, InstructionKind::Store, {"st", "wmma.store"});
    Known["wmma.mma"] = Known["wgmma.mma_async"] = InstructionKind::Count;
    Known["bra"] = InstructionKind::Jump;
    Known["trap"] = Known["brkpt"] = InstructionKind::Trap;
    Known["atom"] = InstructionKind::Atomic;
    Known["red"] = InstructionKind::Reduction;
    Known["discard"] = InstructionKind::Discard;
    Known["mbarrier"] = InstructionKind::Barrier;
    Known["ldmatrix"] = InstructionKind::MatrixLoad;
    Known["stmatrix"] = InstructionKind::MatrixStore;
    Known["multimem"] = InstructionKind::Multicast;
    Known["suld"] = InstructionKind::SurfaceLoad;
    Known["sust"] = InstructionKind::SurfaceStore;
    Known["sured"] = InstructionKind::SurfaceAdd;
    add(Known, InstructionKind::Texture, {"tex", "tld4"});
    Known["cp.async"] = Known["cp.async.bulk"] = InstructionKind::Copy;
    Known["cp.reduce.async.bulk"] = InstructionKind::CopyAndAdd;
    add(Known, InstructionKind::CopyControl,
        {"cp.async.bulk.commit_group", "cp.async.bulk.wait_group", "cp.async.commit_group",
         "cp.async.mbarrier.arrive", "cp.async.wait_all", "cp.async.wait_group"});
}

/// The longest name in the table that \p Opcode begins with counts.
std::optional<InstructionKind> kindOfInstruction(StringRef Opcode) {
    static const Kinds Known = [] {
        Kinds Result;
        addArithmetic(Result);
        addMemory(Result);
        return Result;
    }();
    for (;;) {
        auto Found = Known.find(Opcode);
        if (Found != Known.end())
            return Found->second;
        if (!Opcode.contains('.'))
            return std::nullopt;
        Opcode = Opcode.rsplit('.').first;
    }
}

bool isSpecialRegister(StringRef Name) {
    static const StringSet<> Names = {"%aggr_smem_size",
                                      "%clock",
                                      "%clock64",
                                      "%clock_hi",
                                      "%cluster_ctaid",
                                      "%cluster_ctarank",
                                      "%cluster_nctaid",
                                      "%cluster_nctarank",
                                      "%clusterid",
                                      "%ctaid",
                                      "%current_graph_exec",
                                      "%dynamic_smem_size",
                                      "%globaltimer",
                                      "%globaltimer_hi",
                                      "%globaltimer_lo",
                                      "%gridid",
                                      "%is_explicit_cluster",
                                      "%laneid",
                                      "%lanemask_eq",
                                      "%lanemask_ge",
                                      "%lanemask_gt",
                                      "%lanemask_le",
                                      "%lanemask_lt",
                                      "%nclusterid",
                                      "%nctaid",
                                      "%nsmid",
                                      "%ntid",
                                      "%nwarpid",
                                      "%smid",
                                      "%tid",
                                      "%total_smem_size",
                                      "%warpid",
                                      "%reserved_smem_offset_begin",
                                      "%reserved_smem_offset_end",
                                      "%reserved_smem_offset_cap",
                                      "WARP_SZ"};
    auto [Register, Part] = Name.split('.');
    if (Names.contains(Register))
        return Part.empty() || (Part.size() == 1 && StringRef("xyzw").contains(Part));
    for (StringRef Numbered : {"%envreg", "%pm", "%reserved_smem_offset_"})
        if (Register.consume_front(Numbered))
            return Part.empty() && !Register.empty() && all_of(Register, isDigit);
    return false;
}

} // namespace kesco
