// Calls that synchronise between ops are left out where all that they could order is known, and the host does nothing that
// needs them before it waits again; each is reported. Where a function begins, nothing is known, so such a call first waits
// for that. Not at -O0, unless asked for.
// RUN: %kesco-host -O1 -S -emit-llvm %s -o %t.ll -fplugin-arg-kesco-report=%t.json -Rpass=kesco 2>%t.err
// RUN: FileCheck %s --input-file=%t.json
// RUN: FileCheck %s --input-file=%t.err --check-prefix=REMARK --implicit-check-not="is left out" --implicit-check-not="' moves"
// RUN: %kesco-host -O0 -S -emit-llvm %s -o /dev/null -Rpass=kesco 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: %kesco-host -O2 -fplugin-arg-kesco-sync-elision=off -S -emit-llvm %s -o /dev/null -Rpass=kesco 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: %kesco-host -O0 -fplugin-arg-kesco-sync-elision=on -S -emit-llvm %s -o /dev/null -Rpass=kesco 2>&1 | FileCheck %s --check-prefix=REMARK --implicit-check-not="is left out" --implicit-check-not="' moves"
// NONE-NOT: {{is left out|' moves}}
// RUN: FileCheck %s --input-file=%t.ll --check-prefix=IR

#include <cstdio>
#include <ctime>

__attribute__((kesco_outputs(1))) __global__ void set(char *out) { *out = 1; }

// CHECK-LABEL: "name": "between()", "lanes": 2,
// CHECK: "barriers": []
// REMARK: sync_elision.cu:[[#@LINE+12]]:5: remark: call to 'cudaDeviceSynchronize' moves before the op in line [[#@LINE+11]]: the host does nothing that needs it before it waits again; -fplugin-arg-kesco-sync-elision=off keeps it
// IR-LABEL: define {{.*}}@_Z7betweenv(
// IR: [[ERROR:%.*]] = call {{.*}}@cudaDeviceSynchronize()
// IR-NEXT: call void @__kesco1_enter_behind(ptr null, ptr {{.*}}, i32 [[ERROR]])
// IR: device_stub__set
// IR-NOT: @cudaDeviceSynchronize
// IR: device_stub__set
// IR: call {{.*}}@cudaDeviceSynchronize()
void between() {
    char *a, *b;
    cudaMalloc(&a, 64), cudaMalloc(&b, 64);
    set<<<1, 1>>>(a);
    cudaDeviceSynchronize();
    set<<<1, 1>>>(b);
    cudaDeviceSynchronize();
}

// A wait for the default stream; a synchronous copy waits for as much, but for one of no bytes.
// REMARK: sync_elision.cu:[[#@LINE+5]]:5: remark: call to 'cudaStreamSynchronize' moves before the op in line [[#@LINE+4]]
void stream(char *host) {
    char *a, *b;
    cudaMalloc(&a, 64), cudaMalloc(&b, 64);
    set<<<1, 1>>>(a);
    cudaStreamSynchronize(0);
    set<<<1, 1>>>(b);
    cudaMemcpy(host, a, 64, cudaMemcpyDeviceToHost);
}

// In a loop, with a wait behind it.
// REMARK: sync_elision.cu:[[#@LINE+7]]:9: remark: call to 'cudaDeviceSynchronize' moves before the op in line [[#@LINE+5]]: the host
void loop(int n) {
    char *a, *b;
    cudaMalloc(&a, 64), cudaMalloc(&b, 64);
    for (int i = 0; i < n; i++) {
        set<<<1, 1>>>(a);
        set<<<1, 1>>>(b);
        cudaDeviceSynchronize();
    }
    cudaDeviceSynchronize();
}

