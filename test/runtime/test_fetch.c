/*
 * How often the managed memory of ops is fetched, on the virtual GPU: as often as there is something to move.
 */
#include "runtime/kesco_abi.h"
#include "test/cmocka.h"
#include "test/runtime/prefetch_calls.h"
#include "test/runtime/scenario.h"
#include "test/vgpu/device.h"
#include "test/vgpu/host_access.h"

#include <stdint.h>
#include <stdlib.h>

/* A region with one op, whose memory is fetched by `fetch`, and which writes `size` bytes there; then the
 * host waits. */
static void use_by(void (*fetch)(uint32_t lane, const void *pointer), void *memory, size_t size) {
    cudaStream_t lane;

    ENTER(origin, 2, 0);
    lane = __kesco1_lane(1, NULL, 0);
    fetch(1, memory);
    if (size > 0)
        cudaMemsetAsync(memory, 0, size, lane);
    __kesco1_leave();
    cudaDeviceSynchronize();
}

/* It may use any of the memory. */
static void use(void *memory, size_t size) {
    use_by(__kesco1_fetch, memory, size);
}

/* It reads nothing of the memory. */
static void overwrite(void *memory, size_t size) {
    use_by(__kesco1_fetch_overwritten, memory, size);
}

/* The same with an op of which it is known that it uses all of them. */
static void use_all(char *memory, size_t size) {
    ENTER(origin, 2, 0);
    __kesco1_lane(1, NULL, 0);
    __kesco1_fetch_part(1, memory, 0, 0, (int64_t)size);
    __kesco1_leave();
    cudaDeviceSynchronize();
}

/* What is there already is fetched ever less often; and once the host has had it, each time, be it every
 * other time that there is something to move. */
static int fetches_of(size_t size) {
    char *a = managed(size), *b = managed(size), *c = managed(size);
    unsigned use_count;

    call_count = 0;
    for (use_count = 0; use_count < 100; use_count++)
        use(a, size);
    REQUIRE(call_count >= 3 && call_count < 15);
    call_count = 0;
    for (use_count = 0; use_count < 100; use_count++) {
        vgpu_host_access(b, size, VGPU_WRITE);
        use(b, size);
    }
    REQUIRE(call_count >= 99 && call_count < 105); /* some twice, one not at all */
    REQUIRE(is_call(98, b, size, cudaMemLocationTypeDevice, calls[98].stream));
    call_count = 0;
    for (use_count = 0; use_count < 100; use_count++) {
        if (use_count % 2 == 0)
            vgpu_host_access(c, size, VGPU_WRITE);
        use(c, size);
    }
    REQUIRE(call_count >= 99 && call_count < 105);
    REQUIRE(cudaGetLastError() == cudaSuccess);
    return 0;
}

static int fetches_what_moves(void) {
    REQUIRE(fetches_of(LARGE) == 0);
    return fetches_of(4096);
}

/* What the host has each time, and ops that might use any of it, or write it, do not, is not fetched for
 * long. But it is where they begin to. */
static int moved_in_vain(void) {
    char *large = managed(LARGE), *small = managed(64);
    unsigned use_count;

    for (use_count = 0; use_count < 100; use_count++) {
        vgpu_host_access(large, LARGE, VGPU_WRITE);
        use(large, 0);
    }
    REQUIRE(call_count < 16);
    call_count = 0;
    for (use_count = 0; use_count < 100; use_count++) {
        vgpu_host_access(small, 64, VGPU_WRITE);
        overwrite(small, 0);
    }
    REQUIRE(call_count < 10);
    for (use_count = 0; use_count < 400; use_count++) {
        vgpu_host_access(large, LARGE, VGPU_WRITE);
        use(large, LARGE);
    }
    call_count = 0;
    vgpu_host_access(large, LARGE, VGPU_WRITE);
    use(large, LARGE);
    REQUIRE(call_count > 0);
    return 0;
}

/* Where there is something to move each time, the calls that move it are all that is made, but for one that
 * shows what a call takes that moves nothing; that holds for all memory of that size. */
static int asks_for_nothing_else(void) {
    char *memory[8];
    int pass, i;

    for (i = 0; i < 8; i++)
        memory[i] = managed(LARGE);
    for (pass = 0; pass < 10; pass++) {
        if (pass == 4)
            errors_taken = questions = stream_questions = 0;
        for (i = 0; i < 8; i++) {
            vgpu_host_access(memory[i], LARGE, VGPU_WRITE);
            use_all(memory[i], LARGE);
        }
    }
    REQUIRE(call_count == 81);
    REQUIRE(errors_taken == 0 && questions == 0 && stream_questions == 0);
    return 0;
}

