// What a kernel's code touches beyond its parameters is found behind every kind of call, and in every kind of loop.
// RUN: %kesco-host -std=c++20 -O0 -S -emit-llvm %s -o %t.ll -fplugin-arg-kesco-report=%t.json
// RUN: FileCheck %s --input-file=%t.json
// Why one keeps its order to all others is said with what to do.
// RUN: %kesco-host -std=c++20 -O0 -c %s -o /dev/null -Rpass-missed=kesco 2>%t.remarks
// RUN: FileCheck %s --input-file=%t.remarks --check-prefix=REMARK
// REMARK: remark: kernel 'makes' keeps its order to all others: the kernel uses the device heap; compile its device code in the same step, for its access summary
// REMARK: remark: kernel 'gives_back' keeps its order to all others: the kernel uses the device heap; compile
// REMARK: remark: kernel 'calls_elsewhere' keeps its order to all others: the kernel calls 'elsewhere', whose body is not seen; compile
// REMARK: remark: kernel 'calls_virtually' keeps its order to all others: the kernel calls a virtual function; compile
// REMARK: remark: kernel 'calls_by_pointer' keeps its order to all others: the kernel calls a function through a pointer; compile
// REMARK: remark: kernel 'by_number' keeps its order to all others: the kernel makes a pointer of a number; compile
// REMARK: remark: kernel 'assembly_by_name' keeps its order to all others: the kernel's assembly has name 'counter', which is not understood; compile
// REMARK: remark: kernel 'assembly_by_loaded' keeps its order to all others: the kernel's assembly makes an address of its own; compile
// REMARK: remark: kernel 'uses_pointer' keeps its order to all others: the kernel uses 'elsewhere_pointer', which may lead to any memory; compile

#include "../Inputs/cache_functions.h"
#include <cassert>
#include <tuple>

#define KERNEL __attribute__((kesco_outputs(1))) __global__ void

__device__ int counter;
__device__ const int fixed[2] = {1, 2};

struct Counts {
    int n;
    __device__ void up() { again(); }
    __device__ void again() { counter = n; }
    __device__ int operator()(int x) const { return counter = x; }
};
struct Constructed {
    int n;
    __device__ Constructed() { counter = 1; }
};
template <class T> __device__ void store(T x) { counter = x; }

KERNEL member(int *out) { Counts().up(); }
KERNEL called(int *out) { *out = Counts()(1); }
KERNEL constructed(int *out) { Constructed c; }
KERNEL generic(int *out) { store(1); }
KERNEL lambda(int *out) { [] { counter = 1; }(); }
KERNEL twice(int *out) { counter = counter + 1; }
KERNEL generic_lambda(int *out) {
    auto put = [](auto value) { store(value); };
    put(1);
}
// CHECK: "name": "member", {{.*}}"writes": ["counter", "a"]
// CHECK: "name": "called", {{.*}}"writes": ["counter", "a"]
// CHECK: "name": "constructed", {{.*}}"writes": ["counter", "a"]
// CHECK: "name": "generic", {{.*}}"writes": ["counter", "a"]
// CHECK: "name": "lambda", {{.*}}"writes": ["counter", "a"]
// CHECK: "name": "twice", {{.*}}"writes": ["counter", "a"]
// CHECK: "name": "generic_lambda", {{.*}}"writes": ["counter", "a"]

// Memory of a block's own and constants are nobody else's business.
KERNEL shared(int *out) {
    __shared__ int mine;
    extern __shared__ int given[];
    out[0] = mine = given[0] = fixed[0];
}
// CHECK: "name": "shared", {{.*}}"reads": [], "writes": ["a"]

KERNEL makes(int *out) { *out = *new int(1); }
KERNEL gives_back(int *out) { delete static_cast<int *>(nullptr); }
// CHECK: "name": "makes", {{.*}}"writes": ["*", "a"]
// CHECK: "name": "gives_back", {{.*}}"writes": ["*", "a"]

