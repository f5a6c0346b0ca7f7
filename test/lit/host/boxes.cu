// Launches of one kernel in a loop, each on a part of one array that its arguments say: the run places them by their bytes.
// Those that begin at one place, are of several kernels, or loaded by a table, and those that no loop comes back to, stay as
// they are.
// RUN: %kesco -c %s -o /dev/null -Rpass=kesco 2>&1 | FileCheck %s --implicit-check-not="ops get"

__global__ void scale(float *all, int from, int to) {
    int i = from + blockIdx.x * blockDim.x + threadIdx.x;
    if (i < to)
        all[i] *= 2;
}
__global__ void shift(float *all, int from, int to) {
    int i = from + blockIdx.x * blockDim.x + threadIdx.x;
    if (i < to)
        all[i] += 1;
}
__global__ void gather(float *all, const int *where, int from) { all[where[from + blockIdx.x]] *= 2; }

// CHECK: boxes.cu:[[#@LINE+3]]:{{.*}} 2 ops get their lanes when the program issues them
void sides(float *all, int size, int side, int passes) {
    for (int pass = 0; pass < passes; pass++) {
        scale<<<size / 128, 128>>>(all, 0, side);
        scale<<<size / 128, 128>>>(all, size - side, size);
    }
}

void one_beginning(float *all, int size, int side, int passes) {
    for (int pass = 0; pass < passes; pass++) {
        scale<<<size / 128, 128>>>(all, side, 2 * side);
        scale<<<size / 128, 128>>>(all, side, size);
    }
}

void two_kernels(float *all, int size, int side, int passes) {
    for (int pass = 0; pass < passes; pass++) {
        scale<<<size / 128, 128>>>(all, 0, side);
        shift<<<size / 128, 128>>>(all, size - side, size);
    }
}

void by_table(float *all, const int *where, int size, int passes) {
    for (int pass = 0; pass < passes; pass++) {
        gather<<<8, 1>>>(all, where, 0);
        gather<<<8, 1>>>(all, where, size);
    }
}

void in_one_pass(float *all, int size, int side) {
    scale<<<size / 128, 128>>>(all, 0, side);
    scale<<<size / 128, 128>>>(all, size - side, size);
}
