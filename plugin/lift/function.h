/*
 * A function of PTX as LLVM IR. lift.h says what becomes of instructions. Registers and parameters are places
 * on the stack first; lift.c has them out of memory again.
 */
#ifndef KESCO_PLUGIN_LIFT_FUNCTION_H
#define KESCO_PLUGIN_LIFT_FUNCTION_H

#include "plugin/device/address_space.h"
#include "plugin/lift/lift.h"
#include "plugin/lift/opcode.h"
#include "plugin/schedule/arena.h"

/*
 * Fills `to`, which is empty, with the body of `from`, of which all is understood. -EBADMSG: it has something
 * that is not, and `problem`, the arena's, says what. -ENOMEM. After an error there may be part of a body.
 */
int kesco_lift_function(LLVMValueRef to, const struct kesco_ptx_function *from,
                        struct kesco_pointer_question pointers, struct kesco_arena *memory,
                        const char **problem);

/* Where a parameter or a local variable is, or the parameter itself where that is memory. */
struct kesco_lifted_place {
    const char *name;
    LLVMValueRef address;
};

/* What is made of the body. */
struct kesco_lifted_body {
    LLVMModuleRef module;
    LLVMContextRef context;
    LLVMValueRef function;
    LLVMValueRef *registers;   /* where each is */
    LLVMBasicBlockRef *labels; /* by statement; NULL for all others */
    LLVMValueRef result;       /* where it is; NULL where there is none */
    struct kesco_lifted_place *places;
    size_t place_count;
};

struct kesco_lifter {
    const struct kesco_ptx_function *from;
    struct kesco_pointer_question pointers;
    struct kesco_arena *memory;
    LLVMBuilderRef builder; /* at the end of a block */
    struct kesco_lifted_body to;
    int error;           /* 0, -EBADMSG or -ENOMEM: the first one that was */
    const char *problem; /* of -EBADMSG */
};

/* Note an error, unless there is one. Return false. */
bool kesco_lift_refuse(struct kesco_lifter *l, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool kesco_lift_fail(struct kesco_lifter *l);

/* `size` zeroed bytes of the arena; NULL without memory, which is noted. */
void *kesco_lift_take(struct kesco_lifter *l, size_t size);

/* The function or variable of the module; NULL for none. */
LLVMValueRef kesco_lift_global(LLVMModuleRef module, const char *name);

/* operand.c: each returns NULL where an operand is none of those that become IR. */

LLVMTypeRef kesco_lift_bits(const struct kesco_lifter *l, unsigned bits);
LLVMTypeRef kesco_lift_register_type(const struct kesco_lifter *l, unsigned index);

/* Where the parameter or local variable is; NULL for another name. */
LLVMValueRef kesco_lift_local(const struct kesco_lifter *l, const char *name);

/* From now on the name is that of what is at the address. There is room for all that the function names. */
void kesco_lift_set_local(struct kesco_lifter *l, const char *name, LLVMValueRef address);

/* The memory that it is, or the function. Where a managed variable is, another says. */
LLVMValueRef kesco_lift_place(struct kesco_lifter *l, const char *name);

LLVMValueRef kesco_lift_term(struct kesco_lifter *l, const struct kesco_ptx_term *term);

/* An element of the operand in so many bits. */
LLVMValueRef kesco_lift_element(struct kesco_lifter *l, const struct kesco_ptx_operand *operand,
                                unsigned element, unsigned bits);

/* An operand of one element, not in brackets. */
LLVMValueRef kesco_lift_value(struct kesco_lifter *l, const struct kesco_ptx_operand *operand, unsigned bits);

LLVMValueRef kesco_lift_address(struct kesco_lifter *l, const struct kesco_ptx_operand *operand,
                                unsigned space);

/* The address so many bytes past `base`. */
LLVMValueRef kesco_lift_past(struct kesco_lifter *l, LLVMValueRef base, uint64_t offset);

/* Writes the value, in the register's size, where the term is a register: nothing takes what goes to `_`. */
void kesco_lift_set(struct kesco_lifter *l, const struct kesco_ptx_term *term, LLVMValueRef value,
                    bool is_signed);

/* The same to the first operand of the statement. False where there is no value, or the operand is none that
 * one goes to. */
bool kesco_lift_set_result(struct kesco_lifter *l, const struct kesco_ptx_statement *s, LLVMValueRef value,
                           bool is_signed);

/* Each returns whether the instruction is of the forms that become IR. */
typedef bool kesco_lift_instruction(struct kesco_lifter *l, const struct kesco_ptx_statement *s,
                                    const struct kesco_opcode *code);

/* function_arithmetic.c */
kesco_lift_instruction kesco_lift_convert, kesco_lift_arithmetic, kesco_lift_multiply, kesco_lift_compare,
    kesco_lift_select;

/* function_memory.c */
kesco_lift_instruction kesco_lift_load, kesco_lift_store, kesco_lift_move, kesco_lift_convert_address,
    kesco_lift_atomic;

/* function_jumps.c */
kesco_lift_instruction kesco_lift_barrier, kesco_lift_jump, kesco_lift_jump_by_table, kesco_lift_leave,
    kesco_lift_call;

/* function_assembly.c: the instruction by itself, with registers and memory as operands. */
bool kesco_lift_assembly(struct kesco_lifter *l, const struct kesco_ptx_statement *s);

#endif
