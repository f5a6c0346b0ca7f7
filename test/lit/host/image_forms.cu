// Summaries are found in every form that device code takes on its way into the host code.
// RUN: python3 %S/Inputs/image.py %s %t.raw && python3 %S/Inputs/image.py %s %t.ptx --form ptx
// RUN: python3 %S/Inputs/image.py %s %t.ll --form ll && llvm-as %t.ll -o %t.bc

// As PTX; in a fatbinary, which may be compressed.
// RUN: %kesco-host -c %s -o /dev/null -Xclang -fcuda-include-gpubinary -Xclang %t.ptx \
// RUN:   -fplugin-arg-kesco-report=%t.json && FileCheck %s --input-file=%t.json
// RUN: for way in none default; do \
// RUN:   $CUDA_PATH/bin/fatbinary -64 --create %t.fatbin --compress-all --compress-mode=$way \
// RUN:     --image3=kind=ptx,sm=90,file=%t.ptx && \
// RUN:   %kesco-host -c %s -o /dev/null -Xclang -fcuda-include-gpubinary -Xclang %t.fatbin -Werror \
// RUN:     -fplugin-arg-kesco-report=%t.json && FileCheck %s --input-file=%t.json || exit 1; \
// RUN: done
// RUN: ! grep "127, 75" %t.fatbin

// A fatbinary that cannot be read is a damaged image.
// RUN: head -c 200 %t.fatbin >%t.short
// RUN: %kesco-host -c %s -o /dev/null -Xclang -fcuda-include-gpubinary -Xclang %t.short 2>&1 \
// RUN:   | FileCheck %s --check-prefix=DAMAGED
// RUN: $CUDA_PATH/bin/fatbinary -64 --create %t.fatbin --compress-all --compress-mode=speed \
// RUN:   --image3=kind=ptx,sm=90,file=%t.ptx
// RUN: %kesco-host -c %s -o /dev/null -Xclang -fcuda-include-gpubinary -Xclang %t.fatbin 2>&1 \
// RUN:   | FileCheck %s --check-prefix=LZ4

// DEFINE: %{packager} = $(command -v llvm-offload-binary || command -v clang-offload-packager)
// With -fgpu-rdc in a package, as an object or, with -foffload-lto, as bitcode.
// RUN: for file in raw,arch=sm_80 bc,arch=sm_90; do \
// RUN:   %{packager} -o %t.package --image=file=%t.$file,triple=nvptx64-nvidia-cuda,kind=cuda && \
// RUN:   %kesco-host -fgpu-rdc --offload-new-driver -c %s -o /dev/null -Xclang -fembed-offload-object=%t.package -Werror -Wno-unused-command-line-argument \
// RUN:     -fplugin-arg-kesco-report=%t.json && FileCheck %s --input-file=%t.json || exit 1; \
// RUN: done
// RUN: %kesco-host -fgpu-rdc --offload-new-driver -c %s -o /dev/null -fplugin-arg-kesco-report=%t.json
// RUN: FileCheck %s --input-file=%t.json --check-prefix=NONE

// Of two architectures' images, what either does counts; if one is damaged, neither does.
// RUN: python3 %S/Inputs/image.py %s %t.other --prefix OTHER
// RUN: %{packager} -o %t.package --image=file=%t.bc,triple=nvptx64-nvidia-cuda,arch=sm_80,kind=cuda \
// RUN:   --image=file=%t.other,triple=nvptx64-nvidia-cuda,arch=sm_90,kind=cuda
// RUN: %kesco-host -fgpu-rdc --offload-new-driver -c %s -o /dev/null -Xclang -fembed-offload-object=%t.package \
// RUN:   -fplugin-arg-kesco-report=%t.json
// RUN: FileCheck %s --input-file=%t.json --check-prefix=BOTH
// RUN: python3 %S/Inputs/image.py %s %t.other --prefix OTHER --damage
// RUN: %{packager} -o %t.other-package --image=file=%t.other,triple=nvptx64-nvidia-cuda,arch=sm_90,kind=cuda
// RUN: %kesco-host -fgpu-rdc --offload-new-driver -c %s -o /dev/null -Xclang -fembed-offload-object=%t.package \
// RUN:   -Xclang -fembed-offload-object=%t.other-package -fplugin-arg-kesco-report=%t.json 2>&1 \
// RUN:   | FileCheck %s --check-prefix=CHECKSUM
// RUN: FileCheck %s --input-file=%t.json --check-prefix=NONE

// SUMMARY: K _Z5knownPfS_
// SUMMARY: P 0 0 w
// SUMMARY: P 1 0 r
// OTHER: K _Z5knownPfS_
// OTHER: P 1 0 w
__global__ void known(float *to, float *from) { *to = *from; }
// A kernel of another unit has no summary here, whatever its name.
// SUMMARY: K _Z9elsewherePf
__global__ void elsewhere(float *to);

// CHECK: "reads": ["b"], "writes": ["a"]
// CHECK: "reads": [], "writes": ["*"]
// BOTH: "reads": ["b"], "writes": ["a", "b"]
// NONE: "name": "known", {{.*}}"reads": [], "writes": ["*"]
// DAMAGED: warning: kesco: the access summaries of the device code in '{{.*}}' are ignored: it is damaged;
// LZ4: warning: kesco: the access summaries of the device code in '{{.*}}' are ignored: it is compressed in a way that is not known;
// CHECKSUM: warning: kesco: the access summaries of the device code in '{{.*}}.other-package' are ignored: its checksum is wrong;
void launch() {
    float *a, *b;
    cudaMalloc(&a, 4);
    cudaMalloc(&b, 4);
    known<<<1, 1>>>(a, b);
    elsewhere<<<1, 1>>>(a);
}