/* Before that is known, streams are not asked either, for it would tell nothing. */
static int asks_once_it_tells(void) {
    char *memory = managed(LARGE);
    int pass;

    for (pass = 0; pass < 2; pass++) {
        vgpu_host_access(memory, LARGE, VGPU_WRITE);
        use_all(memory, LARGE);
    }
    REQUIRE(call_count == 2 && stream_questions == 0);
    vgpu_host_access(memory, LARGE, VGPU_WRITE);
    use_all(memory, LARGE);
    REQUIRE(call_count == 4 && stream_questions == 1);
    return 0;
}

/* What an op overwrites is not fetched at first; where the host has it each time, later on. */
static int what_is_overwritten_rests(void) {
    char *a = managed(LARGE), *b = managed(LARGE);
    unsigned use_count;

    for (use_count = 0; use_count < 4; use_count++)
        overwrite(a, LARGE);
    REQUIRE(call_count == 0);
    for (use_count = 0; use_count < 100; use_count++) {
        vgpu_host_access(b, LARGE, VGPU_WRITE);
        overwrite(b, LARGE);
    }
    REQUIRE(call_count >= 50);
    return 0;
}

/* Nothing has to leave a device that is full. */
static int full_device(void) {
    char *a = managed(64 * (size_t)LARGE), *b = managed(LARGE);
    int i;

    room = 64 * (size_t)LARGE - 1;
    use(a, 0);
    REQUIRE(call_count == 0);
    use(b, 0);
    REQUIRE(call_count >= 1);
    call_count = 0;
    room++;
    for (i = 0; i < 4; i++)
        use(a, 0); /* rests */
    REQUIRE(call_count == 0);
    use(a, 0);
    REQUIRE(call_count > 0 && is_call(0, a, 64 * (size_t)LARGE, cudaMemLocationTypeDevice, calls[0].stream));
    return 0;
}

/* Nor by many that are small; CUDA is asked as rarely as it may. */
static int filled_by_small_ones(void) {
    int i;

    room = 16 * (size_t)LARGE;
    for (i = 0; i < 64; i++) {
        use(managed(LARGE), 0);
        room = i < 16 ? (size_t)(15 - i) * LARGE : 0; /* it is on the device now */
    }
    REQUIRE(call_count >= 16 && call_count <= 18); /* one may be fetched twice */
    room = SIZE_MAX;
    room_questions = 0;
    for (i = 0; i < 64; i++)
        use(managed(LARGE), 0);
    REQUIRE(room_questions == 1);
    return 0;
}

/* What is no managed memory is not asked about each time. */
static int forgets_the_rest(void) {
    char *device;
    int i;

    REQUIRE(cudaMalloc((void **)&device, LARGE) == cudaSuccess);
    for (i = 0; i < 50; i++)
        use(device, 0);
    REQUIRE(call_count == 0 && questions == 1);
    return 0;
}

/* Uses more pointers than are remembered, in turn; how often one of them was fetched in the last of the
 * passes, and, in `sum`, in all of them. */
static unsigned use_many(int passes, bool by_host, unsigned *sum) {
    enum { COUNT = KESCO_FETCHED_MOST + 16 };
    char *memory[COUNT];
    int pass, i;

    for (i = 0; i < COUNT; i++)
        memory[i] = managed(4096);
    for (pass = 0, *sum = 0; pass < passes; pass++) {
        call_count = 0;
        for (i = 0; i < COUNT; i++) {
            if (by_host)
                vgpu_host_access(memory[i], 4096, VGPU_WRITE);
            use(memory[i], 4096);
        }
        *sum += call_count;
    }
    return call_count;
}

/* What one told holds for the next: what nobody else has is not fetched on and on. Where calls do not tell,
 * one after the other is timed. */
static int many_that_stay(void) {
    unsigned sum;

    REQUIRE(use_many(120, false, &sum) < 20);
    return 0;
}

/* Where they do, what a call takes that moves nothing is found out at once, as it is for many. */
static int many_that_stay_told(void) {
    unsigned sum;

    REQUIRE(use_many(40, false, &sum) < 20 && sum < 220);
    return 0;
}

