#include "plugin/lift/function.h"

#include <string.h>

#define COUNT(table) (sizeof(table) / sizeof(*(table)))

static LLVMValueRef cast(struct kesco_lifter *l, LLVMValueRef value, unsigned bits, bool is_signed) {
    return LLVMBuildIntCast2(l->builder, value, kesco_lift_bits(l, bits), is_signed, "");
}

/* Between integers, without saturation. */
bool kesco_lift_convert(struct kesco_lifter *l, const struct kesco_ptx_statement *s,
                        const struct kesco_opcode *code) {
    const struct kesco_ptx_type to = code->types[0], from = code->types[1];
    if (s->operand_count != 2 || code->type_count != 2 || code->rest_count > 0 || to.kind == 'f' ||
        from.kind == 'f' || to.bits > 64 || from.bits > 64)
        return false;
    LLVMValueRef value = kesco_lift_value(l, &s->operands[1], from.bits);
    return value && kesco_lift_set_result(l, s, cast(l, value, to.bits, from.kind == 's'), to.kind == 's');
}

static LLVMOpcode operation_of(const struct kesco_opcode *code) {
    static const struct {
        const char *name;
        LLVMOpcode plain, of_signed;
    } operations[] = {
        {"add", LLVMAdd, LLVMAdd},   {"sub", LLVMSub, LLVMSub},   {"and", LLVMAnd, LLVMAnd},
        {"or", LLVMOr, LLVMOr},      {"xor", LLVMXor, LLVMXor},   {"shl", LLVMShl, LLVMShl},
        {"shr", LLVMLShr, LLVMAShr}, {"div", LLVMUDiv, LLVMSDiv}, {"rem", LLVMURem, LLVMSRem},
    };
    for (size_t i = 0; i < COUNT(operations); i++)
        if (kesco_opcode_is(code, operations[i].name))
            return kesco_opcode_is_signed(code) ? operations[i].of_signed : operations[i].plain;
    return 0;
}

/* True if LLVM gives the operation another meaning than PTX, or none, for some values of `right`. */
static bool may_differ(const struct kesco_opcode *code, LLVMValueRef right) {
    LLVMValueRef number = LLVMIsAConstantInt(right);
    if (kesco_opcode_is(code, "shl shr"))
        return !number || LLVMConstIntGetZExtValue(number) >= code->types[0].bits;
    return kesco_opcode_is(code, "div rem") && (!number || LLVMConstIntGetSExtValue(number) <= 0);
}

bool kesco_lift_arithmetic(struct kesco_lifter *l, const struct kesco_ptx_statement *s,
                           const struct kesco_opcode *code) {
    const unsigned bits = code->types[0].bits;
    const bool of_predicates = code->type_count == 1 && bits == 1;
    if (s->operand_count != 3 || (!kesco_opcode_is_integer(code) && !of_predicates) || code->rest_count > 0)
        return false;
    LLVMValueRef left = kesco_lift_value(l, &s->operands[1], bits);
    LLVMValueRef right = kesco_lift_value(l, &s->operands[2], bits);
    if (!left || !right || may_differ(code, right))
        return false;
    const LLVMOpcode operation = operation_of(code);
    if (operation)
        return kesco_lift_set_result(l, s, LLVMBuildBinOp(l->builder, operation, left, right, ""), false);
    const bool least = kesco_opcode_is(code, "min");
    const LLVMIntPredicate less = kesco_opcode_is_signed(code) ? LLVMIntSLT : LLVMIntULT;
    LLVMValueRef is_less = LLVMBuildICmp(l->builder, less, left, right, "");
    LLVMValueRef one = LLVMBuildSelect(l->builder, is_less, least ? left : right, least ? right : left, "");
    return kesco_lift_set_result(l, s, one, false);
}

