/* The reader of PTX: statements, operands and terms as ptx.h says, and what is no PTX or not all of it. */
#include "plugin/assembly/ptx.h"
#include "test/cmocka.h"
#include "test/ptx/failing_memory.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void write_term(FILE *out, const struct kesco_ptx *ptx, const struct kesco_ptx_term *t) {
    static const char *const kinds[] = {"r:", "$", "", "0f", "0d", "l:", "n:"};
    fprintf(out, "%s%s", t->negative ? "-" : "", kinds[t->kind]);
    if (t->kind == KESCO_PTX_REGISTER)
        fprintf(out, "%s:%s", ptx->registers[t->index].name, ptx->registers[t->index].type);
    else if (t->kind == KESCO_PTX_ASM_OPERAND)
        fprintf(out, "%u", t->index);
    else if (t->kind == KESCO_PTX_LABEL || t->kind == KESCO_PTX_NAME)
        fputs(t->name, out);
    else
        fprintf(out, t->kind == KESCO_PTX_INTEGER ? "%llu" : "%llx", (unsigned long long)t->bits);
    if (*t->part)
        fprintf(out, ".%s", t->part);
}

/* Elements are apart by commas, terms by plus signs. */
static void write_operand(FILE *out, const struct kesco_ptx *ptx, const struct kesco_ptx_operand *o) {
    static const char *const brackets[] = {"  ", "[]", "{}"};
    fprintf(out, " %c%s", brackets[o->form][0], o->computed ? "computed " : "");
    for (size_t i = 0; i < o->term_count; i++) {
        if (i > 0)
            fputc(o->terms[i].element == o->terms[i - 1].element ? '+' : ',', out);
        write_term(out, ptx, &o->terms[i]);
    }
    fputc(brackets[o->form][1], out);
}

/* What was read, one statement a line; the caller frees it. */
static char *describe(const struct kesco_ptx *ptx) {
    static const char *const kinds[] = {"", "label ", "directive "};
    char *text;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    assert_non_null(out);
    for (size_t i = 0; i < ptx->statement_count; i++) {
        const struct kesco_ptx_statement *s = &ptx->statements[i];
        if (s->guard) {
            fputc('@', out);
            write_term(out, ptx, s->guard);
            fputc(' ', out);
        }
        fprintf(out, "%s%s", kinds[s->kind], s->name);
        for (size_t k = 0; k < s->operand_count; k++)
            write_operand(out, ptx, &s->operands[k]);
        fputc('\n', out);
    }
    assert_int_equal(fclose(out), 0);
    return text;
}

static void check_reads(const char *text, const char *expected) {
    struct kesco_ptx ptx;
    const char *problem;
    int err = kesco_ptx_read(&ptx, text, strlen(text), &problem);
    if (err)
        fail_msg("'%s': %s", text, problem);
    assert_null(problem);
    char *got = describe(&ptx);
    assert_string_equal(got, expected);
    free(got);
    kesco_ptx_free(&ptx);
}

static void check_refused(const char *text, const char *expected) {
    struct kesco_ptx ptx;
    const char *problem;
    if (kesco_ptx_read(&ptx, text, strlen(text), &problem) != -EBADMSG)
        fail_msg("'%s' is read", text);
    if (strcmp(problem, expected) != 0)
        fail_msg("'%s': %s", text, problem);
    assert_null(ptx.names);
}

static void nothing_is_no_statement(void **state) {
    (void)state;
    check_reads("", "");
    check_reads(" \t\n", "");
    check_reads(";;{};{{}}", "");
    check_reads("// a comment, as ld.global.u32 $0, [$1];", "");
    check_reads("/* two\nlines $5 */ // and a third", "");
}

static void operands_have_forms(void **state) {
    (void)state;
    check_reads("exit;", "exit\n");
    check_reads("mov.u32 $0, $1;", "mov.u32  $0   $1 \n");
    check_reads("st.global.u32 [$0], -1;", "st.global.u32 [$0]  -1 \n");
    check_reads("ld.v2.u32 {$0,$1},[$2];", "ld.v2.u32 {$0,$1} [$2]\n");
    check_reads("tex.1d.v4.f32.s32 {$0, _}, [$4, {$5, $6}];", "tex.1d.v4.f32.s32 {$0,n:_} [$4,$5,$6]\n");
    check_reads("shfl.sync.up.b32 $0|$1, $2;", "shfl.sync.up.b32  $0,$1   $2 \n");
    check_reads("tex.u32 {$0, $1}|$2, [$3];", "tex.u32 {$0,$1,$2} [$3]\n");
}