// With none: the wait moves behind the loop, and out of the loops around, as far as nothing observes it there.
// REMARK: sync_elision.cu:[[#@LINE+15]]:13: remark: call to 'cudaDeviceSynchronize' moves before the op in line [[#@LINE+13]] and to where the loop ends: the host does nothing that needs it before; -fplugin-arg-kesco-sync-elision=off keeps it
// IR-LABEL: define {{.*}}@_Z7sinkingi(
// IR: phi i1 [ true, {{.*}} ], [ false, {{.*}} ]
// IR: call {{.*}}@cudaDeviceSynchronize()
// IR: br i1
// IR: call {{.*}}@cudaDeviceSynchronize()
// IR-NOT: call {{.*}}@cudaDeviceSynchronize
// IR-LABEL: define {{.*}}@_Z4exitii(
void sinking(int n) {
    char *a, *b;
    cudaMalloc(&a, 64), cudaMalloc(&b, 64);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            set<<<1, 1>>>(a);
            set<<<1, 1>>>(b);
            cudaDeviceSynchronize();
        }
}

// Every way out of the loop has one. What is returned is a number, or a bit that becomes one.
// REMARK: sync_elision.cu:[[#@LINE+13]]:9: remark: call to 'cudaDeviceSynchronize' moves before the op in line [[#@LINE+11]] and to where the loop ends
// IR: phi i1 [ true, {{.*}} ], [ false, {{.*}} ]
// IR: call {{.*}}@cudaDeviceSynchronize()
// IR: phi {{i32 .*\[ 1, |i1 \[ %}}
// IR-NEXT: call {{.*}}@cudaDeviceSynchronize()
// IR-NOT: call {{.*}}@cudaDeviceSynchronize
// IR-LABEL: define {{.*}}@_Z7perhapsib(
int exit(int n, int last) {
    char *a, *b;
    cudaMalloc(&a, 64), cudaMalloc(&b, 64);
    for (int i = 0; i < n; i++) {
        set<<<1, 1>>>(a);
        set<<<1, 1>>>(b);
        cudaDeviceSynchronize();
        if (i == last)
            return 1;
    }
    return 0;
}

// Where control did not come by it, nothing is waited for; the first time that it does, it waits there, and owes nothing.
// REMARK: sync_elision.cu:[[#@LINE+18]]:13: remark: call to 'cudaDeviceSynchronize' moves to where the loop ends once it has waited here for what came before: the host
// IR: br i1
// IR: br i1 [[OWED:%[0-9]+]], label
// IR: call {{.*}}@cudaDeviceSynchronize()
// IR: phi i1 [ false, {{.*}} ], [ [[OWED]], {{.*}} ]
// IR: [[UNSEEN:%.*]] = phi i1 [ true, {{.*}} ], [ [[STILL:%.*]], {{.*}} ]
// IR: xor i1 [[UNSEEN]], true
// IR: br i1 [[UNSEEN]], label
// IR: call {{.*}}@cudaDeviceSynchronize()
// IR: [[STILL]] = phi i1 [ false, {{.*}} ], [ false, {{.*}} ], [ [[UNSEEN]], {{.*}} ]
// IR-NOT: call {{.*}}@cudaDeviceSynchronize
// IR-LABEL: define {{.*}}@_Z5knownv(
void perhaps(int n, bool wait) {
    char *a, *b;
    cudaMalloc(&a, 64), cudaMalloc(&b, 64);
    for (int i = 0; i < n; i++) {
        set<<<1, 1>>>(a);
        if (wait)
            cudaDeviceSynchronize();
        set<<<1, 1>>>(b);
    }
}

// Behind a wait that stays, all is known: of two more, one goes.
// REMARK: sync_elision.cu:[[#@LINE+6]]:5: remark: call to 'cudaDeviceSynchronize' is left out: the host does nothing that needs it before it waits again;
bool known() {
    char *a, *b;
    cudaMalloc(&a, 64), cudaMalloc(&b, 64);
    bool right = cudaDeviceSynchronize() == cudaSuccess;
    set<<<1, 1>>>(a);
    cudaDeviceSynchronize();
    set<<<1, 1>>>(b);
    cudaDeviceSynchronize();
    return right;
}

