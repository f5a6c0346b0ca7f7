// Pointers in structs that kernels are given by value lead to the memory that they lead to, as with clang; what nvcc adds to
// the program is in no report.
// RUN: sh %S/Inputs/stage.sh %build %include %t
// RUN: %t/bin/kesco-nvcc -arch=sm_90 -c %s -o %t/nvcc.o -fplugin-arg-kesco-across-calls=off -fplugin-arg-kesco-report=%t/nvcc.json
// RUN: %kesco -c %s -o %t/clang.o -fplugin-arg-kesco-across-calls=off -fplugin-arg-kesco-report=%t/clang.json
// RUN: cmp %t/nvcc.json %t/clang.json
// RUN: FileCheck %s --input-file=%t/nvcc.json

struct Pair {
    const float *in;
    float *out;
};

struct Rows {
    float *of[3];
};

__global__ void copy(Pair p) { p.out[threadIdx.x] = p.in[threadIdx.x]; }

__global__ void sum(float *out, Rows rows) {
    out[threadIdx.x] = rows.of[0][threadIdx.x] + rows.of[1][threadIdx.x] + rows.of[2][threadIdx.x];
}

struct Data {
    Pair first, second;
    float *in[1];
};

// CHECK: "lanes": 2,
// CHECK: "name": "copy", {{.*}} "lane": 0, {{.*}} "reads": ["data->first.in"], "writes": ["data->first.out"]
// CHECK: "name": "copy", {{.*}} "lane": 1, {{.*}} "reads": ["data->second.in"], "writes": ["data->second.out"]
// CHECK: "name": "sum", {{.*}} "reads": ["data->first.out", "data->second.out"], "writes": ["data->in[0]"]
void run(const Data *data) {
    Rows rows = {data->first.out, data->second.out, data->second.out};
    copy<<<1, 32>>>(data->first);
    copy<<<1, 32>>>(data->second);
    sum<<<1, 32>>>(data->in[0], rows);
}
