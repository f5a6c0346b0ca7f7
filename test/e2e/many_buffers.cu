// Layers in managed memory that stays on the device, more than the runtime remembers: what is there already is not fetched on and
// on, be it that the host waits after each pass or not. No form takes longer than the serial program, but for what it takes to find
// that out: a hundredth or two.
// RUN: rm -rf %t && mkdir %t
// RUN: %vgpu -O2 %s -o %t/serial && %vgpu-kesco -O2 %s -o %t/kesco
// RUN: for form in '20 1' '40 2'; do sh %compare 2 %t/serial %t/kesco $form 3 || exit 1; done
// RUN: env KESCO_MODE=auto VGPU_CHECK=races %t/kesco 40 1 3
// RUN: env KESCO_MODE=graph sh %compare 1 %t/serial %t/kesco 40 2 4
// RUN: for form in '20 1' '40 10'; do for passes in 10 20; do \
// RUN:   for build in serial kesco; do \
// RUN:     env KESCO_MODE=auto VGPU_TIME=1 VGPU_STATS=%t/$build.json %t/$build $form $passes >%t/out || exit 1; \
// RUN:     sed -n 's/.*"virtual_time_us": \([0-9.]*\).*/\1/p' %t/$build.json; \
// RUN:   done | tr '\n' ' ' | awk -v form="$form $passes" '{ print form, $0; exit !(NF == 2 && $2 < 1.025 * $1) }' || exit 1; \
// RUN: done; done

#include <cstdio>
#include <cstdlib>
#include <vector>

enum { N = 2000, BLOCK = 128 };

__global__ void step(float *to, const float *from) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N)
        to[i] = to[i] * 0.5f + from[i];
}

static void check(cudaError_t error) {
    if (error != cudaSuccess)
        exit(1);
}

class Layer {
  public:
    Layer() {
        check(cudaMallocManaged(&weights, N * sizeof(float)));
        check(cudaMallocManaged(&gradient, N * sizeof(float)));
        for (int i = 0; i < N; i++) {
            weights[i] = float(i % 7);
            gradient[i] = 1;
        }
    }
    Layer(const Layer &) = delete;
    ~Layer() {
        cudaFree(weights);
        cudaFree(gradient);
    }
    float *weights, *gradient;
};

// LAYERS EVERY PASSES: the host waits, and reads one number, after every so many passes.
int main(int count, char **arguments) {
    const int layers = count > 1 ? atoi(arguments[1]) : 4, every = count > 2 ? atoi(arguments[2]) : 1,
              passes = count > 3 ? atoi(arguments[3]) : 2;
    std::vector<Layer> net(layers);
    float seen = 0;
    for (int pass = 0; pass < passes; pass++) {
        for (Layer &layer : net) {
            step<<<(N + BLOCK - 1) / BLOCK, BLOCK>>>(layer.weights, layer.gradient);
            check(cudaGetLastError());
            step<<<(N + BLOCK - 1) / BLOCK, BLOCK>>>(layer.gradient, net[0].weights);
            check(cudaGetLastError());
        }
        if (pass % every == 0) {
            check(cudaDeviceSynchronize());
            seen += net[pass % layers].weights[3];
        }
    }
    check(cudaDeviceSynchronize());
    for (Layer &layer : net)
        for (int i = 0; i < N; i += 100)
            seen += layer.weights[i] + layer.gradient[i];
    printf("%g\n", seen);
    return 0;
}
