/* Regions that go through calls, on every kind of origin: what several regions have in one is ordered where
 * it meets, and before and behind all of it; a region that nobody lends is closed. */
#include "runtime/kesco_abi.h"
#include "test/cmocka.h"
#include "test/runtime/scenario.h"

#include <stdlib.h>

enum { READS = KESCO_GUARD_PLACED, WRITES = KESCO_GUARD_PLACED | KESCO_GUARD_WRITES, LANES = 4 };

static const struct kesco_region first = {.lanes = LANES, .events = LANES, .placed = 1, .joins = 1};
static const struct kesco_region second = {.lanes = LANES, .events = LANES, .placed = 1, .joins = 1};

/* What stands for the code of functions. */
static const char code[16];

static void announce(void) {
    __kesco1_announce(code, code + sizeof code);
}

static void access_cell(int cell, uint32_t flags) {
    __kesco1_guard_range(0, flags, cells() + (size_t)cell * SCENARIO_CELL_SIZE, SCENARIO_CELL_SIZE);
}

/* What a function does that launches once, as `region`. Returns the stream. */
static void *call_copy(const struct kesco_region *region, int to, int from) {
    const uint32_t is_borrowed = __kesco1_borrow();
    void *stream;

    __kesco1_join(is_borrowed, origin, region, KESCO_ENDS_NOT);
    __kesco1_op(NULL, 0);
    access_cell(from, READS);
    access_cell(to, WRITES);
    stream = __kesco1_place();
    copy_cell(to, from, stream);
    if (!is_borrowed)
        __kesco1_leave();
    return stream;
}

static void *lend_copy(const struct kesco_region *region, int to, int from) {
    __kesco1_lend(code);
    return call_copy(region, to, from);
}

/* Random calls, lent and not, with ops of the program's own between: races are found where an order is
 * missing. */
static int meets(void) {
    uint32_t seed = 7;
    int i;

    announce();
    for (i = 0; i < 200; i++) {
        const int to = (int)(seed >> 8) % SCENARIO_CELLS, from = (int)(seed >> 16) % SCENARIO_CELLS;

        seed = seed * 1664525u + 1013904223u;
        if (seed >> 28 == 0)
            call_copy(&first, to, from);
        else if (seed >> 28 == 1) {
            __kesco1_leave();
            copy_cell(to, from, origin);
        } else
            lend_copy(seed >> 31 ? &first : &second, to, from);
    }
    __kesco1_leave();
    copy_cell(0, 1, origin);
    return 0;
}

/* Regions share lanes: what follows an op of the other one is on its lane, and what has nothing to do with it
 * is not. */
static int shares(void) {
    void *stream;

    announce();
    stream = lend_copy(&first, 0, 0);
    REQUIRE(!__kesco1_serial());
    REQUIRE(lend_copy(&second, 1, 1) != stream);
    REQUIRE(lend_copy(&second, 0, 0) == stream);
    __kesco1_leave();
    return 0;
}

/* One that nobody lends is closed, and ops of it are the program's. */
static int closes(void) {
    announce();
    lend_copy(&first, 0, 0);
    lend_copy(&first, 1, 1);
    REQUIRE(call_copy(&second, 2, 2) == origin);
    REQUIRE(call_copy(&first, 3, 3) == origin);
    copy_cell(0, 1, origin);
    REQUIRE(__kesco1_borrow() == 0);
    REQUIRE(__kesco1_lent() == 0);
    REQUIRE(__kesco1_lend(code) == 1);
    REQUIRE(__kesco1_lent() == 1);
    REQUIRE(__kesco1_borrow() == 1);
    REQUIRE(__kesco1_lent() == 0);
    REQUIRE(__kesco1_borrow() == 0);
    return 0;
}

/* Neither regions that do not join nor those on other streams are part of it. */
static int tells_apart(void) {
    void *const before = origin;
    cudaStream_t other;

    announce();
    REQUIRE(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking) == cudaSuccess);
    lend_copy(&first, 0, 0);
    lend_copy(&first, 1, 1);
    ENTER(origin, 2, 0);
    copy_cell(2, 0, __kesco1_lane(1, NULL, 0));
    copy_cell(3, 1, __kesco1_lane(0, NULL, 0));
    lend_copy(&first, 2, 3);
    __kesco1_leave();
    REQUIRE(cudaStreamSynchronize(origin) == cudaSuccess);
    lend_copy(&first, 2, 0);
    lend_copy(&first, 3, 1);
    origin = other;
    lend_copy(&first, 4, 4);
    REQUIRE(cudaStreamSynchronize(before) == cudaSuccess);
    copy_cell(2, 3, other);
    __kesco1_leave();
    origin = before;
    REQUIRE(call_copy(&first, 5, 5) == before);
    REQUIRE(cudaStreamSynchronize(other) == cudaSuccess);
    return 0;
}

