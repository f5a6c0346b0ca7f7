/* Summaries: what is added is united, sets are found and merged by kernel (summary.h). */
#include "test/cmocka.h"
#include "test/summary/same.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static void effects_of_one_pointer_are_united(void **state) {
    (void)state;
    struct kesco_summaries set = {0};
    struct kesco_summary *k = kesco_summaries_add(&set, "k");
    assert_int_equal(kesco_summary_add_parameter(k, 1, 8, KESCO_READS, "1"), 0);
    assert_int_equal(kesco_summary_add_parameter(k, 1, 8, KESCO_WRITES, "2"), 0);
    assert_int_equal(kesco_summary_add_parameter(k, 1, 8, KESCO_WRITES, "3"), 0);
    assert_int_equal(k->parameter_count, 1);
    assert_int_equal(kesco_summary_effect(k, 1, 8), KESCO_READS | KESCO_WRITES);
    assert_string_equal(k->parameters[0].written_at, "2");
    kesco_summaries_free(&set);
}

static void pointers_stand_by_parameter_and_offset(void **state) {
    static const uint32_t order[][2] = {{2, 0}, {0, 8}, {UINT32_MAX, 0}, {0, 0}, {1, UINT32_MAX}, {1, 4}};
    (void)state;
    struct kesco_summaries set = {0};
    struct kesco_summary *k = kesco_summaries_add(&set, "k");
    for (size_t i = 0; i < sizeof(order) / sizeof(*order); i++)
        assert_int_equal(kesco_summary_add_parameter(k, order[i][0], order[i][1], KESCO_READS, NULL), 0);
    for (size_t i = 1; i < k->parameter_count; i++) {
        const struct kesco_parameter_access *a = &k->parameters[i - 1], *b = &k->parameters[i];
        assert_true(a->parameter < b->parameter || (a->parameter == b->parameter && a->offset < b->offset));
    }
    assert_int_equal(kesco_summary_effect(k, 1, UINT32_MAX), KESCO_READS);
    assert_int_equal(kesco_summary_effect(k, 1, 0), 0);
    assert_int_equal(kesco_summary_effect(k, 2, 8), 0);
    kesco_summaries_free(&set);
}

static void variables_stand_by_name(void **state) {
    (void)state;
    struct kesco_summaries set = {0};
    struct kesco_summary *k = kesco_summaries_add(&set, "k");
    assert_int_equal(kesco_summary_add_variable(k, "b", KESCO_READS, KESCO_VARIABLE), 0);
    assert_int_equal(kesco_summary_add_variable(k, "a", KESCO_WRITES, KESCO_VARIABLE), 0);
    assert_int_equal(kesco_summary_add_variable(k, "b", KESCO_WRITES, KESCO_VARIABLE), 0);
    assert_int_equal(kesco_summary_add_variable(k, "aa", KESCO_READS, KESCO_CONSTANT), 0);
    assert_int_equal(k->variable_count, 3);
    assert_string_equal(k->variables[0].name, "a");
    assert_string_equal(k->variables[1].name, "aa");
    assert_string_equal(k->variables[2].name, "b");
    assert_int_equal(k->variables[2].effect, KESCO_READS | KESCO_WRITES);
    assert_int_equal(k->variables[1].kind, KESCO_CONSTANT);
    kesco_summaries_free(&set);
}

/* Otherwise the one that was read last would decide whether writes through pointers count. */
static void of_a_variable_the_least_is_known(void **state) {
    struct kesco_summaries set = {0};
    struct kesco_summary *k = kesco_summaries_add(&set, "k");
    (void)state;
    assert_int_equal(kesco_summary_add_variable(k, "a", KESCO_READS, KESCO_CONSTANT), 0);
    assert_int_equal(kesco_summary_add_variable(k, "a", KESCO_READS, KESCO_VARIABLE_READ), 0);
    assert_int_equal(k->variables[0].kind, KESCO_VARIABLE_READ);
    assert_int_equal(kesco_summary_add_variable(k, "a", KESCO_READS, KESCO_VARIABLE), 0);
    assert_int_equal(kesco_summary_add_variable(k, "a", KESCO_READS, KESCO_VARIABLE_READ), 0);
    assert_int_equal(k->variables[0].kind, KESCO_VARIABLE);
    kesco_summaries_free(&set);
}

