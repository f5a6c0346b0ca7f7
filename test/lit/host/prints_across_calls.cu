// What the C++ library's headers have to inline of output is the library's: a check that prints before it throws stops no
// region that goes through calls.
// RUN: for o in 0 1 2; do \
// RUN:   %kesco-host -fplugin-arg-kesco-across-calls=on -O$o -c %s -o /dev/null -fplugin-arg-kesco-show=ir 2>&1 | FileCheck %s || exit 1; \
// RUN: done

#include <iostream>
#include <stdexcept>

void outside(float *data);
void unseen();

inline void check(const char *what) {
    const cudaError_t error = cudaGetLastError();
    if (error != cudaSuccess) {
        std::cerr << error << ": " << what << std::endl;
        throw std::runtime_error(what);
    }
}

// CHECK-LABEL: define {{.*}}@_Z5layerPf(
// CHECK: call void @kesco.lend(
// CHECK-NOT: call void @kesco.
// CHECK: {{call|invoke}} void @_Z5checkPKc(
// CHECK-NOT: call void @kesco.close(
// CHECK: call void @kesco.lend(
void layer(float *data) {
    outside(data);
    check("layer");
    outside(data);
    check("layer");
}

inline void report(const char *what) {
    std::cerr << what << std::endl;
    unseen();
}

// A function that nobody sees stops it as ever.
// CHECK-LABEL: define {{.*}}@_Z8reportedPf(
// CHECK: call void @kesco.lend(
// CHECK: call void @kesco.close(
// CHECK: {{call|invoke}} void @_Z6reportPKc(
void reported(float *data) {
    outside(data);
    report("layer");
    outside(data);
}
