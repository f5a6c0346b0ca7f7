/* What control flow is made by: barriers, jumps, calls and ends. */
#include "plugin/lift/function.h"

#include <string.h>

/* bar.sync of all threads of the block; its operand is the barrier's number. */
bool kesco_lift_barrier(struct kesco_lifter *l, const struct kesco_ptx_statement *s,
                        const struct kesco_opcode *code) {
    static const char now[] = "llvm.nvvm.barrier.cta.sync.aligned.all",
                      before_llvm_21[] = "llvm.nvvm.barrier.n";
    if (!kesco_opcode_has_only(code, "sync aligned cta") || s->operand_count != 1)
        return false;
    LLVMValueRef which = kesco_lift_value(l, &s->operands[0], 32);
    if (!which)
        return false;
    unsigned id = LLVMLookupIntrinsicID(now, strlen(now));
    if (!id)
        id = LLVMLookupIntrinsicID(before_llvm_21, strlen(before_llvm_21));
    LLVMValueRef barrier = LLVMGetIntrinsicDeclaration(l->to.module, id, NULL, 0);
    LLVMBuildCall2(l->builder, LLVMGlobalGetValueType(barrier), barrier, &which, 1, "");
    return true;
}

/* The label that the operand is; NULL for none. */
static LLVMBasicBlockRef target(const struct kesco_lifter *l, const struct kesco_ptx_operand *operand) {
    const bool is_label = operand->term_count == 1 && operand->terms[0].kind == KESCO_PTX_LABEL;
    return is_label ? l->to.labels[operand->terms[0].index] : NULL;
}

bool kesco_lift_jump(struct kesco_lifter *l, const struct kesco_ptx_statement *s,
                     const struct kesco_opcode *code) {
    LLVMBasicBlockRef to = NULL;
    if (kesco_opcode_has_only(code, "uni") && s->operand_count == 1)
        to = target(l, &s->operands[0]);
    if (!to)
        return kesco_lift_refuse(l, "a jump");
    LLVMBuildBr(l->builder, to);
    return true;
}

/* The statement with the labels of a jump by a table: it stands right after that table's label. */
static const struct kesco_ptx_statement *
table_of(const struct kesco_lifter *l, const struct kesco_ptx_statement *s, const struct kesco_opcode *code) {
    const struct kesco_ptx *body = &l->from->body;
    if (!kesco_opcode_has_only(code, "idx uni") || s->operand_count != 2 || !target(l, &s->operands[1]))
        return NULL;
    const size_t at = (size_t)s->operands[1].terms[0].index + 1;
    if (at >= body->statement_count || strcmp(body->statements[at].name, ".branchtargets") != 0)
        return NULL;
    return &body->statements[at];
}

/* An index of none of the labels is undefined. */
bool kesco_lift_jump_by_table(struct kesco_lifter *l, const struct kesco_ptx_statement *s,
                              const struct kesco_opcode *code) {
    const struct kesco_ptx_statement *table = table_of(l, s, code);
    LLVMValueRef index = table ? kesco_lift_value(l, &s->operands[0], 32) : NULL, jump = NULL;
    for (size_t i = 0; index && i < table->operand_count; i++) {
        LLVMBasicBlockRef to = target(l, &table->operands[i]);
        if (!to)
            return kesco_lift_refuse(l, "a jump");
        if (!jump)
            jump = LLVMBuildSwitch(l->builder, index, to, (unsigned)table->operand_count);
        else
            LLVMAddCase(jump, LLVMConstInt(kesco_lift_bits(l, 32), i, false), to);
    }
    return jump || kesco_lift_refuse(l, "a jump");
}

bool kesco_lift_leave(struct kesco_lifter *l, const struct kesco_ptx_statement *s,
                      const struct kesco_opcode *code) {
    (void)s;
    if (kesco_opcode_is(code, "exit") && !l->from->is_kernel)
        return kesco_lift_refuse(l, "'exit' in a function that is called");
    LLVMTypeRef type = LLVMGetReturnType(LLVMGlobalGetValueType(l->to.function));
    if (l->to.result)
        LLVMBuildRet(l->builder, LLVMBuildLoad2(l->builder, type, l->to.result, ""));
    else
        LLVMBuildRetVoid(l->builder);
    return true;
}

/* An argument of a call, of the type that the callee takes it as; NULL for what is none. */
static LLVMValueRef pass(struct kesco_lifter *l, const struct kesco_ptx_term *given, LLVMTypeRef type) {
    LLVMValueRef place = given->kind == KESCO_PTX_NAME ? kesco_lift_local(l, given->name) : NULL;
    if (!place)
        return NULL;
    if (LLVMGetTypeKind(type) != LLVMPointerTypeKind)
        return LLVMBuildLoad2(l->builder, type, place, "");
    LLVMValueRef address = LLVMBuildLoad2(l->builder, kesco_lift_bits(l, 64), place, "");
    return LLVMBuildIntToPtr(l->builder, address, type, "");
}

/* The call with the arguments in the list `given`, NULL for none; NULL if they are not those of the callee.
 */
static LLVMValueRef call(struct kesco_lifter *l, LLVMValueRef callee, const struct kesco_ptx_operand *given) {
    const unsigned count = given ? (unsigned)given->term_count : 0;
    if (count != LLVMCountParams(callee) || (given && given->form != KESCO_PTX_LIST))
        return NULL;
    LLVMValueRef *passed = kesco_lift_take(l, count * sizeof(*passed));
    if (!passed)
        return NULL;
    for (unsigned i = 0; i < count; i++) {
        passed[i] = pass(l, &given->terms[i], LLVMTypeOf(LLVMGetParam(callee, i)));
        if (!passed[i])
            return NULL;
    }
    return LLVMBuildCall2(l->builder, LLVMGlobalGetValueType(callee), callee, passed, count, "");
}

/* (result), function, (arguments); of the first and the last, what there is none of is left out. */
bool kesco_lift_call(struct kesco_lifter *l, const struct kesco_ptx_statement *s,
                     const struct kesco_opcode *code) {
    (void)code;
    const bool has_result = s->operand_count > 0 && s->operands[0].form == KESCO_PTX_LIST;
    const struct kesco_ptx_operand *to = has_result ? s->operands : NULL, *whom = s->operands + has_result;
    const size_t count = s->operand_count - has_result;
    if (count == 0 || count > 2 || whom->term_count != 1 || whom->terms[0].kind != KESCO_PTX_NAME)
        return kesco_lift_refuse(l, "a call through a pointer");
    const char *name = whom->terms[0].name;
    LLVMValueRef callee = LLVMGetNamedFunction(l->to.module, name);
    LLVMValueRef made = callee ? call(l, callee, count == 2 ? whom + 1 : NULL) : NULL;
    if (!made)
        return kesco_lift_refuse(l, "the call of '%s'", name);
    if (!to || LLVMGetTypeKind(LLVMTypeOf(made)) == LLVMVoidTypeKind)
        return true;
    LLVMValueRef place = to->term_count == 1 ? kesco_lift_local(l, to->terms[0].name) : NULL;
    if (!place)
        return kesco_lift_refuse(l, "the result of '%s'", name);
    LLVMBuildStore(l->builder, made, place);
    return true;
}