static int many_that_move(void) {
    unsigned sum;

    REQUIRE(use_many(40, true, &sum) >= KESCO_FETCHED_MOST + 16 && sum >= 35 * (KESCO_FETCHED_MOST + 16));
    return 0;
}

/* The events of a fetch that was timed went with the device. */
static int reset(void) {
    char *a = managed(LARGE);
    int i;

    for (i = 0; i < 3; i++)
        use(a, 0);
    REQUIRE(cudaDeviceReset() == cudaSuccess);
    a = managed(LARGE);
    for (i = 0; i < 3; i++)
        use(a, 0);
    REQUIRE(cudaGetLastError() == cudaSuccess);
    return 0;
}

/* A lane with two ops: what the first one uses is fetched there, what the second one uses beside it, where it
 * is `large`; the lane goes on behind that. */
static int second_op(const char *first, const char *second, bool is_large) {
    const int64_t size = (is_large ? 2 : 1) * (int64_t)LARGE;
    cudaStream_t lane, of_first, of_second;

    call_count = 0;
    ENTER(origin, 3, 0);
    lane = __kesco1_lane(1, NULL, 0);
    __kesco1_fetch_part(1, first, 0, 0, 2 * (int64_t)LARGE);
    __kesco1_lane(2, NULL, 0);
    __kesco1_lane(1, NULL, 0);
    __kesco1_fetch_part(1, second, 0, 0, size);
    REQUIRE(call_count >= 2);
    of_first = calls[0].stream;
    of_second = calls[call_count - 1].stream;
    REQUIRE(of_first == lane && (of_second != lane) == is_large);
    REQUIRE(cudaStreamSynchronize(lane) == cudaSuccess);
    REQUIRE(cudaStreamQuery(of_second) == cudaSuccess);
    __kesco1_leave();
    REQUIRE(cudaDeviceSynchronize() == cudaSuccess && cudaGetLastError() == cudaSuccess);
    return 0;
}

static int comes_ahead(void) {
    char *first = managed(2 * (size_t)LARGE), *small = managed(LARGE), *large = managed(2 * (size_t)LARGE);
    int pass;

    use_all(first, 2 * (size_t)LARGE); /* how large they are, is known from here on */
    use_all(large, 2 * (size_t)LARGE);
    for (pass = 0; pass < 5; pass++) {
        vgpu_host_access(first, 2 * (size_t)LARGE, VGPU_WRITE);
        vgpu_host_access(small, LARGE, VGPU_WRITE);
        vgpu_host_access(large, 2 * (size_t)LARGE, VGPU_WRITE);
        REQUIRE(second_op(first, small, false) == 0);
        vgpu_host_access(first, 2 * (size_t)LARGE, VGPU_WRITE);
        REQUIRE(second_op(first, large, true) == 0);
    }
    return 0;
}

/* An op that uses of the memory the bytes from `begin` to `end` behind the pointer. */
static void use_part(const char *pointer, int64_t begin, int64_t end) {
    call_count = 0;
    ENTER(origin, 2, 0);
    __kesco1_lane(1, NULL, 0);
    __kesco1_fetch_part(1, pointer, 0, begin, end);
    __kesco1_leave();
    cudaDeviceSynchronize();
}

/* What it does not use stays; where it may use any, all comes, and where it uses none, nothing. */
static int fetches_parts(void) {
    const size_t size = 4 * (size_t)LARGE;
    char *memory = managed(size);

    vgpu_host_access(memory, size, VGPU_WRITE);
    use_part(memory, LARGE, 3 * (int64_t)LARGE);
    REQUIRE(call_count == 1 &&
            is_call(0, memory + LARGE, 2 * (size_t)LARGE, cudaMemLocationTypeDevice, calls[0].stream));
    vgpu_host_access(memory, size, VGPU_WRITE);
    use_part(memory + 2 * (size_t)LARGE, -(int64_t)LARGE, INT64_MAX);
    REQUIRE(call_count >= 1 &&
            is_call(0, memory + LARGE, 3 * (size_t)LARGE, cudaMemLocationTypeDevice, calls[0].stream));
    vgpu_host_access(memory, size, VGPU_WRITE);
    use_part(memory + LARGE, INT64_MIN, INT64_MIN);
    REQUIRE(call_count >= 1 && is_call(0, memory, size, cudaMemLocationTypeDevice, calls[0].stream));
    use_part(memory + LARGE, 7, 7);
    REQUIRE(call_count == 0);
    return 0;
}

