// RUN: %vgpu-kesco -O1 -w -std=c++17 %s -o %t.kesco
// RUN: for s in 0 2; do env VGPU_SEED=$s VGPU_CHECK=races VGPU_STATS=%t.json %t.kesco || exit 1; done
// RUN: FileCheck %s < %t.json
// Thrust's algorithms, which are CUB's kernels, run, and their kernels do what their access summaries say.
// CHECK-DAG: "races": 0,
// CHECK-DAG: "summaries_checked": {{[1-9][0-9]}},
// CHECK-DAG: "summary_violations": 0
#include <cstdio>
#include <cstdlib>
#include <thrust/device_vector.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <thrust/transform.h>

enum { N = 5000 };

static void check(const char *what, long got, long expected) {
    if (got == expected)
        return;
    printf("%s: %ld, not %ld\n", what, got, expected);
    exit(1);
}

int main(void) {
    thrust::device_vector<int> a(N), b(N, 3), c(N);
    thrust::sequence(a.begin(), a.end());
    thrust::transform(a.begin(), a.end(), b.begin(), c.begin(), thrust::multiplies<int>());
    check("transform", c[N - 1], 3 * (N - 1));
    check("reduce", thrust::reduce(c.begin(), c.end()), 3 * N * (N - 1) / 2);
    thrust::inclusive_scan(b.begin(), b.end(), c.begin());
    check("inclusive scan", c[N - 1], 3 * N);
    thrust::exclusive_scan(a.begin(), a.end(), c.begin());
    check("exclusive scan", c[100], 4950);
    thrust::transform(a.begin(), a.end(), b.begin(), c.begin(), thrust::modulus<int>());
    thrust::sort(c.begin(), c.end());
    check("sort", c[N / 3] * 10 + c[N / 3 + 1], 1);
    return 0;
}
