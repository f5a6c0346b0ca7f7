// Copies and memsets touch the bytes that their operands say, so different parts of one buffer do not conflict;
// kernels touch all of a buffer.
// RUN: %kesco-host -O0 -S -emit-llvm %s -o %t.ll -fplugin-arg-kesco-report=%t.json
// RUN: FileCheck %s --input-file=%t.json

__attribute__((kesco_outputs(1))) __global__ void set(char *out) { *out = 1; }
__attribute__((kesco_outputs(1))) __global__ void use(char *out, const char *in) { *out = *in; }

// CHECK-LABEL: "name": "halves()", "lanes": 3,
// CHECK: "writes": ["a[0..32)"]
// CHECK: "writes": ["a[32..64)"]
// CHECK: "writes": ["b"]
// CHECK: "reads": ["a[0..32)", "a[32..64)"], "writes": ["b"]
void halves() {
    char *a, *b;
    cudaMalloc(&a, 64);
    cudaMalloc(&b, 64);
    cudaMemsetAsync(a, 1, 32);
    cudaMemsetAsync(a + 32, 2, 32);
    set<<<1, 1>>>(b);
    use<<<1, 1>>>(b, a);
}

// Ranges that overlap by one byte.
// CHECK-LABEL: "name": "overlapping()",
// CHECK: "writes": ["a[0..32)", "a[32..33)"]
// CHECK: "writes": ["a[32..33)", "a[33..64)"]
// CHECK: "edges": [
// CHECK-NEXT: {"from": 0, "to": 1, "kind": "WAW", "object": "a[32..33)"}
void overlapping() {
    char *a, *b;
    cudaMalloc(&a, 64);
    cudaMalloc(&b, 64);
    cudaMemsetAsync(a, 1, 33);
    cudaMemsetAsync(a + 32, 2, 32);
    set<<<1, 1>>>(b);
}

// Rows with gaps: what lies between them is not touched.
// CHECK-LABEL: "name": "gaps()", "lanes": 3,
// CHECK: "writes": ["a[rows 0..1, bytes 0..8)", "a[rows 1..2, bytes 0..8)"]
// CHECK: "writes": ["a[rows 0..1, bytes 8..16)"]
// CHECK: "edges": [],
void gaps() {
    char *a, *b;
    cudaMalloc(&a, 64);
    cudaMalloc(&b, 64);
    cudaMemset2DAsync(a, 16, 1, 8, 2);
    cudaMemsetAsync(a + 8, 2, 8);
    set<<<1, 1>>>(b);
}

// Quarters of a matrix, and a row of all that goes through the two below.
// CHECK-LABEL: "name": "quarters()", "lanes": 5,
// CHECK: "writes": ["a[rows 0..4, bytes 0..16)"]
// CHECK: "writes": ["a[rows 0..4, bytes 16..32)"]
// CHECK: "writes": ["a[rows 4..5, bytes 0..16)", "a[rows 5..6, bytes 0..16)", "a[rows 6..8, bytes 0..16)"]
// CHECK: "writes": ["a[rows 4..5, bytes 16..32)", "a[rows 5..6, bytes 16..32)", "a[rows 6..8, bytes 16..32)"]
// CHECK: "writes": ["a[rows 5..6, bytes 0..16)", "a[rows 5..6, bytes 16..32)"]
// CHECK: "edges": [
// CHECK-NEXT: {"from": 2, "to": 4, "kind": "WAW", "object": "a[rows 5..6, bytes 0..16)"},
// CHECK-NEXT: {"from": 3, "to": 4, "kind": "WAW", "object": "a[rows 5..6, bytes 16..32)"}],
void quarters() {
    char *a, *b;
    cudaMalloc(&a, 8 * 32);
    cudaMalloc(&b, 64);
    cudaMemset2DAsync(a, 32, 1, 16, 4);
    cudaMemset2DAsync(a + 16, 32, 2, 16, 4);
    cudaMemset2DAsync(a + 4 * 32, 32, 3, 16, 4);
    cudaMemset2DAsync(a + 4 * 32 + 16, 32, 4, 16, 4);
    cudaMemsetAsync(a + 5 * 32, 5, 32);
    set<<<1, 1>>>(b);
}

// A piece that goes on in the next row; rows of another length than most are taken from their first byte to their last.
// CHECK-LABEL: "name": "rowsThatDoNotFit()",
// CHECK: "edges": [
// CHECK-NEXT: {"from": 0, "to": 1, "kind": "WAW",
// CHECK: "name": "otherRows()",
// CHECK: "writes": ["a[rows 0..1, bytes 0..8)", "a[rows 1..3, bytes 0..8)"]
// CHECK: "writes": ["a[rows 0..1, bytes 8..12)", "a[rows 0..1, bytes 12..16)", "a[rows 1..3, bytes 8..12)", "a[rows 1..3, bytes 12..16)"]
// CHECK: "writes": ["a[rows 0..1, bytes 12..16)", "a[rows 0..1, bytes 16..28)"]
// CHECK: "edges": [
// CHECK-NEXT: {"from": 1, "to": 2, "kind": "WAW", "object": "a[rows 0..1, bytes 12..16)"}],
void rowsThatDoNotFit() {
    char *a, *b;
    cudaMalloc(&a, 128);
    cudaMalloc(&b, 64);
    cudaMemset2DAsync(a + 24, 32, 1, 16, 2);
    cudaMemset2DAsync(a + 36, 32, 2, 4, 2);
    set<<<1, 1>>>(b);
}
void otherRows() {
    char *a, *b;
    cudaMalloc(&a, 128);
    cudaMalloc(&b, 64);
    cudaMemset2DAsync(a, 32, 1, 8, 3);
    cudaMemset2DAsync(a + 8, 32, 2, 8, 3);
    cudaMemset2DAsync(a + 12, 12, 3, 4, 2);
    set<<<1, 1>>>(b);
}

