// Calls that let the host wait go to the runtime, which puts them off while nothing could tell.
// RUN: %kesco-host -O0 -g -fplugin-arg-kesco-sync-elision=on -Xclang -llvm-verify-each -S -emit-llvm %s -o - -Rpass=kesco -Rpass-missed=kesco \
// RUN:   -fplugin-arg-kesco-report=%t.json 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t.remarks
// RUN: %kesco-host -O2 -fplugin-arg-kesco-sync-elision=off -S -emit-llvm %s -o - | FileCheck %s --check-prefix=OFF
// OFF-NOT: call i32 @__kesco1_synchronize

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

__attribute__((kesco_outputs(1))) __global__ void set(int *out, int v) { *out = v; }
__attribute__((kesco_outputs(1))) __global__ void hide(int *out, int v);
__global__ void tell(int *out) { printf("%d\n", *out); }

#define CHECK(call) \
    do { \
        cudaError_t error = (call); \
        if (error != cudaSuccess) { \
            fprintf(stderr, "%s\n", cudaGetErrorString(error)); \
            exit(1); \
        } \
    } while (0)

struct Solver {
    int *a, *b, *c;
    cudaError_t error;
    cudaStream_t stream;
    void checked();
    void stored();
    void on_stream();
    void timed();
    void measure();
    void last_of_all(bool more);
    void unseen();
    void ends(bool done);
    void prints();
    void loop(int count);
};

// The first would wait for work of others: that is waited for before the first op. The last is the program's own, and tells.
// CHECK-LABEL: define {{.*}}@_ZN6Solver7checkedEv(
// CHECK: call void @__kesco1_enter(
// CHECK-NEXT: call void @__kesco1_cover(i32 2)
// CHECK: call void @__kesco1_guard(i32 0, i32 {{3[2-9]|4[0-9]}},
// CHECK: call i32 @__kesco1_synchronize(ptr null, i32 {{[26]}})
// CHECK: call i32 @__kesco1_synchronize(ptr null, i32 {{[26]}})
// CHECK-NOT: call i32 @__kesco1_synchronize
// CHECK: call void @__kesco1_settle_by_next()
// CHECK: call i32 @cudaDeviceSynchronize()
// REMARK: lazy_waits.cu:[[@LINE+4]]:8: remark: 3 kernels run on 3 lanes with 0 waits, serially where pointers lead to the same memory (3 checked at run time)
// REMARK: lazy_waits.cu:[[@LINE+4]]:{{11|5}}: remark: call to 'cudaDeviceSynchronize' is put off until the host could tell, where the run finds that the ops before it work on memory that the host does not touch before it waits again; -fplugin-arg-kesco-sync-elision=off keeps it
// REMARK: lazy_waits.cu:[[@LINE+5]]:{{11|5}}: remark: call to 'cudaDeviceSynchronize' is put off
void Solver::checked() {
    set<<<1, 1>>>(a, 1);
    CHECK(cudaDeviceSynchronize());
    set<<<1, 1>>>(b, 2);
    CHECK(cudaDeviceSynchronize());
    set<<<1, 1>>>(c, 2);
    CHECK(cudaDeviceSynchronize());
}

// CHECK-LABEL: define {{.*}}@_ZN6Solver6storedEv(
// CHECK: call i32 @__kesco1_synchronize(ptr null, i32 {{[26]}})
// CHECK: call i32 @cudaDeviceSynchronize()
void Solver::stored() {
    set<<<1, 1>>>(a, 1);
    error = cudaDeviceSynchronize();
    set<<<1, 1>>>(b, 2);
    error = cudaDeviceSynchronize();
}

// A stream of the program's own.
// CHECK-LABEL: define {{.*}}@_ZN6Solver9on_streamEv(
// CHECK: call void @__kesco1_cover(i32 1)

// CHECK: call i32 @__kesco1_synchronize(ptr {{%[0-9]+}}, i32 {{[15]}})
// CHECK-NOT: call void @__kesco1_settle
// CHECK: call i32 @cudaStreamSynchronize(
void Solver::on_stream() {
    cudaStream_t own = stream;
    set<<<1, 1, 0, own>>>(a, 1);
    CHECK(cudaStreamSynchronize(own));
    set<<<1, 1, 0, own>>>(b, 2);
    CHECK(cudaStreamSynchronize(own));
}

