// Where grid and block are two arguments instead of four, and large structs are passed by their addresses, launches are
// understood, too.
// RUN: python3 %S/Inputs/image.py %s %t.img
// RUN: clang++ -x cuda --target=aarch64-linux-gnu --cuda-path="$CUDA_PATH" -Wno-unknown-cuda-version --cuda-host-only \
// RUN:   -nocudainc -include %S/Inputs/bare_cuda.h -fplugin=%plugin -fplugin-arg-kesco-runtime=shared -O0 -S -emit-llvm \
// RUN:   %s -o %t.0.ll -Xclang -fcuda-include-gpubinary -Xclang %t.img -fplugin-arg-kesco-report=%t.0.json
// RUN: clang++ -x cuda --target=aarch64-linux-gnu --cuda-path="$CUDA_PATH" -Wno-unknown-cuda-version --cuda-host-only \
// RUN:   -nocudainc -include %S/Inputs/bare_cuda.h -fplugin=%plugin -fplugin-arg-kesco-runtime=shared -O2 -S -emit-llvm \
// RUN:   %s -o %t.2.ll -Xclang -fcuda-include-gpubinary -Xclang %t.img -fplugin-arg-kesco-report=%t.2.json
// RUN: opt -passes=verify -disable-output %t.0.ll && opt -passes=verify -disable-output %t.2.ll
// RUN: cmp %t.0.json %t.2.json
// RUN: FileCheck %s --input-file=%t.0.json
// RUN: FileCheck %s --input-file=%t.0.ll --check-prefix=IR

struct Large {
    float *to;
    long room[4];
};
struct Small {
    float *to;
    long n;
};
// SUMMARY: K _Z4fillPfi
// SUMMARY: P 0 0 w
__global__ void fill(float *to, int n) { *to = n; }
// SUMMARY: K _Z4copyPfPKf
// SUMMARY: P 0 0 w
// SUMMARY: P 1 0 r
__global__ void copy(float *to, const float *from) { *to = *from; }
// SUMMARY: K _Z5large5Large
// SUMMARY: P 0 0 w
__global__ void large(Large l) { *l.to = 0; }
// SUMMARY: K _Z5small5Small
// SUMMARY: P 0 0 w
__global__ void small(Small s) { *s.to = 0; }

// CHECK-LABEL: "name": "plain()", "lanes": 2,
// CHECK: "name": "fill", {{.*}}"lane": 0, {{.*}}"writes": ["a"]
// CHECK: "name": "fill", {{.*}}"lane": 1, {{.*}}"writes": ["b"]
// CHECK: "kind": "memset", {{.*}}"lane": 0, {{.*}}"writes": ["a"]
// CHECK: "name": "copy", {{.*}}"reads": ["b"], "writes": ["a"]
// IR-LABEL: define {{.*}}@_Z5plainv(
// IR: [[LANE:%.*]] = call ptr @__kesco1_lane(i32 1, {{.*}})
// IR-NEXT: call i32 @__cudaPushCallConfiguration([2 x i64] {{[^,]*}}, [2 x i64] {{[^,]*}}, i64 noundef 0, ptr noundef [[LANE]])
void plain() {
    float *a, *b;
    cudaMalloc(&a, 4);
    cudaMalloc(&b, 4);
    fill<<<dim3(2, 2, 2), 3>>>(a, 1);
    fill<<<4, dim3(3, 3)>>>(b, 2);
    cudaMemsetAsync(a, 0, 4);
    copy<<<1, 1>>>(a, b);
}

// CHECK-LABEL: "name": "in_memory()", "lanes": 2,
// CHECK: "name": "large", {{.*}}"writes": ["a"]
// CHECK: "name": "large", {{.*}}"writes": ["b"]
void in_memory() {
    float *a, *b;
    cudaMalloc(&a, 4);
    cudaMalloc(&b, 4);
    large<<<1, 1>>>(Large{a});
    large<<<1, 1>>>(Large{b});
}

// A pointer inside an array of numbers is not followed.
// CHECK-LABEL: "name": "in_numbers()", "lanes": 1,
// CHECK: "name": "small", {{.*}}"writes": ["*"]
void in_numbers() {
    float *a, *b;
    cudaMalloc(&a, 4);
    cudaMalloc(&b, 4);
    small<<<1, 1>>>(Small{a, 1});
    small<<<1, 1>>>(Small{b, 1});
}