KERNEL waits_first(int *flag) {
    while (*(volatile int *)flag == 0)
        ;
}
KERNEL waits_last(int *flag) {
    do {
    } while (*(volatile int *)flag == 0);
}
KERNEL waits_in_for(int *flag) {
    for (; atomicAdd(flag, 0) == 0;)
        ;
}
KERNEL reads_once(int *flag) {
    *flag = *(volatile int *)flag;
    while (*flag > 0)
        --*flag;
}
// CHECK: "name": "waits_first", {{.*}}"writes": ["spin loop", "a"]
// CHECK: "name": "waits_last", {{.*}}"writes": ["spin loop", "a"]
// CHECK: "name": "waits_in_for", {{.*}}"writes": ["spin loop", "a"]
// CHECK: "name": "reads_once", {{.*}}"reads": [], "writes": ["a"]

// Code that no call stands for in the source: the ends of objects, initialisers, defaults.
struct Ends {
    __device__ ~Ends() { counter = 1; }
};
struct Part {
    Ends ends;
};
struct Initialised {
    int n;
    __device__ Initialised() : n(counter++) {}
};
struct Inside {
    Initialised part;
};
struct InClass {
    int n = counter++;
};
__device__ int with_default(int n = counter++) { return n; }
__device__ int counts_itself() {
    static int calls;
    return calls++;
}
struct Steps {
    int n;
    __device__ int operator*() const { return n; }
    __device__ Steps &operator++() { return counter++, *this; }
    __device__ bool operator!=(const Steps &other) const { return n != other.n; }
};
struct Range {
    __device__ Steps begin() const { return {0}; }
    __device__ Steps end() const { return {1}; }
};
struct Equal {
    __device__ bool operator==(const Equal &) const { return counter++; }
};
struct Parts {
    template <int> __device__ int get() const { return counter++; }
};
template <> struct std::tuple_size<Parts> {
    static constexpr int value = 1;
};
template <> struct std::tuple_element<0, Parts> {
    using type = int;
};
KERNEL ends(int *out) { Ends e; }
KERNEL temporary(int *out) { *out = (Ends(), 1); }
KERNEL part_ends(int *out) { Part p; }
KERNEL initialised(int *out) { Inside i; }
KERNEL in_class(int *out) { *out = InClass().n; }
KERNEL in_list(int *out) { *out = InClass{}.n; }
KERNEL defaults(int *out) { *out = with_default(); }
KERNEL keeps(int *out) { *out = counts_itself(); }
KERNEL over_range(int *out) {
    for (int i : Range())
        *out = i;
}
KERNEL compares(int *out) { *out = Equal() != Equal(); }
KERNEL takes_apart(int *out) {
    auto [first] = Parts();
    *out = first;
}
// CHECK: "name": "ends", {{.*}}"writes": ["counter", "a"]
// CHECK: "name": "temporary", {{.*}}"writes": ["counter", "a"]
// CHECK: "name": "part_ends", {{.*}}"writes": ["counter", "a"]
// CHECK: "name": "initialised", {{.*}}"writes": ["counter", "a"]
// CHECK: "name": "in_class", {{.*}}"writes": ["counter", "a"]
// CHECK: "name": "in_list", {{.*}}"writes": ["counter", "a"]
// CHECK: "name": "defaults", {{.*}}"writes": ["counter", "a"]
// CHECK: "name": "keeps", {{.*}}"writes": ["calls", "a"]
// CHECK: "name": "over_range", {{.*}}"writes": ["counter", "a"]
// CHECK: "name": "compares", {{.*}}"writes": ["counter", "a"]
// CHECK: "name": "takes_apart", {{.*}}"writes": ["counter", "a"]

