// What issues to several streams by itself is parallel by hand: its ops do not go on in regions of its callers, and that costs
// nothing. On one stream, they do.
// RUN: %kesco-host -fplugin-arg-kesco-across-calls=on -O1 -S -emit-llvm %s -o %t.ll -Rpass=kesco 2>%t.remarks
// RUN: FileCheck %s --input-file=%t.ll
// RUN: FileCheck %s --input-file=%t.remarks --check-prefix=REMARK --implicit-check-not="may overlap"

__attribute__((kesco_outputs(1))) __global__ void scale(float *data) { data[threadIdx.x] *= 2; }

// CHECK-LABEL: define {{.*}}@_Z7by_handPfP11CUstream_stS1_i(
// CHECK-NOT: @__kesco1_{{borrow|join|op|lane|enter}}
// CHECK: ret void
void by_hand(float *data, cudaStream_t one, cudaStream_t other, int count) {
    for (int i = 0; i < count; i++) {
        scale<<<1, 64, 0, one>>>(data + 128 * i);
        scale<<<1, 64, 0, other>>>(data + 128 * i + 64);
    }
}

// REMARK: across_streams.cu:[[@LINE+3]]:{{.*}}: remark: 1 op may overlap with what other functions launch
// CHECK-LABEL: define {{.*}}@_Z5joinsPfP11CUstream_st(
// CHECK: call {{.*}}@__kesco1_join(
void joins(float *data, cudaStream_t one) { scale<<<1, 64, 0, one>>>(data); }
