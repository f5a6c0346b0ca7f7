/*
 * Reads the text of PTX instructions, as they stand in the body of a function (PTX ISA, "Syntax" and
 * "Instruction Statements"), into statements, their operands, and what these are made of. Inline assembly has
 * such text in LLVM's form: $N or ${N:MODIFIER} is operand N of the assembly, $$ a dollar sign, ${:uid} a
 * number of its own, and of $(this$|that$) the first is taken.
 *
 *     {
 *         .reg .pred p;  .reg .u64 q<2>;           registers[]: p; q0 and q1, once they are named
 *     AGAIN:                                       a label
 *         ld.global.v2.u64 {q0, q1}, [$0+16];      a vector of two elements; an address, the sum of two terms
 *     @!p bra AGAIN;                               with a guard
 *     }
 *
 * Names are resolved by the scopes that braces make: a name that is no register of an open scope, nor, for
 * what may be jumped to, a label, is a name from elsewhere: of a special register, a variable, a function.
 * What an instruction does is not this file's affair, nor which ones there are. Directives but .reg are
 * statements of which the name is read, the variable that they declare, and the labels of .branchtargets.
 *
 * What the compilers write, a function's body in a module (ptx_module.h), has no escapes.
 */
#ifndef KESCO_PLUGIN_ASSEMBLY_PTX_H
#define KESCO_PLUGIN_ASSEMBLY_PTX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A register that the text declares. */
struct kesco_ptx_register {
    const char *name;
    const char *type; /* "u64", "pred", ... */
    unsigned lanes;   /* 1, or the elements of a vector */
};

enum kesco_ptx_term_kind {
    KESCO_PTX_REGISTER,    /* that the text declares */
    KESCO_PTX_ASM_OPERAND, /* of the inline assembly */
    KESCO_PTX_INTEGER,     /* a constant */
    KESCO_PTX_SINGLE,      /* a floating-point constant of 32 bits */
    KESCO_PTX_DOUBLE,      /* one of 64 bits, which all decimal ones are */
    KESCO_PTX_LABEL,       /* that the text has */
    KESCO_PTX_NAME,        /* any other name; _ too */
};

struct kesco_ptx_term {
    enum kesco_ptx_term_kind kind;
    bool negative;    /* subtracted; of a predicate: it is taken for its opposite */
    unsigned element; /* of the operand, to which it belongs */
    unsigned index;   /* REGISTER: in registers; ASM_OPERAND: its number; LABEL: its statement */
    uint64_t bits;    /* of a constant */
    const char *name; /* of REGISTER, LABEL and NAME, the latter with its part, "%tid.x"; else "" */
    const char *part; /* of a register or an operand of the assembly: "x", "b0"; else "" */
};

enum kesco_ptx_form {
    KESCO_PTX_VALUE,
    KESCO_PTX_ADDRESS, /* [a]; [map, {x, y}] has three elements */
    KESCO_PTX_VECTOR,  /* {a, b} */
    KESCO_PTX_LIST,    /* (a, b) of a call */
};

/* Elements are sums of terms. A second result, as in p|q or {a, b}|p, is one more element. */
struct kesco_ptx_operand {
    enum kesco_ptx_form form;
    bool computed; /* by more than sums: (a*4)+b; its terms are all that it names */
    unsigned elements;
    size_t term_count;
    const struct kesco_ptx_term *terms; /* element by element */
};

/* Memory that the text declares, or a parameter. */
struct kesco_ptx_variable {
    const char *name;
    const char *space; /* "global", "const", "shared", "local", "param", ... */
    const char *type;  /* "u64", "b8", ...: of its elements */
    uint64_t size;     /* in bytes; 0 for an array of unknown size */
    bool is_array;
    bool is_pointer; /* a parameter that is said to be one */
    bool is_managed; /* the host accesses it, too */
    bool is_own;     /* of a module: no other module knows it */
    /* Of a module: the `size` bytes that it has from the start, where it is made of bytes; else NULL. */
    unsigned char *text;
};

enum kesco_ptx_statement_kind {
    KESCO_PTX_INSTRUCTION,
    KESCO_PTX_LABEL_HERE,
    KESCO_PTX_DIRECTIVE, /* any but .reg */
};

struct kesco_ptx_statement {
    enum kesco_ptx_statement_kind kind;
    const char *name; /* "ld.global.u32", also where spaces stand in it; the label; ".pragma" */
    const struct kesco_ptx_term *guard; /* the predicate under which it runs, NULL for always */
    size_t operand_count;
    const struct kesco_ptx_operand *operands;
    const struct kesco_ptx_variable *variable; /* that a directive declares, or NULL */
};

/* Arrays and texts belong to it. */
struct kesco_ptx {
    struct kesco_ptx_register *registers; /* that are used, in the order in which they first are */
    struct kesco_ptx_statement *statements;
    size_t register_count, statement_count;
    struct kesco_ptx_operand *operands;
    struct kesco_ptx_term *terms;
    struct kesco_ptx_variable *variables;
    char *names;
    size_t operand_count, term_count, variable_count;
};

/*
 * Reads the `length` bytes at `text` into `ptx`, which need not be initialised, and which kesco_ptx_free
 * frees. -EBADMSG: the text is not understood, and `problem` says what of it, in a few words without a
 * period, for good; also where braces do not match or the last statement is not complete, so that what
 * follows the text would have another meaning. -ENOMEM. After an error there is nothing to free.
 */
int kesco_ptx_read(struct kesco_ptx *ptx, const char *text, size_t length, const char **problem);

/* The same of text without LLVM's escapes. */
int kesco_ptx_read_plain(struct kesco_ptx *ptx, const char *text, size_t length, const char **problem);

void kesco_ptx_free(struct kesco_ptx *ptx);

#ifdef __cplusplus
}
#endif

#endif
