/* What inline assembly does: its accesses and values as assembly.h says, and what is not understood. */
#include "plugin/assembly/assembly.h"
#include "plugin/summary/summary.h"
#include "test/cmocka.h"
#include "test/ptx/failing_memory.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An output that is not given, then inputs, the last of them in memory. */
static const struct kesco_assembly_operand operands[] = {
    {.is_output = true},
    {.is_given = true, .argument = 0},
    {.is_given = true, .argument = 1},
    {.is_given = true, .argument = 2},
    {.is_given = true, .argument = 3},
    {.is_given = true, .argument = 4},
    {.is_given = true, .argument = 5, .is_memory = true},
};

static int read(const char *text, struct kesco_assembly_effects *effects) {
    return kesco_assembly_read(text, strlen(text), operands, sizeof(operands) / sizeof(*operands), effects);
}

/* Sums are apart by bars, what they are made of by plus signs. */
static void write_value(FILE *out, struct kesco_assembly_value v) {
    static const char *const kinds[] = {"a", "l", "n", "?"};
    for (size_t i = 0; i < v.count; i++) {
        fputs(i > 0 ? "|" : "", out);
        for (size_t s = 0; s < v.sums[i].count; s++) {
            const struct kesco_assembly_source source = v.sums[i].sources[s];
            fprintf(out, "%s%s", s > 0 ? "+" : "", kinds[source.kind]);
            if (source.kind == KESCO_ASSEMBLY_ARGUMENT || source.kind == KESCO_ASSEMBLY_LOADED)
                fprintf(out, "%u", source.index);
        }
    }
}

/* All that was read; the caller frees it. */
static char *describe(const struct kesco_assembly_effects *e) {
    char *text;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    assert_non_null(out);
    for (size_t i = 0; i < e->access_count; i++) {
        const struct kesco_assembly_access *a = &e->accesses[i];
        fprintf(out, "%s%s%s ", a->effect & KESCO_READS ? "r" : "", a->effect & KESCO_WRITES ? "w" : "",
                a->in_block ? "b" : "");
        write_value(out, a->address);
        if (a->stored.count > 0)
            fputs(" = ", out);
        write_value(out, a->stored);
        fputs("; ", out);
    }
    for (size_t i = 0; i < e->result_count; i++) {
        fputs("result ", out);
        write_value(out, e->results[i]);
        fputs("; ", out);
    }
    fputs("mixed ", out);
    write_value(out, e->mixed);
    assert_int_equal(fclose(out), 0);
    return text;
}

static void assert_effects(const char *text, const char *expected) {
    struct kesco_assembly_effects effects;
    assert_int_equal(read(text, &effects), 0);
    assert_null(effects.not_understood);
    char *described = describe(&effects);
    assert_string_equal(described, expected);
    free(described);
    kesco_assembly_effects_free(&effects);
}

static void assert_not_understood(const char *text, const char *what) {
    struct kesco_assembly_effects effects;
    assert_int_equal(read(text, &effects), 0);
    assert_non_null(effects.not_understood);
    assert_string_equal(effects.not_understood, what);
    kesco_assembly_effects_free(&effects);
}

static void accesses_go_where_operands_lead(void **state) {
    (void)state;
    assert_effects("ld.global.u32 $0, [$1+8];", "r a0; result l0; mixed ");
    assert_effects("st.global.u64 [$1], $2;", "w a0 = a1; result ?; mixed ");
    assert_effects("st.shared.u32 $6, 1;", "wb a5 = n; result ?; mixed ");
    assert_effects("atom.global.add.u64 $0, [$1], $2;", "rw a0 = a1; result l0; mixed ");
}

static void registers_hand_values_on(void **state) {
    (void)state;
    assert_effects("{ .reg .u64 q; add.u64 q, $1, $2; mov.u64 $0, q; }", "result a0+a1; mixed ");
    assert_effects("{ .reg .pred p; .reg .u64 q; mov.u64 q, $1; @p mov.u64 q, $2; mov.u64 $0, q; }",
                   "result a0|a1; mixed ");
    assert_effects("sub.u64 $0, $1, $2;", "result a0+a1; mixed a1");
    assert_effects("{ .reg .u64 q; ld.u64 q, [$1]; ld.u64 $0, [q]; }", "r a0; r l0; result ?; mixed ");
    assert_effects("cp.async.ca.shared.global [$1], [$2], 16;", "r a1; wb a0 = l0; result ?; mixed ");
}