/* Two ops with parts of the size LARGE at `first` and `second`; returns how many bytes that fetches. */
static size_t use_two(const char *memory, size_t first, size_t second, uint32_t is_overwritten) {
    const size_t size = LARGE;
    size_t sum = 0;
    unsigned i;

    call_count = 0;
    ENTER(origin, 3, 0);
    __kesco1_lane(1, NULL, 0);
    __kesco1_fetch_part(1, memory + first, is_overwritten, 0, (int64_t)size);
    __kesco1_lane(2, NULL, 0);
    __kesco1_fetch_part(2, memory, is_overwritten, (int64_t)second, (int64_t)(second + size));
    __kesco1_leave();
    cudaDeviceSynchronize();
    for (i = 0; i < call_count; i++)
        sum += calls[i].size;
    return sum;
}

/* Of what several ops use, each fetches its part, on its lane; once they have been side by side twice,
 * one fetches for both. Now and then, an op is timed without. */
static int fetches_parts_of_several(void) {
    const size_t size = 8 * (size_t)LARGE, part = LARGE;
    char *apart = managed(size), *beside = managed(size);
    unsigned pass, all = 0;

    for (pass = 0; pass < 10; pass++) {
        vgpu_host_access(apart, size, VGPU_WRITE);
        REQUIRE(use_two(apart, 0, 4 * part, 0) == call_count * part);
        REQUIRE(pass > 0 || (call_count == 2 && calls[0].stream != calls[1].stream &&
                             is_call(0, apart, part, cudaMemLocationTypeDevice, calls[0].stream) &&
                             is_call(1, apart + 4 * part, part, cudaMemLocationTypeDevice, calls[1].stream)));
        all += call_count;
        vgpu_host_access(beside, size, VGPU_WRITE);
        REQUIRE(use_two(beside, part, 2 * part, 0) == (pass < 2 ? 1 : 2) * call_count * part);
        all += call_count;
    }
    REQUIRE(all >= 20);
    return 0;
}

/* What ops overwrite rests; where the host has it each time, it is fetched later on, and no more than that.
 */
static int fetches_overwritten_parts(void) {
    const size_t size = 8 * (size_t)LARGE, part = LARGE;
    char *memory = managed(size);
    unsigned pass, all = 0;

    for (pass = 0; pass < 4; pass++)
        REQUIRE(use_two(memory, part, 4 * part, 1) == 0);
    for (pass = 0; pass < 40; pass++) {
        vgpu_host_access(memory, size, VGPU_WRITE);
        REQUIRE(use_two(memory, part, 4 * part, 1) == call_count * part);
        all += call_count;
    }
    REQUIRE(all >= 40);
    return 0;
}

/* One lane, of which the first op is at work when its second op is issued: on which stream what that uses is
 * fetched. The lane goes on behind that. */
static int second_op_alone(const char *second, size_t size, bool is_busy_before, cudaStream_t *of_second) {
    void *device;

    REQUIRE(cudaMalloc(&device, 16) == cudaSuccess);
    call_count = 0;
    if (is_busy_before)
        REQUIRE(cudaMemsetAsync(device, 0, 16, origin) == cudaSuccess);
    ENTER(origin, 1, 0);
    REQUIRE(__kesco1_lane(0, NULL, 0) == origin);
    REQUIRE(cudaMemsetAsync(device, 0, 16, origin) == cudaSuccess);
    __kesco1_lane(0, NULL, 0);
    __kesco1_fetch_part(0, second, 0, 0, (int64_t)size);
    REQUIRE(call_count >= 1);
    *of_second = calls[call_count - 1].stream;
    REQUIRE(cudaStreamSynchronize(origin) == cudaSuccess);
    REQUIRE(cudaStreamQuery(*of_second) == cudaSuccess);
    __kesco1_leave();
    REQUIRE(cudaDeviceSynchronize() == cudaSuccess && cudaGetLastError() == cudaSuccess);
    return cudaFree(device) == cudaSuccess ? 0 : 1;
}

/* Where it is large, and nothing else was at work when the region was opened: beside the lane, once the
 * program has run for long enough. */
