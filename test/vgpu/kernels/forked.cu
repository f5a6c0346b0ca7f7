// RUN: %vgpu-clang++ -O1 %s -o %t
// RUN: sh -c 'VGPU_CHECK=races %t early; test $? = 66'
// RUN: sh -c 'VGPU_CHECK=races %t late; test $? = 0'
// RUN: env VGPU_STATS=%t.json %t early && FileCheck %s < %t.json
// CHECK: "cudaMallocManaged": 1
// A child that is forked before the first call has a device of its own, and is checked. One that is forked later has
// none, and its end reports nothing of what its parent did.
#include "check.h"

#include <sys/wait.h>
#include <unistd.h>

__global__ void write(int *data) {
    *data = 1;
}

int main(int, char **argv) {
    const bool early = !strcmp(argv[1], "early");
    int *data, status;
    if (!early)
        CUDA(cudaMallocManaged(&data, sizeof(int)));
    const pid_t child = fork();
    if (child == 0 && early) {
        CUDA(cudaMallocManaged(&data, sizeof(int)));
        write<<<1, 1>>>(data);
        *data = 2;
        exit(0);
    }
    if (child == 0)
        exit(0);
    CHECK(waitpid(child, &status, 0) == child);
    return WEXITSTATUS(status);
}
