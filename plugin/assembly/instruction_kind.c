#include "plugin/assembly/instruction_kind.h"

#include "plugin/words.h"

#include <string.h>

static const struct {
    enum kesco_instruction kind;
    const char *names; /* with parts that make them something else than what begins like them */
} instructions[] = {
    {KESCO_PTX_SUM, "add addc cvt cvta mov movmatrix or"},
    {KESCO_PTX_FIRST, "mapa shfl"},
    {KESCO_PTX_CHOICE, "max min selp slct"},
    {KESCO_PTX_DIFFERENCE, "sub subc"},
    {KESCO_PTX_PRODUCT, "fma mad mad24 madc"},
    {KESCO_PTX_MASK, "and"},
    {KESCO_PTX_COUNT,
     "activemask bfind clz cnot createpolicy elect fns getctarank isspacep istypep match mma "
     "popc set setp suq testp txq vote vset vset2 vset4 wgmma.mma_async wmma.mma"},
    {KESCO_PTX_MIXTURE,
     "abs bfe bfi bmsk brev copysign cos div dp2a dp4a ex2 lg2 lop3 mul mul24 neg not prmt rcp redux rem "
     "rsqrt "
     "sad shf shl shr sin sqrt szext tanh vabsdiff vabsdiff2 vabsdiff4 vadd vadd2 vadd4 vavrg2 vavrg4 vmad "
     "vmax vmax2 vmax4 vmin vmin2 vmin4 vshl vshr vsub vsub2 vsub4 xor"},
    {KESCO_PTX_IDLE, "applypriority exit griddepcontrol nanosleep pmevent prefetch prefetchu ret setmaxnreg "
                     "wgmma.commit_group wgmma.fence wgmma.wait_group"},
    {KESCO_PTX_JUMP, "bra"},
    {KESCO_PTX_TRAP, "brkpt trap"},
    {KESCO_PTX_FENCE, "bar barrier fence membar"},
    {KESCO_PTX_LOAD, "ld ldu wmma.load"},
    {KESCO_PTX_STORE, "st wmma.store"},
    {KESCO_PTX_ATOMIC, "atom"},
    {KESCO_PTX_REDUCTION, "red"},
    {KESCO_PTX_DISCARD, "discard"},
    {KESCO_PTX_MBARRIER, "mbarrier"},
    {KESCO_PTX_MATRIX_LOAD, "ldmatrix"},
    {KESCO_PTX_MATRIX_STORE, "stmatrix"},
    {KESCO_PTX_COPY, "cp.async cp.async.bulk"},
    {KESCO_PTX_COPY_AND_ADD, "cp.reduce.async.bulk"},
    {KESCO_PTX_COPY_CONTROL, "cp.async.bulk.commit_group cp.async.bulk.wait_group cp.async.commit_group "
                             "cp.async.mbarrier.arrive cp.async.wait_all cp.async.wait_group"},
    {KESCO_PTX_TEXTURE, "tex tld4"},
    {KESCO_PTX_SURFACE_LOAD, "suld"},
    {KESCO_PTX_SURFACE_STORE, "sust"},
    {KESCO_PTX_SURFACE_ADD, "sured"},
    {KESCO_PTX_MULTICAST, "multimem"},
};

static enum kesco_instruction find(const char *name, size_t length) {
    for (size_t i = 0; i < sizeof(instructions) / sizeof(*instructions); i++)
        if (kesco_words_have(instructions[i].names, name, length, false))
            return instructions[i].kind;
    return KESCO_PTX_UNKNOWN;
}

/* The longest name in the table that the opcode begins with counts. */
enum kesco_instruction kesco_instruction_find(const char *opcode) {
    size_t length = strlen(opcode);
    enum kesco_instruction kind = find(opcode, length);
    while (kind == KESCO_PTX_UNKNOWN && memchr(opcode, '.', length)) {
        while (opcode[--length] != '.')
            ;
        kind = find(opcode, length);
    }
    return kind;
}

bool kesco_is_special_register(const char *name) {
    static const char names[] =
        "%aggr_smem_size %clock %clock64 %clock_hi %cluster_ctaid %cluster_ctarank %cluster_nctaid "
        "%cluster_nctarank %clusterid %ctaid %current_graph_exec %dynamic_smem_size %globaltimer "
        "%globaltimer_hi %globaltimer_lo %gridid %is_explicit_cluster %laneid %lanemask_eq %lanemask_ge "
        "%lanemask_gt %lanemask_le %lanemask_lt %nclusterid %nctaid %nsmid %ntid %nwarpid %smid %tid "
        "%total_smem_size %warpid %reserved_smem_offset_begin %reserved_smem_offset_end "
        "%reserved_smem_offset_cap WARP_SZ";
    static const char *const numbered[] = {"%envreg", "%pm", "%reserved_smem_offset_"};
    size_t length = strcspn(name, ".");
    const char *part = name + length + (name[length] == '.');
    if (kesco_words_have(names, name, length, false))
        return !*part || (strchr("xyzw", *part) && !part[1]);
    for (size_t i = 0; i < sizeof(numbered) / sizeof(*numbered); i++) {
        size_t begin = strlen(numbered[i]);
        if (strncmp(name, numbered[i], begin) == 0)
            return length > begin && !*part && strspn(name + begin, "0123456789") == length - begin;
    }
    return false;
}

bool kesco_ptx_has_part(const char *opcode, const char *part) {
    const size_t length = strlen(part);
    for (const char *point = strchr(opcode, '.'); point; point = strchr(point + 1, '.')) {
        const char *after = point + 1 + length;
        if (strncmp(point + 1, part, length) == 0 &&
            (!*after || *after == '.' || strncmp(after, "::", 2) == 0))
            return true;
    }
    return false;
}
