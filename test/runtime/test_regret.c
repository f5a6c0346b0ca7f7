/*
 * What automatic modes lose against the best fixed one: random regions on random hardware, on a simulated
 * clock. What launches, records, graphs, streams and kernels take is drawn for each hardware over two
 * decades, so that what the governor estimates is off by up to ten times either way. Each run is a process of
 * its own. test_regret [HARDWARES REGIONS]
 */
#include "runtime/kesco_abi.h"
#include "test/cmocka.h"

#include <cuda_runtime_api.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PASSES = 200, OPS = 16, LANES = 3, STREAMS = 64, EVENTS = 256, GRAPHS = 512, MODES = 4 };

static const uint32_t modes[MODES] = {KESCO_MODE_SERIAL, KESCO_MODE_LANES, KESCO_MODE_GRAPH, KESCO_MODE_AUTO};
static uint32_t hardwares = 12, regions = 5;
static bool is_told; /* how many passes there are, as most loops tell */

/* Random numbers of our own, the same everywhere. */
static uint64_t seed;

static double draw(void) {
    seed = seed * UINT64_C(6364136223846793005) + 1;
    return (double)(seed >> 40) / (double)(1 << 24);
}

/* About `middle`, over two decades. */
static double draw_about(double middle) {
    return middle * pow(10, 2 * draw() - 1);
}

/* Nanoseconds; of the host, but for the last two. */
static struct {
    double launch, mark, make, stream, graph, node, instantiate, branch, begin, length;
} hardware;

/* What a region is, and what its program does between its passes. */
static struct {
    uint32_t ops, lanes, period; /* passes from one wait of the host to the next */
    double idle;                 /* work of the host behind a pass */
    struct {
        uint32_t lane, on; /* on: an op before that it waits for; OPS: none */
        double duration, share;
    } items[OPS];
} shape;

/* The device */

static double now;           /* the host's time */
static double ends[STREAMS]; /* of streams' work; 0 is the legacy stream's */
static double events[EVENTS];
static double latest, computing; /* the end of all, and of what fills the device */
static uint32_t streams, made_events;

static double at_least(double a, double b) {
    return a > b ? a : b;
}

static uint32_t number_of(const void *handle) {
    return handle == cudaStreamLegacy ? 0 : (uint32_t)(uintptr_t)handle / 16;
}

static double run_kernel(double start, double duration, double share) {
    computing = at_least(computing, start) + duration * share;
    return at_least(start + duration, computing);
}

static double begin_on(uint32_t stream) {
    return at_least(now + hardware.begin, stream == 0 ? latest : at_least(ends[stream], ends[0]));
}

static void end_on(uint32_t stream, double end) {
    ends[stream] = end;
    latest = at_least(latest, end);
}

int clock_gettime(clockid_t clock, struct timespec *time) {
    (void)clock;
    time->tv_sec = (time_t)(now / 1e9);
    time->tv_nsec = (long)fmod(now, 1e9);
    return 0;
}

cudaError_t cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **arguments, size_t shared,
                             cudaStream_t stream) {
    const uint32_t op = number_of(function) - 1, on = number_of(stream);

    (void)grid, (void)block, (void)arguments, (void)shared;
    now += hardware.launch;
    end_on(on, run_kernel(begin_on(on), shape.items[op].duration, shape.items[op].share));
    return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    now += hardware.mark;
    events[number_of(event)] = begin_on(number_of(stream));
    return cudaSuccess;
}

cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t begin, cudaEvent_t end) {
    now += hardware.mark;
    if (events[number_of(end)] > now)
        return cudaErrorNotReady;
    *milliseconds = (float)((events[number_of(end)] - events[number_of(begin)]) / 1e6);
    return cudaSuccess;
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
    (void)flags;
    now += hardware.mark;
    end_on(number_of(stream), at_least(ends[number_of(stream)], events[number_of(event)] + hardware.mark));
    return cudaSuccess;
}

cudaError_t cudaGetDriverEntryPointByVersion(const char *symbol, void **function, unsigned version,
                                             unsigned long long flags,
                                             enum cudaDriverEntryPointQueryResult *status) {
    (void)symbol, (void)function, (void)version, (void)flags, (void)status;
    return cudaErrorNotSupported;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags) {
    (void)flags;
    now += hardware.stream;
    *stream = (cudaStream_t)(uintptr_t)(16 * ++streams);
    return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags) {
    (void)flags;
    now += hardware.make;
    *event = (cudaEvent_t)(uintptr_t)(16 * ++made_events);
    return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t *event) {
    return cudaEventCreateWithFlags(event, 0);
}

/* Graphs: a chain or not, the nodes' ends are found anew for each launch. */

