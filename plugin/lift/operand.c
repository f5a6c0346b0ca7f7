#include "plugin/lift/function.h"

#include "plugin/words.h"

#include <stdio.h>
#include <string.h>

LLVMTypeRef kesco_lift_bits(const struct kesco_lifter *l, unsigned bits) {
    return LLVMIntTypeInContext(l->to.context, bits);
}

LLVMTypeRef kesco_lift_register_type(const struct kesco_lifter *l, unsigned index) {
    return LLVMGetAllocatedType(l->to.registers[index]);
}

static struct kesco_lifted_place *find(const struct kesco_lifter *l, const char *name) {
    for (size_t i = 0; i < l->to.place_count; i++)
        if (strcmp(l->to.places[i].name, name) == 0)
            return &l->to.places[i];
    return NULL;
}

LLVMValueRef kesco_lift_local(const struct kesco_lifter *l, const char *name) {
    const struct kesco_lifted_place *known = find(l, name);
    return known ? known->address : NULL;
}

void kesco_lift_set_local(struct kesco_lifter *l, const char *name, LLVMValueRef address) {
    struct kesco_lifted_place *known = find(l, name);
    if (!known)
        known = &l->to.places[l->to.place_count++];
    *known = (struct kesco_lifted_place){name, address};
}

LLVMValueRef kesco_lift_global(LLVMModuleRef module, const char *name) {
    LLVMValueRef variable = LLVMGetNamedGlobal(module, name);
    return variable ? variable : LLVMGetNamedFunction(module, name);
}

LLVMValueRef kesco_lift_place(struct kesco_lifter *l, const char *name) {
    LLVMValueRef local = kesco_lift_local(l, name);
    LLVMValueRef global = local ? NULL : kesco_lift_global(l->to.module, name);
    if (!global)
        return local;
    LLVMTypeRef type = LLVMGlobalGetValueType(global);
    const bool is_managed = LLVMGetTypeKind(type) == LLVMPointerTypeKind;
    return is_managed ? LLVMBuildLoad2(l->builder, type, global, "") : global;
}

static LLVMValueRef special_register(struct kesco_lifter *l, const char *name) {
    static const char known[] = "%tid.x %tid.y %tid.z %ntid.x %ntid.y %ntid.z %ctaid.x %ctaid.y %ctaid.z "
                                "%nctaid.x %nctaid.y %nctaid.z %laneid";
    char intrinsic[64];
    if (!kesco_words_have(known, name, strlen(name), false))
        return NULL;
    const int length = snprintf(intrinsic, sizeof(intrinsic), "llvm.nvvm.read.ptx.sreg.%s", name + 1);
    const unsigned id = LLVMLookupIntrinsicID(intrinsic, (size_t)length);
    LLVMValueRef read = LLVMGetIntrinsicDeclaration(l->to.module, id, NULL, 0);
    return LLVMBuildCall2(l->builder, LLVMGlobalGetValueType(read), read, NULL, 0, "");
}

LLVMValueRef kesco_lift_term(struct kesco_lifter *l, const struct kesco_ptx_term *term) {
    LLVMValueRef place;
    if (term->part[0])
        return NULL;
    switch (term->kind) {
    case KESCO_PTX_REGISTER:
        return LLVMBuildLoad2(l->builder, kesco_lift_register_type(l, term->index),
                              l->to.registers[term->index], "");
    case KESCO_PTX_INTEGER:
    case KESCO_PTX_DOUBLE:
        return LLVMConstInt(kesco_lift_bits(l, 64), term->bits, false);
    case KESCO_PTX_SINGLE:
        return LLVMConstInt(kesco_lift_bits(l, 32), term->bits, false);
    case KESCO_PTX_NAME:
        place = kesco_lift_place(l, term->name);
        return place ? LLVMBuildPtrToInt(l->builder, place, kesco_lift_bits(l, 64), "")
                     : special_register(l, term->name);
    default:
        return NULL;
    }
}

