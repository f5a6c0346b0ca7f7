// What the arguments of a launch throw is no barrier: where they do, the launch does not come.
// RUN: %kesco-host -std=c++17 -O1 -S -emit-llvm %s -o /dev/null -Rpass=kesco -Rpass-missed=kesco 2>&1 | FileCheck %s

#include <stdexcept>

__attribute__((kesco_outputs(1))) __global__ void set(int *out, int v) { *out = v; }

struct Buffers {
    int **first;
    int count;
    ~Buffers() {}
    int *at(int i) const {
        if (i >= count)
            throw std::out_of_range("no such buffer");
        return first[i];
    }
};

// CHECK: :[[@LINE+2]]:8: remark: 2 kernels run on 2 lanes with 0 waits,
void passes(const Buffers &b) {
    set<<<1, 1>>>(b.at(0), 1);
    set<<<1, 1>>>(b.at(1), 2);
}

// Where there is something to clean up, too.
// CHECK: :[[@LINE+3]]:8: remark: 2 kernels run on 2 lanes with 0 waits,
void cleans_up(int **first, int count) {
    Buffers b = {first, count};
    set<<<1, 1>>>(b.at(0), 1);
    set<<<1, 1>>>(b.at(1), 2);
}

int *look();

// What nobody sees, and may come back, stays one.
// CHECK: :[[@LINE+3]]:{{[0-9]+}}: remark: {{.*}}in its arguments the launch has a call to {{.*}}'look()'
void unseen(const Buffers &b) {
    set<<<1, 1>>>(b.at(0), 1);
    set<<<1, 1>>>(look(), 2);
}
// CHECK-NOT: throw