// Who looks at a clock, looks at whether the device is done.
// CHECK-LABEL: define {{.*}}@_ZN6Solver5timedEv(
// CHECK: call i32 @__kesco1_synchronize(ptr null, i32 {{[26]}})
// CHECK: call void @__kesco1_settle()
// CHECK-NEXT: call {{.*}}@clock()
void Solver::timed() {
    set<<<1, 1>>>(a, 1);
    CHECK(cudaDeviceSynchronize());
    set<<<1, 1>>>(b, 2);
    printf("%ld\n", (long)clock());
    CHECK(cudaDeviceSynchronize());
}

// Where a clock comes first, nothing is gained.
// CHECK-LABEL: define {{.*}}@_ZN6Solver7measureEv(
// CHECK-NOT: call i32 @__kesco1_synchronize
// CHECK: call i32 @cudaDeviceSynchronize()
// CHECK-NOT: call i32 @__kesco1_synchronize
void Solver::measure() {
    set<<<1, 1>>>(a, 1);
    CHECK(cudaDeviceSynchronize());
    printf("%ld\n", (long)clock());
    set<<<1, 1>>>(b, 2);
    CHECK(cudaDeviceSynchronize());
}

// From here on, an error could be lost: behind the last that is looked at, where the program ends before it, where code comes
// that nobody sees, and from pass to pass of a loop. Where the function ends, the check is made once more.
// CHECK-LABEL: define {{.*}}@_ZN6Solver11last_of_allEb(
// CHECK: call i32 @__kesco1_synchronize
// CHECK: [[ERROR:%.*]] = call i32 @__kesco1_late_error()
// CHECK-NEXT: icmp ne i32 [[ERROR]], 0
// CHECK: call void @exit(
// CHECK-NEXT: unreachable
// CHECK-LABEL: define {{.*}}@_ZN6Solver6unseenEv(
// CHECK-NOT: call i32 @__kesco1_synchronize
// CHECK-LABEL: define {{.*}}@_ZN6Solver4endsEb(
// CHECK-NOT: call i32 @__kesco1_synchronize
// CHECK-LABEL: define {{.*}}@_ZN6Solver4loopEi(
// CHECK: call i32 @__kesco1_synchronize
// CHECK: call i32 @__kesco1_late_error()
void Solver::last_of_all(bool more) {
    set<<<1, 1>>>(a, 1);
    CHECK(cudaDeviceSynchronize());
    set<<<1, 1>>>(b, 2);
    if (more)
        CHECK(cudaDeviceSynchronize());
}
void not_seen();
void Solver::unseen() {
    set<<<1, 1>>>(a, 1);
    CHECK(cudaDeviceSynchronize());
    not_seen();
    set<<<1, 1>>>(b, 2);
    CHECK(cudaDeviceSynchronize());
}
void Solver::ends(bool done) {
    set<<<1, 1>>>(a, 1);
    CHECK(cudaDeviceSynchronize());
    if (done)
        exit(0);
    set<<<1, 1>>>(b, 2);
    CHECK(cudaDeviceSynchronize());
}
void Solver::loop(int count) {
    for (int i = 0; i < count; i++) {
        set<<<1, 1>>>(a, 1);
        set<<<1, 1>>>(b, 2);
        CHECK(cudaDeviceSynchronize());
    }
}

// An error that shows later must do there what it would have done: end the program with the same status, here.
// CHECK-LABEL: define {{.*}}@_Z12other_statusPiS_(
// CHECK-NOT: call i32 @__kesco1_synchronize
// CHECK-LABEL: define {{.*}}@_Z11other_errorPiS_(
// CHECK-NOT: call i32 @__kesco1_synchronize
// CHECK-LABEL: define {{.*}}@_Z11only_a_wordPiS_(
// CHECK-NOT: call i32 @__kesco1_synchronize
int other_status(int *a, int *b) {
    set<<<1, 1>>>(a, 1);
    if (cudaDeviceSynchronize() != cudaSuccess)
        return 1;
    set<<<1, 1>>>(b, 2);
    if (cudaDeviceSynchronize() != cudaSuccess)
        return 2;
    return 0;
}
int other_error(int *a, int *b) {
    set<<<1, 1>>>(a, 1);
    if (cudaDeviceSynchronize() != cudaSuccess)
        return 1;
    set<<<1, 1>>>(b, 2);
    return cudaDeviceSynchronize() == cudaErrorLaunchTimeout;
}
int only_a_word(int *a, int *b) {
    set<<<1, 1>>>(a, 1);
    if (cudaDeviceSynchronize() != cudaSuccess)
        return 1;
    set<<<1, 1>>>(b, 2);
    if (cudaDeviceSynchronize() != cudaSuccess)
        puts("failed");
    return 0;
}

