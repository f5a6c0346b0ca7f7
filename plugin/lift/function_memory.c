#include "plugin/lift/function.h"

#include <string.h>

static bool is_plain(const struct kesco_opcode *code) {
    /* Beside spaces and vectors, what changes nothing about which memory an access goes to, nor about who
     * sees it. */
    static const char plain[] =
        "global local shared shared::cta const param param::entry param::func nc weak volatile v2 v4 v8 ca "
        "cg "
        "cs lu cv wb wt L1::evict_normal L1::evict_unchanged L1::evict_first L1::evict_last L1::no_allocate "
        "L2::64B L2::128B L2::256B";
    return code->type_count == 1 && code->types[0].bits >= 8 && kesco_opcode_has_only(code, plain);
}

/* The argument in memory that `address` leads into, `offset` bytes past its begin; NULL for none. */
static LLVMValueRef argument_at(LLVMValueRef address, uint64_t *offset) {
    *offset = 0;
    if (LLVMIsAGetElementPtrInst(address) && LLVMIsAConstantInt(LLVMGetOperand(address, 1))) {
        *offset = LLVMConstIntGetZExtValue(LLVMGetOperand(address, 1));
        address = LLVMGetOperand(address, 0);
    }
    return LLVMIsAArgument(address);
}

/* Host code says what is a pointer in a parameter: as such it is loaded. */
static bool load_pointer(struct kesco_lifter *l, const struct kesco_ptx_statement *s,
                         const struct kesco_opcode *code, LLVMValueRef address) {
    uint64_t offset;
    if (code->types[0].bits != 64 || kesco_opcode_lanes(code) != 1 || !kesco_opcode_has(code, "param"))
        return false;
    LLVMValueRef argument = argument_at(address, &offset);
    unsigned number = 0;
    while (argument && LLVMGetParam(l->to.function, number) != argument)
        number++;
    if (!argument || !l->pointers.ask(l->pointers.context, l->from->name, number, offset))
        return false;
    LLVMTypeRef type = LLVMPointerTypeInContext(l->to.context, KESCO_SPACE_GENERIC);
    LLVMValueRef pointer = LLVMBuildLoad2(l->builder, type, address, "");
    LLVMValueRef value = LLVMBuildPtrToInt(l->builder, pointer, kesco_lift_bits(l, 64), "");
    return kesco_lift_set_result(l, s, value, false);
}

bool kesco_lift_load(struct kesco_lifter *l, const struct kesco_ptx_statement *s,
                     const struct kesco_opcode *code) {
    const struct kesco_ptx_operand *to = s->operands;
    const unsigned lanes = kesco_opcode_lanes(code), bits = code->types[0].bits;
    if (!is_plain(code) || s->operand_count != 2)
        return false;
    LLVMValueRef address = kesco_lift_address(l, &s->operands[1], kesco_opcode_space(code));
    if (!address || to->elements != lanes || to->term_count != lanes || bits > 64)
        return false;
    if (load_pointer(l, s, code, address))
        return true;
    /* Past the caches that are not coherent it sees each time what other blocks have stored. */
    const bool is_fresh = kesco_opcode_has(code, "volatile cv cg");
    for (unsigned i = 0; i < lanes; i++) {
        LLVMValueRef place = kesco_lift_past(l, address, (uint64_t)i * (bits / 8));
        LLVMValueRef value = LLVMBuildLoad2(l->builder, kesco_lift_bits(l, bits), place, "");
        LLVMSetVolatile(value, is_fresh);
        kesco_lift_set(l, &to->terms[i], value, kesco_opcode_is_signed(code));
    }
    return true;
}

bool kesco_lift_store(struct kesco_lifter *l, const struct kesco_ptx_statement *s,
                      const struct kesco_opcode *code) {
    const struct kesco_ptx_operand *what = &s->operands[1];
    const unsigned lanes = kesco_opcode_lanes(code), bits = code->types[0].bits;
    if (!is_plain(code) || s->operand_count != 2)
        return false;
    LLVMValueRef to = kesco_lift_address(l, &s->operands[0], kesco_opcode_space(code));
    if (!to || what->elements != lanes || bits > 64)
        return false;
    for (unsigned i = 0; i < lanes; i++) {
        LLVMValueRef value = kesco_lift_element(l, what, i, bits);
        if (!value)
            return kesco_lift_refuse(l, "what is stored");
        LLVMValueRef stored =
            LLVMBuildStore(l->builder, value, kesco_lift_past(l, to, (uint64_t)i * (bits / 8)));
        LLVMSetVolatile(stored, kesco_opcode_has(code, "volatile"));
    }
    return true;
}