// Code that nobody sees here, and memory that has no name here.
extern __device__ int elsewhere(int *p);
struct Shape {
    __device__ virtual int area() { return 1; }
};
KERNEL calls_elsewhere(int *out) { *out = elsewhere(out); }
KERNEL calls_virtually(int *out) {
    Shape shape, *any = &shape;
    *out = any->area();
}
KERNEL calls_by_pointer(int *out, long address) { *out = ((int (*)())address)(); }
KERNEL by_number(int *out, long address) { *(int *)address = 1; }
KERNEL assembly_by_name(int *out) { asm volatile("st.global.u32 [counter], 1;"); }
KERNEL assembly(int *out) { asm volatile("st.global.u32 [%0], 1; st.global.u32 [%[p]], 2;" ::"l"(out), [p] "l"(out)); }
KERNEL assembly_by_register(int *out) { asm volatile("{ .reg .u64 p<2>; add.u64 p1, %0, 4; st.global.v2.u32 [p1], {1, 2}; }" ::"l"(out)); }
KERNEL assembly_by_loaded(int *out) { asm volatile("{ .reg .u64 p; ld.global.u64 p, [%0]; st.global.u32 [p], 1; }" ::"l"(out)); }
KERNEL assembly_by_cast(int *out) {
    asm volatile("st.global.u32 [%0], 1; st.global.u32 [%1], 1;" ::"l"((unsigned long)out), "l"(reinterpret_cast<long>(out + 1)));
}
KERNEL assembly_by_index(int *out, long n) {
    asm volatile("{ .reg .u64 p; mad.lo.u64 p, %1, 4, %0; st.global.u32 [p], 1; }" ::"l"(out), "l"(n));
}
KERNEL assembly_in_memory(int *out) { asm volatile("st.global.u32 %0, 1;" : "=m"(*out)); }
KERNEL assembly_by_number(int *out, long address) { asm volatile("st.global.u32 [%0], 1;" ::"l"(address)); }
KERNEL assembly_by_fetched(int *out) {
    long address;
    asm volatile("ld.global.u64 %0, [%1];" : "=l"(address) : "l"(out));
    asm volatile("st.global.u32 [%0], 1;" ::"l"(address));
}
KERNEL assembly_of_number(int *out, long address) {
    int *p;
    asm("mov.u64 %0, %1;" : "=l"(p) : "l"(address));
    *p = 1;
}
KERNEL assembly_by_variable(int *out) {
    int *p;
    asm("mov.u64 %0, counter;" : "=l"(p));
    *p = 1;
}
KERNEL assembly_that_hands_on(int *out) {
    int *p;
    asm("{ mov.u64 %0, %1; }" : "=l"(p) : "l"(out));
    *p = 1;
}
KERNEL assembly_that_loads(int *out) {
    int *p;
    asm("ld.global.u64 %0, [%1];" : "=l"(p) : "l"(out));
    *p = 1;
}
__device__ int *elsewhere_pointer;
KERNEL uses_pointer(int *out) { *elsewhere_pointer = 1; }
KERNEL library(float *out) { *out = sinf(*out) + __ldg(out) + __shfl_sync(~0u, *out, 0); }
// CHECK: "name": "calls_elsewhere", {{.*}}"writes": ["*", "a"]
// CHECK: "name": "calls_virtually", {{.*}}"writes": ["*", "a"]
// CHECK: "name": "calls_by_pointer", {{.*}}"writes": ["*", "a"]
// CHECK: "name": "by_number", {{.*}}"writes": ["*", "a"]
// CHECK: "name": "assembly_by_name", {{.*}}"writes": ["*", "a"]
// CHECK: "name": "assembly", {{.*}}"writes": ["a"]
// CHECK: "name": "assembly_by_register", {{.*}}"writes": ["a"]
// CHECK: "name": "assembly_by_loaded", {{.*}}"writes": ["*", "a"]
// CHECK: "name": "assembly_by_cast", {{.*}}"writes": ["a"]
// CHECK: "name": "assembly_by_index", {{.*}}"writes": ["a"]
// CHECK: "name": "assembly_in_memory", {{.*}}"writes": ["a"]
// CHECK: "name": "assembly_by_number", {{.*}}"writes": ["*", "a"]
// CHECK: "name": "assembly_by_fetched", {{.*}}"writes": ["*", "a"]
// CHECK: "name": "assembly_of_number", {{.*}}"writes": ["*", "a"]
// CHECK: "name": "assembly_by_variable", {{.*}}"writes": ["*", "a"]
// CHECK: "name": "assembly_that_hands_on", {{.*}}"writes": ["a"]
// CHECK: "name": "assembly_that_loads", {{.*}}"writes": ["*", "a"]
// CHECK: "name": "uses_pointer", {{.*}}"writes": ["*", {{.*}}"a"]
// CHECK: "name": "library", {{.*}}"writes": ["b"]