// An argument that is no constant before the copy has been simplified: where the call waits instead, it has the value.
// REMARK: sync_elision.cu:[[#@LINE+8]]:9: remark: call to 'cudaStreamSynchronize' moves before the op in line [[#@LINE+6]] and to where the loop ends
void variable_argument(int n) {
    char *a, *b;
    cudaMalloc(&a, 64), cudaMalloc(&b, 64);
    for (int i = 0; i < n; i++) {
        cudaStream_t stream = cudaStreamLegacy;
        set<<<1, 1>>>(a);
        set<<<1, 1>>>(b);
        cudaStreamSynchronize(stream);
    }
}

// From here on, nothing is left out.

// The host looks at what each pass did.
int in_loop(int n, int *shared) {
    char *a, *b;
    int sum = 0;
    cudaMalloc(&a, 64), cudaMalloc(&b, 64);
    for (int i = 0; i < n; i++) {
        set<<<1, 1>>>(a);
        set<<<1, 1>>>(b);
        cudaDeviceSynchronize();
        sum += *shared;
    }
    return sum;
}

// The function's caller may look at what was done.
void last() {
    char *a, *b;
    cudaMalloc(&a, 64), cudaMalloc(&b, 64);
    set<<<1, 1>>>(a);
    set<<<1, 1>>>(b);
    cudaDeviceSynchronize();
    set<<<1, 1>>>(a);
    set<<<1, 1>>>(b);
}

// The result is used.
bool checked() {
    char *a, *b;
    cudaMalloc(&a, 64), cudaMalloc(&b, 64);
    set<<<1, 1>>>(a);
    bool right = cudaDeviceSynchronize() == cudaSuccess;
    set<<<1, 1>>>(b);
    cudaDeviceSynchronize();
    return right;
}

// A check for errors, a timer, an event and output tell whether work is done.
void observed(cudaEvent_t event) {
    char *a, *b;
    cudaMalloc(&a, 64), cudaMalloc(&b, 64);
    set<<<1, 1>>>(a);
    cudaDeviceSynchronize();
    cudaGetLastError();
    set<<<1, 1>>>(b);
    cudaDeviceSynchronize();
    clock_t now = clock();
    set<<<1, 1>>>(a);
    cudaDeviceSynchronize();
    cudaEventRecord(event);
    set<<<1, 1>>>(b);
    cudaDeviceSynchronize();
    printf("%ld\n", (long)now);
    set<<<1, 1>>>(a);
    cudaDeviceSynchronize();
}

// The host reads and writes memory that ops may be at work on.
int touched(int *shared) {
    char *a, *b;
    cudaMalloc(&a, 64), cudaMalloc(&b, 64);
    set<<<1, 1>>>(a);
    cudaDeviceSynchronize();
    int value = *shared;
    set<<<1, 1>>>(b);
    cudaDeviceSynchronize();
    *shared = 1;
    set<<<1, 1>>>(a);
    cudaDeviceSynchronize();
    return value;
}

// What waits next waits for less: non-blocking streams have no part in it.
void less(char *host) {
    char *a, *b;
    cudaMalloc(&a, 64), cudaMalloc(&b, 64);
    set<<<1, 1>>>(a);
    cudaDeviceSynchronize();
    set<<<1, 1>>>(b);
    cudaStreamSynchronize(0);
}

// Another stream's wait.
void other(cudaStream_t own) {
    char *a, *b;
    cudaMalloc(&a, 64), cudaMalloc(&b, 64);
    set<<<1, 1>>>(a);
    cudaStreamSynchronize(own);
    set<<<1, 1>>>(b);
    cudaDeviceSynchronize();
}

