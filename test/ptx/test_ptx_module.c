/* The reader of PTX modules: variables, functions, parameters, and bodies that are not understood. */
#include "plugin/assembly/ptx_module.h"
#include "test/cmocka.h"

#include <errno.h>
#include <string.h>

static int read_text(struct kesco_ptx_module *module, const char *text) {
    const char *problem = NULL;
    return kesco_ptx_module_read(module, text, strlen(text), &problem);
}

static void reads_what_a_module_declares(void **state) {
    (void)state;
    struct kesco_ptx_module m;
    assert_int_equal(
        0,
        read_text(&m,
                  ".version 9.0\n.target sm_90a, debug\n.address_size 64\n.file 1 \"a{.cu\"\n"
                  ".global .attribute(.managed) .align 4 .u32 both;\n"
                  ".visible .const .align 8 .f64 table[2][3] = {{1.0}, {2.0}};\n"
                  ".extern .func (.param .b32 r) f (.param .b64 a);\n"
                  ".weak .entry k(.param .u64 .ptr .align 1 k_0, .param .align 8 .b8 k_1[24])\n"
                  ".maxntid 128, 1, 1\n{\n .reg .b64 %rd<2>;\n .loc 1 2 3\n $L_0: ld.param.u64 %rd1, [k_0];\n"
                  " call (r), f, (a, b);\n}\n.section .debug_str { $x: .b8 1 }\n"));
    assert_int_equal(90, m.target);
    assert_int_equal(2, m.variable_count);
    assert_true(m.variables[0].is_managed);
    assert_int_equal(48, m.variables[1].size);
    assert_string_equal("const", m.variables[1].space);
    assert_true(m.variables[0].is_own && !m.variables[1].is_own && !m.variables[0].text &&
                !m.variables[1].text);
    assert_int_equal(2, m.function_count);
    assert_true(m.functions[0].has_result && !m.functions[0].has_body);
    const struct kesco_ptx_function *k = &m.functions[1];
    assert_true(k->is_kernel && k->is_weak && k->has_body && !k->problem);
    assert_true(k->parameters[0].is_pointer && k->parameters[1].is_array);
    assert_int_equal(3, k->body.statement_count);
    assert_int_equal(KESCO_PTX_LIST, k->body.statements[2].operands[2].form);
    kesco_ptx_module_free(&m);
}

static void knows_the_bytes_of_texts(void **state) {
    (void)state;
    struct kesco_ptx_module m;
    assert_int_equal(0, read_text(&m, ".target sm_90\n.global .align 1 .b8 $str[4] = {104, 105};\n"
                                      ".visible .global .b8 seen[2] = {1, 2};\n"
                                      ".global .b8 address[8] = {0xFF(seen), 0};\n"
                                      ".global .b8 more[1] = {1, 2};\n.global .u32 word[1] = {1};\n"));
    assert_int_equal(5, m.variable_count);
    assert_memory_equal("hi\0\0", m.variables[0].text, 4);
    assert_true(m.variables[0].is_own && !m.variables[1].is_own);
    assert_memory_equal("\1\2", m.variables[1].text, 2);
    for (size_t i = 2; i < 5; i++)
        assert_null(m.variables[i].text);
    kesco_ptx_module_free(&m);
}

static void leaves_out_bodies_that_are_not_understood(void **state) {
    (void)state;
    struct kesco_ptx_module m;
    assert_int_equal(0,
                     read_text(&m, ".target sm_80\n.entry a() { mov.u32 %r1 ? ; }\n.entry b() { ret; }\n"));
    assert_non_null(m.functions[0].problem);
    assert_null(m.functions[1].problem);
    kesco_ptx_module_free(&m);
}

static void refuses_what_is_no_module(void **state) {
    (void)state;
    static const char *const texts[] = {"", "ret;", ".target sm_90\n.entry k() { ret;",
                                        ".target sm_90\n.strange x;", ".target sm_90\n.global .u32;"};
    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
        struct kesco_ptx_module m;
        assert_int_equal(-EBADMSG, read_text(&m, texts[i]));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_what_a_module_declares),
        cmocka_unit_test(knows_the_bytes_of_texts),
        cmocka_unit_test(leaves_out_bodies_that_are_not_understood),
        cmocka_unit_test(refuses_what_is_no_module),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