// What a loop waits for may stand in what it calls; and there are other loops than loops.
__device__ bool is_set(volatile int *flag) { return *flag != 0; }
__device__ void wait_deeply(int *flag) {
    if (atomicAdd(flag, 0) == 0)
        wait_deeply(flag);
}
KERNEL waits_in_call(int *flag) {
    while (!is_set(flag))
        ;
}
KERNEL waits_and_counts(int *flag) {
    for (int i = 0; atomicAdd(flag, 0) == 0; ++i)
        ;
}
KERNEL waits_for_ever(int *flag) {
    for (int i = 0; true; ++i)
        if (atomicAdd(flag, 0))
            break;
}
KERNEL waits_starting_over(int *flag) {
    for (int i = 0; i < 10; ++i)
        if (atomicAdd(flag, 0) == 0)
            i = 0;
}
KERNEL waits_by_jump(int *flag) {
again:
    if (atomicAdd(flag, 0) == 0)
        goto again;
}
KERNEL waits_by_recursion(int *flag) { wait_deeply(flag); }
KERNEL waits_in_assembly(int *flag) {
    asm volatile("{ .reg .pred p; .reg .u32 t; AGAIN: ld.acquire.gpu.u32 t, [%0]; setp.eq.u32 p, t, 0; @p bra AGAIN; }" ::"l"(flag) : "memory");
}
KERNEL jumps_in_assembly(int *flag) {
    asm volatile("{ .reg .pred p; .reg .u32 t; ld.acquire.gpu.u32 t, [%0]; setp.eq.u32 p, t, 0; @p bra OUT; st.u32 [%0], 0; OUT: }" ::"l"(flag) : "memory");
}
KERNEL waits_by_assembly(int *flag) {
    int value;
    do
        asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(value) : "l"(flag) : "memory");
    while (value == 0);
}
KERNEL waits_by_fence(int *flag) {
    while (*flag == 0)
        __threadfence();
}
KERNEL waits_by_cache(int *flag) {
    while (__ldcg(flag) == 0)
        ;
}
KERNEL counted(int *bins, int n) {
    for (int i = 0; n > i && bins[i] > 0; i += 2)
        for (int *p = bins; p != bins + n; ++p)
            atomicAdd(p, 1);
    for (int half = n; half > 0; half /= 2)
        __syncthreads();
}
// CHECK: "name": "waits_in_call", {{.*}}"writes": ["spin loop", "a"]
// CHECK: "name": "waits_and_counts", {{.*}}"writes": ["spin loop", "a"]
// CHECK: "name": "waits_for_ever", {{.*}}"writes": ["spin loop", "a"]
// CHECK: "name": "waits_starting_over", {{.*}}"writes": ["spin loop", "a"]
// CHECK: "name": "waits_by_jump", {{.*}}"writes": ["spin loop", "a"]
// CHECK: "name": "waits_by_recursion", {{.*}}"writes": ["spin loop", "a"]
// CHECK: "name": "waits_by_assembly", {{.*}}"writes": ["spin loop", "a"]
// CHECK: "name": "waits_in_assembly", {{.*}}"writes": ["spin loop", "a"]
// CHECK: "name": "jumps_in_assembly", {{.*}}"writes": ["a"]
// CHECK: "name": "waits_by_fence", {{.*}}"writes": ["spin loop", "a"]
// CHECK: "name": "waits_by_cache", {{.*}}"writes": ["spin loop", "a"]
// CHECK: "name": "counted", {{.*}}"reads": [], "writes": ["a"]

// An assert and a trap may end a kernel, and the whole device with it.
__device__ int checked(int x) {
    assert(x > 0);
    return x;
}
KERNEL asserts(int *out) { assert(*out); }
KERNEL asserts_deeply(int *out) { *out = checked(*out); }
KERNEL traps(int *out) { __trap(); }
KERNEL traps_by_builtin(int *out) {
    if (*out)
        __builtin_trap();
}
KERNEL traps_by_assembly(int *out) { asm("trap;"); }
KERNEL breaks_in_assembly(int *out) { asm("brkpt;"); }
KERNEL traps_in_two_statements(int *out) {
    asm volatile("{ trap;");
    asm volatile("}");
}
KERNEL ends_in_assembly(int *out) { asm volatile("{ .reg .pred trap; setp.eq.s32 trap, %0, 0; @trap exit; }" ::"r"(*out)); }
KERNEL traps_elsewhere(int *out);
#define NDEBUG
#include <cassert>
KERNEL asserts_nothing(int *out) { assert(*out); }
// CHECK: "name": "asserts", {{.*}}"writes": ["kernel may trap", "a"]
// CHECK: "name": "asserts_deeply", {{.*}}"writes": ["kernel may trap", "a"]
// CHECK: "name": "traps", {{.*}}"writes": ["kernel may trap", "a"]
// CHECK: "name": "traps_by_builtin", {{.*}}"writes": ["kernel may trap", "a"]
// CHECK: "name": "traps_by_assembly", {{.*}}"writes": ["kernel may trap", "a"]
// CHECK: "name": "breaks_in_assembly", {{.*}}"writes": ["kernel may trap", "a"]
// CHECK: "name": "traps_in_two_statements", {{.*}}"writes": ["*", "kernel may trap", "a"]
// CHECK: "name": "ends_in_assembly", {{.*}}"writes": ["a"]
// CHECK: "name": "asserts_nothing", {{.*}}"writes": ["a"]
// A body that is not seen is what the annotation says, and no more.
// CHECK: "name": "traps_elsewhere", {{.*}}"writes": ["a"]