static LLVMValueRef add(struct kesco_lifter *l, LLVMValueRef sum, LLVMValueRef more, bool negative) {
    if (!sum)
        return negative ? LLVMBuildNeg(l->builder, more, "") : more;
    return negative ? LLVMBuildSub(l->builder, sum, more, "") : LLVMBuildAdd(l->builder, sum, more, "");
}

LLVMValueRef kesco_lift_element(struct kesco_lifter *l, const struct kesco_ptx_operand *operand,
                                unsigned element, unsigned bits) {
    LLVMValueRef sum = NULL;
    for (size_t i = 0; i < operand->term_count; i++) {
        const struct kesco_ptx_term *term = &operand->terms[i];
        if (term->element != element)
            continue;
        LLVMValueRef value = operand->computed ? NULL : kesco_lift_term(l, term);
        if (!value)
            return NULL;
        value = LLVMBuildIntCast2(l->builder, value, kesco_lift_bits(l, bits), false, "");
        sum = add(l, sum, value, term->negative);
    }
    return sum;
}

LLVMValueRef kesco_lift_value(struct kesco_lifter *l, const struct kesco_ptx_operand *operand,
                              unsigned bits) {
    const bool is_one = operand->form == KESCO_PTX_VALUE && operand->elements == 1;
    return is_one ? kesco_lift_element(l, operand, 0, bits) : NULL;
}

LLVMValueRef kesco_lift_past(struct kesco_lifter *l, LLVMValueRef base, uint64_t offset) {
    LLVMValueRef bytes = LLVMConstInt(kesco_lift_bits(l, 64), offset, false);
    return offset == 0 ? base : LLVMBuildGEP2(l->builder, kesco_lift_bits(l, 8), base, &bytes, 1, "");
}

/* What is added to the name that an address begins with. */
static uint64_t offset_of(const struct kesco_ptx_operand *operand) {
    if (operand->term_count == 1)
        return 0;
    return operand->terms[1].negative ? -operand->terms[1].bits : operand->terms[1].bits;
}

LLVMValueRef kesco_lift_address(struct kesco_lifter *l, const struct kesco_ptx_operand *operand,
                                unsigned space) {
    if (operand->form != KESCO_PTX_ADDRESS || operand->elements != 1 || operand->computed)
        return NULL;
    const struct kesco_ptx_term *first = operand->terms;
    if (first->kind == KESCO_PTX_NAME &&
        (operand->term_count == 1 ||
         (operand->term_count == 2 && operand->terms[1].kind == KESCO_PTX_INTEGER))) {
        LLVMValueRef place = kesco_lift_place(l, first->name);
        if (place)
            return kesco_lift_past(l, place, offset_of(operand));
    }
    unsigned bits = 64;
    if (first->kind == KESCO_PTX_REGISTER)
        bits = LLVMGetIntTypeWidth(kesco_lift_register_type(l, first->index));
    LLVMValueRef sum = kesco_lift_element(l, operand, 0, bits);
    LLVMTypeRef pointer = LLVMPointerTypeInContext(l->to.context, space);
    return sum ? LLVMBuildIntToPtr(l->builder, sum, pointer, "") : NULL;
}

void kesco_lift_set(struct kesco_lifter *l, const struct kesco_ptx_term *term, LLVMValueRef value,
                    bool is_signed) {
    if (term->kind != KESCO_PTX_REGISTER)
        return;
    LLVMTypeRef type = kesco_lift_register_type(l, term->index);
    LLVMBuildStore(l->builder, LLVMBuildIntCast2(l->builder, value, type, is_signed, ""),
                   l->to.registers[term->index]);
}

bool kesco_lift_set_result(struct kesco_lifter *l, const struct kesco_ptx_statement *s, LLVMValueRef value,
                           bool is_signed) {
    const struct kesco_ptx_operand *to = &s->operands[0];
    if (!value || to->form != KESCO_PTX_VALUE || to->term_count != 1 || to->terms[0].part[0])
        return false;
    kesco_lift_set(l, &to->terms[0], value, is_signed);
    return true;
}