/* The product of both in `bits` bits. Where these are all that it has, nothing is lost. */
static LLVMValueRef product(struct kesco_lifter *l, LLVMValueRef left, LLVMValueRef right, unsigned bits,
                            const struct kesco_opcode *code) {
    const bool is_signed = kesco_opcode_is_signed(code);
    left = cast(l, left, bits, is_signed);
    right = cast(l, right, bits, is_signed);
    if (!kesco_opcode_has(code, "wide"))
        return LLVMBuildMul(l->builder, left, right, "");
    return is_signed ? LLVMBuildNSWMul(l->builder, left, right, "")
                     : LLVMBuildNUWMul(l->builder, left, right, "");
}

/* mul and mad, where the product's lower half is taken, or all of it. */
bool kesco_lift_multiply(struct kesco_lifter *l, const struct kesco_ptx_statement *s,
                         const struct kesco_opcode *code) {
    const bool adds = kesco_opcode_is(code, "mad");
    if (s->operand_count != (adds ? 4 : 3) || !kesco_opcode_is_integer(code) ||
        !kesco_opcode_has_only(code, "lo wide") || code->rest_count != 1)
        return false;
    const unsigned bits = code->types[0].bits, whole = kesco_opcode_has(code, "wide") ? 2 * bits : bits;
    LLVMValueRef left = kesco_lift_value(l, &s->operands[1], bits);
    LLVMValueRef right = kesco_lift_value(l, &s->operands[2], bits);
    LLVMValueRef added = adds ? kesco_lift_value(l, &s->operands[3], whole) : NULL;
    if (!left || !right || (adds && !added) || whole > 64)
        return false;
    LLVMValueRef result = product(l, left, right, whole, code);
    return kesco_lift_set_result(l, s, adds ? LLVMBuildAdd(l->builder, result, added, "") : result, false);
}

/* Of integers, with one result and nothing else that it depends on. */
bool kesco_lift_compare(struct kesco_lifter *l, const struct kesco_ptx_statement *s,
                        const struct kesco_opcode *code) {
    static const struct {
        const char *name;
        LLVMIntPredicate plain, of_signed;
    } predicates[] = {
        {"eq", LLVMIntEQ, LLVMIntEQ},   {"ne", LLVMIntNE, LLVMIntNE},   {"lt", LLVMIntULT, LLVMIntSLT},
        {"le", LLVMIntULE, LLVMIntSLE}, {"gt", LLVMIntUGT, LLVMIntSGT}, {"ge", LLVMIntUGE, LLVMIntSGE},
        {"lo", LLVMIntULT, LLVMIntULT}, {"ls", LLVMIntULE, LLVMIntULE}, {"hi", LLVMIntUGT, LLVMIntUGT},
        {"hs", LLVMIntUGE, LLVMIntUGE},
    };
    if (s->operand_count != 3 || !kesco_opcode_is_integer(code) || code->rest_count != 1 ||
        s->operands[0].elements != 1)
        return false;
    LLVMValueRef left = kesco_lift_value(l, &s->operands[1], code->types[0].bits);
    LLVMValueRef right = kesco_lift_value(l, &s->operands[2], code->types[0].bits);
    for (size_t i = 0; left && right && i < COUNT(predicates); i++)
        if (kesco_opcode_has(code, predicates[i].name)) {
            const bool is_signed = kesco_opcode_is_signed(code);
            const LLVMIntPredicate how = is_signed ? predicates[i].of_signed : predicates[i].plain;
            return kesco_lift_set_result(l, s, LLVMBuildICmp(l->builder, how, left, right, ""), false);
        }
    return false;
}

bool kesco_lift_select(struct kesco_lifter *l, const struct kesco_ptx_statement *s,
                       const struct kesco_opcode *code) {
    if (s->operand_count != 4 || code->type_count != 1 || code->rest_count > 0)
        return false;
    LLVMValueRef yes = kesco_lift_value(l, &s->operands[1], code->types[0].bits);
    LLVMValueRef no = kesco_lift_value(l, &s->operands[2], code->types[0].bits);
    LLVMValueRef which = kesco_lift_value(l, &s->operands[3], 1);
    return yes && no && which &&
           kesco_lift_set_result(l, s, LLVMBuildSelect(l->builder, which, yes, no, ""), false);
}
