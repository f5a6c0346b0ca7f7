// Objects that a kernel makes, with virtual functions, as ray tracers have them: what it writes to the memory that it got
// is in its summary, and kernels that follow pointers there keep their order to it.
// RUN: for o in 0 2; do \
// RUN:   %vgpu -O$o %s -o %t.serial && %vgpu-kesco -O$o %s -o %t.kesco && sh %compare 6 %t.serial %t.kesco || exit 1; \
// RUN: done

#include <cstdio>
#include <new>

struct Shape {
    __device__ virtual float area() const = 0;
    __device__ virtual ~Shape() {}
};

struct Square : Shape {
    float side;
    __device__ explicit Square(float side) : side(side) {}
    __device__ float area() const override { return side * side; }
};

struct Disc : Shape {
    float radius;
    __device__ explicit Disc(float radius) : radius(radius) {}
    __device__ float area() const override { return 3 * radius * radius; }
};

__global__ void make(Shape **shapes) {
    const int i = threadIdx.x;
    shapes[i] = i % 2 ? (Shape *)new Square(i) : new Disc(i);
}

__global__ void measure(float *areas, Shape **shapes) { areas[threadIdx.x] = shapes[threadIdx.x]->area(); }

__global__ void drop(Shape **shapes) { delete shapes[threadIdx.x]; }

__global__ void fill(float *data, float value) { data[threadIdx.x] = value; }

int main() {
    enum { COUNT = 32 };
    Shape **shapes;
    float *areas, *others, host[COUNT];
    cudaMalloc(&shapes, COUNT * sizeof(*shapes));
    cudaMalloc(&areas, sizeof(host));
    cudaMalloc(&others, sizeof(host));
    for (int i = 0; i < 3; i++) {
        fill<<<1, COUNT>>>(others, i);
        make<<<1, COUNT>>>(shapes);
        measure<<<1, COUNT>>>(areas, shapes);
        fill<<<1, COUNT>>>(others, i + 1);
        drop<<<1, COUNT>>>(shapes);
    }
    cudaMemcpy(host, areas, sizeof(host), cudaMemcpyDeviceToHost);
    for (float area : host)
        printf("%g\n", area);
    cudaMemcpy(host, others, sizeof(host), cudaMemcpyDeviceToHost);
    printf("%g\n", host[5]);
}
