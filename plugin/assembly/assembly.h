/*
 * Says of an inline assembly statement which memory it accesses, and where the values that it computes come
 * from: the CUDA headers have many, for loads with a cache policy, asynchronous copies, textures.
 *
 * 1. ptx.h reads the text. What is no PTX, an instruction that is not in the table, a name that is none of
 *    the assembly's own, or a jump that leaves it makes the statement not understood: it may do anything.
 * 2. The registers of the assembly get values from the instructions that write them, whatever guards and
 *    jumps lie between, until nothing changes. A value is a set of sums: a move hands on those of its
 *    operand, an addition makes a sum of each of one operand and each of the other, a choice has both.
 * 3. The addresses of loads and stores then are such values, in terms of the operands of the assembly.
 *
 * What an instruction makes of operands is taken for a sum of them if nothing else is known. Loads through
 * addresses that are loaded themselves may give anything.
 */
#ifndef KESCO_PLUGIN_ASSEMBLY_ASSEMBLY_H
#define KESCO_PLUGIN_ASSEMBLY_ASSEMBLY_H

#include "plugin/assembly/assembly_value.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An access to where the address leads. */
struct kesco_assembly_access {
    struct kesco_assembly_value address;
    unsigned effect;                    /* KESCO_READS, KESCO_WRITES or both */
    bool in_block;                      /* by its state space, memory of a thread, block or cluster alone */
    struct kesco_assembly_value stored; /* of a write: what is */
};

/* What else the statement does, as bits. */
enum {
    KESCO_ASSEMBLY_FOLLOWS = 1, /* accesses memory through pointers to pointers that it loads */
    KESCO_ASSEMBLY_TRAPS = 2,
    /* reads what other threads write meanwhile: volatile, acquiring and atomic accesses */
    KESCO_ASSEMBLY_WATCHES = 4,
    KESCO_ASSEMBLY_LOOPS = 8,   /* jumps back */
    KESCO_ASSEMBLY_FENCES = 16, /* loads after it may not be taken from before it */
};

struct kesco_assembly_effects {
    struct kesco_assembly_access *accesses;
    size_t access_count;
    struct kesco_assembly_value *results; /* what its outputs in registers may be */
    size_t result_count;
    struct kesco_assembly_value mixed;   /* what it computes otherwise with than by sums */
    struct kesco_assembly_value leaving; /* what it stores in memory that no access leads to */
    struct {
        unsigned effect; /* on memory that no access leads to */
        const char
            *why; /* how: through textures, tensor maps, signals; NULL unless there is such an effect */
    } anywhere;
    const char *not_understood; /* what is not; NULL if all is */
    unsigned flags;
    struct kesco_assembly_memory memory; /* of all of this */
};

/* Of what releases to the whole system, the effect on all memory: a host that polls for it may then look at
 * what any kernel before this one wrote. */
#define KESCO_SIGNALS_THE_HOST "it may signal to the host how far the stream is"

/* An operand of an assembly statement, as its text numbers them. */
struct kesco_assembly_operand {
    bool is_given;     /* it has the value of an argument of the call on entry: */
    unsigned argument; /* of this one */
    bool is_output;
    bool is_memory; /* the text says where the argument leads, not the argument */
};

/* Reads the `length` bytes at `text` in LLVM's form, with operands as $0, $1, into `effects`, which need not
 * be initialised, and which kesco_assembly_effects_free frees. -ENOMEM: there is nothing to free. */
int kesco_assembly_read(const char *text, size_t length, const struct kesco_assembly_operand *operands,
                        size_t count, struct kesco_assembly_effects *effects);

void kesco_assembly_effects_free(struct kesco_assembly_effects *effects);

#ifdef __cplusplus
}
#endif

#endif
