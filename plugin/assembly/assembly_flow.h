/* What the variables of an assembly statement get, which values that makes, and what its accesses go to. */
#ifndef KESCO_PLUGIN_ASSEMBLY_ASSEMBLY_FLOW_H
#define KESCO_PLUGIN_ASSEMBLY_ASSEMBLY_FLOW_H

#include "plugin/assembly/assembly.h"
#include "plugin/assembly/ptx.h"

/* Some operands of the text. */
struct kesco_assembly_operands {
    const struct kesco_ptx_operand **items;
    size_t count;
};

enum kesco_assembly_definition_kind {
    KESCO_ASSEMBLY_SUM,    /* a sum of the operands */
    KESCO_ASSEMBLY_CHOICE, /* one of them */
    KESCO_ASSEMBLY_SOURCE, /* what the source is */
};

/* What some of the variables get. These are first the operands of the assembly, then its registers. */
struct kesco_assembly_definition {
    enum kesco_assembly_definition_kind kind;
    unsigned *variables;
    size_t count;
    struct kesco_assembly_operands from;
    struct kesco_assembly_source source;
};

/* An access, as long as values are not known. */
struct kesco_open_access {
    const struct kesco_ptx_operand *address;
    unsigned effect;
    bool in_block;
    struct kesco_assembly_operands stored;   /* one of these, */
    struct kesco_assembly_value stored_also; /* or this */
};

/* All lists are of the memory, and have room for what their texts can have. */
struct kesco_assembly_flow {
    const struct kesco_ptx *text;
    const struct kesco_assembly_operand *given;
    size_t given_count;
    struct kesco_assembly_memory *memory;
    struct {
        struct kesco_assembly_definition *items;
        size_t count;
    } definitions;
    struct {
        struct kesco_open_access *items;
        size_t count;
    } accesses;
    struct kesco_assembly_operands mixed, leaving; /* what becomes these values of the effects */
    struct kesco_assembly_value *values;           /* by variable */
    bool *in_parts;                                /* by variable: it had too many sums */
};

/* Makes room. */
void kesco_assembly_flow_begin(struct kesco_assembly_flow *flow);

/* Works out the values of all variables, and adds what they say to the effects. */
void kesco_assembly_flow_solve(struct kesco_assembly_flow *flow, struct kesco_assembly_effects *effects);

#endif
