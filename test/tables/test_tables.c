/* What names mean: CUDA's calls (cuda_calls.h), library functions (host_functions.h), instructions of PTX. */
#include "plugin/assembly/instruction_kind.h"
#include "plugin/cuda/cuda_calls.h"
#include "plugin/cuda/host_functions.h"
#include "plugin/words.h"
#include "test/cmocka.h"

#include <string.h>

static const struct kesco_call *find(const char *name) {
    return kesco_call_find(name, strlen(name));
}

static const struct kesco_call *find_op(const char *name, size_t arguments) {
    return kesco_call_find_op(name, strlen(name), arguments);
}

static void a_call_is_found_by_its_whole_name(void **state) {
    (void)state;
    assert_int_equal(find("cudaMalloc")->effect, KESCO_ALLOCATES);
    assert_int_equal(find("cudaMallocPitch")->memory, KESCO_MEMORY_DEVICE);
    assert_int_equal(find("cudaMallocAsync_ptsz")->effect, KESCO_ALLOCATES_IN_STREAM);
    assert_int_equal(find("cudaMemAdvise_v2")->effect, KESCO_BARRIER);
    assert_int_equal(find("cudaThreadSynchronize")->effect, KESCO_BARRIER);
    assert_int_equal(find("cudaGetDeviceProperties_v2")->effect, KESCO_HARMLESS);
    assert_null(find("cudaMallo"));
    assert_null(find("cudaMallocPitchX"));
    assert_null(find(""));
    assert_int_equal(kesco_call_find("cudaFreeX", 8)->effect, KESCO_FREES);
}

static void an_op_is_found_by_how_many_arguments_it_has(void **state) {
    (void)state;
    const struct kesco_call *older = find_op("cudaMemPrefetchAsync", 4),
                            *newer = find_op("cudaMemPrefetchAsync", 5);
    assert_int_equal(kesco_call_argument(older, KESCO_STREAM), 3);
    assert_int_equal(kesco_call_argument(newer, KESCO_STREAM), 4);
    assert_int_equal(kesco_call_argument(find_op("cudaMemPrefetchAsync_v2", 5), KESCO_STREAM), 4);
    assert_null(find_op("cudaMemPrefetchAsync", 3));
    assert_null(find_op("cudaFree", 1));
    assert_null(find_op("cudaDeviceSynchronize", 0));
}

static void renamed_functions_issue_the_same_op(void **state) {
    (void)state;
    assert_ptr_equal(find_op("cudaMemcpy_ptds", 4), find_op("cudaMemcpy", 4));
    assert_ptr_equal(find_op("cudaMemcpyAsync_ptsz", 5), find_op("cudaMemcpyAsync", 5));
    assert_null(find("cudaMemcpyAsync_ptsz")); /* what else it does is not known */
    assert_int_equal(kesco_call_plain_length("x_ptsz", 6), 1);
    assert_int_equal(kesco_call_plain_length("_ptsz", 5), 5);
    assert_int_equal(kesco_call_plain_length("cudaFree", 8), 8);
}

/* The asynchronous form of a function has its arguments, and a stream behind them. */
static void asynchronous_forms_take_a_stream_too(void **state) {
    static const struct {
        const char *name, *asynchronous;
        size_t arguments;
    } forms[] = {
        {"cudaMemcpy", "cudaMemcpyAsync", 4},
        {"cudaMemcpy2D", "cudaMemcpy2DAsync", 7},
        {"cudaMemcpy3D", "cudaMemcpy3DAsync", 1},
        {"cudaMemcpyToSymbol", "cudaMemcpyToSymbolAsync", 5},
        {"cudaMemcpyFromSymbol", "cudaMemcpyFromSymbolAsync", 5},
        {"cudaMemset", "cudaMemsetAsync", 3},
        {"cudaMemset2D", "cudaMemset2DAsync", 5},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++) {
        const struct kesco_call *call = find_op(forms[i].name, forms[i].arguments);
        const struct kesco_call *other = find_op(forms[i].asynchronous, forms[i].arguments + 1);
        assert_non_null(call);
        assert_non_null(other);
        assert_int_equal(call->op, other->op);
        assert_int_equal(kesco_call_argument(call, KESCO_STREAM), -1);
        assert_int_equal(kesco_call_argument(other, KESCO_STREAM), (int)forms[i].arguments);
        assert_memory_equal(call->arguments, other->arguments, forms[i].arguments);
    }
}

static unsigned traits(const char *name) {
    return kesco_host_traits(name, strlen(name));
}

