// RUN: %vgpu-clang++ -O0 %s -o %t.0
// RUN: %vgpu-clang++ -O2 %s -o %t.2
// RUN: env VGPU_CHECK=races sh -c 'for p in %t.0 %t.2; do $p private || exit 1; done'
// RUN: env VGPU_CHECK=races sh -c 'for p in %t.0 %t.2; do for k in load store struct copy atomic constant variable loop assembly call; do $p $k 2>/dev/null; test $? = 66 || { echo $p $k; exit 1; }; done; done'
// RUN: env VGPU_CHECK=races sh -c 'for p in %t.0 %t.2; do $p readers || exit 1; done'
// What the race check sees of a kernel: every access to global memory, by whatever instruction; nothing of shared
// memory, of local variables and of parameters, even through generic pointers.
#include "../../lit/Inputs/cache_functions.h"
#include "check.h"

struct block {
    int values[40];
};

__constant__ int weight;
__device__ int variable;
extern __shared__ int dynamic[];

__device__ __noinline__ int sum(const int *values, int n) {
    int total = 0;
    for (int i = 0; i < n; i++)
        total += values[i];
    return total;
}

__device__ __noinline__ void fill(int *values, int n, int value) {
    for (int i = 0; i < n; i++)
        values[i] = value;
}

/* Everything but the last line is the block's or the thread's own. */
__global__ void private_memory(struct block parameter, int *out) {
    __shared__ int shared[64];
    int local[16];
    int *pointers[] = {shared, local, dynamic, parameter.values};
    for (int k = 0; k < 4; k++)
        fill(pointers[k], 16, k);
    __syncthreads();
    atomicAdd(&shared[threadIdx.x], 1);
    struct block copy = parameter;
    copy.values[threadIdx.x] = sum(pointers[threadIdx.x % 4], 16);
    __syncthreads();
    out[threadIdx.x] = copy.values[threadIdx.x] + sum(copy.values, 3);
}

__global__ void load(const int *in, int *out) {
    *out = *in;
}
__global__ void store(int *out) {
    *out = 1;
}
__global__ void struct_copy(struct block *to, const struct block *from) {
    *to = *from;
}
__global__ void raw_copy(char *to, const char *from, int n) {
    memcpy(to, from, n);
}
__global__ void atomic(int *counter) {
    atomicAdd(counter, 1);
}
__global__ void read_constant(int *out) {
    *out = weight;
}
__global__ void write_variable(void) {
    variable = 1;
}
__global__ void loop(int *data, int n) {
    for (int i = 0; i < n; i++)
        data[i] += i;
}
__global__ void assembly(const int *in, int *out) {
    *out = __ldcg(in);
}
__global__ void call(int *data, int n) {
    fill(data, n, 3);
}

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "";
    cudaStream_t a, b;
    struct block *p = DEVICE_ZEROS(struct block, 2), *q = DEVICE_ZEROS(struct block, 2), parameter = {{0}};
    int *x = (int *)p, *y = (int *)q;
    static int host;
    CUDA(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
    CUDA(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
    CUDA(cudaDeviceSynchronize());
    if (strcmp(what, "private") == 0) {
        private_memory<<<2, 16, 256, a>>>(parameter, x);
        private_memory<<<2, 16, 256, b>>>(parameter, y);
    } else if (strcmp(what, "readers") == 0) {
        load<<<1, 1, 0, a>>>(x, y);
        load<<<1, 1, 0, b>>>(x, y + 1);
    } else if (strcmp(what, "load") == 0) {
        load<<<1, 1, 0, a>>>(x, y);
        store<<<1, 1, 0, b>>>(x);
    } else if (strcmp(what, "store") == 0) {
        store<<<1, 1, 0, a>>>(x);
        store<<<1, 1, 0, b>>>(x);
    } else if (strcmp(what, "struct") == 0) {
        struct_copy<<<1, 1, 0, a>>>(p, q);
        store<<<1, 1, 0, b>>>(y + 39);
    } else if (strcmp(what, "copy") == 0) {
        raw_copy<<<1, 1, 0, a>>>((char *)p, (char *)q, 101);
        store<<<1, 1, 0, b>>>(x + 25);
    } else if (strcmp(what, "atomic") == 0) {
        atomic<<<1, 1, 0, a>>>(x);
        load<<<1, 1, 0, b>>>(x, y);
    } else if (strcmp(what, "constant") == 0) {
        read_constant<<<1, 1, 0, a>>>(x);
        CUDA(cudaMemcpyToSymbolAsync(weight, &host, sizeof(host), 0, cudaMemcpyHostToDevice, b));
    } else if (strcmp(what, "variable") == 0) {
        write_variable<<<1, 1, 0, a>>>();
        write_variable<<<1, 1, 0, b>>>();
    } else if (strcmp(what, "loop") == 0) {
        loop<<<1, 1, 0, a>>>(x, 40);
        load<<<1, 1, 0, b>>>(x + 39, y);
    } else if (strcmp(what, "assembly") == 0) {
        assembly<<<1, 1, 0, a>>>(x, y);
        store<<<1, 1, 0, b>>>(x);
    } else if (strcmp(what, "call") == 0) {
        call<<<1, 1, 0, a>>>(x, 5);
        load<<<1, 1, 0, b>>>(x + 4, y);
    }
    CUDA(cudaDeviceSynchronize());
    return 0;
}
