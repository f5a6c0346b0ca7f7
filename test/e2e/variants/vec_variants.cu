// The sample vec in other words: in helpers, in a class, in a loop over ten vectors, with pointers as arguments. Each has
// the plan that the straight program has, and computes the same.
// RUN: rm -rf %t && mkdir %t
// RUN: %vgpu -O2 %s -I%root -o %t/serial
// RUN: for o in 0 1 2 3; do \
// RUN:   %vgpu-kesco -O$o %s -I%root -o %t/kesco -fplugin-arg-kesco-report=%t/$o.json || exit 1; \
// RUN:   for name in sum_of_square_differences in_helpers in_a_class over_ten_vectors with_arguments; do \
// RUN:     sed -n "/\"name\": \"$name(/,/\"barriers\"/p" %t/$o.json | FileCheck %s || { echo $name; exit 1; }; \
// RUN:   done; \
// RUN:   sed -n '/"name": "without_copies(/,/"barriers"/p' %t/$o.json | FileCheck %s --check-prefix=LOOP || exit 1; \
// RUN:   sh %compare 50 %t/serial %t/kesco || exit 1; \
// RUN: done
// RUN: grep -v '"why"' %t/0.json >%t/0.plans && grep -v '"why"' %t/3.json | cmp %t/0.plans -

// CHECK: "lanes": 2,
// CHECK: {"id": 0, {{.*}}"name": "square", {{.*}}"lane": 0,
// CHECK-NEXT: {"id": 1, {{.*}}"name": "square", {{.*}}"lane": 1,
// CHECK-NEXT: {"id": 2, {{.*}}"name": "reduce", {{.*}}"lane": 0,
// CHECK: "waits": [
// CHECK-NEXT: {"op": 2, "on": 1}],
// CHECK-NEXT: "records": [1],

// From one pass to the next, the vector y1 is written when it has been read.
// LOOP: "lanes": 2,
// LOOP: "waits": [
// LOOP-NEXT: {"op": 1, "on": 2},
// LOOP-NEXT: {"op": 2, "on": 1}],
// LOOP-NEXT: "records": [1, 2],

#define main sample_main
#include "samples/vec.cu"
#undef main

#define VECTORS 10
#define COUNT 1000

#define BYTES (COUNT * sizeof(float))
#define BLOCKS ((COUNT + BLOCK - 1) / BLOCK)
#define PARTS 1 /* a reduction in several needs zeros */

static float *on_device(const float *host) {
    float *vector;
    CHECK(cudaMalloc(&vector, BYTES));
    if (host)
        CHECK(cudaMemcpy(vector, host, BYTES, cudaMemcpyHostToDevice));
    return vector;
}

static struct reduction *result_on_device(size_t count) {
    struct reduction *results;
    CHECK(cudaMalloc(&results, count * sizeof *results));
    return results;
}

static float from_device(struct reduction *result) {
    float sum;
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(&sum, &result->value, sizeof(float), cudaMemcpyDeviceToHost));
    CHECK(cudaFree(result));
    return sum;
}

static void launch_square(float *out, const float *in) {
    square<<<BLOCKS, BLOCK>>>(out, in, COUNT);
    CHECK(cudaGetLastError());
}

static void launch_squares(float *x1, const float *x, float *y1, const float *y) {
    launch_square(x1, x);
    launch_square(y1, y);
}

float in_helpers(const float *host_x, const float *host_y) {
    float *x = on_device(host_x), *y = on_device(host_y), *x1 = on_device(NULL), *y1 = on_device(NULL);
    struct reduction *res = result_on_device(1);
    launch_squares(x1, x, y1, y);
    reduce<<<PARTS, BLOCK>>>(res, x1, y1, COUNT);
    return from_device(res);
}

class Difference {
  public:
    Difference(const float *host_x, const float *host_y)
        : x(on_device(host_x)), y(on_device(host_y)), x1(on_device(NULL)), y1(on_device(NULL)),
          res(result_on_device(1)) {
    }

    ~Difference() {
        cudaFree(y1);
        cudaFree(x1);
        cudaFree(y);
        cudaFree(x);
    }

    Difference(const Difference &) = delete;
    Difference &operator=(const Difference &) = delete;

    void squares() {
        square<<<BLOCKS, BLOCK>>>(x1, x, COUNT);
        square<<<BLOCKS, BLOCK>>>(y1, y, COUNT);
    }

