// A host that polls what a kernel releases to the whole system may then look at what the kernels before it wrote.
// RUN: for o in 0 2; do sh %S/Inputs/rows.sh ROW %s %vgpu-kesco -std=c++17 -O$o -c %s -o %t.o || exit 1; done
#include "Inputs/row.h"

// ROW: by_fence: writes flag; reads and writes memory that no argument names: it may signal to the host how far the stream is{{.*}}
__global__ void by_fence(volatile int *flag) {
    __threadfence_system();
    *flag = 1;
}

// ROW: by_assembly: writes flag; reads and writes memory that no argument names: it may signal to the host how far the stream is{{.*}}
__global__ void by_assembly(int *flag) { asm volatile("st.release.sys.global.u32 [%0], 1;" ::"l"(flag) : "memory"); }

// ROW: by_fence_in_assembly: writes flag; reads and writes memory that no argument names: it may signal to the host how far the stream is{{.*}}
__global__ void by_fence_in_assembly(volatile int *flag) {
    asm volatile("fence.acq_rel.sys;" ::: "memory");
    *flag = 1;
}

// ROW: by_builtin: writes flag; reads and writes memory that no argument names: it may signal to the host how far the stream is{{.*}}
__global__ void by_builtin(int *flag) { __atomic_store_n(flag, 1, __ATOMIC_RELEASE); }

// ROW: on_the_device: writes flag
__global__ void on_the_device(volatile int *flag) {
    __threadfence();
    *flag = 1;
}

// ROW: relaxed: writes flag
__global__ void relaxed(int *flag) { asm volatile("st.relaxed.sys.global.u32 [%0], 1;" ::"l"(flag) : "memory"); }

// ROW: counted: reads flag; writes flag
__global__ void counted(int *flag) { atomicAdd_system(flag, 1); }

// ROW: plain: writes flag
__global__ void plain(int *flag) { *flag = 1; }