static void addresses_are_sums(void **state) {
    (void)state;
    check_reads("a [$0+$1];", "a [$0+$1]\n");
    check_reads("a [$0 + 4 + -8 - 2];", "a [$0+4+-8+-2]\n");
    check_reads("a [$0 - -8];", "a [$0+8]\n");
    check_reads("a [($0)+4*$1];", "a [computed $0+4+$1]\n");
    check_reads("a [$0 + (1 << 3)];", "a [computed $0+1+3]\n");
    check_reads("a [~$0];", "a [computed $0]\n");
    check_reads("a [variable+4];", "a [n:variable+4]\n");
}

static void numbers_are_read_as_ptx_writes_them(void **state) {
    (void)state;
    check_reads("a 0, 10, 0x1F, 010, 0b101, 0xffffffffffffffffU, 7U;",
                "a  0   10   31   8   5   18446744073709551615   7 \n");
    check_reads("a 0f3F800000, 0dBff0000000000000;", "a  0f3f800000   0dbff0000000000000 \n");
    check_reads("a 0.5, 1., 25e-2, 1.0E+2;",
                "a  0d3fe0000000000000   0d3ff0000000000000   0d3fd0000000000000   0d4059000000000000 \n");
    check_reads("a 0x1e+1, 2-1;", "a  30+1   2+-1 \n");
    for (const char *const *text = (const char *const[]){"a 4x;", "a 0f3f;", "a 09;", "a 0b2;", "a 0x;",
                                                         "a 1.5f;", "a 0x10000000000000000;", "a 1e;", NULL};
         *text; text++)
        check_refused(*text, "a number");
}

static void registers_belong_to_scopes(void **state) {
    (void)state;
    check_reads("{ .reg .u64 p, q; mov.u64 p, q; }", "mov.u64  r:p:u64   r:q:u64 \n");
    check_reads("{ .reg.f32 p; a p; { .reg .b64 p; a p; } a p; }", "a  r:p:f32 \na  r:p:b64 \na  r:p:f32 \n");
    check_reads("{ .reg .u64 p; } a p;", "a  n:p \n");
    check_reads("a p; .reg .u64 p; a p;", "a  n:p \na  r:p:u64 \n");
    check_reads(".reg .b32 %r, $$s; a %r, $$s, %t;", "a  r:%r:b32   r:$s:b32   n:%t \n");
}

static void registers_of_one_name_are_told_apart(void **state) {
    (void)state;
    struct kesco_ptx ptx;
    const char *problem;
    const char *text = "{ .reg .u64 p; a p; { .reg .u64 p; a p; } { .reg .u64 p; a p, p; } a p; }";
    assert_int_equal(kesco_ptx_read(&ptx, text, strlen(text), &problem), 0);
    assert_int_equal(ptx.register_count, 3);
    assert_int_equal(ptx.terms[0].index, ptx.terms[4].index);
    assert_int_not_equal(ptx.terms[0].index, ptx.terms[1].index);
    assert_int_not_equal(ptx.terms[1].index, ptx.terms[2].index);
    assert_int_equal(ptx.terms[2].index, ptx.terms[3].index);
    kesco_ptx_free(&ptx);
}

static void ranges_declare_what_is_below(void **state) {
    (void)state;
    check_reads(".reg .u32 r<4>, s; a r0, r3, s;", "a  r:r0:u32   r:r3:u32   r:s:u32 \n");
    check_reads(".reg .u32 r<4>; a r4, r, r01, r1x, r0x1;", "a  n:r4   n:r   n:r01   n:r1x   n:r0x1 \n");
    check_reads(".reg .u32 r<4>; { .reg .f32 r1; a r1, r2; }", "a  r:r1:f32   r:r2:u32 \n");
}

