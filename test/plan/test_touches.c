/* What ops touch: conflicts with what nobody can tell apart, what the host may see, kernels that may trap. */
#include "plugin/cuda/cuda_calls.h"
#include "plugin/region/touches.h"
#include "test/cmocka.h"
#include "test/plan/make_region.h"

static bool are_claimed(void *context, uint32_t a, uint32_t b) {
    const struct kesco_pair *claimed = context;

    return claimed->a == a && claimed->b == b;
}

/* A region with an op for each touch, and what it comes to. */
struct made {
    struct kesco_op_region region;
    struct kesco_touches touches;
    uint32_t trap;
    struct kesco_pair *claimed;
};

static struct kesco_object_kind *add(struct made *made, const char *name, unsigned where) {
    add_object(&made->region, name, where);
    made->region.objects.items[made->region.objects.count - 1].known.whole = KESCO_OBJECT_ANY;
    return &made->region.objects.items[made->region.objects.count - 1].known;
}

static void touch(struct made *made, uint32_t op, uint32_t object, bool write) {
    while (made->region.ops.count <= op)
        add_kernel(&made->region, object == KESCO_OBJECT_ANY ? 0 : object, false);
    APPEND(&made->region, &made->touches, (struct kesco_touch){.op = op, .object = object, .write = write});
}

static void settle(struct made *made) {
    const struct kesco_claim_question claims = {are_claimed, made->claimed};

    assert_int_equal(kesco_touches_settle(&made->region, &made->touches, made->trap,
                                          made->claimed == NULL ? NULL : &claims),
                     0);
}

static const struct kesco_region_op *op_at(const struct made *made, uint32_t op) {
    return &made->region.ops.items[op];
}

static void test_guards(void **state) {
    struct kesco_pair claimed = {1, 2};
    struct made made = {.trap = KESCO_OBJECT_ANY, .claimed = &claimed};

    (void)state;
    add(&made, "known", KESCO_MEMORY_DEVICE);
    add(&made, "read", KESCO_MEMORY_ANY)->is_unknown = true;
    add(&made, "written", KESCO_MEMORY_ANY)->is_unknown = true;
    add(&made, "on the host", KESCO_MEMORY_PAGEABLE);
    add(&made, "shared", 0)->is_unguarded = true;
    add(&made, "on the device", KESCO_MEMORY_DEVICE)->is_unknown = true;
    for (uint32_t i = 0; i < 6; i++)
        touch(&made, i, i, i == 0 || (i >= 2 && i < 5));
    settle(&made);
    assert_true(made.region.objects.items[0].written && !made.region.objects.items[1].written);
    assert_int_equal(made.region.guards.checked.count,
                     6); /* but for the claim: 0 1, 0 2, 0 5, 1 3, 2 3, 2 5 */
    assert_true(made.region.guards.checked.items[0].a == 1 && made.region.guards.checked.items[0].b == 0);
    assert_true(made.region.objects.items[1].may_meet);
    assert_true(op_at(&made, 1)->memory.is_wholly_told && !op_at(&made, 4)->memory.is_told);
    kesco_region_clear(&made.region);
}

/* Of parts that the run tells apart, two are compared, and none with the whole. */
static void test_parts(void **state) {
    struct made made = {.trap = KESCO_OBJECT_ANY};
    uint32_t i;

    (void)state;
    for (i = 0; i < 3; i++)
        add(&made, "part", KESCO_MEMORY_DEVICE)->whole = 0;
    for (i = 0; i < 3; i++)
        touch(&made, i, i, i == 1);
    settle(&made);
    assert_int_equal(made.region.guards.checked.count, 1);
    assert_int_equal(made.region.guards.checked.items[0].a + made.region.guards.checked.items[0].b, 3);
    assert_true(made.region.objects.items[2].may_meet);
    kesco_region_clear(&made.region);
}