static int comes_ahead_alone(void) {
    char *small = managed(LARGE), *large = managed(2 * (size_t)LARGE);
    cudaStream_t of_small, of_large, of_late;
    int pass;

    for (pass = 0; pass < 20; pass++) {
        vgpu_host_access(small, LARGE, VGPU_WRITE);
        vgpu_host_access(large, 2 * (size_t)LARGE, VGPU_WRITE);
        REQUIRE(second_op_alone(small, LARGE, false, &of_small) == 0 && of_small == origin);
        REQUIRE(second_op_alone(large, 2 * (size_t)LARGE, false, &of_large) == 0 &&
                (pass > 0 || of_large == origin));
        vgpu_host_access(large, 2 * (size_t)LARGE, VGPU_WRITE);
        REQUIRE(second_op_alone(large, 2 * (size_t)LARGE, true, &of_late) == 0 && of_late == origin);
    }
    REQUIRE(of_large != origin);
    return 0;
}

/* What CUDA fails with is no error of the program's. */
static int leaves_no_error(void) {
    char *memory = managed(LARGE);
    int pass;

    for (pass = 0; pass < 4; pass++) {
        vgpu_host_access(memory, LARGE, VGPU_WRITE);
        use(memory, LARGE);
        REQUIRE(cudaGetLastError() == cudaSuccess);
    }
    return 0;
}

static const struct scenario scenarios[] = {
    SCENARIO(fetches_what_moves),
    SCENARIO(moved_in_vain),
    SCENARIO(asks_for_nothing_else),
    SCENARIO(asks_once_it_tells),
    SCENARIO(what_is_overwritten_rests),
    SCENARIO(full_device),
    SCENARIO(filled_by_small_ones),
    SCENARIO(forgets_the_rest),
    SCENARIO(many_that_stay),
    SCENARIO(many_that_stay_told),
    SCENARIO(many_that_move),
    SCENARIO(reset),
    SCENARIO(leaves_no_error),
    SCENARIO(comes_ahead),
    SCENARIO(fetches_parts),
    SCENARIO(comes_ahead_alone),
    SCENARIO(fetches_parts_of_several),
    SCENARIO(fetches_overwritten_parts),
};

static void test_decides_by_what_moves(void **state) {
    (void)state;
    require_everywhere("fetches_what_moves", "VGPU_TIME", "1");
    require_everywhere("moved_in_vain", "VGPU_TIME", "1");
    require_everywhere("what_is_overwritten_rests", "VGPU_TIME", "1");
    require_everywhere("comes_ahead", "VGPU_TIME", "1");
    require_everywhere("comes_ahead_alone", "VGPU_TIME", "1");
    require_everywhere("fetches_parts", "VGPU_TIME", "1");
    require_everywhere("fetches_parts_of_several", "VGPU_TIME", "1");
    require_everywhere("fetches_overwritten_parts", "VGPU_TIME", "1");
    require_everywhere("full_device", "VGPU_TIME", "1");
    require_everywhere("filled_by_small_ones", "VGPU_TIME", "1");
    require_everywhere("forgets_the_rest", "VGPU_TIME", "1");
    require_everywhere("many_that_stay", "VGPU_TIME", "1");
    assert_int_equal(run_child("reset", "null"), 0);
    assert_int_equal(run_child("reset", "legacy"), 0);
}

/* Beside other origins, streams wait for these. */
static void test_asks_as_little_as_it_may(void **state) {
    (void)state;
    setenv("VGPU_TIME", "1", 1);
    assert_int_equal(run_child("asks_for_nothing_else", "null"), 0);
    assert_int_equal(run_child("asks_for_nothing_else", "legacy"), 0);
    assert_int_equal(run_child("asks_once_it_tells", "null"), 0);
    assert_int_equal(run_child("asks_once_it_tells", "legacy"), 0);
    assert_int_equal(run_child("many_that_stay_told", "null"), 0);
    assert_int_equal(run_child("many_that_move", "null"), 0);
    unsetenv("VGPU_TIME");
}

static void test_leaves_no_error(void **state) {
    static const char *const failures[] = {"cudaMemPrefetchAsync:1,cudaMemPrefetchAsync:3",
                                           "cudaPointerGetAttributes:1", "cudaStreamQuery:1"};
    size_t i;

    (void)state;
    setenv("VGPU_TIME", "1", 1);
    for (i = 0; i < sizeof failures / sizeof *failures; i++)
        require_everywhere("leaves_no_error", "VGPU_FAIL", failures[i]);
    unsetenv("VGPU_TIME");
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_decides_by_what_moves),
        cmocka_unit_test(test_asks_as_little_as_it_may),
        cmocka_unit_test(test_leaves_no_error),
    };

    if (argc == 3)
        return RUN_SCENARIO(argv, scenarios);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