static void vectors_have_parts(void **state) {
    (void)state;
    struct kesco_ptx ptx;
    const char *problem;
    const char *text = ".reg .v4 .f32 v; mov.f32 $0, v.y;";
    assert_int_equal(kesco_ptx_read(&ptx, text, strlen(text), &problem), 0);
    assert_int_equal(ptx.registers[0].lanes, 4);
    assert_string_equal(ptx.registers[0].type, "f32");
    assert_string_equal(ptx.terms[1].part, "y");
    kesco_ptx_free(&ptx);
    check_reads("vadd.u32 $0, $1.b0, %tid.x;", "vadd.u32  $0   $1.b0   n:%tid.x \n");
}

static void guards_are_terms(void **state) {
    (void)state;
    check_reads("{ .reg .pred p; @p exit; @!p bra.uni L; @ ! p a 1; L: }",
                "@r:p:pred exit\n@-r:p:pred bra.uni  l:L \n@-r:p:pred a  1 \nlabel L\n");
    check_reads("@$0 exit;", "@$0 exit\n");
    check_reads("@p exit;", "@n:p exit\n");
}

static void labels_belong_to_scopes(void **state) {
    (void)state;
    check_reads("L: bra L;", "label L\nbra  l:L \n");
    check_reads("{ bra L; } L:", "bra  l:L \nlabel L\n");
    check_reads("{ L: } bra L;", "label L\nbra  n:L \n");
    check_reads("T: .branchtargets A, B; A: brx.idx 1, T; B:",
                "label T\ndirective .branchtargets  l:A   l:B \nlabel A\nbrx.idx  1   l:T \nlabel B\n");
    struct kesco_ptx ptx;
    const char *problem;
    const char *text = "L: { L: { bra L; } } bra L;";
    assert_int_equal(kesco_ptx_read(&ptx, text, strlen(text), &problem), 0);
    assert_int_equal(ptx.terms[0].index, 1);
    assert_int_equal(ptx.terms[1].index, 0);
    kesco_ptx_free(&ptx);
}

static void opcodes_may_have_spaces(void **state) {
    (void)state;
    check_reads("ld .global /* of all */ .u32 $0, [$1];", "ld.global.u32  $0  [$1]\n");
    check_reads("ld.shared::cluster.L2::cache_hint.u32 $0, [$1];",
                "ld.shared::cluster.L2::cache_hint.u32  $0  [$1]\n");
}

static void directives_have_names(void **state) {
    (void)state;
    check_reads(".pragma \"nounroll\"; exit;", "directive .pragma\nexit\n");
    check_reads(".shared .align 4 .b8 tile[64]; .param .b64 q;", "directive .shared\ndirective .param\n");
}

static void escapes_are_llvms(void **state) {
    (void)state;
    check_reads("a ${0}, ${12:c}, ${3:r};", "a  $0   $12   $3 \n");
    check_reads("L${:uid}: bra L${:uid};", "label L#\nbra  l:L# \n");
    check_reads("a $(1$|2$|3$), 4;", "a  1   4 \n");
    check_reads(".reg .b32 __$$1; a __$$1;", "a  r:__$1:b32 \n");
    for (const char *const *text =
             (const char *const[]){"a $;", "a $x;", "a ${x};", "a ${1:x};", "a ${:comment};", "a $|1;",
                                   "a $)1;", "$", "a $4294967296;", "a $99999999999999999999;", NULL};
         *text; text++)
        check_refused(*text, "an escape");
    check_refused("a ${1", "an escape that is not closed");
    check_refused("a $(1$|2;", "alternatives that are not closed");
    check_refused("a $(1;", "alternatives that are not closed");
    check_refused("a \001;", "a control character");
}

static void operands_are_no_parts_of_names(void **state) {
    (void)state;
    for (const char *const *text = (const char *const[]){"a r$0;", "a $0x;", "a $0$1;", "a$0 1;", "ld.$0 1;",
                                                         "a ${0}5;", "ld.;", NULL};
         *text; text++)
        check_refused(*text, "an operand within a name");
}

