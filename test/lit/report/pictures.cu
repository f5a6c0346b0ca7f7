// Plans as pictures: all functions, each with its graph, its lanes, its guards and barriers; the same plans as the
// report's.
// RUN: %kesco-host -std=c++17 -O1 -c %s -o /dev/null -fplugin-arg-kesco-report=%t.json -fplugin-arg-kesco-dot=%t.dot \
// RUN:   -fplugin-arg-kesco-svg=%t.svg
// RUN: %check-xml %t.svg
// RUN: dot -Tcanon %t.dot >/dev/null
// RUN: FileCheck %s --input-file=%t.dot --check-prefix=DOT
// RUN: FileCheck %s --input-file=%t.svg --check-prefix=SVG

// Written again, a file holds the latest compilation alone.
// RUN: cp %t.svg %t.first.svg && cp %t.dot %t.first.dot
// RUN: %kesco-host -std=c++17 -O1 -c %s -o /dev/null -fplugin-arg-kesco-dot=%t.dot -fplugin-arg-kesco-svg=%t.svg
// RUN: cmp %t.svg %t.first.svg && cmp %t.dot %t.first.dot

template <typename T, int N>
__attribute__((kesco_outputs(1))) __global__ void fill(T *out) { *out = N; }
template <typename T>
__attribute__((kesco_outputs(1))) __global__ void sum(T *out, const T *a, const T *b) { *out = *a + *b; }

void unknown();

// DOT: digraph kesco {
// DOT: pictures.cu\l
// SVG: <svg xmlns="http://www.w3.org/2000/svg"
// SVG: pictures.cu</text>

// DOT: label="three()\l4 kernels, 2 lanes, 1 wait, 1 record, 0 guards, 1 barrier\l"
// DOT: f0n0 [id="f0n0", {{.*}}tooltip="kernel fill; line [[#@LINE+15]], issue 0; lane 0; writes a; {{.*}}, label="0 fill\nline [[#@LINE+15]], lane 0"
// DOT: f0n0 -> f0n2 [{{.*}}style=solid, {{.*}}label=" RAW a "
// DOT: f0n1 -> f0n2 [{{.*}}penwidth=2.2, {{.*}}label=" RAW b "
// DOT: label="lane 1"
// DOT: f0l1 -> f0l2 [{{.*}}op 2 waits for op 1
// DOT: shape=note{{.*}}line [[#@LINE+13]]: call to unknown function 'unknown()'\l
// SVG: >three()</text>
// SVG: >4 kernels, 2 lanes, 1 wait, 1 record, 0 guards, 1 barrier</text>
// SVG: >0 fill</text>
// SVG: >line [[#@LINE+6]], lane 0</text>
// SVG: >2 sum</text><text class="place" {{.*}}>after 1</text>
// SVG: >  line [[#@LINE+7]]: call to unknown function 'unknown()'</text>
void three() {
    float *a, *b, *c;
    cudaMalloc(&a, 4), cudaMalloc(&b, 4), cudaMalloc(&c, 4);
    fill<float, 1><<<1, 1>>>(a);
    fill<float, 2><<<1, 1>>>(b);
    sum<<<1, 1>>>(c, a, b);
    unknown();
    fill<float, 3><<<1, 1>>>(c);
}

// DOT: label="guarded(long long*, long long*)\l2 kernels, 2 lanes, 0 waits, 0 records, 1 guard, 0 barriers\l"
// DOT: shape=note{{.*}}\l  - a, b\l
// SVG: >guarded(long long*, long long*)</text>
// SVG: >  - a, b</text>
void guarded(long long *a, long long *b) {
    fill<long long, 1><<<1, 1>>>(a);
    fill<long long, 2><<<1, 1>>>(b);
}

// DOT: label="void chain<char const*>(char const* (&amp;) [1])\l2 kernels, 1 lane, 0 waits
// DOT: tooltip="op 0 before op 1: WAW x"
// SVG: >void chain&lt;char const*&gt;(char const* (&amp;) [1])</text>
// SVG: >2 kernels, 1 lane, 0 waits, 0 records,
// SVG-NOT: lane 1</text>
// SVG: </svg>
template <typename T>
void chain(T (&)[1]) {
    float *x;
    cudaMalloc(&x, 4);
    fill<float, 1><<<1, 1>>>(x);
    fill<float, 2><<<1, 1>>>(x);
}
template void chain(const char *(&)[1]);
