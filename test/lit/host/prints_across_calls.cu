// What the C++ library's headers have to inline of output is the library's: a check that prints before it throws stops no
// region that goes through calls. One that calls what nobody sees does, and the program can say so.
// RUN: for o in 0 1 2; do \
// RUN:   %kesco-host -fplugin-arg-kesco-across-calls=on -O$o -S -emit-llvm %s -o - | \
// RUN:     FileCheck %s --implicit-check-not="'check(" || exit 1; \
// RUN: done
// CHECK: call to function 'report(char const*)' in reported(float*)

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

void reported(float *data) {
    outside(data);
    report("layer");
    outside(data);
}
