// Launches on its own account, and for others; compiled without KeSCo in one test, with it in another.
#include <kesco.h>

KESCO_OUTPUTS(1) __global__ void add(int *to, const int *from) { to[threadIdx.x] += 3 * from[threadIdx.x]; }

void other_unit(int *to, const int *from, cudaStream_t stream) {
    add<<<1, 64, 0, stream>>>(to, from);
    add<<<1, 64, 0, stream>>>(to, to);
}