// Or return what it would have returned, before it returns anything else.
// CHECK-LABEL: define {{.*}}@_Z11now_or_thenPiS_b(
// CHECK: call i32 @__kesco1_synchronize(ptr null, i32 14)
// CHECK: call i32 @__kesco1_late_error()
// CHECK: call i32 @__kesco1_late_error()
int now_or_then(int *a, int *b, bool then) {
    set<<<1, 1>>>(a, 1);
    if (cudaDeviceSynchronize() != cudaSuccess)
        return 1;
    set<<<1, 1>>>(b, 2);
    cudaDeviceSynchronize();
    if (then && cudaGetLastError() != cudaSuccess)
        return 1;
    return 0;
}

// The other way round: what only prints may do more later; and messages may differ, as lines do.
// CHECK-LABEL: define {{.*}}@_Z10more_laterPiS_(
// CHECK: call i32 @__kesco1_synchronize
// CHECK-LABEL: define {{.*}}@_Z14other_messagesPiS_(
// CHECK: call i32 @__kesco1_synchronize
int more_later(int *a, int *b) {
    set<<<1, 1>>>(a, 1);
    if (cudaDeviceSynchronize() != cudaSuccess)
        puts("failed");
    set<<<1, 1>>>(b, 2);
    return cudaDeviceSynchronize();
}
cudaError_t other_messages(int *a, int *b) {
    set<<<1, 1>>>(a, 1);
    cudaError_t error = cudaDeviceSynchronize();
    if (error != cudaSuccess) {
        printf("line %d: %s\n", __LINE__, cudaGetErrorString(error));
        return error;
    }
    set<<<1, 1>>>(b, 2);
    error = cudaDeviceSynchronize();
    if (error != cudaSuccess) {
        printf("line %d: %s\n", __LINE__, cudaGetErrorString(error));
        return error;
    }
    return cudaSuccess;
}

// Where another call may take the error for one of its own, that ends well, it is told behind that.
// CHECK-LABEL: define {{.*}}@_Z7no_roomPiS_(
// CHECK: call i32 @__kesco1_synchronize(ptr null, i32 14)
// CHECK: call i32 @__kesco1_late_error()
// CHECK: call i32 @__kesco1_late_error()
// CHECK-LABEL: define {{.*}}@_Z9full_roomPiS_(
// CHECK: call i32 @__kesco1_synchronize
int no_room(int *a, int *b) {
    int *more;
    set<<<1, 1>>>(a, 1);
    if (cudaDeviceSynchronize() != cudaSuccess)
        return 1;
    if (cudaMalloc(&more, 1024) != cudaSuccess)
        return 0;
    set<<<1, 1>>>(b, 2);
    return cudaDeviceSynchronize() != cudaSuccess ? 1 : 0;
}
int full_room(int *a, int *b) {
    int *more;
    set<<<1, 1>>>(a, 1);
    if (cudaDeviceSynchronize() != cudaSuccess)
        return 1;
    if (cudaMalloc(&more, 1024) != cudaSuccess)
        return 1;
    set<<<1, 1>>>(b, 2);
    if (cudaDeviceSynchronize() != cudaSuccess)
        return 1;
    return 0;
}