/* A register's parts go to others, from the lowest bits on. */
static bool take_apart(struct kesco_lifter *l, const struct kesco_ptx_statement *s, unsigned whole) {
    const struct kesco_ptx_operand *to = s->operands;
    const unsigned bits = whole / to->elements;
    LLVMValueRef value = kesco_lift_value(l, &s->operands[1], whole);
    for (unsigned i = 0; value && i < to->term_count; i++) {
        LLVMValueRef by = LLVMConstInt(kesco_lift_bits(l, whole), (uint64_t)i * bits, false);
        LLVMValueRef part = LLVMBuildLShr(l->builder, value, by, "");
        part = LLVMBuildTrunc(l->builder, part, kesco_lift_bits(l, bits), "");
        kesco_lift_set(l, &to->terms[i], part, false);
    }
    return value && to->term_count == to->elements;
}

/* Registers become parts of one, from the lowest bits on. */
static bool put_together(struct kesco_lifter *l, const struct kesco_ptx_statement *s, unsigned whole) {
    const struct kesco_ptx_operand *parts = &s->operands[1];
    const unsigned bits = whole / parts->elements;
    LLVMTypeRef type = kesco_lift_bits(l, whole);
    LLVMValueRef all = LLVMConstInt(type, 0, false);
    for (unsigned i = 0; i < parts->elements; i++) {
        LLVMValueRef part = kesco_lift_element(l, parts, i, bits);
        if (!part)
            return false;
        part = LLVMBuildZExt(l->builder, part, type, "");
        part = LLVMBuildShl(l->builder, part, LLVMConstInt(type, (uint64_t)i * bits, false), "");
        all = LLVMBuildOr(l->builder, all, part, "");
    }
    return kesco_lift_set_result(l, s, all, false);
}

bool kesco_lift_move(struct kesco_lifter *l, const struct kesco_ptx_statement *s,
                     const struct kesco_opcode *code) {
    if (s->operand_count != 2 || code->type_count != 1 || code->rest_count > 0)
        return false;
    const unsigned bits = code->types[0].bits;
    if (s->operands[0].form == KESCO_PTX_VECTOR)
        return bits <= 64 && take_apart(l, s, bits);
    if (s->operands[1].form == KESCO_PTX_VECTOR)
        return bits <= 64 && put_together(l, s, bits);
    return kesco_lift_set_result(l, s, kesco_lift_value(l, &s->operands[1], bits), false);
}

/* From and to generic addresses: all are such. */
bool kesco_lift_convert_address(struct kesco_lifter *l, const struct kesco_ptx_statement *s,
                                const struct kesco_opcode *code) {
    if (s->operand_count != 2 || !kesco_opcode_is_integer(code))
        return false;
    LLVMValueRef value = kesco_lift_value(l, &s->operands[1], code->types[0].bits);
    return kesco_lift_set_result(l, s, value, false);
}

