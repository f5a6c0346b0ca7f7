/* Opcodes of PTX in their parts, and the types among these (PTX ISA, "Instruction Statements"). */
#ifndef KESCO_PLUGIN_LIFT_OPCODE_H
#define KESCO_PLUGIN_LIFT_OPCODE_H

#include <stdbool.h>
#include <stddef.h>

/* A type as ".s32". */
struct kesco_ptx_type {
    char kind;     /* b, u, s or f; 0: none */
    unsigned bits; /* 1 for a predicate */
};

/* The type called by the `length` bytes at `name`, which have no point; of kind 0 for what is none. */
struct kesco_ptx_type kesco_ptx_type_find(const char *name, size_t length);

/* A word between points, as it stands in the opcode. */
struct kesco_opcode_part {
    const char *text;
    size_t length;
};

enum { KESCO_OPCODE_PARTS = 16 };

/* An opcode in its parts: "ld.global.v2.u32". It lives as long as the text. */
struct kesco_opcode {
    struct kesco_opcode_part base;                     /* "ld" */
    struct kesco_opcode_part rest[KESCO_OPCODE_PARTS]; /* neither base nor type: "global", "v2" */
    struct kesco_ptx_type types[KESCO_OPCODE_PARTS];
    size_t rest_count, type_count;
};

/* Takes `text` apart. What has more parts than any opcode becomes one that is called nothing. */
struct kesco_opcode kesco_opcode_read(const char *text);

/* True if the base is one of the words in `names`. */
bool kesco_opcode_is(const struct kesco_opcode *code, const char *names);

/* True if one of the words in `parts` is in the rest. */
bool kesco_opcode_has(const struct kesco_opcode *code, const char *parts);

/* True if nothing but some of the words in `allowed` is in the rest. */
bool kesco_opcode_has_only(const struct kesco_opcode *code, const char *allowed);

/* True for one type, of an integer or of bits. */
bool kesco_opcode_is_integer(const struct kesco_opcode *code);

/* True if the last type is of numbers with a sign. */
bool kesco_opcode_is_signed(const struct kesco_opcode *code);

/* How many elements a load or a store has. */
unsigned kesco_opcode_lanes(const struct kesco_opcode *code);

/* The address space that is named; generic addresses are those of global memory. */
unsigned kesco_opcode_space(const struct kesco_opcode *code);

#endif
