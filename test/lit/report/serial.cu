// Why launches run one after another stands in the report and on the page where no barrier says it, also of functions whose
// launches are no ops, which have no picture; and what no barrier hinders is no gain.
// RUN: rm -rf %t && mkdir %t && cd %t && cp %s serial.cu
// RUN: %kesco-host -O1 -c serial.cu -o serial.o -fplugin-arg-kesco-report=serial.json -fplugin-arg-kesco-dot=serial.dot
// RUN: %check-report serial.json && FileCheck serial.cu --input-file=serial.json
// RUN: kesco-report serial.json -o page.html && FileCheck serial.cu --input-file=page.html --check-prefix=PAGE
// RUN: not grep 'to gain</span>' page.html
// RUN: not grep -e '1 op one after another' page.html && grep -c 'as few as the dependences allow' page.html | grep -x 1
// RUN: grep '<span class="chip">1 op</span><span class="chip">placed by the run</span>' page.html
// RUN: grep two_lanes serial.dot && not grep by_pointer serial.dot

#include <kesco.h>

KESCO_OUTPUTS(1) __global__ void make(float *out) { *out = 1; }
__global__ void unknown(float *out);

// CHECK-LABEL: "two_lanes(float*, float*)", "lanes": 2
// CHECK-NOT: "serial":
void two_lanes(float *__restrict__ a, float *__restrict__ b) {
    make<<<1, 1>>>(a);
    make<<<1, 1>>>(b);
}

// CHECK-LABEL: "same(float*)"
// CHECK: "serial": {"line": [[# @LINE + 3]], "why": "'make' comes behind 'make' (line [[# @LINE + 2]]): WAW on 'a'"}
void same(float *a) {
    make<<<1, 1>>>(a);
    make<<<1, 1>>>(a);
}

// CHECK-LABEL: "doubtful(float*, float*)"
// CHECK: "serial": {"line": [[# @LINE + 3]], "why": "kernel 'unknown' keeps its order to others: what the kernel writes is unknown: {{.*}}kesco_outputs"}
void doubtful(float *__restrict__ a, float *__restrict__ b) {
    make<<<1, 1>>>(a);
    unknown<<<1, 1>>>(b);
}

// CHECK-LABEL: "exclusive(float*, float*, bool)"
// CHECK: "serial": {"line": [[# @LINE + 3]], "why": "no way leads from one of these launches to another, so that none can overlap in one call"}
void exclusive(float *__restrict__ a, float *__restrict__ b, bool first) {
    if (first)
        make<<<1, 1>>>(a);
    else
        make<<<1, 1>>>(b);
}

// CHECK-LABEL: "by_pointer(void (*)(float*), float*, float*)", "lanes": 0
// CHECK: "serial": {"line": [[# @LINE + 6]], "why": "this launch stays serial: it is made by a pointer to its kernel; name
// PAGE: by_pointer(
// PAGE: <h3>Why it is serial</h3>
// PAGE-NEXT: <ul class="reasons">
// PAGE-NEXT: <li><a href="serial.cu#L[[# @LINE + 2]]">serial.cu:[[# @LINE + 2]]</a> this launch stays serial: it is made by a pointer to its kernel{{.*}}<code>kernel&lt;&lt;&lt;1, 1&gt;&gt;&gt;(a);</code></li>
void by_pointer(void (*kernel)(float *), float *a, float *b) {
    kernel<<<1, 1>>>(a);
    kernel<<<1, 1>>>(b);
}

// The run finds its lanes.
void placed(float **all, const int *which, int n) {
    for (int i = 0; i < n; i++)
        make<<<1, 1>>>(all[which[i]]);
}