static struct {
    uint32_t count, branches; /* nodes, and those that go on with none */
    bool continued[128];
    struct {
        uint32_t op, before[OPS], count;
    } nodes[128];
} graphs[GRAPHS];
static uint32_t made_graphs, made_branches = 1;

cudaError_t cudaGraphCreate(cudaGraph_t *graph, unsigned flags) {
    (void)flags;
    if (made_graphs + 1 == GRAPHS)
        return cudaErrorMemoryAllocation;
    *graph = (cudaGraph_t)(uintptr_t)(16 * ++made_graphs);
    return cudaSuccess;
}

static bool goes_on(uint32_t in, uint32_t at) {
    for (uint32_t i = 0; i < graphs[in].nodes[at].count; i++) {
        bool *continued = &graphs[in].continued[graphs[in].nodes[at].before[i]];

        if (!*continued)
            return *continued = true;
    }
    return false;
}

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *before,
                                   size_t count, const struct cudaKernelNodeParams *kernel) {
    const uint32_t in = number_of(graph), at = graphs[in].count++;

    graphs[in].nodes[at].op = number_of(kernel->func) - 1;
    graphs[in].nodes[at].count = (uint32_t)count;
    for (size_t i = 0; i < count; i++)
        graphs[in].nodes[at].before[i] = number_of(before[i]) - 1;
    graphs[in].branches += !goes_on(in, at);
    *node = (cudaGraphNode_t)(uintptr_t)(16 * (at + 1));
    return cudaSuccess;
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *executable, cudaGraph_t graph,
                                          unsigned long long flags) {
    const uint32_t in = number_of(graph);

    (void)flags;
    now += hardware.instantiate * (graphs[in].count + 2 * graphs[in].branches);
    if (graphs[in].branches > made_branches) {
        now += hardware.branch * (graphs[in].branches - made_branches);
        made_branches = graphs[in].branches;
    }
    *executable = (cudaGraphExec_t)graph;
    return cudaSuccess;
}

cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                             const struct cudaKernelNodeParams *kernel) {
    (void)executable, (void)node, (void)kernel;
    now += hardware.mark;
    return cudaSuccess;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream) {
    const uint32_t in = number_of(executable), on = number_of(stream);
    double start, end, done[128];

    now += hardware.graph + hardware.node * (graphs[in].count + 9 * graphs[in].branches);
    start = end = begin_on(on);
    for (uint32_t i = 0; i < graphs[in].count; i++) {
        double from = start;

        for (uint32_t b = 0; b < graphs[in].nodes[i].count; b++)
            from = at_least(from, done[graphs[in].nodes[i].before[b]]);
        done[i] = run_kernel(from, shape.items[graphs[in].nodes[i].op].duration,
                             shape.items[graphs[in].nodes[i].op].share);
        end = at_least(end, done[i]);
    }
    end_on(on, end);
    return cudaSuccess;
}

/* Programs */

static const uint32_t sizes[] = {sizeof(int)};
static struct kesco_site sites[OPS];
static void *memory;
static struct kesco_history history;

/* Kernels that take up to 100 microseconds on average hardware, and as many threads as take some of it. */
static void draw_shape(void) {
    const int small = draw() < 0.5 ? 10 : 14;

    shape.ops = 4 + (uint32_t)(draw() * (OPS - 4));
    shape.lanes = 1 + (uint32_t)(draw() * LANES);
    shape.period = 1 + (uint32_t)(draw() * 20);
    shape.idle = draw() < 0.5 ? 0 : draw() * 20000;
    for (uint32_t i = 0; i < shape.ops; i++) {
        const uint32_t work = 1u << (uint32_t)(draw() * small);
        const double threads = pow(2, 5 + draw() * 13);

        shape.items[i].lane = (uint32_t)(draw() * shape.lanes);
        shape.items[i].on = i > 0 && shape.lanes > 1 && draw() < 0.3 ? (uint32_t)(draw() * i) : OPS;
        shape.items[i].share = threads < 240000 ? threads / 240000 : 1;
        shape.items[i].duration = hardware.length * (2000 + 10.0 * work * at_least(threads / 240000, 1));
        sites[i] = (struct kesco_site){.kind = "kernel",
                                       .work = work,
                                       .beside = shape.lanes > 1 ? work : 0,
                                       .place = i,
                                       .argument_count = 1,
                                       .argument_sizes = sizes};
    }
}

static void draw_hardware(void) {
    hardware.launch = draw_about(3000);
    hardware.mark = draw_about(800);
    hardware.make = draw_about(500);
    hardware.stream = draw_about(25000);
    hardware.graph = draw_about(4000);
    hardware.node = draw_about(100);
    hardware.instantiate = draw_about(6000);
    hardware.begin = draw_about(5000);
    hardware.length = draw_about(1);
    hardware.branch = draw_about(75000);
}

