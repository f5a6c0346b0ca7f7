// Waits of a class of another file, whose launches join its caller's region: what works on managed memory is not put off past the
// end of the function, as its caller, or what that calls next, may look at any of it.
// RUN: rm -rf %t && mkdir %t
// RUN: for o in 0 2; do \
// RUN:   %vgpu -O$o %s -Dis_main -c -o %t/m0.o && %vgpu -O$o %s -c -o %t/w0.o && %vgpu %t/m0.o %t/w0.o -o %t/serial || exit 1; \
// RUN:   %vgpu-kesco -O$o %s -Dis_main -c -o %t/m1.o && %vgpu-kesco -O$o %s -c -o %t/w1.o && %vgpu-kesco %t/m1.o %t/w1.o -o %t/kesco || exit 1; \
// RUN:   for mode in auto turns graph lanes; do for passes in 1 3 20; do KESCO_MODE=$mode sh %compare 4 %t/serial %t/kesco $passes || exit 1; done; done; done

#include <cstdio>
#include <cstdlib>

enum { COUNT = 32 };

struct Worker {
    int *first, *second, *third;
    unsigned rounds, known;
    Worker();
    virtual ~Worker();
    virtual cudaError_t execute(unsigned round);
    virtual long check();
};
long look(const int *at, unsigned index);

#ifdef is_main
int main(int argc, char **argv) {
    Worker own, *worker = argc > 9 ? new Worker : &own;
    long sum = 0;
    for (int i = 0; i < atoi(argv[1]); i++) {
        if (worker->execute(i) != cudaSuccess)
            return 3;
        sum = sum * 3 + worker->check();
    }
    return printf("%d %ld\n", argc, sum) < 0;
}
#else
__global__ void fill(int *to, unsigned by) {
    to[threadIdx.x] = by + threadIdx.x;
}
__global__ void add(int *to, const int *from, unsigned by) {
    to[threadIdx.x] = to[threadIdx.x] * 3 + from[threadIdx.x] + by;
}

Worker::Worker() : rounds(0), known(1) {
    for (int **each : {&first, &second, &third}) {
        cudaMallocManaged(each, COUNT * sizeof(int));
        fill<<<1, COUNT>>>(*each, 1);
    }
    cudaDeviceSynchronize();
}
Worker::~Worker() {
    cudaFree(first);
}

cudaError_t Worker::execute(unsigned round) {
    rounds += round;
    fill<<<1, COUNT>>>(first, rounds);
    cudaDeviceSynchronize();
    add<<<1, COUNT>>>(second, first, known);
    cudaDeviceSynchronize();
    if (known > 3) {
        add<<<1, COUNT>>>(first, second, 23);
        cudaDeviceSynchronize();
    }
    for (unsigned i = 0; i < known % 4; i++) {
        add<<<1, COUNT>>>(first, second, i + round);
        cudaDeviceSynchronize();
    }
    return cudaSuccess;
}

long Worker::check() {
    return look(second, 0) + first[known] * 5 + third[7] + second[COUNT - 1];
}

long look(const int *at, unsigned index) {
    return at[index];
}
#endif
