// RUN: %vgpu-clang++ -O1 %s -o %t && %t 0
// RUN: sh -c '%t 1 2>%t.err; test $? = 65' && FileCheck --check-prefix=ASM %s < %t.err
// RUN: sh -c '%t 4 2>%t.err; test $? = 65' && FileCheck --check-prefix=GUARDED %s < %t.err
// RUN: sh -c '%t 5 2>%t.err; test $? = 65' && FileCheck --check-prefix=UNREADABLE %s < %t.err
// RUN: sh -c '%t 6 2>%t.err; test $? = 65' && FileCheck --check-prefix=MODIFIER %s < %t.err
// RUN: sh -c '%t 7 2>%t.err; test $? = 65' && FileCheck --check-prefix=GOTO %s < %t.err
// RUN: sh -c '%t 2 2>%t.err; test $? = 65' && FileCheck --check-prefix=TEXTURE %s < %t.err
// RUN: sh -c '%t 3 2>%t.err; test $? = 65' && FileCheck --check-prefix=INTRINSIC %s < %t.err
// What device code asks for that is not modelled ends the program, with its name, once it is reached; not before.
#include "check.h"

// ASM: inline asm 'vadd4{{.*}}is not modelled{{.*}}uses_asm
__global__ void uses_asm(unsigned *out) {
    *out = __vadd4(*out, 0x01010101u);
}

// The guard of the second instruction does not hold where `reached` is 0.
// GUARDED: inline asm 'bfind.u32' is not modelled{{.*}}uses_guarded
__global__ void uses_guarded(unsigned *out, int reached) {
    asm volatile("{ .reg .pred p; setp.ne.s32 p, %1, 0; add.u32 %0, %0, 1; @p bfind.u32 %0, %0; }" : "+r"(*out) : "r"(reached));
}

// UNREADABLE: inline asm '.global .u32 x; ld.global.u32 $0, [x' is not modelled{{.*}}uses_text
__global__ void uses_text(unsigned *out) {
    asm volatile(".global .u32 x; ld.global.u32 %0, [x" : "=r"(*out));
}

// MODIFIER: inline asm 'add.sat.s32' is not modelled{{.*}}uses_modifier
__global__ void uses_modifier(int *out) {
    asm volatile("add.sat.s32 %0, %0, 1;" : "+r"(*out));
}

// GOTO: asm goto is not modelled{{.*}}uses_goto
__global__ void uses_goto(int *out) {
    asm goto("{ .reg .pred p; setp.eq.s32 p, %0, 0; @p bra %l1; }" ::"r"(*out)::end);
    *out = 1;
end:;
}

// TEXTURE: tex{{.*}} is not modelled{{.*}}uses_texture
__global__ void uses_texture(cudaTextureObject_t texture, float *out) {
    bool resident;
    *out = tex2D<float>(texture, 0, 0, &resident);
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
    if (which == 4)
        uses_guarded<<<1, 1>>>(out, 1);
    if (which == 5)
        uses_text<<<1, 1>>>(out);
    if (which == 6)
        uses_modifier<<<1, 1>>>((int *)out);
    if (which == 7)
        uses_goto<<<1, 1>>>((int *)out);
    if (which == 2)
        uses_texture<<<1, 1>>>(0, (float *)out);
    if (which == 3)
        uses_counter<<<1, 1>>>(out);
    uses_guarded<<<1, 1>>>(out, 0);
    fetch(&got, out, sizeof(got));
    CHECK_EQUAL(got, 4);
    return 0;
}
