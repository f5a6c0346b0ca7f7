// A volume whose sides are worked on by other launches than what lies within, as solvers of waves with absorbing sides have them:
// six boxes around one. Some are beside each other along one axis alone, by their rows or by their planes, so that neither
// bounds nor pieces at one distance tell them apart. Where they are is known to the run alone, and the extents of the volume may
// be computed in the kernels, from the first and the last of each axis. The step's launches overlap, also where two buffers
// change places in each step and where the step is a function of its own; boxes that the program lets meet keep their order.
// Serially, and with races checked under many orders, the results are the same.
// RUN: for how in SWAPPED BESIDE EXTENTS MEETING; do \
// RUN:   %vgpu -O2 -D$how %s -o %t.serial && %vgpu-kesco -O2 -D$how %s -o %t.kesco || exit 1; \
// RUN:   for sizes in "9 8 12 3 6" "1 1 1 1 2" "5 6 4 2 3" "7 4 9 1 4"; do \
// RUN:     sh %compare 3 %t.serial %t.kesco $sizes || exit 1; \
// RUN:   done; \
// RUN:   KESCO_MODE=auto sh %compare 1 %t.serial %t.kesco 9 8 12 3 40 && KESCO_MODE=graph sh %compare 1 %t.serial %t.kesco 9 8 12 3 8 || exit 1; \
// RUN:   env VGPU_STATS=%t.json %t.kesco 9 8 12 3 10 >/dev/null || exit 1; \
// RUN:   echo "$how" `cat %t.json`; \
// RUN: done >%t.all && FileCheck %s --input-file=%t.all
//
// Ten steps of seven launches.
// CHECK: SWAPPED {{.*}}"ordered_chain": 10,
// CHECK: BESIDE {{.*}}"ordered_chain": 10,
// CHECK: EXTENTS {{.*}}"ordered_chain": 1{{[0-2]}},
// Sides that are one wider meet what is beside them.
// CHECK: MEETING {{.*}}"ordered_chain": {{[2-9][0-9]}},

#include <cstdio>
#include <cstdlib>

struct Box {
    int x0, x1, y0, y1, z0, z1;
};

__global__ void within(Box box, int height, int width, const int *from, int *to) {
    const int x = box.x0 + blockIdx.x * blockDim.x + threadIdx.x, y = box.y0 + blockIdx.y * blockDim.y + threadIdx.y;
    const int z = box.z0 + blockIdx.z * blockDim.z + threadIdx.z, at = (z * height + y) * width + x;

    if (x < box.x1 && y < box.y1 && z < box.z1)
        to[at] = to[at] * 3 + from[at] + from[at + 1] * 5 + x;
}

__global__ void at_side(Box box, int height, int width, const int *from, int *to, int *damped) {
    const int x = box.x0 + blockIdx.x * blockDim.x + threadIdx.x, y = box.y0 + blockIdx.y * blockDim.y + threadIdx.y;
    const int z = box.z0 + blockIdx.z * blockDim.z + threadIdx.z, at = (z * height + y) * width + x;

    if (x >= box.x1 || y >= box.y1 || z >= box.z1)
        return;
    damped[at] = damped[at] * 7 + from[at];
    to[at] = to[at] * 3 + from[at - width] + damped[at];
}

// The volume goes from a first to a last along each axis.
#define WIDTH (last_x - first_x + 1)
#define HEIGHT (last_y - first_y + 1)
#define PLACE(x, y, z) (WIDTH * HEIGHT * ((z) - first_z) + WIDTH * (y) - WIDTH * first_y + (x) - first_x)

__global__ void within_extents(int x0, int x1, int y0, int y1, int z0, int z1, int first_x, int last_x, int first_y, int last_y,
                               int first_z, const int *from, int *to) {
    const int x = x0 + blockIdx.x * blockDim.x + threadIdx.x, y = y0 + blockIdx.y * blockDim.y + threadIdx.y;
    const int z = z0 + blockIdx.z * blockDim.z + threadIdx.z;

    if (x < x1 && y < y1 && z < z1)
        to[PLACE(x, y, z)] = to[PLACE(x, y, z)] * 3 + from[PLACE(x, y, z)] + x;
}

