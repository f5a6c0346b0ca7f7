// RUN: rm -rf "%t dir" && mkdir "%t dir"
// RUN: cp %s "%t dir/with space.cu" && cp %S/check.h "%t dir/check.h"
// RUN: %vgpu-clang++ -x cuda -std=c++17 --cuda-gpu-arch=sm_70 --offload-arch=sm_90 -O2 -g -Wall -DARCH=900 -DTEXT="\"a b\"" "%t dir/with space.cu" -o "%t dir/a program" -lcudart_static -pthread -ldl
// RUN: "%t dir/a program" 0
// RUN: %vgpu-clang++ -c -MD -DTEXT="\"a b\"" "%t dir/with space.cu" -o "%t dir/one.o" && FileCheck --check-prefix=DEPENDS %s < "%t dir/one.d"
// RUN: env TMPDIR="%t dir" %vgpu-clang++ -xnone "%t dir/one.o" -L/nowhere -l cudart -o "%t dir/b" && sh -c "\"%t dir/b\" 3; test \$? = 3"
// RUN: ls "%t dir" | FileCheck --check-prefix=LEFT %s
// RUN: %vgpu-clang++ -### -DTEXT="\"a b\"" -fplugin=none.so -fplugin-arg-none-x -Xclang -fno-pch-timestamp %s -o never 2>&1 | FileCheck --check-prefix=STEPS %s
// RUN: env CUDA_PATH=/set %vgpu-clang++ -### --cuda-path=/asked -c %s 2>&1 | FileCheck --check-prefix=ASKED %s
// RUN: env CUDA_PATH=/set %vgpu-clang++ -### -c %s 2>&1 | FileCheck --check-prefix=SET %s
// RUN: env CUDA_PATH= %vgpu-clang++ -### -c %s 2>&1 | FileCheck --check-prefix=UNSET %s
// RUN: env VGPU_CLANG=clang-scan-deps %vgpu-clang++ -### -c %s 2>&1 | FileCheck --check-prefix=CLANG %s
// RUN: env VGPU_CLANG=no-such-program not %vgpu-clang++ -c %s 2>&1 | FileCheck --check-prefix=NONE %s
// RUN: not %vgpu-clang++ -S %s 2>&1 | FileCheck --check-prefix=ASSEMBLY %s
// RUN: not %vgpu-clang++ -dlink "%t dir/one.o" -o "%t dir/linked" 2>&1 | FileCheck --check-prefix=STEP %s
// RUN: not %vgpu-clang++ %s -o 2>&1 | FileCheck --check-prefix=MISSING %s
// RUN: not %vgpu-clang++ -c %s %s -o x.o 2>&1 | FileCheck --check-prefix=TWO %s
// RUN: not %vgpu-clang++ -DTEXT=undeclared -c %s -o %t.never.o 2>&1 | FileCheck --check-prefix=ERROR %s
// RUN: test ! -e %t.never.o
// RUN: %vgpu-clang++ -E -DTEXT="\"a b\"" %s | FileCheck --check-prefix=PREPROCESSED %s
// RUN: %vgpu-clang++ --version | FileCheck -DLLVM=%llvm-version --check-prefix=VERSION %s
// What vgpu-clang++ makes of its command line: spaces, objects, dependency files, libraries that it replaces, what
// it refuses, the exit status of a failing step, and no files left behind. Where it finds clang and CUDA.
#include "check.h"

// DEPENDS: one.o:
// DEPENDS: with\ space.cu
// LEFT-NOT: vgpu-clang
// STEPS: "--cuda-device-only" "-DTEXT=\"a b\"" "-fplugin=none.so" "-fplugin-arg-none-x" "-Xclang" "-fno-pch-timestamp"
// STEPS: vgpu-device"
// STEPS: "--cuda-host-only" "-DTEXT=\"a b\"" "-fplugin=none.so" "-fplugin-arg-none-x"{{.*}} "-fcuda-include-gpubinary"
// STEPS: libvgpu.so"{{.*}} "-o" "never"
// ASKED-COUNT-2: "--cuda-path=/asked"
// SET-COUNT-2: "--cuda-path=/set"
// UNSET-NOT: "--cuda-path
// CLANG-COUNT-2: /clang-scan-deps"
// NONE: vgpu-clang++: the compiler 'no-such-program' of VGPU_CLANG is missing
// ASSEMBLY: vgpu-clang++: '-S' is not modelled
// STEP: vgpu-clang++: '-dlink' is not modelled
// MISSING: vgpu-clang++: argument to '-o' is missing
// TWO: vgpu-clang++: cannot specify -o when generating multiple output files
// ERROR: error: use of undeclared identifier 'undeclared'
// ERROR-NOT: error:
// PREPROCESSED: store(char *out)
// VERSION: clang version [[LLVM]].

#if defined(ARCH) && defined(__CUDA_ARCH__) && __CUDA_ARCH__ != ARCH
#error "device code is compiled for the highest architecture that was asked for"
#endif

__global__ void store(char *out) {
    const char *text = TEXT;
    out[threadIdx.x] = text[threadIdx.x];
}

int main(int argc, char **argv) {
    char *out = DEVICE_ZEROS(char, 4), got[4];
    store<<<1, 4>>>(out);
    fetch(got, out, sizeof(got));
    CHECK(strcmp(got, "a b") == 0);
    return argc > 1 ? atoi(argv[1]) : 0;
}
