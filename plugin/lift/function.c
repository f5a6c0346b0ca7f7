#include "plugin/lift/function.h"

#include "plugin/lift/unreachable.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool kesco_lift_fail(struct kesco_lifter *l) {
    if (!l->error)
        l->error = -ENOMEM;
    return false;
}

void *kesco_lift_take(struct kesco_lifter *l, size_t size) {
    void *memory = kesco_arena_alloc(l->memory, size);
    if (!memory)
        kesco_lift_fail(l);
    return memory;
}

bool kesco_lift_refuse(struct kesco_lifter *l, const char *format, ...) {
    va_list values;
    if (l->error)
        return false;
    va_start(values, format);
    const char *text = kesco_arena_vprint(l->memory, format, values);
    va_end(values);
    if (!text)
        return kesco_lift_fail(l);
    l->problem = text;
    l->error = -EBADMSG;
    return false;
}

/* What a register has in it before it is written, nobody knows. */
static bool place_registers(struct kesco_lifter *l) {
    const struct kesco_ptx *body = &l->from->body;
    l->to.registers = kesco_lift_take(l, body->register_count * sizeof(*l->to.registers));
    if (!l->to.registers)
        return false;
    for (size_t i = 0; i < body->register_count; i++) {
        const struct kesco_ptx_register *r = &body->registers[i];
        const struct kesco_ptx_type type = kesco_ptx_type_find(r->type, strlen(r->type));
        if (!type.kind || r->lanes != 1)
            return kesco_lift_refuse(l, "register '%s'", r->name);
        l->to.registers[i] = LLVMBuildAlloca(l->builder, kesco_lift_bits(l, type.bits), "");
    }
    for (unsigned i = 0; i < body->register_count; i++) {
        LLVMValueRef unknown = LLVMGetPoison(kesco_lift_register_type(l, i));
        LLVMBuildStore(l->builder, LLVMBuildFreeze(l->builder, unknown, ""), l->to.registers[i]);
    }
    return true;
}

static size_t count_locals(const struct kesco_ptx_function *from) {
    size_t count = from->parameter_count;
    for (size_t i = 0; i < from->body.statement_count; i++)
        count += from->body.statements[i].variable != NULL;
    return count;
}

static bool place_parameters(struct kesco_lifter *l) {
    const struct kesco_ptx_variable *parameters = l->from->parameters;
    const unsigned by_value = LLVMGetEnumAttributeKindForName("byval", strlen("byval"));
    l->to.places = kesco_lift_take(l, count_locals(l->from) * sizeof(*l->to.places));
    if (!l->to.places)
        return false;
    if (l->from->has_result) {
        LLVMTypeRef type = LLVMGetReturnType(LLVMGlobalGetValueType(l->to.function));
        l->to.result = LLVMBuildAlloca(l->builder, type, "");
        kesco_lift_set_local(l, parameters->name, l->to.result);
        parameters++;
    }
    const unsigned count = LLVMCountParams(l->to.function);
    if (count != l->from->parameter_count - l->from->has_result)
        return kesco_lift_refuse(l, "another declaration");
    for (unsigned i = 0; i < count; i++) {
        LLVMValueRef given = LLVMGetParam(l->to.function, i), place = given;
        if (!LLVMGetEnumAttributeAtIndex(l->to.function, 1 + i, by_value)) {
            place = LLVMBuildAlloca(l->builder, LLVMTypeOf(given), "");
            LLVMBuildStore(l->builder, given, place);
        }
        kesco_lift_set_local(l, parameters[i].name, place);
    }
    return true;
}

static LLVMBasicBlockRef new_block(struct kesco_lifter *l) {
    return LLVMAppendBasicBlockInContext(l->to.context, l->to.function, "");
}

static bool place_labels(struct kesco_lifter *l) {
    const struct kesco_ptx *body = &l->from->body;
    l->to.labels = kesco_lift_take(l, body->statement_count * sizeof(*l->to.labels));
    for (size_t i = 0; l->to.labels && i < body->statement_count; i++)
        if (body->statements[i].kind == KESCO_PTX_LABEL_HERE)
            l->to.labels[i] = new_block(l);
    return l->to.labels;
}

static bool declare(struct kesco_lifter *l, const struct kesco_ptx_variable *variable) {
    LLVMTypeRef byte = kesco_lift_bits(l, 8), word = kesco_lift_bits(l, 64);
    LLVMTypeRef bytes = LLVMArrayType2(byte, variable->size);
    if (strcmp(variable->space, "shared") == 0) {
        LLVMValueRef shared =
            LLVMAddGlobalInAddressSpace(l->to.module, bytes, variable->name, KESCO_SPACE_SHARED);
        LLVMSetLinkage(shared, LLVMInternalLinkage);
        LLVMSetInitializer(shared, LLVMGetPoison(bytes));
        kesco_lift_set_local(l, variable->name, shared);
        return true;
    }
    if (strcmp(variable->space, "local") != 0 && strcmp(variable->space, "param") != 0)
        return kesco_lift_refuse(l, "a variable in .%s", variable->space);
    LLVMBasicBlockRef here = LLVMGetInsertBlock(l->builder), entry = LLVMGetEntryBasicBlock(l->to.function);
    LLVMPositionBuilder(l->builder, entry, LLVMGetFirstInstruction(entry));
    /* in the words that pointers take, where there are such */
    LLVMTypeRef type = variable->size % 8 == 0 ? LLVMArrayType2(word, variable->size / 8) : bytes;
    kesco_lift_set_local(l, variable->name, LLVMBuildAlloca(l->builder, type, ""));
    LLVMPositionBuilderAtEnd(l->builder, here);
    return true;
}