// Exceptions leave the function before the second, or end well; what comes of the library's own is none's doing.
// CHECK-LABEL: define {{.*}}@_Z6throwsPiS_b(
// CHECK-NOT: call i32 @__kesco1_synchronize
// CHECK-LABEL: define {{.*}}@_Z7catchesPiS_RSt6vectorIiSaIiEE(
// CHECK-NOT: call i32 @__kesco1_synchronize
// CHECK-LABEL: define {{.*}}@_Z5growsPiS_RSt6vectorIiSaIiEE(
// CHECK: call i32 @__kesco1_synchronize
void throws(int *a, int *b, bool done) {
    set<<<1, 1>>>(a, 1);
    CHECK(cudaDeviceSynchronize());
    if (done)
        throw 1;
    set<<<1, 1>>>(b, 2);
    CHECK(cudaDeviceSynchronize());
}
void catches(int *a, int *b, std::vector<int> &done) {
    set<<<1, 1>>>(a, 1);
    CHECK(cudaDeviceSynchronize());
    try {
        done.at(1) = 1;
    } catch (...) {
        return;
    }
    set<<<1, 1>>>(b, 2);
    CHECK(cudaDeviceSynchronize());
}
void grows(int *a, int *b, std::vector<int> &done) {
    set<<<1, 1>>>(a, 1);
    CHECK(cudaDeviceSynchronize());
    done.at(1) = 1;
    set<<<1, 1>>>(b, 2);
    CHECK(cudaDeviceSynchronize());
}

// Where the function has waited itself, and has only recorded events since on the stream of its launches, nothing is waited for
// before the first op; but for others, another stream and another thread's work it is.
// CHECK-LABEL: define {{.*}}@_Z5alonePiS_P10CUevent_st(
// CHECK: call i32 @cudaDeviceSynchronize()
// CHECK: call void @__kesco1_cover(i32 18)
// Before a loop, the first op waits once more, for nothing; not where other ops are in flight by then.
// CHECK-LABEL: define {{.*}}@_Z6loopedPiS_i(
// CHECK: call i32 @cudaDeviceSynchronize()
// CHECK: call void @__kesco1_cover(i32 2)
// CHECK-NOT: call void @__kesco1_cover
// CHECK: call i32 @__kesco1_synchronize(
// CHECK-LABEL: define {{.*}}@_Z10has_othersPiS_S_i(
// CHECK: call void @__kesco1_cover(i32 18)
// CHECK-NOT: call void @__kesco1_cover
// CHECK-LABEL: define {{.*}}@_Z9elsewherePiS_P10CUevent_stP11CUstream_st(
// CHECK: call void @__kesco1_cover(i32 2)
// CHECK-LABEL: define {{.*}}@_Z7not_yetPiS_b(
// CHECK: call void @__kesco1_cover(i32 2)
// CHECK-LABEL: define {{.*}}@_Z6behindPiS_S_(
// CHECK: call void @__kesco1_cover(i32 2)
// CHECK-LABEL: define {{.*}}@_Z6joinedPiS_S_(
// CHECK: call void @__kesco1_cover(i32 2)
void alone(int *a, int *b, cudaEvent_t start) {
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaEventRecord(start));
    set<<<1, 1>>>(a, 1);
    CHECK(cudaDeviceSynchronize());
    set<<<1, 1>>>(b, 2);
    CHECK(cudaDeviceSynchronize());
}
void looped(int *a, int *b, int count) {
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < count; i++)
        set<<<1, 1>>>(a, i);
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < count; i++)
        set<<<1, 1>>>(b, i);
    CHECK(cudaDeviceSynchronize());
}
void has_others(int *a, int *b, int *c, int count) {
    CHECK(cudaDeviceSynchronize());
    set<<<1, 1>>>(c, 1);
    for (int i = 0; i < count; i++)
        set<<<1, 1>>>(a, i);
    CHECK(cudaDeviceSynchronize());
    set<<<1, 1>>>(b, 2);
    CHECK(cudaDeviceSynchronize());
}
void elsewhere(int *a, int *b, cudaEvent_t start, cudaStream_t other) {
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaEventRecord(start, other));
    set<<<1, 1>>>(a, 1);
    CHECK(cudaDeviceSynchronize());
    set<<<1, 1>>>(b, 2);
    CHECK(cudaDeviceSynchronize());
}
void not_yet(int *a, int *b, bool waits) {
    if (waits)
        CHECK(cudaDeviceSynchronize());
    set<<<1, 1>>>(a, 1);
    CHECK(cudaDeviceSynchronize());
    set<<<1, 1>>>(b, 2);
    CHECK(cudaDeviceSynchronize());
}
void hide_it(int *out);
void behind(int *a, int *b, int *c) {
    CHECK(cudaDeviceSynchronize());
    hide_it(c);
    set<<<1, 1>>>(a, 1);
    CHECK(cudaDeviceSynchronize());
    set<<<1, 1>>>(b, 2);
    CHECK(cudaDeviceSynchronize());
}
void joined(int *a, int *b, int *flag) {
    CHECK(cudaDeviceSynchronize());
    while (!__atomic_load_n(flag, __ATOMIC_ACQUIRE)) {
    }
    set<<<1, 1>>>(a, 1);
    CHECK(cudaDeviceSynchronize());
    set<<<1, 1>>>(b, 2);
    CHECK(cudaDeviceSynchronize());
}

