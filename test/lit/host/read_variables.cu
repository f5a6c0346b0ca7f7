// Device variables that no kernel writes: no pointer leads to them, unless the code gives their address away, or the host asks for
// it, or other units may do so.
// RUN: for how in -O0 -O2 "-O0 -DCOPIES" "-O2 -DCOPIES" "-O0 -DCOPIES_LATER"; do \
// RUN:   %vgpu-kesco $how -Rpass-missed=kesco -c %s -o %t.o 2>&1 | FileCheck %s --allow-empty || { echo $how; exit 1; }; \
// RUN: done
// RUN: for how in -DASKS -DWRITES -DGIVES -DSTORES -DPOINTS -DATOMIC -fgpu-rdc; do \
// RUN:   %vgpu-kesco -O2 $how -Rpass-missed=kesco -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=MAYBE || { echo $how; exit 1; }; \
// RUN: done
// CHECK-NOT: may be device variable
// MAYBE: kernel 'scale' keeps its order to all others: the allocation behind argument 'a' is unknown, and may be device variable 'table'

__device__ float table[4] = {1, 2, 3, 4};
__device__ float *place;

__global__ void scale(float *x) {
    x[threadIdx.x] *= table[threadIdx.x & 3];
}
__global__ void add(float *x) {
    x[threadIdx.x] += 1;
}

#ifdef WRITES
__global__ void other() { table[1] = 2; }
#elif defined GIVES
__global__ void other(float **to) { *to = table; }
#elif defined STORES
__global__ void other() { place = table + 1; }
#elif defined POINTS
__device__ float *const where[] = {table};
__global__ void other(int i) { *where[i] = 1; }
#elif defined ATOMIC
__global__ void other() { atomicAdd(table, 1.0f); }
#elif defined ASKS
float *ask() {
    void *address;
    cudaGetSymbolAddress(&address, table);
    return static_cast<float *>(address);
}
#elif defined COPIES_LATER
void put(const float *values, cudaStream_t stream) {
    cudaMemcpyToSymbolAsync(table, values, 16, 0, cudaMemcpyHostToDevice, stream);
}
void get(float *values) {
    cudaMemcpyFromSymbol(values, table, 16);
}
#elif defined COPIES
void put(const float *values) {
    cudaMemcpyToSymbol(table, values, 16);
}
#endif

void run(float *a, float *b) {
    for (int i = 0; i < 4; i++) {
        scale<<<1, 64>>>(a);
        add<<<1, 64>>>(b);
    }
}
