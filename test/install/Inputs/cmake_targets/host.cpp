#include "steps.h"

#ifdef CUDA_ALONE
#error these options are for CUDA
#endif

const char *end() {
    return "\n";
}