static void a_variable_is_constant_only_if_all_say_so(void **state) {
    (void)state;
    struct kesco_summaries set = {0};
    struct kesco_summary *k = kesco_summaries_add(&set, "k");
    assert_int_equal(kesco_summary_add_variable(k, "a", KESCO_READS, KESCO_CONSTANT), 0);
    assert_int_equal(kesco_summary_add_variable(k, "a", KESCO_READS, KESCO_VARIABLE), 0);
    assert_int_equal(kesco_summary_add_variable(k, "b", KESCO_READS, KESCO_VARIABLE), 0);
    assert_int_equal(kesco_summary_add_variable(k, "b", KESCO_READS, KESCO_CONSTANT), 0);
    assert_int_equal(k->variables[0].kind, KESCO_VARIABLE);
    assert_int_equal(k->variables[1].kind, KESCO_VARIABLE);
    kesco_summaries_free(&set);
}

static void no_effect_adds_nothing(void **state) {
    (void)state;
    struct kesco_summaries set = {0};
    struct kesco_summary *k = kesco_summaries_add(&set, "k");
    assert_int_equal(kesco_summary_add_parameter(k, 0, 0, 0, "1"), 0);
    assert_int_equal(kesco_summary_add_variable(k, "v", 0, KESCO_VARIABLE), 0);
    assert_int_equal(kesco_summary_add_anywhere(k, 0, "why", "1"), 0);
    assert_int_equal(k->parameter_count, 0);
    assert_int_equal(k->variable_count, 0);
    assert_null(k->beyond.why);
    assert_null(k->beyond.at);
    kesco_summaries_free(&set);
}

static void the_reason_of_a_write_is_kept(void **state) {
    (void)state;
    struct kesco_summaries set = {0};
    struct kesco_summary *k = kesco_summaries_add(&set, "k");
    assert_int_equal(kesco_summary_add_anywhere(k, KESCO_READS, "reads", "1"), 0);
    assert_int_equal(kesco_summary_add_anywhere(k, KESCO_READS, "reads again", "2"), 0);
    assert_string_equal(k->beyond.why, "reads");
    assert_int_equal(kesco_summary_add_anywhere(k, KESCO_WRITES, "writes", NULL), 0);
    assert_int_equal(kesco_summary_add_anywhere(k, KESCO_WRITES, "writes again", "4"), 0);
    assert_int_equal(k->beyond.effect, KESCO_READS | KESCO_WRITES);
    assert_string_equal(k->beyond.why, "writes");
    assert_null(k->beyond.at);
    kesco_summaries_free(&set);
}

static void the_first_unseen_code_is_kept(void **state) {
    (void)state;
    struct kesco_summaries set = {0};
    struct kesco_summary *k = kesco_summaries_add(&set, "k");
    assert_int_equal(kesco_summary_add_unseen(k, "calls f", "a.cu:1"), 0);
    assert_int_equal(kesco_summary_add_unseen(k, "calls g", "a.cu:2"), 0);
    assert_true(k->hidden.runs);
    assert_string_equal(k->hidden.why, "calls f");
    assert_string_equal(k->hidden.at, "a.cu:1");
    kesco_summaries_free(&set);
}

static void kernels_are_found_by_name(void **state) {
    enum { KERNELS = 60 };
    (void)state;
    struct kesco_summaries set = {0};
    char name[16];
    assert_null(kesco_summaries_find(&set, "k0"));
    for (unsigned i = 0; i < KERNELS; i++) {
        snprintf(name, sizeof(name), "k%u", i * 37 % KERNELS);
        struct kesco_summary *made = kesco_summaries_add(&set, name);
        assert_ptr_equal(kesco_summaries_add(&set, name), made);
        assert_int_equal(set.count, i + 1);
    }
    for (unsigned i = 0; i < KERNELS; i++) {
        snprintf(name, sizeof(name), "k%u", i);
        assert_string_equal(kesco_summaries_find(&set, name)->name, name);
    }
    for (size_t i = 1; i < set.count; i++)
        assert_true(strcmp(set.items[i - 1].name, set.items[i].name) < 0);
    assert_null(kesco_summaries_find(&set, "k"));
    assert_null(kesco_summaries_find(&set, "k60"));
    assert_null(kesco_summaries_find(&set, "l"));
    kesco_summaries_free(&set);
    assert_int_equal(set.count, 0);
    kesco_summaries_free(&set);
}

