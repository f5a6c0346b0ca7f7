// What build systems and toolkits are told: the profile and the exclude list are dependencies, the source file stays the first; a device that the
// toolkit does not have is named before its assembler fails, but not where that is not to come.
// RUN: echo '{"version": 1, "ops": []}' >%t.json && echo 'fun:none' >%t.list
// RUN: %kesco-host -fsyntax-only -MMD -MP -MF %t.d -fplugin-arg-kesco-profile=%t.json -fplugin-arg-kesco-exclude=%t.list %s
// RUN: FileCheck %s --check-prefix=DEPENDENCIES <%t.d
// DEPENDENCIES: build.cu
// DEPENDENCIES: .json
// DEPENDENCIES: .list{{$}}
// DEPENDENCIES-NOT: build.cu:
// DEPENDENCIES: .json:
// DEPENDENCIES: .list:
// DEFINE: %{clang} = clang++ -fplugin=%plugin "--cuda-path=$CUDA_PATH" -Wno-unknown-cuda-version
// RUN: not %{clang} -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=DEFAULT --implicit-check-not=REPORT
// DEFAULT: error: kesco: the CUDA Toolkit does not know the device 'sm_52', which is clang's choice where none is given; give
// RUN: not %{clang} --cuda-gpu-arch=sm_70 -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=OLD
// OLD: error: kesco: the CUDA Toolkit does not know the device 'sm_70'; give one of sm_75 or newer, as by
// RUN: %{clang} --cuda-device-only -S %s -o %t.s
__global__ void set(int *to) { *to = 1; }