static void run_op(uint32_t op) {
    const dim3 one = {1, 1, 1};
    int argument = 0;
    void *arguments[] = {&argument}, *stream;
    const uint64_t threads = (uint64_t)(shape.items[op].share * 240000);

    if (shape.items[op].on < OPS)
        __kesco1_wait(shape.items[op].on, shape.items[op].lane);
    stream = __kesco1_lane(shape.items[op].lane, &sites[op], threads);
    __kesco1_launch((const void *)(uintptr_t)(16 * (op + 1)), &one, &one, arguments, 0, stream);
    __kesco1_record(op, shape.items[op].lane);
}

/* Nanoseconds that the program takes. */
static double run(uint32_t mode) {
    const struct kesco_region region = {.lanes = shape.lanes,
                                        .events = shape.ops,
                                        .mode = mode,
                                        .replays = 1,
                                        .memory = &memory,
                                        .history = &history};

    for (uint32_t pass = 0; pass < PASSES; pass++) {
        if (is_told)
            __kesco1_expect(&region, PASSES - 1 - pass);
        __kesco1_enter(NULL, &region);
        for (uint32_t op = 0; op < shape.ops; op++)
            run_op(op);
        __kesco1_leave();
        now += shape.idle;
        if (pass % shape.period == 0)
            now = at_least(now, latest);
    }
    return at_least(now, latest);
}

/* The same in a process of its own. */
static double run_apart(uint32_t mode) {
    double took = 0;
    int ends_of[2];
    pid_t child;

    assert_int_equal(pipe(ends_of), 0);
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        took = run(mode);
        _exit(write(ends_of[1], &took, sizeof took) != sizeof took);
    }
    assert_int_equal(read(ends_of[0], &took, sizeof took), sizeof took);
    close(ends_of[0]);
    close(ends_of[1]);
    waitpid(child, NULL, 0);
    return took;
}

static double worst, sum, worst_of_serial;
static uint32_t runs, taken[MODES];

static void compare(uint64_t number) {
    double took[MODES], best = 0, regret;
    uint32_t m, which = 0;

    for (m = 0; m < MODES; m++)
        took[m] = run_apart(modes[m]);
    for (m = 0, best = took[0]; m < MODES - 1; m++)
        if (took[m] < best) {
            best = took[m];
            which = m;
        }
    regret = took[MODES - 1] / best - 1;
    taken[which]++;
    sum += regret;
    runs++;
    worst = at_least(worst, regret);
    worst_of_serial = at_least(worst_of_serial, took[MODES - 1] / took[0] - 1);
    if (getenv("TEST_REGRET") != NULL && (regret > 0.1 || took[MODES - 1] > 1.02 * took[0]))
        printf("%llu: serial %.0f lanes %.0f graph %.0f auto %.0f (%u ops, %u lanes)\n",
               (unsigned long long)number, took[0], took[1], took[2], took[3], shape.ops, shape.lanes);
}

/* The mean. */
static double find_regret(void) {
    worst = sum = worst_of_serial = 0;
    runs = 0;
    memset(taken, 0, sizeof taken);
    for (uint32_t h = 0; h < hardwares; h++)
        for (uint32_t r = 0; r < regions; r++) {
            seed = UINT64_C(0x9e3779b97f4a7c15) * (h + 1);
            draw_hardware();
            seed = UINT64_C(0xd1342543de82ef95) * (r + 1) + h;
            draw();
            draw_shape();
            compare(h * 1000 + r);
        }
    printf("regret: %.1f %% in the mean, %.1f %% at worst; against serial at worst %.1f %%; best were %u %u "
           "%u\n",
           100 * sum / runs, 100 * worst, 100 * worst_of_serial, taken[0], taken[1], taken[2]);
    assert_true(taken[0] > 0 && taken[1] > 0 && taken[2] > 0);
    assert_true(worst < 5);
    assert_true(worst_of_serial < 2);
    return sum / runs;
}

static void little_is_regretted(void **state) {
    (void)state;
    is_told = false;
    assert_true(find_regret() < 0.12);
}

static void less_where_loops_tell(void **state) {
    (void)state;
    is_told = true;
    assert_true(find_regret() < 0.12);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(little_is_regretted),
                                       cmocka_unit_test(less_where_loops_tell)};

    if (argc == 3) {
        hardwares = (uint32_t)strtoul(argv[1], NULL, 10);
        regions = (uint32_t)strtoul(argv[2], NULL, 10);
    }
    return cmocka_run_group_tests_name("regret", tests, NULL, NULL);
}
