// As CUDA 12's headers have them.
#include <cstddef>
#include <cstdio>

struct CUgraph;
struct CUnode;

extern "C" {
int cudaMallocManaged(void **memory, size_t size, unsigned flags);
int cudaMemPrefetchAsync(const void *memory, size_t size, int device, void *stream);
int cudaMemAdvise(const void *memory, size_t size, int advice, int device);
int cudaGraphCreate(CUgraph **graph, unsigned flags);
int cudaGraphAddEmptyNode(CUnode **node, CUgraph *graph, CUnode *const *before, size_t count);
int cudaGraphAddDependencies(CUgraph *graph, CUnode *const *from, CUnode *const *to, size_t count);
int cudaThreadSynchronize();
}

int main() {
    void *memory;
    CUgraph *graph;
    CUnode *first, *second;

    int error = cudaMallocManaged(&memory, 4096, 1);
    error |= cudaMemPrefetchAsync(memory, 4096, 0, nullptr) | cudaMemPrefetchAsync(memory, 4096, -1, nullptr);
    error |= cudaMemAdvise(memory, 4096, 3, 0);
    error |= cudaGraphCreate(&graph, 0) | cudaGraphAddEmptyNode(&first, graph, nullptr, 0);
    error |= cudaGraphAddEmptyNode(&second, graph, nullptr, 0);
    error |= cudaGraphAddDependencies(graph, &first, &second, 1) | cudaThreadSynchronize();
    std::printf("error %d, no such device %d\n", error, cudaMemPrefetchAsync(memory, 4096, 9, nullptr));
}
