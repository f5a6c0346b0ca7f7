/* A libcuda that has a context, and nothing else. */
#include <cuda.h>

__attribute__((visibility("default"))) CUresult cuCtxGetCurrent(CUcontext *context) {
    static int made;

    *context = (CUcontext)&made;
    return CUDA_SUCCESS;
}