static dim3 blocks(const Box &box) {
    return dim3((box.x1 - box.x0 + 3) / 4, (box.y1 - box.y0 + 1) / 2, (box.z1 - box.z0 + 1) / 2);
}

static bool is_empty(const Box &box) { return box.x0 >= box.x1 || box.y0 >= box.y1 || box.z0 >= box.z1; }

enum { BOXES = 7, WITHIN = 3 };

// What is within, and around it the sides: along z, then along y, then along x.
static void divide(Box *all, int depth, int height, int width, int side) {
    const int x0 = 1 + side, x1 = width - 1 - side, y0 = 1 + side, y1 = height - 1 - side, z0 = 1 + side, z1 = depth - 1 - side;

    all[0] = {1, width - 1, 1, height - 1, 1, z0};
    all[1] = {1, width - 1, 1, y0, z0, z1};
    all[2] = {1, x0, y0, y1, z0, z1};
    all[WITHIN] = {x0, x1, y0, y1, z0, z1};
    all[4] = {x1, width - 1, y0, y1, z0, z1};
    all[5] = {1, width - 1, y1, height - 1, z0, z1};
    all[6] = {1, width - 1, 1, height - 1, z1, depth - 1};
    for (int i = 0; i < BOXES; i++)
        if (is_empty(all[i]))
            all[i] = {1, 2, 1, 2, 1, 2};
}

#define AT_SIDE(box) at_side<<<blocks(box), dim3(4, 2, 2)>>>(box, height, width, from, to, damped)
#define WITHIN_IT(box) within<<<blocks(box), dim3(4, 2, 2)>>>(box, height, width, from, to)
#define IN_EXTENTS(box) \
    within_extents<<<blocks(box), dim3(4, 2, 2)>>>(box.x0 - 5, box.x1 - 5, box.y0 + 2, box.y1 + 2, box.z0 - 1, box.z1 - 1, -5, \
                                                   width - 6, 2, height + 1, -1, from, to)

[[maybe_unused]] static void step(const Box *all, int height, int width, const int *from, int *to, int *damped) {
    AT_SIDE(all[0]);
    AT_SIDE(all[1]);
    AT_SIDE(all[2]);
    WITHIN_IT(all[WITHIN]);
    AT_SIDE(all[4]);
    AT_SIDE(all[5]);
    AT_SIDE(all[6]);
}

[[maybe_unused]] static void step_in_extents(const Box *all, int height, int width, const int *from, int *to) {
    for (int i = 0; i < BOXES; i++)
        IN_EXTENTS(all[i]);
}

int main(int, char **arguments) {
    const int more = 2, depth = atoi(arguments[1]) + more, height = atoi(arguments[2]) + more, width = atoi(arguments[3]) + more;
    const int side = atoi(arguments[4]), steps = atoi(arguments[5]), count = depth * height * width;
    int *host = (int *)malloc(count * sizeof(int)), *from, *to, *damped;
    Box all[BOXES];
    unsigned sum = 0;

    cudaMalloc(&from, count * sizeof(int));
    cudaMalloc(&to, count * sizeof(int));
    cudaMalloc(&damped, count * sizeof(int));
    for (int i = 0; i < count; i++)
        host[i] = i * 7 % 13;
    cudaMemcpy(from, host, count * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemset(to, 0, count * sizeof(int));
    cudaMemset(damped, 0, count * sizeof(int));
    divide(all, depth, height, width, side);
#ifdef MEETING
    for (int i = 0; i < BOXES; i++)
        all[i].x1 += all[i].x1 < width - 1;
#endif
    for (int i = 0; i < steps; i++) {
#ifdef EXTENTS
        step_in_extents(all, height, width, from, to);
#else
        step(all, height, width, from, to, damped);
#endif
#if defined(SWAPPED) || defined(MEETING)
        int *former = from;
        from = to;
        to = former;
#else
        cudaMemcpyAsync(from, to, count * sizeof(int), cudaMemcpyDeviceToDevice);
#endif
    }
    cudaMemcpy(host, from, count * sizeof(int), cudaMemcpyDeviceToHost);
    for (int i = 0; i < count; i++)
        sum = sum * 31 + (unsigned)host[i];
    printf("%u\n", sum);
    return 0;
}