/* Where functions are chosen by name, those that are go on in one region, and no other is part of it. */
static int by_name(void) {
    static const struct kesco_region
        named = {.lanes = LANES, .events = LANES, .placed = 1, .joins = 1, .function = "named()"},
        named_too = {.lanes = LANES, .events = LANES, .placed = 1, .joins = 1, .function = "too()"};
    void *stream;

    announce();
    stream = lend_copy(&named, 0, 0);
    REQUIRE(lend_copy(&named_too, 1, 1) != stream);
    REQUIRE(lend_copy(&named_too, 0, 0) == stream);
    REQUIRE(lend_copy(&second, 2, 2) == origin);
    REQUIRE(lend_copy(&second, 3, 3) == origin);
    __kesco1_leave();
    return 0;
}

/* Code that nobody has announced, or that is gone, is lent nothing. */
static int of_others(void) {
    static const char other[16];

    REQUIRE(__kesco1_lend(code) == 0);
    announce();
    announce();
    REQUIRE(__kesco1_lend(code + sizeof code) == 0 && __kesco1_lend(other) == 0);
    REQUIRE(__kesco1_borrow() == 0);
    __kesco1_announce(other, other + 8);
    REQUIRE(__kesco1_lend(other + 7) == 1 && __kesco1_lend(other + 8) == 0);
    __kesco1_withdraw(code);
    REQUIRE(__kesco1_lend(code) == 1);
    __kesco1_withdraw(code);
    REQUIRE(__kesco1_lend(code) == 0 && __kesco1_lend(other) == 1);
    __kesco1_withdraw(code);
    return 0;
}

/* What closes a region of the caller's own leaves one open that joins. */
static int keeps(void) {
    static const struct kesco_region own = {.lanes = LANES, .events = LANES};

    announce();
    lend_copy(&first, 0, 0);
    __kesco1_leave_own();
    REQUIRE(!__kesco1_serial());
    __kesco1_enter(origin, &own);
    REQUIRE(!__kesco1_serial());
    __kesco1_leave_own();
    REQUIRE(__kesco1_serial());
    __kesco1_leave_own();
    return 0;
}

static struct kesco_history history;
static void *known;
static const struct kesco_region steps = {.lanes = LANES,
                                          .events = LANES,
                                          .placed = 1,
                                          .joins = 1,
                                          .replays = 1,
                                          .memory = &known,
                                          .history = &history};

/* One that may be replayed is part of none then, and no other of it: what comes after it is called, or when
 * it is over, comes after its launches. */
static int replays_alone(void) {
    announce();
    lend_copy(&first, 0, 0);
    REQUIRE(!__kesco1_serial());
    __kesco1_lend(code);
    REQUIRE(__kesco1_borrow() == 1);
    __kesco1_join(1, origin, &steps, KESCO_ENDS_NOT);
    REQUIRE(__kesco1_serial());
    __kesco1_op(NULL, 0);
    REQUIRE(__kesco1_place() == origin);
    copy_cell(1, 0, origin);
    REQUIRE(lend_copy(&first, 2, 1) != NULL && !__kesco1_serial());
    __kesco1_join(1, origin, &steps, KESCO_ENDS_NOT);
    REQUIRE(__kesco1_serial());
    copy_cell(3, 2, origin);
    __kesco1_leave_own();
    lend_copy(&first, 4, 3);
    REQUIRE(!__kesco1_serial());
    __kesco1_leave();
    REQUIRE(call_copy(&steps, 5, 4) == origin && __kesco1_serial());
    return 0;
}

/* Else it shares the lanes, and what closes it is what closes those. */
static int joins_others(void) {
    void *stream;

    announce();
    stream = lend_copy(&first, 0, 0);
    REQUIRE(lend_copy(&steps, 1, 1) != stream && lend_copy(&steps, 0, 0) == stream);
    __kesco1_leave_own();
    REQUIRE(!__kesco1_serial());
    __kesco1_leave();
    return 0;
}

/* Fills `memory` as a function does that is lent the region, and that tells what it writes, or not. Returns
 * true if lanes go on. */
static bool fill(void *memory, bool tells) {
    void *stream;

    __kesco1_lend(code);
    __kesco1_join(__kesco1_borrow(), origin, &first, KESCO_ENDS_NOT);
    __kesco1_op(NULL, 0);
    if (tells)
        __kesco1_guard_range(0, WRITES, memory, 8);
    stream = __kesco1_place();
    return __kesco1_set_joined(memory, 3, 8, stream) == cudaSuccess && !__kesco1_serial();
}