/* One kernel with everything, named by `name`. */
static void fill(struct kesco_summaries *set, const char *name) {
    struct kesco_summary *k = kesco_summaries_add(set, name);
    assert_non_null(k);
    assert_int_equal(kesco_summary_add_parameter(k, 0, 0, KESCO_WRITES, "12"), 0);
    assert_int_equal(kesco_summary_add_parameter(k, 3, 16, KESCO_READS, NULL), 0);
    assert_int_equal(kesco_summary_add_variable(k, "v", KESCO_READS, KESCO_CONSTANT), 0);
    assert_int_equal(kesco_summary_add_anywhere(k, KESCO_READS, "through a pointer from memory", "13"), 0);
    assert_int_equal(kesco_summary_add_unseen(k, "calls 'f'", "14"), 0);
    k->flags = KESCO_PRINTS | KESCO_WAITS;
}

static void a_merge_unites(void **state) {
    (void)state;
    struct kesco_summaries a = {0}, b = {0}, copy = {0};
    fill(&a, "one");
    fill(&b, "two");
    fill(&b, "one");
    assert_int_equal(kesco_summary_add_parameter(kesco_summaries_add(&b, "one"), 0, 0, KESCO_READS, "9"), 0);
    kesco_summaries_add(&b, "one")->flags = KESCO_USES_HEAP;
    assert_int_equal(kesco_summaries_merge(&a, &b), 0);
    assert_int_equal(a.count, 2);
    const struct kesco_summary *one = kesco_summaries_find(&a, "one");
    assert_int_equal(kesco_summary_effect(one, 0, 0), KESCO_READS | KESCO_WRITES);
    assert_string_equal(one->parameters[0].written_at, "12");
    assert_int_equal(one->flags, KESCO_PRINTS | KESCO_WAITS | KESCO_USES_HEAP);
    assert_int_equal(kesco_summaries_merge(&copy, &a), 0);
    assert_true(same_summaries(&copy, &a));
    assert_int_equal(kesco_summaries_merge(&copy, &a), 0);
    assert_true(same_summaries(&copy, &a));
    kesco_summaries_free(&a);
    kesco_summaries_free(&b);
    kesco_summaries_free(&copy);
}

/* Whichever allocation fails, the set can be freed: the sanitizers see whether all of it is. */
static void a_merge_without_memory_says_so(void **state) {
    (void)state;
    struct kesco_summaries from = {0};
    fill(&from, "one");
    fill(&from, "two");
    int err = -ENOMEM;
    for (int left = 1; err; left++) {
        struct kesco_summaries set = {0};
        allocations_left = left;
        err = kesco_summaries_merge(&set, &from);
        allocations_left = -1;
        assert_true(err == -ENOMEM || (err == 0 && left > 10));
        kesco_summaries_free(&set);
    }
    kesco_summaries_free(&from);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(effects_of_one_pointer_are_united),
        cmocka_unit_test(pointers_stand_by_parameter_and_offset),
        cmocka_unit_test(variables_stand_by_name),
        cmocka_unit_test(of_a_variable_the_least_is_known),
        cmocka_unit_test(a_variable_is_constant_only_if_all_say_so),
        cmocka_unit_test(no_effect_adds_nothing),
        cmocka_unit_test(the_reason_of_a_write_is_kept),
        cmocka_unit_test(the_first_unseen_code_is_kept),
        cmocka_unit_test(kernels_are_found_by_name),
        cmocka_unit_test(a_merge_unites),
        cmocka_unit_test(a_merge_without_memory_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