static void test_variables(void **state) {
    struct made made = {.trap = KESCO_OBJECT_ANY};

    (void)state;
    add(&made, "a", KESCO_MEMORY_ANY)->is_unknown = true;
    add(&made, "counter", KESCO_MEMORY_DEVICE)->is_variable = true;
    touch(&made, 0, 0, false);
    touch(&made, 0, 1, false);
    touch(&made, 1, 1, true);
    add(&made, "on the host", KESCO_MEMORY_PAGEABLE)->is_unknown = true;
    touch(&made, 1, 2, true);
    APPEND(&made.region, &made.region.ops.items[0].memory.pointers,
           (struct kesco_pointer){.must_be_locked = true});
    APPEND(&made.region, &made.region.ops.items[0].memory.pointers, (struct kesco_pointer){.object = 0});
    made.region.ops.items[1].op.name = "count";
    made.region.ops.items[1].source.line = 7;
    settle(&made);
    assert_true(made.region.objects.items[0].known.is_forgotten &&
                !made.region.objects.items[0].known.is_unknown);
    assert_int_equal(made.region.guards.checked.count, 0);
    assert_string_equal(
        op_at(&made, 0)->memory.aliases_all,
        "the allocation behind argument 'a' is unknown, and may be device variable 'counter', which "
        "'count' uses; allocate it in this function, and give each kernel a variable of its own: "
        "'count' (line 7) uses 'counter', too");
    assert_int_equal(op_at(&made, 0)->memory.pointers.count, 1);
    assert_true(op_at(&made, 0)->memory.pointers.items[0].must_be_locked);
    assert_null(op_at(&made, 1)->memory.aliases_all);
    assert_string_equal(op_at(&made, 0)->host.seen, "memory that nobody names");
    assert_false(op_at(&made, 0)->memory.is_wholly_told);
    kesco_region_clear(&made.region);
}

/* Two ops that only read a variable need no order to each other because of it. */
static void test_a_variable_that_is_read(void **state) {
    struct made made = {.trap = KESCO_OBJECT_ANY};

    (void)state;
    add(&made, "a", KESCO_MEMORY_ANY)->is_unknown = true;
    add(&made, "table", KESCO_MEMORY_DEVICE)->is_variable = true;
    touch(&made, 0, 0, true);
    touch(&made, 0, 1, false);
    touch(&made, 1, 1, false);
    made.region.ops.items[0].op.name = "look";
    settle(&made);
    assert_string_equal(op_at(&made, 0)->memory.aliases_all,
                        "the allocation behind argument 'a' is unknown, and may be device variable 'table', "
                        "which 'look' uses; allocate it in this function");
    kesco_region_clear(&made.region);
}

/* Kernels write no constants, so that only transfers conflict with reads of these. */
static void test_constants(void **state) {
    struct made made = {.trap = KESCO_OBJECT_ANY};

    (void)state;
    add(&made, "a", KESCO_MEMORY_ANY)->is_unknown = true;
    add(&made, "table", KESCO_MEMORY_DEVICE)->is_constant = true;
    touch(&made, 0, 0, true);
    touch(&made, 1, 1, false);
    settle(&made);
    assert_false(made.region.objects.items[0].known.is_forgotten);
    assert_true(op_at(&made, 1)->memory.is_told && !op_at(&made, 1)->memory.is_wholly_told);
    made.touches.items[0].is_transfer = true;
    settle(&made);
    assert_true(made.region.objects.items[0].known.is_forgotten);
    kesco_region_clear(&made.region);
    made = (struct made){.trap = KESCO_OBJECT_ANY};
    add(&made, "a", KESCO_MEMORY_ANY)->is_unknown = true;
    add(&made, "table", KESCO_MEMORY_DEVICE)->is_constant = true;
    touch(&made, 0, 0, false);
    touch(&made, 1, 1, true);
    settle(&made);
    assert_true(made.region.objects.items[0].known.is_forgotten);
    kesco_region_clear(&made.region);
}

