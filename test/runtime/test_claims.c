/* Claims that pointers are distinct: which are found to be false, and what is told of them. */
#include "runtime/region/claims.h"
#include "test/cmocka.h"

#include <cuda_runtime_api.h>

enum { SECOND = KESCO_CLAIM_SECOND, WRITES = KESCO_CLAIM_WRITES, PIECES = KESCO_CLAIM_PIECES };

static const struct kesco_pieces all = {.begin = KESCO_GUARD_ALL, .end = KESCO_GUARD_ALL};
static char *memory, *other; /* two allocations of 64 bytes */

static struct kesco_pieces bytes(int64_t begin, int64_t end) {
    return (struct kesco_pieces){.begin = begin, .end = end};
}

static void test_bytes_decide(void **state) {
    static const struct kesco_claim claim = {"app.cu", "a", "b", 1}, another = {"app.cu", "a", "c", 2};
    struct kesco_claims claims = {0};

    (void)state;
    assert_true(kesco_claims_hold(&claims, &claim, WRITES, memory, bytes(0, 32)));
    assert_true(kesco_claims_hold(&claims, &claim, SECOND | WRITES, memory + 32, bytes(0, 32)));
    assert_true(kesco_claims_hold(&claims, &claim, WRITES, memory, bytes(16, 32)));
    assert_true(kesco_claims_hold(&claims, &another, SECOND, memory, bytes(0, 64)));
    assert_true(kesco_claims_hold(&claims, &claim, SECOND, memory + 16, bytes(0, 0)));
    assert_true(kesco_claims_hold(&claims, &claim, SECOND, NULL, all));
    assert_false(kesco_claims_hold(&claims, &claim, SECOND, memory + 40, bytes(-10, 0)));
    kesco_claims_clear(&claims);
    assert_true(kesco_claims_hold(&claims, &claim, SECOND, memory + 40, bytes(-10, 0)));
    kesco_claims_clear(&claims);
}

static void test_what_is_only_read_may_overlap(void **state) {
    static const struct kesco_claim claim = {"app.cu", "a", "b", 3};
    struct kesco_claims claims = {0};

    (void)state;
    assert_true(kesco_claims_hold(&claims, &claim, 0, memory, bytes(0, 32)));
    assert_true(kesco_claims_hold(&claims, &claim, SECOND, memory, bytes(0, 32)));
    assert_false(kesco_claims_hold(&claims, &claim, SECOND | WRITES, memory, bytes(0, 32)));
    kesco_claims_clear(&claims);
}

static void test_one_pointer_is_not_two(void **state) {
    static const struct kesco_claim claim = {"app.cu", "a", "b", 4};
    struct kesco_claims claims = {0};

    (void)state;
    assert_true(kesco_claims_hold(&claims, &claim, WRITES, memory, all));
    assert_true(kesco_claims_hold(&claims, &claim, SECOND | WRITES, other, all));
    assert_true(kesco_claims_hold(&claims, &claim, SECOND | WRITES, memory + 32, all));
    assert_false(kesco_claims_hold(&claims, &claim, SECOND | WRITES, memory, all));
    kesco_claims_clear(&claims);
}

/* Bytes that are in pieces may have none in common where they overlap. */
static void test_pieces_are_no_proof(void **state) {
    static const struct kesco_claim claim = {"app.cu", "a", "b", 6};
    struct kesco_claims claims = {0};

    (void)state;
    assert_true(kesco_claims_hold(&claims, &claim, WRITES | PIECES, memory, bytes(0, 32)));
    assert_true(kesco_claims_hold(&claims, &claim, SECOND | WRITES, memory + 40, bytes(0, 8)));
    assert_true(kesco_claims_hold(&claims, &claim, SECOND | WRITES, memory + 16, bytes(0, 8)));
    assert_true(kesco_claims_hold(&claims, &claim, SECOND | WRITES | PIECES, memory, bytes(0, 8)));
    assert_false(kesco_claims_hold(&claims, &claim, WRITES, memory + 40, bytes(0, 8)));
    kesco_claims_clear(&claims);
}

/* Many ranges are kept, and where there are more, that is told. */
static void test_many_ranges(void **state) {
    static const struct kesco_claim claim = {"app.cu", "a", "b", 5};
    struct kesco_claims claims = {0};
    int64_t i;

    (void)state;
    for (i = 0; i < 1000; i++)
        assert_true(kesco_claims_hold(&claims, &claim, WRITES, memory, bytes(16 * i, 16 * i + 8)));
    assert_true(kesco_claims_hold(&claims, &claim, SECOND, memory, bytes(8, 16)));
    assert_false(kesco_claims_hold(&claims, &claim, SECOND, memory, bytes(15984, 15985)));
    for (i = 0; i < 5000; i++)
        kesco_claims_hold(&claims, &claim, WRITES, other, bytes(16 * i, 16 * i + 8));
    assert_true(claims.count <= 4096);
    kesco_claims_clear(&claims);
}

static int allocate(void **state) {
    (void)state;
    return cudaMalloc((void **)&memory, 64) != cudaSuccess || cudaMalloc((void **)&other, 64) != cudaSuccess;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bytes_decide),
        cmocka_unit_test(test_what_is_only_read_may_overlap),
        cmocka_unit_test(test_one_pointer_is_not_two),
        cmocka_unit_test(test_pieces_are_no_proof),
        cmocka_unit_test(test_many_ranges),
    };

    return cmocka_run_group_tests(tests, allocate, NULL);
}