    float sum() {
        reduce<<<PARTS, BLOCK>>>(res, x1, y1, COUNT);
        return from_device(res);
    }

  private:
    float *x, *y, *x1, *y1;
    struct reduction *res;
};

float in_a_class(const float *host_x, const float *host_y) {
    Difference difference(host_x, host_y);
    difference.squares();
    return difference.sum();
}

// The vectors stand behind each other; each pass takes the next ones.
void over_ten_vectors(float *sums, const float *host_x, const float *host_y, int vectors) {
    float *x = on_device(NULL), *y = on_device(NULL), *x1 = on_device(NULL), *y1 = on_device(NULL);
    struct reduction *res = result_on_device(1);
    for (int i = 0; i < vectors; i++) {
        CHECK(cudaMemcpy(x, host_x + i * COUNT, BYTES, cudaMemcpyHostToDevice));
        CHECK(cudaMemcpy(y, host_y + i * COUNT, BYTES, cudaMemcpyHostToDevice));
        square<<<BLOCKS, BLOCK>>>(x1, x, COUNT);
        square<<<BLOCKS, BLOCK>>>(y1, y, COUNT);
        reduce<<<PARTS, BLOCK>>>(res, x1, y1, COUNT);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpy(&sums[i], &res->value, sizeof(float), cudaMemcpyDeviceToHost));
    }
}

// All vectors are on the device before the loop.
void without_copies(float *sums, const float *host_x, const float *host_y, int vectors) {
    float *x, *y, *x1 = on_device(NULL), *y1 = on_device(NULL);
    struct reduction *res = result_on_device(vectors);
    CHECK(cudaMalloc(&x, vectors * BYTES));
    CHECK(cudaMalloc(&y, vectors * BYTES));
    CHECK(cudaMemcpy(x, host_x, vectors * BYTES, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(y, host_y, vectors * BYTES, cudaMemcpyHostToDevice));
    for (int i = 0; i < vectors; i++) {
        square<<<BLOCKS, BLOCK>>>(x1, x + i * COUNT, COUNT);
        square<<<BLOCKS, BLOCK>>>(y1, y + i * COUNT, COUNT);
        reduce<<<PARTS, BLOCK>>>(res + i, x1, y1, COUNT);
        CHECK(cudaGetLastError());
    }
    CHECK(cudaMemcpy2D(sums, sizeof(float), res, sizeof *res, sizeof(float), vectors, cudaMemcpyDeviceToHost));
}

void with_arguments(struct reduction *res, float *x1, float *y1, const float *x, const float *y) {
    square<<<BLOCKS, BLOCK>>>(x1, x, COUNT);
    square<<<BLOCKS, BLOCK>>>(y1, y, COUNT);
    reduce<<<PARTS, BLOCK>>>(res, x1, y1, COUNT);
}

int main(void) {
    static float x[VECTORS * COUNT], y[VECTORS * COUNT];
    float sums[VECTORS];
    uint64_t state = 2023;
    for (int i = 0; i < VECTORS * COUNT; i++) {
        x[i] = next_element(&state);
        y[i] = next_element(&state);
    }
    /* What is called in this way runs by its own plan. */
    float (*volatile straight)(const float *, const float *, size_t) = sum_of_square_differences;
    float (*volatile helpers)(const float *, const float *) = in_helpers;
    float (*volatile a_class)(const float *, const float *) = in_a_class;
    void (*volatile arguments)(struct reduction *, float *, float *, const float *, const float *) = with_arguments;
    void (*volatile ten[])(float *, const float *, const float *, int) = {over_ten_vectors, without_copies};
    printf("straight: %.1f\n", straight(x, y, COUNT));
    printf("in helpers: %.1f\n", helpers(x, y));
    printf("in a class: %.1f\n", a_class(x, y));
    float *device_x = on_device(x), *device_y = on_device(y), *x1 = on_device(NULL), *y1 = on_device(NULL);
    struct reduction *res = result_on_device(1);
    arguments(res, x1, y1, device_x, device_y);
    printf("with arguments: %.1f\n", from_device(res));
    res = result_on_device(1);
    arguments(res, x1, device_x, device_x, device_y);
    printf("with arguments that are the same: %.1f\n", from_device(res));
    for (size_t way = 0; way < sizeof ten / sizeof *ten; way++) {
        ten[way](sums, x, y, VECTORS);
        for (int i = 0; i < VECTORS; i++)
            printf("vector %d: %.1f\n", i, sums[i]);
    }
    return 0;
}
