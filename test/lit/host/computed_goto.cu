// Tables of labels, in functions that launch and in others, stay what they are, and ops behind a label are scheduled.
// RUN: %kesco-host -O0 -S -emit-llvm %s -o - -fplugin-arg-kesco-report=%t.json | FileCheck %s
// RUN: %kesco-host -O2 -c %s -o /dev/null -Xclang -llvm-verify-each
// RUN: FileCheck %s --check-prefix=PLAN --input-file=%t.json

#include <kesco.h>

KESCO_OUTPUTS(1) __global__ void fill(int *out);
KESCO_OUTPUTS(1) __global__ void copy(int *out, const int *in);

// CHECK: targets = private unnamed_addr constant [2 x ptr] [ptr blockaddress(@_Z9interpretPKhi, %{{.*}}), ptr blockaddress(@_Z9interpretPKhi, %{{.*}})]
int interpret(const unsigned char *code, int value) {
    void *targets[] = {&&stop, &&add};
    goto *targets[*code++ & 1];
add:
    value++;
    goto *targets[*code++ & 1];
stop:
    return value;
}

// CHECK: tables = {{.*}}constant [2 x ptr] [ptr blockaddress(@_Z3runPKh, %{{.*}}), ptr blockaddress(@_Z3runPKh, %{{.*}})]
// PLAN: "name": "run(unsigned char const*)", "lanes": 2
// PLAN: "name": "fill", "line": [[#]], "lane": 0
// PLAN: "name": "fill", "line": [[#]], "lane": 1
void run(const unsigned char *code) {
    static void *const tables[] = {&&both, &&one};
    int *a, *b;
    cudaMalloc(&a, 400);
    cudaMalloc(&b, 400);
    goto *tables[*code & 1];
both:
    fill<<<1, 1>>>(a);
    fill<<<1, 1>>>(b);
one:
    copy<<<1, 1>>>(b, a);
}
