// Layers of a network as people write them: a class whose member launches once, in a source file of its own, and a check
// behind each launch that prints and throws. Layers that work on memory of their own overlap, in each pass.
// RUN: for o in 0 2; do \
// RUN:   %vgpu -O$o %s -DLAYER -c -o %t.layer.o && %vgpu -O$o %s %t.layer.o -o %t.serial && \
// RUN:   %vgpu-kesco -O$o %s -DLAYER -c -o %t.layer.o && %vgpu-kesco -O$o %s %t.layer.o -o %t.kesco || exit 1; \
// RUN:   sh %compare 6 %t.serial %t.kesco || exit 1; \
// RUN:   for mode in auto turns; do KESCO_MODE=$mode sh %compare 3 %t.serial %t.kesco || exit 1; done; \
// RUN:   STATUS=3 sh %compare 3 %t.serial %t.kesco fail || exit 1; \
// RUN:   env VGPU_CHECK=races VGPU_STATS=%t.json %t.kesco && FileCheck %s --input-file=%t.json || exit 1; \
// RUN: done
// CHECK: "launches": 20,
// CHECK: "ordered_chain": 5,

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <vector>

enum { SIZE = 256, PASSES = 5, LAYERS = 4 };

class Failure : public std::exception {
    const char *text;

  public:
    explicit Failure(const char *text) : text(text) {}
    const char *what() const noexcept override { return text; }

    static void throwIfDeviceFailed(const char *text) {
        const cudaError_t error = cudaGetLastError();
        if (error != cudaSuccess) {
            std::cerr << error << ": " << text << std::endl;
            throw Failure(text);
        }
    }
};

struct Layer {
    int *in, *out;
    void forward(int threads);
    void launch(int threads);
};

#ifdef LAYER

__global__ void add(int *out, const int *in) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < SIZE)
        out[i] += in[i];
}

void Layer::launch(int threads) { add<<<(SIZE + threads - 1) / threads, threads>>>(out, in); }

void Layer::forward(int threads) {
    launch(threads);
    Failure::throwIfDeviceFailed("Cannot go forward.");
}

#else

static int *filled(int value) {
    std::vector<int> host(SIZE, value);
    int *data;
    cudaMalloc(&data, SIZE * sizeof(int));
    cudaMemcpy(data, host.data(), SIZE * sizeof(int), cudaMemcpyHostToDevice);
    return data;
}

static void pass(std::vector<Layer> &layers, int threads) {
    for (Layer &layer : layers)
        layer.forward(threads);
}

int main(int argc, char **) {
    std::vector<Layer> layers;
    for (int i = 0; i < LAYERS; i++)
        layers.push_back({filled(i), filled(1)});
    try {
        for (int i = 0; i < PASSES; i++)
            pass(layers, argc > 1 && i == 3 ? 4096 : 64);
    } catch (const Failure &failure) {
        printf("%s\n", failure.what());
    }
    cudaDeviceSynchronize();
    for (Layer &layer : layers) {
        int value;
        cudaMemcpy(&value, layer.out + 7, sizeof(value), cudaMemcpyDeviceToHost);
        printf("%d\n", value);
    }
    return argc > 1 ? 3 : 0;
}

#endif
