// Functions that stay calls, since they call themselves, are no barriers where they have nothing to do with the device;
// where they are, the reason names what in them makes them so.
// RUN: %kesco-host -O1 -S -emit-llvm %s -o %t.ll -fplugin-arg-kesco-report=%t.json -Rpass-missed=kesco 2>%t.remarks
// RUN: FileCheck %s --input-file=%t.json
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t.remarks
// RUN: FileCheck %s --check-prefix=IR --input-file=%t.ll

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <ctime>
#include <vector>

__attribute__((kesco_outputs(1))) __global__ void make(float *out) { *out = 1; }

static float *allocate() {
    float *p;
    cudaMalloc(&p, 4);
    return p;
}
void unknown(int);

// CHECK-LABEL: "name": "computes(int)", "lanes": 2,
// CHECK: "barriers": []
static int factorial(int n) { return n > 1 ? n * factorial(n - 1) : 1; }
int computes(int n) {
    float *a = allocate(), *b = allocate();
    make<<<1, 1>>>(a);
    n = factorial(n);
    make<<<1, 1>>>(b);
    return n;
}

// CHECK-LABEL: "name": "sorts(std::vector<int{{.*}}", "lanes": 2,
// CHECK: "barriers": []
static void halve(std::vector<int> &v, size_t from, size_t to) {
    if (to - from < 2)
        return;
    halve(v, from, (from + to) / 2);
    halve(v, (from + to) / 2, to);
    v.push_back(std::max(v[from], v[to - 1]));
}
void sorts(std::vector<int> &v) {
    float *a = allocate(), *b = allocate();
    make<<<1, 1>>>(a);
    halve(v, 0, v.size());
    make<<<1, 1>>>(b);
}

// What it prints may come back into the program, which may close the region: it is opened again.
// IR-LABEL: define {{.*}}4says
// IR: call void @__kesco1_enter(
// IR: call {{.*}}4even
// IR-NOT: {{^}}}
// IR: call void @__kesco1_enter(
// Two that call each other, with a list of arguments of any length.
// CHECK-LABEL: "name": "says(int)", "lanes": 2,
// CHECK: "barriers": []
static void odd(int n);
static void say(const char *format, ...) {
    va_list list;
    va_start(list, format);
    vprintf(format, list);
    va_end(list);
}
static void even(int n) { n ? odd(n - 1) : say("%d\n", n); }
static void odd(int n) { n ? even(n - 1) : say("%d\n", n); }
void says(int n) {
    float *a = allocate(), *b = allocate();
    make<<<1, 1>>>(a);
    even(n);
    make<<<1, 1>>>(b);
}

// REMARK: :[[@LINE+4]]:5: remark: {{.*}}: call to function 'asks(int)', which calls unknown function 'unknown(int)' (line [[@LINE+1]]); if the program allows
static int asks(int n) { return n ? asks(n - 1) : (unknown(n), 0); }
void asking(float *a, float *b) {
    make<<<1, 1>>>(a);
    asks(3);
    make<<<1, 1>>>(b);
}

// REMARK: :[[@LINE+5]]:5: remark: {{.*}}: call to function 'int deep<{{[0-9]+}}>(int)', which by way of others calls unknown function 'unknown(int)' (line [[@LINE+2]]);
template <int N> static int deep(int n) { return deep<N - 1>(n + 1) * deep<N - 1>(n - 1); }
template <> int deep<0>(int n) { return unknown(n), n; }
void asking_by_others(float *a, float *b) {
    make<<<1, 1>>>(a);
    deep<13>(3);
    make<<<1, 1>>>(b);
}

// REMARK: {{.*}}: call to function 'through(int (*)(int), int)', which calls through a function pointer (line [[@LINE+4]]);
// REMARK: {{.*}}: volatile or atomic access to host memory;
// REMARK: {{.*}}: call to function 'checks(int)', which calls 'cudaGetLastError' (line [[@LINE+4]]);
// REMARK: {{.*}}: call to function 'launches(float*, int)', which calls itself and launches a kernel (line [[@LINE+4]]);
static int through(int (*f)(int), int n) { return n ? through(f, n - 1) : f(n); }
static int spins(volatile int *flag) { return *flag ? spins(flag) : 0; }
static int checks(int n) { return n ? checks(n - 1) : cudaGetLastError(); }
static void launches(float *p, int n) { n ? launches(p, n - 1) : make<<<1, 1>>>(p); }
void others(float *a, float *b, int (*f)(int), volatile int *flag) {
    make<<<1, 1>>>(a);
    through(f, 1);
    make<<<1, 1>>>(b);
    spins(flag);
    make<<<1, 1>>>(a);
    checks(1);
    make<<<1, 1>>>(b);
    launches(a, 1);
    make<<<1, 1>>>(b);
}

// The host waits before it reads a clock, wherever that is: the wait behind which it does so stays.
// REMARK: :[[@LINE+5]]:5: remark: {{.*}}: call to 'cudaDeviceSynchronize', behind which the host reads a clock in line [[@LINE+6]];
static long ticks(int n) { return n ? ticks(n - 1) : clock(); }
long times(float *a, float *b) {
    make<<<1, 1>>>(a);
    make<<<1, 1>>>(b);
    cudaDeviceSynchronize();
    long t = ticks(2);
    make<<<1, 1>>>(a);
    return t;
}

// Files that get their names before the error is told: the wait stays.
// REMARK: :[[@LINE+6]]:9: remark: {{.*}}: call to 'cudaDeviceSynchronize', whose error the program does not look for before the call in line [[@LINE+8]];
// REMARK: :[[@LINE+12]]:9: remark: {{.*}}: call to 'cudaDeviceSynchronize', whose error the program does not look for before the call in line [[@LINE+14]];
static void publish(int n) { n ? publish(n - 1) : (void)rename("a", "b"); }
static void stop(int n) { n ? stop(n - 1) : throw n; }
int renames(float *a, float *b) {
    make<<<1, 1>>>(a);
    if (cudaDeviceSynchronize() != cudaSuccess)
        return 1;
    publish(1);
    make<<<1, 1>>>(b);
    if (cudaDeviceSynchronize() != cudaSuccess)
        return 1;
    make<<<1, 1>>>(a);
    if (cudaDeviceSynchronize() != cudaSuccess)
        return 1;
    stop(1);
    make<<<1, 1>>>(b);
    return cudaDeviceSynchronize() != cudaSuccess;
}
