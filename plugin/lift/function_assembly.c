#include "plugin/assembly/instruction_kind.h"
#include "plugin/lift/function.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* One instruction as inline assembly. Results and inputs are the arena's. */
struct assembly {
    FILE *text, *constraints; /* memory streams */
    struct {
        const struct kesco_ptx_term **terms;
        LLVMTypeRef *types;
        unsigned count;
    } results;
    struct {
        LLVMValueRef *values;
        LLVMTypeRef *types;
        unsigned count;
    } inputs;
};

static void print_term(const struct kesco_ptx_term *t, const char *sign, const char *given, FILE *to) {
    fputs(sign, to);
    switch (t->kind) {
    case KESCO_PTX_INTEGER:
        fprintf(to, "%" PRIu64, t->bits);
        break;
    case KESCO_PTX_SINGLE:
        fprintf(to, "0f%08" PRIx64, t->bits);
        break;
    case KESCO_PTX_DOUBLE:
        fprintf(to, "0d%016" PRIx64, t->bits);
        break;
    default:
        fputs(given, to);
    }
}

/* True if the first operand is what the instruction computes. */
static bool has_result(const struct kesco_ptx_statement *s) {
    if (s->operand_count == 0 || s->operands[0].form == KESCO_PTX_ADDRESS)
        return false;
    switch (kesco_instruction_find(s->name)) {
    case KESCO_PTX_IDLE:
    case KESCO_PTX_TRAP:
    case KESCO_PTX_COPY_CONTROL:
        return false;
    case KESCO_PTX_FENCE:
        return kesco_ptx_has_part(s->name, "red");
    default:
        return true;
    }
}

static void constrain(struct assembly *a, const char *prefix, LLVMTypeRef type) {
    const unsigned bits = LLVMGetIntTypeWidth(type);
    const char *letter = bits == 1 ? "b" : bits == 8 || bits == 16 ? "h" : bits == 32 ? "r" : "l";
    fprintf(a->constraints, "%s%s%s", ftell(a->constraints) > 0 ? "," : "", prefix, letter);
}

static unsigned add_result(struct assembly *a, const struct kesco_ptx_term *t, LLVMTypeRef type) {
    a->results.terms[a->results.count] = t;
    a->results.types[a->results.count] = type;
    constrain(a, "=", type);
    return a->results.count++;
}

static unsigned add_input(struct assembly *a, LLVMValueRef value) {
    a->inputs.values[a->inputs.count] = value;
    a->inputs.types[a->inputs.count] = LLVMTypeOf(value);
    return a->results.count + a->inputs.count++;
}

static const char *sign_of(const struct kesco_ptx_term *t, bool is_first, LLVMValueRef input) {
    if (!t->negative)
        return is_first ? "" : "+";
    const bool is_predicate = input && LLVMGetIntTypeWidth(LLVMTypeOf(input)) == 1;
    return is_predicate && is_first && t->kind == KESCO_PTX_REGISTER ? "!" : "-";
}

/* `computes`: the operand is the result. */
static bool add_term(struct kesco_lifter *l, struct assembly *a, const struct kesco_ptx_term *t,
                     bool is_first, bool computes) {
    char number[16];
    const char *given = t->name;
    LLVMValueRef input = NULL;
    const bool is_register = t->kind == KESCO_PTX_REGISTER;
    if (is_register && computes) {
        const unsigned index = add_result(a, t, kesco_lift_register_type(l, t->index));
        snprintf(number, sizeof(number), "$%u", index);
        given = number;
    } else if (is_register || (t->kind == KESCO_PTX_NAME && kesco_lift_place(l, t->name))) {
        input = kesco_lift_term(l, t);
        if (!input)
            return false;
        snprintf(number, sizeof(number), "$%u", add_input(a, input));
        given = number;
    }
    print_term(t, sign_of(t, is_first, input), given, a->text);
    return true;
}

static bool add_operand(struct kesco_lifter *l, struct assembly *a, const struct kesco_ptx_operand *operand,
                        bool computes) {
    static const char *const opening[] = {
        [KESCO_PTX_VALUE] = "", [KESCO_PTX_ADDRESS] = "[", [KESCO_PTX_VECTOR] = "{"};
    static const char *const closing[] = {
        [KESCO_PTX_VALUE] = "", [KESCO_PTX_ADDRESS] = "]", [KESCO_PTX_VECTOR] = "}"};
    if (operand->computed || operand->form == KESCO_PTX_LIST)
        return false;
    fputs(opening[operand->form], a->text);
    for (size_t i = 0; i < operand->term_count; i++) {
        const struct kesco_ptx_term *t = &operand->terms[i];
        const bool is_first = i == 0 || t[-1].element != t->element;
        if (is_first && i > 0)
            fputs(operand->form == KESCO_PTX_VALUE ? "|" : ", ", a->text);
        if (!add_term(l, a, t, is_first, computes))
            return false;
    }
    fputs(closing[operand->form], a->text);
    return true;
}

