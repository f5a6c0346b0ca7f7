// A pointer that a helper, or a pass of a loop, declares without a value has nothing of the one that was there in the pass
// before, were its allocation to fail: the buffers are different.
// RUN: for level in 1 2; do \
// RUN:   %kesco-host -O$level -S -emit-llvm %s -o /dev/null -Rpass=kesco -Rpass-missed=kesco 2>&1 | FileCheck %s || exit 1; \
// RUN: done

__attribute__((kesco_outputs(1))) __global__ void set(int *out, int v) { *out = v; }

static int *make() {
    int *p;
    cudaMalloc(&p, 4);
    cudaMemset(p, 0, 4);
    return p;
}

// CHECK: :[[@LINE-4]]:5: remark: in 'helper()', where it is inlined: 4 kernels and 4 other ops run on 4 lanes with 0 waits
void helper() {
    int *buffers[4];
    for (auto &each : buffers)
        each = make();
    for (int *each : buffers)
        set<<<1, 1>>>(each, 1);
}

// CHECK: :[[@LINE+6]]:9: remark: 4 kernels and 4 other ops run on 4 lanes with 0 waits
void loop() {
    int *buffers[4];
    for (int i = 0; i < 4; i++) {
        int *p;
        cudaMalloc(&p, 4);
        cudaMemset(p, 0, 4);
        buffers[i] = p;
    }
    for (int *each : buffers)
        set<<<1, 1>>>(each, 1);
}

// Streams that come into scope are not one, though neither has a value then.
// CHECK: :[[@LINE+7]]:16: remark: launches before and after this point do not overlap: launch on another stream, the first of 2 such
void streams(int *a, int *b, int n, bool by_streams) {
    if (by_streams) {
        cudaStream_t one, two;
        cudaStreamCreate(&one);
        cudaStreamCreate(&two);
        for (int i = 0; i < n; i++) {
            set<<<1, 1, 0, one>>>(a, i);
            set<<<1, 1, 0, two>>>(b, i);
        }
        cudaStreamDestroy(one);
        cudaStreamDestroy(two);
    }
}