// What other programs see comes behind the check.
// CHECK-LABEL: define {{.*}}@_Z7commitsPiS_(
// CHECK-NOT: call i32 @__kesco1_synchronize
void commits(int *a, int *b) {
    set<<<1, 1>>>(a, 1);
    CHECK(cudaDeviceSynchronize());
    rename("part", "whole");
    set<<<1, 1>>>(b, 2);
    CHECK(cudaDeviceSynchronize());
}

// Work of others may wait for what the host does before its first wait: that cannot come earlier.
// CHECK-LABEL: define {{.*}}@_Z8releasesPiS_S_(
// CHECK-NOT: call void @__kesco1_cover
// CHECK: call i32 @cudaDeviceSynchronize()
// CHECK-LABEL: define {{.*}}@_Z6speaksPiS_(
// CHECK-NOT: call void @__kesco1_cover
// CHECK: call i32 @cudaDeviceSynchronize()
void releases(int *a, int *b, int *flag) {
    set<<<1, 1>>>(a, 1);
    *flag = 1;
    CHECK(cudaDeviceSynchronize());
    set<<<1, 1>>>(b, 2);
    CHECK(cudaDeviceSynchronize());
}
void speaks(int *a, int *b) {
    set<<<1, 1>>>(a, 1);
    puts("go");
    CHECK(cudaDeviceSynchronize());
    set<<<1, 1>>>(b, 2);
    CHECK(cudaDeviceSynchronize());
}

// What kernels print comes before what the host prints; a kernel of which nothing is known may print.
// CHECK-LABEL: define {{.*}}@_ZN6Solver6printsEv(
// CHECK-NOT: call i32 @__kesco1_synchronize
void Solver::prints() {
    tell<<<1, 1>>>(a);
    CHECK(cudaDeviceSynchronize());
    set<<<1, 1>>>(b, 2);
    CHECK(cudaDeviceSynchronize());
}

// What nobody looks at needs no other; but behind the last launch, it would soon be waited for.
// CHECK-LABEL: define {{.*}}@_Z9unchecked6Solver(
// CHECK: call i32 @__kesco1_synchronize(ptr null, i32 {{[26]}})
// CHECK-NOT: call i32 @__kesco1_synchronize
// CHECK: call i32 @cudaDeviceSynchronize()
void unchecked(Solver s) {
    set<<<1, 1>>>(s.a, 1);
    cudaDeviceSynchronize();
    s.c = 0;
    set<<<1, 1>>>(s.b, 2);
    cudaDeviceSynchronize();
    s.error = cudaSuccess;
}

// Unless it is told of all the same.
// CHECK-LABEL: define {{.*}}@_Z5asked6Solver(
// CHECK: call i32 @__kesco1_synchronize(ptr null, i32 {{[26]}})
// CHECK: call i32 @cudaDeviceSynchronize()
void asked(Solver s) {
    set<<<1, 1>>>(s.a, 1);
    cudaDeviceSynchronize();
    CHECK(cudaGetLastError());
    set<<<1, 1>>>(s.b, 2);
    cudaDeviceSynchronize();
    CHECK(cudaGetLastError());
}

// Memory that the host touches is in sight.
// CHECK-LABEL: define {{.*}}@_Z7managedv(
// CHECK-NOT: call i32 @__kesco1_synchronize
void managed() {
    int *a, *b;
    cudaMallocManaged(&a, 4);
    cudaMallocManaged(&b, 4);
    set<<<1, 1>>>(a, 1);
    CHECK(cudaDeviceSynchronize());
    set<<<1, 1>>>(b, *a);
    CHECK(cudaDeviceSynchronize());
}