static bool add_operands(struct kesco_lifter *l, struct assembly *a, const struct kesco_ptx_statement *s) {
    fputs(s->name, a->text);
    for (size_t i = 0; i < s->operand_count; i++) {
        fputs(i == 0 ? " " : ", ", a->text);
        if (!add_operand(l, a, &s->operands[i], i == 0 && has_result(s)))
            return false;
    }
    for (unsigned i = 0; i < a->inputs.count; i++)
        constrain(a, "", a->inputs.types[i]);
    fputs(";", a->text);
    return true;
}

static LLVMTypeRef result_type(const struct kesco_lifter *l, const struct assembly *a) {
    if (a->results.count == 0)
        return LLVMVoidTypeInContext(l->to.context);
    if (a->results.count == 1)
        return a->results.types[0];
    return LLVMStructTypeInContext(l->to.context, a->results.types, a->results.count, false);
}

/* What an instruction makes of numbers may be an address, put together of halves. */
static LLVMValueRef maybe_address(struct kesco_lifter *l, LLVMValueRef value) {
    LLVMTypeRef type = LLVMTypeOf(value);
    if (LLVMGetIntTypeWidth(type) != 64)
        return value;
    LLVMValueRef unknown = LLVMBuildFreeze(l->builder, LLVMGetPoison(type), "");
    LLVMValueRef upper = LLVMBuildShl(l->builder, unknown, LLVMConstInt(type, 32, false), "");
    return LLVMBuildOr(l->builder, value, upper, "");
}

static void call(struct kesco_lifter *l, const struct assembly *a, char *text, size_t text_size,
                 char *constraints, size_t constraints_size) {
    LLVMTypeRef type = LLVMFunctionType(result_type(l, a), a->inputs.types, a->inputs.count, false);
    LLVMValueRef assembly = LLVMGetInlineAsm(type, text, text_size, constraints, constraints_size, false,
                                             false, LLVMInlineAsmDialectATT, false);
    LLVMValueRef made = LLVMBuildCall2(l->builder, type, assembly, a->inputs.values, a->inputs.count, "");
    for (unsigned i = 0; i < a->results.count; i++) {
        LLVMValueRef one = a->results.count == 1 ? made : LLVMBuildExtractValue(l->builder, made, i, "");
        kesco_lift_set(l, a->results.terms[i], maybe_address(l, one), false);
    }
}

/* Room for all terms of the statement. */
static bool begin(struct kesco_lifter *l, struct assembly *a, const struct kesco_ptx_statement *s) {
    size_t count = 0;
    for (size_t i = 0; i < s->operand_count; i++)
        count += s->operands[i].term_count;
    a->results.terms = kesco_lift_take(l, count * sizeof(*a->results.terms));
    a->results.types = kesco_lift_take(l, count * sizeof(*a->results.types));
    a->inputs.values = kesco_lift_take(l, count * sizeof(*a->inputs.values));
    a->inputs.types = kesco_lift_take(l, count * sizeof(*a->inputs.types));
    return !l->error;
}

bool kesco_lift_assembly(struct kesco_lifter *l, const struct kesco_ptx_statement *s) {
    char *text = NULL, *constraints = NULL;
    size_t text_size = 0, constraints_size = 0;
    struct assembly a = {
        .text = open_memstream(&text, &text_size),
        .constraints = open_memstream(&constraints, &constraints_size),
    };
    bool added = false;
    if (a.text && a.constraints)
        added = begin(l, &a, s) && add_operands(l, &a, s);
    else
        kesco_lift_fail(l);
    if (a.text && fclose(a.text) != 0)
        kesco_lift_fail(l);
    if (a.constraints && fclose(a.constraints) != 0)
        kesco_lift_fail(l);
    if (added && !l->error)
        call(l, &a, text, text_size, constraints, constraints_size);
    free(text);
    free(constraints);
    return added && !l->error;
}