// Chunks of a size that is not known.
// CHECK-LABEL: "name": "chunks(unsigned long)", "lanes": 3,
// CHECK: "writes": ["a[chunk 0]"]
// CHECK: "writes": ["a[chunk 1]"]
// CHECK: "waits": [],
void chunks(size_t size) {
    char *a, *b, *in;
    cudaMalloc(&a, 2 * size);
    cudaMalloc(&b, 64);
    cudaMallocHost(&in, 2 * size);
    cudaMemcpyAsync(a, in, size, cudaMemcpyHostToDevice);
    cudaMemsetAsync(a + size, 2, size);
    set<<<1, 1>>>(b);
}

// A distance that has nothing to do with the size.
// CHECK-LABEL: "name": "distance(unsigned long, unsigned long)",
// CHECK: "writes": ["a"]
// CHECK: "writes": ["a"]
void distance(size_t size, size_t far) {
    char *a, *b;
    cudaMalloc(&a, 2 * size);
    cudaMalloc(&b, 64);
    cudaMemsetAsync(a, 1, size);
    cudaMemsetAsync(a + far, 2, size);
    set<<<1, 1>>>(b);
}

// Chunks in a loop: each pass moves on by as many as it has, so they never meet.
// CHECK-LABEL: "name": "loop(unsigned long, unsigned long)", "lanes": 2,
// CHECK: "reads": ["in[chunk 0]"], "writes": ["a"]
// CHECK: "reads": ["a"], "writes": ["out[chunk 0]"]
// CHECK: "reads": ["in[chunk 1]"], "writes": ["b"]
// CHECK: "reads": ["b"], "writes": ["out[chunk 1]"]
// CHECK: "waits": [],
void loop(size_t count, size_t size) {
    char *a, *b, *in, *out;
    cudaMalloc(&a, size);
    cudaMalloc(&b, size);
    cudaMallocHost(&in, count * size);
    cudaMallocHost(&out, count * size);
    for (size_t i = 0; i < count; i += 2) {
        cudaMemcpyAsync(a, in + i * size, size, cudaMemcpyHostToDevice);
        set<<<1, 1>>>(a);
        cudaMemcpyAsync(out + i * size, a, size, cudaMemcpyDeviceToHost);
        cudaMemcpyAsync(b, in + (i + 1) * size, size, cudaMemcpyHostToDevice);
        set<<<1, 1>>>(b);
        cudaMemcpyAsync(out + (i + 1) * size, b, size, cudaMemcpyDeviceToHost);
    }
}

// Each pass moves on by less than it has: the second chunk of one is the first of the next.
// CHECK-LABEL: "name": "sliding(unsigned long, unsigned long)",
// CHECK: "writes": ["out"]
// CHECK: "writes": ["out"]
void sliding(size_t count, size_t size) {
    char *a, *b, *out;
    cudaMalloc(&a, size);
    cudaMalloc(&b, size);
    cudaMallocHost(&out, count * size);
    for (size_t i = 0; i < count; i++) {
        set<<<1, 1>>>(a);
        cudaMemcpyAsync(out + i * size, a, size, cudaMemcpyDeviceToHost);
        set<<<1, 1>>>(b);
        cudaMemcpyAsync(out + (i + 1) * size, b, size, cudaMemcpyDeviceToHost);
    }
}

// A place that changes from pass to pass in a way that is not known.
// CHECK-LABEL: "name": "jumping(unsigned long const*, unsigned long)",
// CHECK: "writes": ["out"]
// CHECK: "writes": ["out"]
void jumping(const size_t *places, size_t size) {
    char *a, *b, *out;
    cudaMalloc(&a, size);
    cudaMalloc(&b, size);
    cudaMallocHost(&out, 100 * size);
    for (int i = 0; i < 50; i++) {
        size_t at = places[i];
        set<<<1, 1>>>(a);
        cudaMemcpyAsync(out + at, a, size, cudaMemcpyDeviceToHost);
        set<<<1, 1>>>(b);
        cudaMemcpyAsync(out + at + size, b, size, cudaMemcpyDeviceToHost);
    }
}

// The way from the later place back to the first one is no size.
// CHECK-LABEL: "name": "backwards(unsigned int)", "lanes": 1,
// CHECK: "writes": ["a"]
// CHECK: "writes": ["a"]
// CHECK: {"from": 0, "to": 1, "kind": "WAW", "object": "a"}
void backwards(unsigned n) {
    char *a;
    cudaMalloc(&a, 64);
    cudaMemsetAsync(a + 16, 1, 5);
    cudaMemsetAsync(a, 2, n % 9 * 4);
    set<<<1, 1>>>(a);
}

// Control comes around by two entries, which makes no loop: the place changes all the same.
// CHECK-LABEL: "name": "two_entries(char*, unsigned long, int, bool)",
// CHECK: "writes": ["a"]
// CHECK: "writes": ["a"]
void two_entries(char *a, size_t size, int count, bool late) {
    char *b;
    cudaMalloc(&b, 64);
    size_t i = 0;
    if (late)
        goto test;
again:
    cudaMemsetAsync(a + i * size, 1, size);
    cudaMemsetAsync(a + (i + 1) * size, 2, size);
    i++;
test:
    set<<<1, 1>>>(b);
    if (i < count)
        goto again;
}
