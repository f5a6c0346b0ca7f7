/*
 * Instruction kinds: what the instructions of PTX ISA, chapter "Instruction Set", do to memory and to
 * addresses. What is in none of the tables is not understood.
 */
#ifndef KESCO_ASSEMBLY_INSTRUCTION_KIND_H
#define KESCO_ASSEMBLY_INSTRUCTION_KIND_H

#include <stdbool.h>

/* Instructions with a result have it in their first operand. */
enum kesco_instruction {
    KESCO_PTX_UNKNOWN,
    KESCO_PTX_IDLE,       /* neither result nor memory */
    KESCO_PTX_COUNT,      /* its result is a number, whatever it is made of */
    KESCO_PTX_SUM,        /* its result is a sum of its operands, or the one that it has */
    KESCO_PTX_FIRST,      /* its result is made of the first operand after it; the others are numbers */
    KESCO_PTX_CHOICE,     /* its result is one of the two operands after it */
    KESCO_PTX_DIFFERENCE, /* its result is its second operand less its third */
    KESCO_PTX_PRODUCT,    /* its result is a product of two operands, and a third */
    KESCO_PTX_MASK,       /* its result has some of the bits of its operands */
    KESCO_PTX_MIXTURE,    /* its result is made of its operands otherwise */
    KESCO_PTX_JUMP,
    KESCO_PTX_TRAP,          /* or a breakpoint, which may end a kernel where no debugger is */
    KESCO_PTX_FENCE,         /* orders accesses */
    KESCO_PTX_LOAD,          /* reads through its address */
    KESCO_PTX_STORE,         /* writes through its address */
    KESCO_PTX_ATOMIC,        /* both, with a result */
    KESCO_PTX_REDUCTION,     /* both, without */
    KESCO_PTX_DISCARD,       /* what is at its address is undefined then */
    KESCO_PTX_MBARRIER,      /* of memory of the block: its state there is no address */
    KESCO_PTX_MATRIX_LOAD,   /* as a load, from memory of the block */
    KESCO_PTX_MATRIX_STORE,  /* as a store there */
    KESCO_PTX_COPY,          /* by the state spaces that it names */
    KESCO_PTX_COPY_AND_ADD,  /* the same with what is there */
    KESCO_PTX_COPY_CONTROL,  /* waits for copies or orders them */
    KESCO_PTX_TEXTURE,       /* reads through a handle */
    KESCO_PTX_SURFACE_LOAD,  /* the same */
    KESCO_PTX_SURFACE_STORE, /* writes through a handle */
    KESCO_PTX_SURFACE_ADD,   /* both */
    KESCO_PTX_MULTICAST,     /* accesses memory of several devices by an address that leads to all */
};

/* What the opcode with all of its parts, "ld.global.u32", does. */
enum kesco_instruction kesco_instruction_find(const char *opcode);

/* True if an opcode or a part of it, between points, is `part` or begins with it and "::", as "shared::cta"
 * does with "shared". */
bool kesco_ptx_has_part(const char *opcode, const char *part);

/* True for a name as "%tid.x", and for WARP_SZ: it is no address that a kernel may use. */
bool kesco_is_special_register(const char *name);

#endif