/* Stores which operation the first part that is one names. False where none is. */
static bool find_operation(const struct kesco_opcode *code, LLVMAtomicRMWBinOp *operation) {
    static const struct {
        const char *name;
        LLVMAtomicRMWBinOp plain, of_signed, of_float;
    } operations[] = {
        {"add", LLVMAtomicRMWBinOpAdd, LLVMAtomicRMWBinOpAdd, LLVMAtomicRMWBinOpFAdd},
        {"min", LLVMAtomicRMWBinOpUMin, LLVMAtomicRMWBinOpMin, LLVMAtomicRMWBinOpUMin},
        {"max", LLVMAtomicRMWBinOpUMax, LLVMAtomicRMWBinOpMax, LLVMAtomicRMWBinOpUMax},
        {"and", LLVMAtomicRMWBinOpAnd, LLVMAtomicRMWBinOpAnd, LLVMAtomicRMWBinOpAnd},
        {"or", LLVMAtomicRMWBinOpOr, LLVMAtomicRMWBinOpOr, LLVMAtomicRMWBinOpOr},
        {"xor", LLVMAtomicRMWBinOpXor, LLVMAtomicRMWBinOpXor, LLVMAtomicRMWBinOpXor},
        {"exch", LLVMAtomicRMWBinOpXchg, LLVMAtomicRMWBinOpXchg, LLVMAtomicRMWBinOpXchg},
        {"inc", LLVMAtomicRMWBinOpUIncWrap, LLVMAtomicRMWBinOpUIncWrap, LLVMAtomicRMWBinOpUIncWrap},
        {"dec", LLVMAtomicRMWBinOpUDecWrap, LLVMAtomicRMWBinOpUDecWrap, LLVMAtomicRMWBinOpUDecWrap},
    };
    for (size_t i = 0; i < sizeof(operations) / sizeof(*operations); i++)
        if (kesco_opcode_has(code, operations[i].name)) {
            *operation = kesco_opcode_is_signed(code) ? operations[i].of_signed
                         : code->types[0].kind == 'f' ? operations[i].of_float
                                                      : operations[i].plain;
            return true;
        }
    return false;
}

/* What was at the address before `compared`, if it was that, became `next`. */
static LLVMValueRef exchange(struct kesco_lifter *l, LLVMValueRef address, LLVMValueRef compared,
                             LLVMValueRef next) {
    const LLVMAtomicOrdering order = LLVMAtomicOrderingMonotonic;
    LLVMValueRef both = LLVMBuildAtomicCmpXchg(l->builder, address, compared, next, order, order, false);
    return LLVMBuildExtractValue(l->builder, both, 0, "");
}

/* What was at the address before the operation. */
static LLVMValueRef modify(struct kesco_lifter *l, LLVMAtomicRMWBinOp operation, LLVMValueRef address,
                           LLVMValueRef value) {
    LLVMTypeRef bits = LLVMTypeOf(value);
    if (operation == LLVMAtomicRMWBinOpFAdd)
        value = LLVMBuildBitCast(l->builder, value,
                                 LLVMGetIntTypeWidth(bits) == 32 ? LLVMFloatTypeInContext(l->to.context)
                                                                 : LLVMDoubleTypeInContext(l->to.context),
                                 "");
    LLVMValueRef old =
        LLVMBuildAtomicRMW(l->builder, operation, address, value, LLVMAtomicOrderingMonotonic, false);
    return LLVMBuildBitCast(l->builder, old, bits, "");
}

/* Those that neither acquire nor release. */
bool kesco_lift_atomic(struct kesco_lifter *l, const struct kesco_ptx_statement *s,
                       const struct kesco_opcode *code) {
    static const char plain[] =
        "global shared shared::cta relaxed gpu cta add min max and or xor exch inc dec cas noftz";
    const bool has_result = kesco_opcode_is(code, "atom");
    if (!kesco_opcode_has_only(code, plain) || code->type_count != 1 || s->operand_count < 2u + has_result)
        return false;
    const struct kesco_ptx_operand *given = s->operands + has_result;
    const size_t count = s->operand_count - has_result;
    const unsigned bits = code->types[0].bits;
    const bool exchanges = kesco_opcode_has(code, "cas") && count == 3;
    LLVMAtomicRMWBinOp operation = LLVMAtomicRMWBinOpXchg;
    if ((bits != 32 && bits != 64) || (!exchanges && (!find_operation(code, &operation) || count != 2)))
        return false;
    LLVMValueRef address = kesco_lift_address(l, &given[0], kesco_opcode_space(code));
    LLVMValueRef value = kesco_lift_value(l, &given[1], bits);
    LLVMValueRef next = address && value && exchanges ? kesco_lift_value(l, &given[2], bits) : NULL;
    if (!address || !value || (exchanges && !next))
        return false;
    LLVMValueRef old = exchanges ? exchange(l, address, value, next) : modify(l, operation, address, value);
    return !has_result || kesco_lift_set_result(l, s, old, false) ||
           s->operands[0].terms[0].kind == KESCO_PTX_NAME;
}