static bool has_ended(const struct kesco_lifter *l) {
    return LLVMGetBasicBlockTerminator(LLVMGetInsertBlock(l->builder));
}

static void continue_in(struct kesco_lifter *l, LLVMBasicBlockRef next) {
    if (!has_ended(l))
        LLVMBuildBr(l->builder, next);
    LLVMPositionBuilderAtEnd(l->builder, next);
}

static bool lift_instruction(struct kesco_lifter *l, const struct kesco_ptx_statement *s) {
    static const struct {
        const char *names;
        kesco_lift_instruction *lift;
    } lifters[] = {
        {"ld ldu", kesco_lift_load},
        {"st", kesco_lift_store},
        {"mov", kesco_lift_move},
        {"cvta", kesco_lift_convert_address},
        {"cvt", kesco_lift_convert},
        {"add sub and or xor shl shr div rem min max", kesco_lift_arithmetic},
        {"mul mad", kesco_lift_multiply},
        {"setp", kesco_lift_compare},
        {"selp", kesco_lift_select},
        {"atom red", kesco_lift_atomic},
        {"bar barrier", kesco_lift_barrier},
        {"bra", kesco_lift_jump},
        {"brx", kesco_lift_jump_by_table},
        {"ret exit", kesco_lift_leave},
        {"call", kesco_lift_call},
    };
    const struct kesco_opcode code = kesco_opcode_read(s->name);
    for (size_t i = 0; i < sizeof(lifters) / sizeof(*lifters); i++)
        if (kesco_opcode_is(&code, lifters[i].names))
            return lifters[i].lift(l, s, &code) || (!l->error && kesco_lift_assembly(l, s));
    return kesco_lift_assembly(l, s);
}

static bool lift_guarded(struct kesco_lifter *l, const struct kesco_ptx_statement *s) {
    LLVMValueRef guard = kesco_lift_term(l, s->guard);
    if (!guard || LLVMTypeOf(guard) != kesco_lift_bits(l, 1))
        return false;
    LLVMBasicBlockRef runs = new_block(l), next = new_block(l);
    LLVMBuildCondBr(l->builder, guard, s->guard->negative ? next : runs, s->guard->negative ? runs : next);
    LLVMPositionBuilderAtEnd(l->builder, runs);
    const bool lifted = lift_instruction(l, s);
    continue_in(l, next);
    return lifted;
}

static bool lift(struct kesco_lifter *l, const struct kesco_ptx_statement *s) {
    if (has_ended(l)) /* nothing leads here */
        LLVMPositionBuilderAtEnd(l->builder, new_block(l));
    const bool lifted = s->guard ? lift_guarded(l, s) : lift_instruction(l, s);
    return (lifted && !l->error) || kesco_lift_refuse(l, "'%s'", s->name);
}

static bool lift_body(struct kesco_lifter *l) {
    const struct kesco_ptx *body = &l->from->body;
    for (size_t i = 0; i < body->statement_count; i++) {
        const struct kesco_ptx_statement *s = &body->statements[i];
        if (s->kind == KESCO_PTX_LABEL_HERE)
            continue_in(l, l->to.labels[i]);
        else if (s->variable ? !declare(l, s->variable) : s->kind == KESCO_PTX_INSTRUCTION && !lift(l, s))
            return false;
    }
    if (!has_ended(l)) {
        const struct kesco_opcode at_end = kesco_opcode_read("ret");
        kesco_lift_leave(l, NULL, &at_end);
    }
    return true;
}

int kesco_lift_function(LLVMValueRef to, const struct kesco_ptx_function *from,
                        struct kesco_pointer_question pointers, struct kesco_arena *memory,
                        const char **problem) {
    LLVMModuleRef module = LLVMGetGlobalParent(to);
    struct kesco_lifter l = {
        .from = from,
        .pointers = pointers,
        .memory = memory,
        .builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(module)),
        .to = {.module = module, .context = LLVMGetModuleContext(module), .function = to},
    };
    LLVMPositionBuilderAtEnd(l.builder, new_block(&l));
    if (place_registers(&l) && place_parameters(&l) && place_labels(&l) && lift_body(&l) &&
        kesco_remove_unreachable(to) != 0)
        kesco_lift_fail(&l);
    LLVMDisposeBuilder(l.builder);
    *problem = l.problem;
    return l.error;
}