/* What stands behind the text would be a part of it. */
static void all_must_be_complete(void **state) {
    (void)state;
    for (const char *const *text =
             (const char *const[]){"exit", "$0", "a 1 2;", "L: mov.u32 $0, $1", "@L:;", "a [$0]+4;", NULL};
         *text; text++)
        check_refused(*text, "a statement that is not complete");
    for (const char *const *text =
             (const char *const[]){"@", "@;", "a 1,", "a [", "a [$0", "a [];", "a {};", "a {$0;", "a {{$0}};",
                                   "a [$0,{$1];", "a [{{$0}}];", "a |;", "a +;", "a ,1;", NULL};
         *text; text++)
        check_refused(*text, "an operand");
    for (const char *const *text = (const char *const[]){"a (1;", "a (1+2;", "a (1,2);", NULL}; *text; text++)
        check_refused(*text, "an expression");
    for (const char *const *text =
             (const char *const[]){".reg .u32 r", ".reg r;", ".reg .u32;", ".reg .u32 r<", ".reg .u32 r<0>;",
                                   ".reg .u32 r<x>;", ".reg .u32 r s;", ".reg .u32 r<4;", NULL};
         *text; text++)
        check_refused(*text, "a declaration");
    check_refused("{ exit;", "a brace that is not closed");
    check_refused("exit; }", "a brace that closes nothing");
    check_refused("/* exit;", "a comment that is not closed");
}

/* No text, however damaged, reads or writes beyond what is there. */
static void damaged_text_is_read_or_refused(void **state) {
    (void)state;
    static const char whole[] =
        "{ .reg .u64 p<4>, q; L${:uid}: @!q ld.v2.u32 {$0, $1}, [p1+(4*2)]; // x\n"
        "/* y */ mov.u64 q|p2, $(0x1F$|2$); tex.u32 {$$a}, [$3, {1.5, 0f3f800000}]; }";
    uint64_t random = 1;
    for (unsigned round = 0; round < 20000; round++) {
        char text[sizeof(whole)];
        size_t length = sizeof(whole) - 1;
        memcpy(text, whole, length);
        for (unsigned i = 0; i < 1 + round % 4; i++) {
            random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
            text[(random >> 33) % length] =
                (random >> 20 & 1) ? whole[(random >> 40) % length] : (char)(random >> 25);
        }
        length -= (random >> 13) % (round % 3 ? 1 : length);
        char *copy = malloc(length + 1); /* of no more than that, for the sanitizer to see */
        memcpy(copy, text, length);
        struct kesco_ptx ptx;
        const char *problem;
        if (kesco_ptx_read(&ptx, copy, length, &problem) == 0) {
            free(describe(&ptx));
            kesco_ptx_free(&ptx);
        } else {
            assert_non_null(problem);
        }
        free(copy);
    }
}

static void a_lack_of_memory_is_told(void **state) {
    (void)state;
    static const char text[] =
        "{ .reg .u64 p<4>, q; L: @q ld.u32 {$0, $1}, [p1+8]; { bra L; } mov.u64 p2, p3; }";
    int err = -ENOMEM;
    for (int left = 0; err; left++) {
        struct kesco_ptx ptx;
        const char *problem;
        allocations_left = left;
        err = kesco_ptx_read(&ptx, text, strlen(text), &problem);
        allocations_left = -1;
        assert_true(err == -ENOMEM || (err == 0 && left > 10));
        if (!err)
            kesco_ptx_free(&ptx);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_no_statement),
        cmocka_unit_test(operands_have_forms),
        cmocka_unit_test(addresses_are_sums),
        cmocka_unit_test(numbers_are_read_as_ptx_writes_them),
        cmocka_unit_test(registers_belong_to_scopes),
        cmocka_unit_test(registers_of_one_name_are_told_apart),
        cmocka_unit_test(ranges_declare_what_is_below),
        cmocka_unit_test(vectors_have_parts),
        cmocka_unit_test(guards_are_terms),
        cmocka_unit_test(labels_belong_to_scopes),
        cmocka_unit_test(opcodes_may_have_spaces),
        cmocka_unit_test(directives_have_names),
        cmocka_unit_test(escapes_are_llvms),
        cmocka_unit_test(operands_are_no_parts_of_names),
        cmocka_unit_test(all_must_be_complete),
        cmocka_unit_test(damaged_text_is_read_or_refused),
        cmocka_unit_test(a_lack_of_memory_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
