// Regions at run time: KESCO_STATS=1 tells what each of them did, over all host threads, and KESCO_ONLY leaves those of
// other functions serial. Results stay, in every order.
// RUN: rm -rf %t && mkdir %t && cp %s %t/app.cu && cd %t
// RUN: %vgpu-kesco -O1 app.cu -o app -fplugin-arg-kesco-report=app.json
// RUN: KESCO_STATS=1 VGPU_CHECK=races ./app 2>log && FileCheck app.cu --input-file=log --match-full-lines --strict-whitespace
// RUN: FileCheck app.cu --input-file=app.json --check-prefix=REPORT
// RUN: for only in 'void ns::step' 'void ns::step<int>(int*, int*, int*, CUstream_st*)' 'run,void ns::step'; do \
// RUN:   for seed in 0 1 2 3 4 5; do \
// RUN:     KESCO_ONLY="$only" KESCO_STATS=1 VGPU_SEED=$seed VGPU_CHECK=races ./app 2>log || exit 1; \
// RUN:     FileCheck app.cu --input-file=log --check-prefix=ONLY || exit 1; \
// RUN:   done; \
// RUN: done
// RUN: grep -c "names 'run', but no region of such a function was entered" log

// With one thread after the other, what overlaps is what was named.
// RUN: KESCO_ONLY='run,pair,step(int)' KESCO_LOG=1 ./app 2>log && FileCheck app.cu --input-file=log --check-prefix=LOG
// RUN: KESCO_ONLY=none ./app 2>one && cat one | count 1 && grep "KESCO_ONLY names 'none', .* the nearest name is '" one
// RUN: KESCO_ONLY=none VGPU_STATS=none.json ./app && grep '"streams": 2,' none.json
// RUN: VGPU_STATS=all.json ./app && not grep '"streams": 2,' all.json

// A process that ends by _exit tells nothing; one without regions neither.
// RUN: KESCO_STATS=1 KESCO_LOG=0 ./app _exit 2>&1 | count 0
// RUN: KESCO_STATS=1 KESCO_ONLY=none ./app no-regions 2>&1 | count 0

// Bad values.
// RUN: KESCO_STATS=yes KESCO_ONLY='step,' ./app 2>&1 | FileCheck app.cu --check-prefix=BAD
// BAD: kesco: KESCO_STATS='yes' is ignored: allowed are 0, 1 and all
// BAD-NEXT: kesco: KESCO_ONLY='step,' is ignored: allowed are names of functions, separated by commas
// BAD-NOT: kesco:

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { ROUNDS = 10 };

template <class T> __global__ void add(T *to, T by) { *to += by; }
__global__ void sum(int *to, const int *a, const int *b) { *to = *a + *b; }

//      CHECK:kesco: regions of process {{[0-9]+}}
// CHECK-NEXT:kesco:    entries         ops   lanes   guards   serial  region
// CHECK-NEXT:kesco:          1           1    1/16        0        0  main, app.cu:[[# @LINE + 53]]
// CHECK-NEXT:kesco:                                                     1 op placed, 0 behind others in flight
// CHECK-NEXT:kesco:                                                     1 ended before {{.*}}
// CHECK-NEXT:kesco:          1           1    1/16        0        0  main, app.cu:[[# @LINE + 61]]
// CHECK-NEXT:kesco:                                                     1 op placed, 0 behind others in flight
// CHECK-NEXT:kesco:                                                     1 ended before {{.*}}
// CHECK-NEXT:kesco:          2           4     2/2        1        1  pair(int*, int*), app.cu:[[# @LINE + 23]]
// CHECK-NEXT:kesco:                                                     1 serial: two pointers may share an allocation
// CHECK-NEXT:kesco:         20          60     2/2        0        0  void ns::step<int>(int*, int*, int*, CUstream_st*), app.cu:[[# @LINE + 12]]
// CHECK-NEXT:kesco:         24          66                1        1  all
//      ONLY: 2 4 2/2 0 2 pair(int*, int*), app.cu:[[# @LINE + 19]]
// ONLY-NEXT: 2 serial: KESCO_ONLY does not name the function
// ONLY-NEXT: 20 60 2/2 0 0 void ns::step<int>(int*, int*, int*, CUstream_st*), app.cu:[[# @LINE + 8]]
//  LOG-DAG: kesco: region of 2 lanes runs serially: KESCO_ONLY does not name the function (void ns::step<int>(int*, int*, int*, CUstream_st*), app.cu:[[# @LINE + 7]])
//  LOG-DAG: kesco: region begins: 2 lanes, 0 events (pair(int*, int*), app.cu:[[# @LINE + 15]])
//  LOG-DAG: kesco: an op comes behind all of a region so far, and the rest behind it: two pointers may share an allocation (pair(int*, int*), app.cu:[[# @LINE + 14]])
//      LOG: kesco: KESCO_ONLY names 'run', but no region of such a function was entered
// LOG-NEXT: kesco: KESCO_ONLY names 'step(int)', but no region of such a function was entered
namespace ns {
template <class T> void step(T *__restrict__ a, T *__restrict__ b, T *__restrict__ c, cudaStream_t stream) {
    add<<<1, 1, 0, stream>>>(a, 1);
    add<<<1, 1, 0, stream>>>(b, 2);
    sum<<<1, 1, 0, stream>>>(c, a, b);
}
} // namespace ns

// REPORT-DAG: "name": "void ns::step<int>(int*, int*, int*, CUstream_st*)"
// REPORT-DAG: "name": "pair(int*, int*)"
void pair(int *a, int *b) {
    add<<<1, 1>>>(a, 1);
    add<<<1, 1>>>(b, 2);
}

static void (*volatile unseen)(int *, int *) = pair;
static void (*volatile unseen_step)(int *, int *, int *, cudaStream_t) = ns::step<int>;
static int *cells;

static void *run(void *first) {
    int *mine = (int *)first;
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    for (int i = 0; i < ROUNDS; i++)
        unseen_step(mine, mine + 16, mine + 32, stream);
    cudaStreamSynchronize(stream);
    return NULL;
}

int main(int argc, char **argv) {
    int result[128];
    pthread_t thread[2];
    cudaMalloc(&cells, sizeof result);
    if (argc > 1 && strcmp(argv[1], "no-regions") == 0)
        return 0;
    cudaMemset(cells, 0, sizeof result);
    cudaDeviceSynchronize();
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, run, cells + 64 * i);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    int *other;
    cudaMalloc(&other, sizeof *other);
    cudaMemset(other, 0, sizeof *other);
    unseen(cells, other);
    unseen(cells, cells);
    cudaMemcpy(result, cells, sizeof result, cudaMemcpyDeviceToHost);
    if (argc > 1 && strcmp(argv[1], "_exit") == 0)
        _exit(0);
    return result[0] == ROUNDS + 4 && result[64] == ROUNDS && result[32] == 3 * ROUNDS && result[96] == 3 * ROUNDS ? 0 : 1;
}
// CHECK-NEXT:kesco: not counted: ops outside of these regions, as launches that stay as they are, and copies alone; KESCO_STATS=all counts them
