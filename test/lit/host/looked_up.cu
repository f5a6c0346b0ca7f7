// What the source picks out of a container by literals is one object wherever that stands, in each pass too; not so
// what it picks by variables.
// RUN: %kesco-host -std=c++17 -O2 -S -emit-llvm %s -fplugin-arg-kesco-report=%t.json -o /dev/null
// RUN: FileCheck %s --input-file=%t.json

#include <map>
#include <string>

enum { PASSES = 3 };

__attribute__((kesco_outputs(1))) __global__ void copy(int *to, const int *from) { to[threadIdx.x] = from[threadIdx.x]; }

static void launch(int *to, const int *from) { copy<<<1, 1>>>(to, from); }

using Buffers = std::map<std::string, int *>;

// CHECK-LABEL: "name": "literals(
// CHECK-SAME: "lanes": 2,
// CHECK: "reads": ["buffers.at(\"a\")"], "writes": ["buffers.at(\"b\")"]
// CHECK: "guards": [
// CHECK-COUNT-5: {"a": "buffers.at(
// CHECK-NOT: {"a":
void literals(Buffers &buffers) {
    for (int i = 0; i < PASSES; i++) {
        launch(buffers.at("b"), buffers.at("a"));
        launch(buffers.at("d"), buffers.at("c"));
    }
}

// CHECK-LABEL: "name": "variables(
// CHECK-SAME: "lanes": 3,
void variables(Buffers &buffers, const std::string *names) {
    for (int i = 0; i < PASSES; i++)
        launch(buffers.at(names[i]), buffers.at("a"));
}
