// By PTX, too, a format is known: what is printed as a number is not followed as a pointer.
// RUN: sh %S/Inputs/stage.sh %build %include %t
// RUN: %t/bin/kesco-nvcc -arch=sm_90 -fplugin-arg-kesco-show=summaries -c %s -o %t/out.o 2>&1 | FileCheck %s
// RUN: %t/bin/kesco-nvcc -arch=sm_90 -rdc=true -fplugin-arg-kesco-show=summaries -c %s -o %t/out.o 2>&1 | FileCheck %s
#include <cstdio>

__device__ int counter;
__device__ char $string[8] = {'%', 'd', 0};

// CHECK: numbers ({{.*}}): reads a[0 .. 4 bytes), variable counter; prints; about
__global__ void numbers(const int *a) { printf("%d of %d\n", a[0], counter); }

// CHECK: text ({{.*}}): reads a; prints; about
__global__ void text(const char *a) { printf("%s, %s\n", a, __FILE__); }

// CHECK: followed ({{.*}}): reads a[0 .. 8 bytes); prints; reads memory that no argument names
__global__ void followed(const char *const *a) { printf("%s\n", a[0]); }

// A variable of the program's may have another text by then.
// CHECK: changed ({{.*}}): reads a[0 .. 8 bytes), variable $string; prints; reads memory that no argument names
__global__ void changed(const long *a) { printf($string, a[0]); }

void run(int *a) {
    numbers<<<1, 1>>>(a);
    text<<<1, 1>>>((const char *)a);
    followed<<<1, 1>>>((const char *const *)a);
    changed<<<1, 1>>>((const long *)a);
}
