// Functions that do nothing but copy, and call others that do: each is analysed by itself, and in those that call it it is none of
// their ops.
// RUN: %kesco-host -fplugin-arg-kesco-across-calls=on -O2 -S -emit-llvm %s -o - | FileCheck %s

struct Vectors {
    float *x, *y, *z;
    void copy(const Vectors &others, int count) {
        cudaMemcpy(x, others.x, count * sizeof(float), cudaMemcpyDeviceToDevice);
        cudaMemcpy(y, others.y, count * sizeof(float), cudaMemcpyDeviceToDevice);
        cudaMemcpy(z, others.z, count * sizeof(float), cudaMemcpyDeviceToDevice);
    }
    void upload(const float *from, int count) {
        cudaMemcpy(x, from, count * sizeof(float), cudaMemcpyHostToDevice);
        cudaMemcpy(y, from + count, count * sizeof(float), cudaMemcpyHostToDevice);
    }
};

struct State {
    Vectors at, before;
    const float *mass;
    float *masses;
    int count;
    void keep();
    void begin(const float *from);
};

// CHECK-LABEL: define {{.*}}@_ZN5State4keepEv(
// CHECK-COUNT-1: call ptr @__kesco1_op(
// CHECK: ret void
void State::keep() {
    before.copy(at, count);
    before.copy(before, count);
    cudaMemcpy(masses, mass, count * sizeof(float), cudaMemcpyDeviceToDevice);
}

// CHECK-LABEL: define {{.*}}@_ZN5State5beginEPKf(
// CHECK-COUNT-1: call i32 @__kesco1_copy_lent(
// CHECK: ret void
void State::begin(const float *from) {
    at.upload(from, count);
    before.upload(from, count);
    cudaMemcpy(masses, from, count * sizeof(float), cudaMemcpyHostToDevice);
}

__global__ void fill(float *values) { *values = 1; }

void fillBoth(float *one, float *other) {
    fill<<<1, 1>>>(one);
    fill<<<1, 1>>>(other);
}