static void test_what_the_host_sees(void **state) {
    struct made made = {.trap = KESCO_OBJECT_ANY};

    (void)state;
    add(&made, "device", KESCO_MEMORY_DEVICE);
    add(&made, "managed", KESCO_MEMORY_MANAGED);
    add(&made, "unknown", KESCO_MEMORY_ANY)->is_unknown = true;
    add(&made, "printf", 0)->is_printed = true;
    for (uint32_t i = 0; i < 4; i++) {
        touch(&made, i, i, true);
        touch(&made, i, i, false);
    }
    settle(&made);
    assert_null(op_at(&made, 0)->host.seen);
    assert_string_equal(op_at(&made, 1)->host.seen, "'managed'");
    assert_int_equal(op_at(&made, 1)->host.visible.count, 1);
    assert_null(op_at(&made, 2)->host.seen);
    assert_int_equal(op_at(&made, 2)->host.may_be_seen.count, 1);
    assert_string_equal(op_at(&made, 3)->host.seen, "'printf'");
    kesco_region_clear(&made.region);
}

/* One kernel that may trap and touches `object`, and one op that writes the other, with the host's wait for
 * it. */
static void make_trap(struct made *made, unsigned where, bool is_unknown, uint32_t object,
                      enum kesco_host_wait wait) {
    *made = (struct made){.trap = 0};
    add(made, "trap", 0)->is_unguarded = true;
    add(made, "plain", KESCO_MEMORY_DEVICE);
    add(made, "other", where)->is_unknown = is_unknown;
    touch(made, 0, 0, true);
    touch(made, 0, object, true);
    touch(made, 1, 2, true);
    made->region.ops.items[0].may_trap = true;
    made->region.ops.items[1].host.wait = wait;
    settle(made);
}

static void test_traps(void **state) {
    struct made made;

    (void)state;
    make_trap(&made, KESCO_MEMORY_DEVICE, false, 1, KESCO_HOST_WAIT_NONE);
    assert_int_equal(made.touches.count, 3);
    kesco_region_clear(&made.region);
    make_trap(&made, KESCO_MEMORY_DEVICE, false, 1, KESCO_HOST_WAIT_DONE);
    assert_int_equal(made.touches.count, 4);
    assert_true(made.touches.items[3].op == 1 && made.touches.items[3].object == 0 &&
                !made.touches.items[3].write);
    kesco_region_clear(&made.region);
    make_trap(&made, KESCO_MEMORY_MANAGED, false, 1, KESCO_HOST_WAIT_NONE);
    assert_int_equal(made.touches.count, 4);
    kesco_region_clear(&made.region);
    make_trap(&made, KESCO_MEMORY_ANY, true, 1, KESCO_HOST_WAIT_NONE);
    assert_true(made.touches.count == 3 && made.region.objects.items[2].must_be_plain);
    kesco_region_clear(&made.region);
    make_trap(&made, KESCO_MEMORY_ANY, true, 2, KESCO_HOST_WAIT_NONE); /* has its order anyway */
    assert_false(made.region.objects.items[2].must_be_plain);
    kesco_region_clear(&made.region);
}

/* A copy on the device that only reads waits for the host where it is not in plain device memory. */
static void test_traps_and_waits_elsewhere(void **state) {
    struct made made = {.trap = 0};

    (void)state;
    add(&made, "trap", 0)->is_unguarded = true;
    add(&made, "managed", KESCO_MEMORY_MANAGED);
    touch(&made, 0, 0, true);
    touch(&made, 1, 1, false);
    made.region.ops.items[0].may_trap = true;
    settle(&made);
    assert_int_equal(made.touches.count, 2);
    made.region.ops.items[1].host.waits_elsewhere = true;
    settle(&made);
    assert_int_equal(made.touches.count, 3);
    kesco_region_clear(&made.region);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_guards),    cmocka_unit_test(test_parts),
        cmocka_unit_test(test_variables), cmocka_unit_test(test_a_variable_that_is_read),
        cmocka_unit_test(test_constants), cmocka_unit_test(test_what_the_host_sees),
        cmocka_unit_test(test_traps),     cmocka_unit_test(test_traps_and_waits_elsewhere),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