/* Of two sums of each two of four all are told; five and five would be 25. */
static void a_value_of_many_sums_becomes_its_parts(void **state) {
    (void)state;
    assert_effects(
        "{ .reg .u64 q<2>; selp.u64 q0, $1, $2, $5; selp.u64 q1, $3, $4, $5; add.u64 $0, q0, q1; }",
        "result a0+a2|a0+a3|a1+a2|a1+a3; mixed ");
    assert_effects("{ .reg .u64 q; selp.u64 q, $1, $2, $5; selp.u64 q, $3, $4, $5; mov.u64 q, $5;"
                   " add.u64 $0, q, q; }",
                   "result a0|a1|a2|a3|a4; mixed ");
}

static void what_is_not_known_is_not_understood(void **state) {
    (void)state;
    assert_not_understood("fly.u32 $0, $1;", "instruction 'fly.u32'");
    assert_not_understood("mov.u32 $0, somewhere;", "name 'somewhere'");
    assert_not_understood("mov.u32 $0, $7;", "an operand that it is not given");
    assert_not_understood("ld.u32 $0, [$6];", "memory among other operands");
    assert_not_understood("ld.u32 $0, $1;", "an access without an address");
    assert_not_understood("bra $1;", "a jump that leaves it");
    assert_not_understood(".pragma \"nounroll\";", "directive '.pragma'");
}

static void assert_flags(const char *text, unsigned flags, unsigned anywhere) {
    struct kesco_assembly_effects effects;
    assert_int_equal(read(text, &effects), 0);
    assert_int_equal(effects.flags, flags);
    assert_int_equal(effects.anywhere.effect, anywhere);
    assert_int_equal(effects.anywhere.why != NULL, anywhere != 0);
    kesco_assembly_effects_free(&effects);
}

static void what_else_it_does_is_told(void **state) {
    (void)state;
    assert_flags("trap;", KESCO_ASSEMBLY_TRAPS, 0);
    assert_flags("membar.gl;", KESCO_ASSEMBLY_FENCES, 0);
    assert_flags("fence.acq_rel.sys;", KESCO_ASSEMBLY_FENCES, KESCO_READS | KESCO_WRITES);
    assert_flags("ld.volatile.u32 $0, [$1];", KESCO_ASSEMBLY_WATCHES, 0);
    assert_flags("{ again: bra again; }", KESCO_ASSEMBLY_LOOPS, 0);
    assert_flags("tex.1d.v4.f32.s32 {$0, _, _, _}, [$1, {$2}];", 0, KESCO_READS);
    assert_flags("{ .reg .u64 q; ld.u64 q, [$1]; ld.u64 q, [q]; ld.u64 $0, [q]; }", KESCO_ASSEMBLY_FOLLOWS,
                 0);
    assert_flags("no { PTX trap", KESCO_ASSEMBLY_TRAPS | KESCO_ASSEMBLY_WATCHES | KESCO_ASSEMBLY_LOOPS, 0);
}

static void without_memory_it_says_so(void **state) {
    static const char text[] = "{ .reg .u64 q<4>; add.u64 q0, $1, $2; ld.u64 q1, [q0]; xor.b64 q2, q1, q0;"
                               " st.u64 [q2], q1; selp.u64 $0, q1, q2, q3; }";
    struct kesco_assembly_effects effects;
    int error, limit = 0;
    (void)state;
    do {
        allocations_left = limit++;
        error = read(text, &effects);
        allocations_left = -1;
        assert_true(error == 0 || error == -ENOMEM);
    } while (error);
    assert_true(limit > 3);
    kesco_assembly_effects_free(&effects);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accesses_go_where_operands_lead),
        cmocka_unit_test(registers_hand_values_on),
        cmocka_unit_test(a_value_of_many_sums_becomes_its_parts),
        cmocka_unit_test(what_is_not_known_is_not_understood),
        cmocka_unit_test(what_else_it_does_is_told),
        cmocka_unit_test(without_memory_it_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