/* The legacy default stream's memsets: those of the device's own memory are asynchronous. */
static int fills(void) {
    unsigned char *device, *managed, value = 0;

    REQUIRE(cudaMalloc((void **)&device, 8) == cudaSuccess);
    REQUIRE(cudaMallocManaged((void **)&managed, 8, cudaMemAttachGlobal) == cudaSuccess);
    announce();
    REQUIRE(fill(device, true) && fill(device, true));
    REQUIRE(!fill(managed, false) && managed[7] == 3);
    REQUIRE(!fill(device, true));
    __kesco1_leave();
    REQUIRE(cudaMemcpy(&value, device + 7, 1, cudaMemcpyDeviceToHost) == cudaSuccess && value == 3);
    REQUIRE(fill(device, true));
    REQUIRE(__kesco1_set_joined(NULL, 0, 8, origin) == cudaErrorInvalidValue);
    REQUIRE(cudaGetLastError() == cudaErrorInvalidValue && __kesco1_serial());
    __kesco1_leave();
    return 0;
}

/* The same of a copy. */
static bool copy(void *to, const void *from) {
    void *stream;

    __kesco1_lend(code);
    __kesco1_join(__kesco1_borrow(), origin, &first, KESCO_ENDS_NOT);
    __kesco1_op(NULL, 0);
    __kesco1_guard_range(0, WRITES, to, 8);
    __kesco1_guard_range(0, READS, from, 8);
    stream = __kesco1_place();
    return __kesco1_copy_joined(to, from, 8, stream) == cudaSuccess && !__kesco1_serial();
}

/* The legacy default stream's copies within the device. */
static int copies(void) {
    unsigned char *device, *other, *managed, value = 0;

    REQUIRE(cudaMalloc((void **)&device, 8) == cudaSuccess && cudaMalloc((void **)&other, 8) == cudaSuccess);
    REQUIRE(cudaMallocManaged((void **)&managed, 8, cudaMemAttachGlobal) == cudaSuccess);
    announce();
    REQUIRE(fill(device, true) && copy(other, device) && copy(other, device));
    REQUIRE(!copy(managed, other));
    REQUIRE(cudaDeviceSynchronize() == cudaSuccess && managed[7] == 3);
    __kesco1_leave();
    REQUIRE(!copy(device, managed));
    __kesco1_leave();
    REQUIRE(copy(other, device));
    REQUIRE(__kesco1_copy_joined(NULL, device, 8, origin) == cudaErrorInvalidValue);
    REQUIRE(cudaGetLastError() == cudaErrorInvalidValue && __kesco1_serial());
    __kesco1_leave();
    REQUIRE(cudaMemcpy(&value, other + 7, 1, cudaMemcpyDeviceToHost) == cudaSuccess && value == 3);
    return 0;
}

static const struct scenario scenarios[] = {
    SCENARIO(meets),         SCENARIO(shares),       SCENARIO(closes), SCENARIO(tells_apart),
    SCENARIO(by_name),       SCENARIO(of_others),    SCENARIO(keeps),  SCENARIO(fills),
    SCENARIO(replays_alone), SCENARIO(joins_others), SCENARIO(copies),
};

static void test_orders_what_meets(void **state) {
    (void)state;
    require_order_everywhere("meets");
    require_order_everywhere("tells_apart");
    require_everywhere("meets", "KESCO_MODE", "turns");
    require_everywhere("meets", "KESCO_DISABLE", "1");
}

static void test_shares_lanes(void **state) {
    (void)state;
    require_order_everywhere("shares");
    require_everywhere("by_name", "KESCO_ONLY", "named,too");
}

static void test_closes_what_is_not_lent(void **state) {
    (void)state;
    require_order_everywhere("closes");
    require_everywhere("of_others", "VGPU_SEED", "0");
}

static void test_keeps_what_joins(void **state) {
    (void)state;
    require_everywhere("keeps", "KESCO_MODE", "lanes");
}

static void test_joins_or_replays(void **state) {
    (void)state;
    require_everywhere("replays_alone", "KESCO_MODE", "graph");
    require_everywhere("joins_others", "KESCO_MODE", "lanes");
}

static void test_fills_on_lanes(void **state) {
    (void)state;
    require_order("fills", "legacy");
    require_order("copies", "legacy");
}

/* Where CUDA refuses records or waits, the order is the program's. */
static void test_orders_where_calls_fail(void **state) {
    (void)state;
    require_everywhere("meets", "VGPU_FAIL", "cudaEventRecord:3");
    require_everywhere("meets", "VGPU_FAIL", "cudaStreamWaitEvent:2");
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_orders_what_meets),       cmocka_unit_test(test_shares_lanes),
        cmocka_unit_test(test_closes_what_is_not_lent), cmocka_unit_test(test_keeps_what_joins),
        cmocka_unit_test(test_joins_or_replays),        cmocka_unit_test(test_fills_on_lanes),
        cmocka_unit_test(test_orders_where_calls_fail),
    };

    if (argc == 3)
        return RUN_SCENARIO(argv, scenarios);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
