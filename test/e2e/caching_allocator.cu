// A caching allocator of the program's own, which keeps its blocks in maps, below a class of arrays with operators: what it
// hands out again is waited for, everything else overlaps as memory from cudaMalloc does.
// RUN: %vgpu -O2 %s -o %t.serial && %vgpu-kesco -O2 %s -o %t.kesco
// RUN: for count in 3 8; do \
// RUN:   sh %compare 6 %t.serial %t.kesco $count || exit 1; \
// RUN:   for mode in auto turns; do KESCO_MODE=$mode sh %compare 2 %t.serial %t.kesco $count || exit 1; done; \
// RUN: done
// RUN: env VGPU_STATS=%t.json %t.kesco 8 >/dev/null && FileCheck %s --input-file=%t.json
// Of 104 launches.
// CHECK: "ordered_chain": {{1?[0-9]}},

#include <cstdio>
#include <cstdlib>
#include <map>
#include <utility>
#include <vector>

class Cache {
  public:
    void *get(size_t bytes) {
        auto found = kept.lower_bound(bytes);
        void *block;
        if (found != kept.end() && found->first <= 2 * bytes) {
            block = found->second;
            used[block] = found->first;
            kept.erase(found);
            return block;
        }
        if (cudaMalloc(&block, bytes) != cudaSuccess)
            exit(1);
        used[block] = bytes;
        return block;
    }

    void put(void *block) {
        kept.emplace(used[block], block);
        used.erase(block);
    }

  private:
    std::multimap<size_t, void *> kept;
    std::map<void *, size_t> used;
};

static Cache cache;

__global__ void fill(double *out, int n, double value) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = value;
}

__global__ void add(double *out, const double *a, const double *b, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = a[i] + b[i];
}

__global__ void scale(double *out, const double *in, double factor, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i] * factor + 1;
}

class Array {
  public:
    explicit Array(int n) : n(n), data((double *)cache.get(n * sizeof(double))) {
    }
    Array(Array &&other) : n(other.n), data(std::exchange(other.data, nullptr)) {
    }
    Array &operator=(Array &&other) {
        std::swap(n, other.n);
        std::swap(data, other.data);
        return *this;
    }
    ~Array() {
        if (data)
            cache.put(data);
    }

    static Array filled(int n, double value) {
        Array result(n);
        fill<<<(n + 63) / 64, 64>>>(result.data, n, value);
        return result;
    }
    friend Array operator+(const Array &a, const Array &b) {
        Array result(a.n);
        add<<<(a.n + 63) / 64, 64>>>(result.data, a.data, b.data, a.n);
        return result;
    }
    friend Array operator*(const Array &a, double factor) {
        Array result(a.n);
        scale<<<(a.n + 63) / 64, 64>>>(result.data, a.data, factor, a.n);
        return result;
    }
    double last() const {
        double value = 0;
        cudaMemcpy(&value, data + n - 1, sizeof value, cudaMemcpyDeviceToHost);
        return value;
    }

  private:
    int n;
    double *data;
};

int main(int, char **argv) {
    const int count = atoi(argv[1]);
    std::vector<Array> arrays;
    for (int i = 0; i < count; i++)
        arrays.push_back(Array::filled(200 + i * 500, i));
    for (int round = 0; round < 3; round++)
        for (int i = 0; i < count; i++) {
            Array sum = arrays[i] * 1.5 + arrays[i] * 0.25;
            arrays[i] = sum + arrays[i];
        }
    double sum = 0;
    for (const Array &array : arrays)
        sum += array.last();
    printf("%.17g\n", sum);
    return 0;
}
