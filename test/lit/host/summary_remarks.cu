// -Rpass-analysis=kesco gives each kernel's summary, in words.
// RUN: python3 %S/Inputs/image.py %s %t.img
// RUN: %kesco-host -std=c++17 -O0 -c %s -o /dev/null -Xclang -fcuda-include-gpubinary -Xclang %t.img \
// RUN:   -Rpass-analysis=kesco 2>&1 | FileCheck %s --implicit-check-not=remark:
// RUN: %kesco-host -std=c++17 -O0 -c %s -o /dev/null -Xclang -fcuda-include-gpubinary -Xclang %t.img \
// RUN:   -fsave-optimization-record -foptimization-record-file=%t.yaml
// RUN: FileCheck %s --input-file=%t.yaml --check-prefix=RECORD

struct Inner {
    float *data[2];
};
struct View {
    long n;
    Inner inner;
};

// CHECK: summary_remarks.cu:[[#@LINE+2]]:{{[0-9]+}}: remark: kernel 'nothing': touches no memory [-Rpass-analysis=kesco]
// SUMMARY: K _Z7nothingPf
__global__ void nothing(float *a) {}
// CHECK: summary_remarks.cu:[[#@LINE+15]]:{{[0-9]+}}: remark: kernel 'all<(lambda)>': reads b, v.inner.data[1], parameter 4, f.a, variable deep::level, variable table; writes a, b, variable counter; prints; uses the device heap; may trap; may wait for other blocks; reads memory that no argument names: a pointer is loaded (line some.h:3); runs code that is not seen: calls 'f' [-Rpass-analysis=kesco]
// SUMMARY: K _Z3allIZ6launchPfEUlvE_EvS0_S0_4ViewS0_T_
// SUMMARY: P 0 0 w
// SUMMARY: P 1 0 rw
// SUMMARY: P 2 16 r
// SUMMARY: P 3 0 r
// SUMMARY: P 4 0 r
// SUMMARY: V counter w
// SUMMARY: V _ZN4deep5levelE r
// SUMMARY: C table r
// SUMMARY: F phtw
// SUMMARY: A r some.h:3 a pointer is loaded
// SUMMARY: U - calls 'f'
template <class F>
// Here is its name.
__global__ void all(float *a, float *b, View v, float *, F f) {}
// CHECK: summary_remarks.cu:[[#@LINE+3]]:{{[0-9]+}}: remark: kernel 'writer<int, 3>': reads and writes memory that no argument names: it does (line 9) [-Rpass-analysis=kesco]
// SUMMARY: K _Z6writerIiLi3EEvPT_
// SUMMARY: A rw 9 it does
template <class T, int N> __global__ void writer(T *a) {}

void launch(float *a) {
    all<<<1, 1>>>(a, a, View{}, a, [=] __device__() { *a = 1; });
    writer<int, 3><<<1, 1>>>(nullptr);
    nothing<<<1, 1>>>(a);
    nothing<<<1, 1>>>(a);
}

// RECORD: --- !Analysis
// RECORD-NEXT: Pass: kesco
// RECORD-NEXT: Name: Summary
// RECORD: --- !Missed
// RECORD-NEXT: Pass: kesco