// A copy of no bytes waits for nothing.
void perhaps_nothing(char *host, size_t n) {
    char *a, *b;
    cudaMalloc(&a, 64), cudaMalloc(&b, 64);
    set<<<1, 1>>>(a);
    set<<<1, 1>>>(b);
    cudaStreamSynchronize(0);
    cudaMemcpy(a, host, n, cudaMemcpyHostToDevice);
}
void perhaps_no_rows(char *host, size_t n) {
    char *a, *b;
    cudaMalloc(&a, 64), cudaMalloc(&b, 64);
    set<<<1, 1>>>(a);
    set<<<1, 1>>>(b);
    cudaStreamSynchronize(0);
    cudaMemcpy2D(a, 4, host, 4, 4, n, cudaMemcpyHostToDevice);
}

// Copies within the host, by kind or by what the pointers turn out to be.
void within_the_host(char *host, char *other, cudaMemcpyKind kind) {
    char *a, *b;
    cudaMalloc(&a, 64), cudaMalloc(&b, 64);
    set<<<1, 1>>>(a);
    set<<<1, 1>>>(b);
    cudaDeviceSynchronize();
    cudaMemcpy(host, other, 64, cudaMemcpyHostToHost);
    set<<<1, 1>>>(a);
    set<<<1, 1>>>(b);
    cudaDeviceSynchronize();
    cudaMemcpy(host, other, 64, cudaMemcpyDefault);
    set<<<1, 1>>>(a);
    set<<<1, 1>>>(b);
    cudaDeviceSynchronize();
    cudaMemcpy(host, other, 64, kind);
    cudaDeviceSynchronize();
}

// Asynchronous copies to and from the function's own memory.
int own_memory() {
    int *a, *b, one[2], two[2] = {1, 2};
    cudaMalloc(&a, 64), cudaMalloc(&b, 64);
    set<<<1, 1>>>((char *)a);
    set<<<1, 1>>>((char *)b);
    cudaMemcpyAsync(one, a, sizeof one, cudaMemcpyDeviceToHost);
    cudaDeviceSynchronize();
    int sum = one[0] + one[1];
    set<<<1, 1>>>((char *)a);
    set<<<1, 1>>>((char *)b);
    cudaMemcpyAsync(a, two, sizeof two, cudaMemcpyHostToDevice);
    cudaDeviceSynchronize();
    two[1] = sum;
    set<<<1, 1>>>((char *)b);
    cudaDeviceSynchronize();
    return sum;
}

// What one stream has may be there for another one's ops only behind the call.
void streams(cudaStream_t own) {
    char *a, *b, *c, *d;
    cudaMalloc(&a, 64), cudaMalloc(&b, 64), cudaMalloc(&c, 64), cudaMalloc(&d, 64);
    set<<<1, 1, 0, own>>>(a);
    set<<<1, 1, 0, own>>>(b);
    cudaDeviceSynchronize();
    set<<<1, 1>>>(c);
    set<<<1, 1>>>(d);
    cudaDeviceSynchronize();
}

// A stream that may be another one in each pass.
void turns(cudaStream_t even, cudaStream_t odd, int passes) {
    char *a, *b;
    cudaMalloc(&a, 64), cudaMalloc(&b, 64);
    for (cudaStream_t now = even; passes-- > 0; now = passes & 1 ? even : odd) {
        set<<<1, 1, 0, now>>>(a);
        set<<<1, 1, 0, now>>>(b);
        cudaDeviceSynchronize();
    }
}

// All on one stream of the program's own.
// REMARK: sync_elision.cu:[[#@LINE+5]]:5: remark: call to 'cudaDeviceSynchronize' moves before the op in line [[#@LINE+4]]
void one_stream(cudaStream_t own) {
    char *a, *b;
    cudaMalloc(&a, 64), cudaMalloc(&b, 64);
    set<<<1, 1, 0, own>>>(a);
    cudaDeviceSynchronize();
    set<<<1, 1, 0, own>>>(b);
    cudaDeviceSynchronize();
}