static void library_functions_have_traits(void **state) {
    (void)state;
    assert_int_equal(traits("strerror"), KESCO_HOST_PLAIN | KESCO_HOST_WORDS);
    assert_int_equal(traits("printf"), KESCO_HOST_WORDS);
    assert_int_equal(traits("snprintf"), 0);
    assert_int_equal(traits("_ZNSolsEi") & KESCO_HOST_STREAM, KESCO_HOST_STREAM);
    assert_int_equal(traits("malloc"), KESCO_HOST_NEW);
    assert_int_equal(traits("exit"), KESCO_HOST_PLAIN);
    assert_int_equal(traits("setenv"), KESCO_HOST_PLAIN);
    assert_int_equal(traits("sleep"), 0);
    assert_int_equal(traits("hypot"), KESCO_HOST_PLAIN | KESCO_HOST_COMPUTES);
    assert_int_equal(traits("rand"), KESCO_HOST_PLAIN | KESCO_HOST_COMPUTES);
    assert_int_equal(traits("time"), KESCO_HOST_PLAIN | KESCO_HOST_COMPUTES | KESCO_HOST_CLOCK);
    assert_int_equal(traits("gettimeofday"), KESCO_HOST_CLOCK);
    assert_int_equal(traits("qsort"), KESCO_HOST_ACTIVE);
    assert_int_equal(traits("_ZNSt6chrono3_V212system_clock3nowEv"),
                     KESCO_HOST_PLAIN | KESCO_HOST_COMPUTES | KESCO_HOST_CLOCK);
    assert_int_equal(traits("_ZNSolsEi"), KESCO_HOST_PLAIN | KESCO_HOST_STREAM);
    assert_int_equal(traits("_ZSt20__throw_length_errorPKc"), KESCO_HOST_PLAIN | KESCO_HOST_THROWS);
    assert_int_equal(traits("__throw_mine"), 0);
    assert_int_equal(traits("timer"), 0);
    assert_int_equal(traits("cudaLaunchHostFunc"), KESCO_HOST_CUDA);
    assert_int_equal(traits("cudnnCreate"), KESCO_HOST_CUDA);
    assert_int_equal(traits("cursor"), 0);
    assert_int_equal(traits(""), 0);
}

static void the_longest_name_of_an_instruction_counts(void **state) {
    (void)state;
    assert_int_equal(kesco_instruction_find("ld.global.u32"), KESCO_PTX_LOAD);
    assert_int_equal(kesco_instruction_find("cp.async.bulk.shared::cluster.global"), KESCO_PTX_COPY);
    assert_int_equal(kesco_instruction_find("cp.async.bulk.wait_group.read"), KESCO_PTX_COPY_CONTROL);
    assert_int_equal(kesco_instruction_find("cp"), KESCO_PTX_UNKNOWN);
    assert_int_equal(kesco_instruction_find("ld2.global"), KESCO_PTX_UNKNOWN);
    assert_int_equal(kesco_instruction_find(""), KESCO_PTX_UNKNOWN);
}

static void special_registers_have_parts_and_numbers(void **state) {
    (void)state;
    assert_true(kesco_is_special_register("%tid.x"));
    assert_true(kesco_is_special_register("%clock64"));
    assert_true(kesco_is_special_register("WARP_SZ"));
    assert_true(kesco_is_special_register("%envreg31"));
    assert_false(kesco_is_special_register("%tid.q"));
    assert_false(kesco_is_special_register("%tid.xy"));
    assert_false(kesco_is_special_register("%envreg"));
    assert_false(kesco_is_special_register("%envreg3x"));
    assert_false(kesco_is_special_register("%mine"));
}

static void words_are_whole_or_begin_a_name(void **state) {
    (void)state;
    assert_true(kesco_words_have("a bc  d", "bc", 2, false));
    assert_true(kesco_words_have("a bc  d", "d", 1, false));
    assert_false(kesco_words_have("a bc", "b", 1, false));
    assert_false(kesco_words_have("a bc", "bcd", 3, false));
    assert_true(kesco_words_have("a bc", "bcd", 3, true));
    assert_false(kesco_words_have("", "a", 1, true));
}

static void opcodes_have_parts(void **state) {
    (void)state;
    assert_true(kesco_ptx_has_part("ld.global.u32", "global"));
    assert_true(kesco_ptx_has_part("ld.global.u32", "u32"));
    assert_true(kesco_ptx_has_part("ld.shared::cta.u32", "shared"));
    assert_true(kesco_ptx_has_part("ld.shared::cta.u32", "shared::cta"));
    assert_false(kesco_ptx_has_part("ld.global.u32", "ld"));
    assert_false(kesco_ptx_has_part("ld.global.u32", "glob"));
    assert_false(kesco_ptx_has_part("ld.global.u32", "global.u32x"));
    assert_false(kesco_ptx_has_part("exit", "exit"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_call_is_found_by_its_whole_name),
        cmocka_unit_test(an_op_is_found_by_how_many_arguments_it_has),
        cmocka_unit_test(renamed_functions_issue_the_same_op),
        cmocka_unit_test(asynchronous_forms_take_a_stream_too),
        cmocka_unit_test(library_functions_have_traits),
        cmocka_unit_test(the_longest_name_of_an_instruction_counts),
        cmocka_unit_test(special_registers_have_parts_and_numbers),
        cmocka_unit_test(words_are_whole_or_begin_a_name),
        cmocka_unit_test(opcodes_have_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