void all() {
    int *a;
    float *b;
    cudaMalloc(&a, 4);
    cudaMalloc(&b, 4);
    member<<<1, 1>>>(a);
    called<<<1, 1>>>(a);
    constructed<<<1, 1>>>(a);
    generic<<<1, 1>>>(a);
    lambda<<<1, 1>>>(a);
    twice<<<1, 1>>>(a);
    generic_lambda<<<1, 1>>>(a);
    shared<<<1, 1>>>(a);
    makes<<<1, 1>>>(a);
    gives_back<<<1, 1>>>(a);
    waits_first<<<1, 1>>>(a);
    waits_last<<<1, 1>>>(a);
    waits_in_for<<<1, 1>>>(a);
    reads_once<<<1, 1>>>(a);
    ends<<<1, 1>>>(a);
    temporary<<<1, 1>>>(a);
    part_ends<<<1, 1>>>(a);
    initialised<<<1, 1>>>(a);
    in_class<<<1, 1>>>(a);
    in_list<<<1, 1>>>(a);
    defaults<<<1, 1>>>(a);
    keeps<<<1, 1>>>(a);
    over_range<<<1, 1>>>(a);
    compares<<<1, 1>>>(a);
    takes_apart<<<1, 1>>>(a);
    calls_elsewhere<<<1, 1>>>(a);
    calls_virtually<<<1, 1>>>(a);
    calls_by_pointer<<<1, 1>>>(a, 0);
    by_number<<<1, 1>>>(a, 0);
    assembly_by_name<<<1, 1>>>(a);
    assembly<<<1, 1>>>(a);
    assembly_by_register<<<1, 1>>>(a);
    assembly_by_loaded<<<1, 1>>>(a);
    assembly_by_cast<<<1, 1>>>(a);
    assembly_by_index<<<1, 1>>>(a, 0);
    assembly_in_memory<<<1, 1>>>(a);
    assembly_by_number<<<1, 1>>>(a, 0);
    assembly_by_fetched<<<1, 1>>>(a);
    assembly_of_number<<<1, 1>>>(a, 0);
    assembly_by_variable<<<1, 1>>>(a);
    assembly_that_hands_on<<<1, 1>>>(a);
    assembly_that_loads<<<1, 1>>>(a);
    uses_pointer<<<1, 1>>>(a);
    library<<<1, 1>>>(b);
    waits_in_call<<<1, 1>>>(a);
    waits_and_counts<<<1, 1>>>(a);
    waits_for_ever<<<1, 1>>>(a);
    waits_starting_over<<<1, 1>>>(a);
    waits_by_jump<<<1, 1>>>(a);
    waits_by_recursion<<<1, 1>>>(a);
    waits_by_assembly<<<1, 1>>>(a);
    waits_in_assembly<<<1, 1>>>(a);
    jumps_in_assembly<<<1, 1>>>(a);
    waits_by_fence<<<1, 1>>>(a);
    waits_by_cache<<<1, 1>>>(a);
    counted<<<1, 1>>>(a, 0);
    asserts<<<1, 1>>>(a);
    asserts_deeply<<<1, 1>>>(a);
    traps<<<1, 1>>>(a);
    traps_by_builtin<<<1, 1>>>(a);
    traps_by_assembly<<<1, 1>>>(a);
    breaks_in_assembly<<<1, 1>>>(a);
    traps_in_two_statements<<<1, 1>>>(a);
    ends_in_assembly<<<1, 1>>>(a);
    asserts_nothing<<<1, 1>>>(a);
    traps_elsewhere<<<1, 1>>>(a);
}
