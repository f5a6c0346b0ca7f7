// The driver API's contexts on the virtual GPU: to push one makes its device the thread's, for the runtime API, too. Programs
// with CUDASTF ask so for a stream's device.
// RUN: %vgpu -O1 %s -o %t && env VGPU_DEVICES=2 %t | FileCheck %s
// RUN: not env VGPU_DEVICES=2 %t twice 2>&1 | grep 'cuCtxPopCurrent is not modelled: of a context that was not pushed'

#include <cstdio>
#include <cuda.h>

static void show(const char *what) {
    int device = -1, current = -1;
    const CUresult told = cuCtxGetDevice(&current);
    cudaGetDevice(&device);
    printf("%s: %d, device %d %d\n", what, told, device, current);
}

int main(int argc, char **) {
    CUcontext context, popped;
    cudaStream_t stream;
    unsigned long long driver_id, id;
    cudaSetDevice(1);
    cudaStreamCreate(&stream);
    cudaSetDevice(0);
    show("before"); // CHECK: before: 0, device 0 0
    printf("%d\n", cuStreamGetCtx(stream, &context)); // CHECK-NEXT: {{^0$}}
    cuCtxPushCurrent(context);
    show("pushed"); // CHECK-NEXT: pushed: 0, device 1 1
    cuCtxPopCurrent(&popped);
    show("popped"); // CHECK-NEXT: popped: 0, device 0 0
    printf("%d\n", popped == context); // CHECK-NEXT: {{^1$}}
    cuStreamGetId(stream, &driver_id);
    cudaStreamGetId(stream, &id);
    printf("%d\n", driver_id == id); // CHECK-NEXT: {{^1$}}

    // What fails leaves the runtime API's last error as it is.
    printf("%d %d\n", cuCtxPushCurrent(CUcontext(&id)), cuStreamGetCtx(stream, NULL)); // CHECK-NEXT: {{^201 1$}}
    printf("%d\n", cudaGetLastError()); // CHECK-NEXT: {{^0$}}
    if (argc > 1)
        cuCtxPopCurrent(&popped);
}
