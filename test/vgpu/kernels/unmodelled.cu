// RUN: %vgpu-clang++ -O1 %s -o %t && %t 0
// RUN: sh -c '%t 1 2>%t.err; test $? = 65' && FileCheck --check-prefix=ASM %s < %t.err
// RUN: sh -c '%t 2 2>%t.err; test $? = 65' && FileCheck --check-prefix=TEXTURE %s < %t.err
// RUN: sh -c '%t 3 2>%t.err; test $? = 65' && FileCheck --check-prefix=INTRINSIC %s < %t.err
// What device code asks for that is not modelled ends the program, with its name, once it is reached; not before.
#include "check.h"

// ASM: inline asm 'vadd4{{.*}}is not modelled{{.*}}uses_asm
__global__ void uses_asm(unsigned *out) {
    *out = __vadd4(*out, 0x01010101u);
}

// TEXTURE: tex{{.*}} is not modelled{{.*}}uses_texture
__global__ void uses_texture(cudaTextureObject_t texture, float *out) {
    *out = tex1Dfetch<float>(texture, 0);
}

// INTRINSIC: llvm.nvvm.read.ptx.sreg.pm0 is not modelled{{.*}}uses_counter
__global__ void uses_counter(unsigned *out) {
    *out = __nvvm_read_ptx_sreg_pm0();
}

__global__ void fine(unsigned *out) {
    *out = 3;
}

int main(int argc, char **argv) {
    unsigned *out = DEVICE_ZEROS(unsigned, 4), got;
    const int which = argc > 1 ? atoi(argv[1]) : 0;
    fine<<<1, 1>>>(out);
    if (which == 1)
        uses_asm<<<1, 1>>>(out);
    if (which == 2)
        uses_texture<<<1, 1>>>(0, (float *)out);
    if (which == 3)
        uses_counter<<<1, 1>>>(out);
    fetch(&got, out, sizeof(got));
    CHECK_EQUAL(got, 3);
    return 0;
}
