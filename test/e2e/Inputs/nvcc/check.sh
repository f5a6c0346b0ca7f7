#!/bin/sh
# check.sh KESCO_BUILD FOLDER KESCO_CLANG...
#
# FOLDER is a build of the CMake project beside this file, by nvcc with KeSCo. Its plans, where they are in FOLDER/plans, are those
# of the command KESCO_CLANG, and the program runs on the virtual GPU, on lanes. For that, an image of the same sources, made by the
# same command, is put in place of what nvcc -dlink made; static kernels get nvcc's names there.
set -eu
sources=$(cd "$(dirname "$0")" && pwd)
vgpu=$1/test/vgpu
cd "$2"
shift 2

link=CMakeFiles/three.dir/cmake_device_link.o
object_of() {
    [ "$1" = main ] && echo CMakeFiles/three.dir/main.cu.o || echo "CMakeFiles/parts.dir/$1.cu.o"
}

# For sed, from clang's names to nvcc's, as __nv_static_29__MODULE__ZN40_GLOBAL__N__MODULE5twiceEPf and
# __nv_static_29__MODULE__Z4fillPff.
renames() {
    strings -n 6 "$1" | sed -n 's/^__nv_static_[0-9]*__.*_cu_[0-9a-f]\{8\}_\(_Z.*\)$/\1 &/p' | sort -u |
        sed -e 's/^\([^ ]*\)[0-9][0-9]_GLOBAL__N__[^ ]*_cu_[0-9a-f]\{8\}/\112_GLOBAL__N_1/; t' -e 's/^_Z/_ZL/' |
        sed 's/^\([^ ]*\) \(.*\)$/s,\\([@$]\\)\1\\>,\\1\2,/'
}

mkdir -p clang
for unit in left right main; do
    source=$sources/$unit.cu object=$(object_of $unit)
    if [ -d plans ]; then
        "$@" -fplugin-arg-kesco-report=clang/$unit.json -c "$source" -o clang/$unit.o
        cmp plans/$unit-*.json clang/$unit.json
    fi
    "$@" -fplugin-arg-kesco-off -O2 --cuda-device-only -nogpulib -Xclang -target-sdk-version=12.9 -emit-llvm -S "$source" -o clang/$unit.ll
    renames "$object" >clang/$unit.sed
    sed -f clang/$unit.sed clang/$unit.ll >clang/$unit.renamed.ll
done
llvm-link clang/*.renamed.ll -o clang/all.bc
"$vgpu/vgpu-device" clang/all.bc -o clang/image "--library=$vgpu/libvgpu.so" "--linker=$(command -v clang++)" -O2
llvm-objcopy --update-section .nv_fatbin=clang/image $link clang/link.o
clang++ "$(object_of main)" "$(object_of left)" "$(object_of right)" clang/link.o "$vgpu/libvgpu.so" "-Wl,-rpath,$vgpu" -o clang/three

for seed in 0 1 2; do
    VGPU_SEED=$seed VGPU_CHECK=races KESCO_STATS=1 clang/three >clang/out 2>clang/stats
    echo '6 7' | cmp - clang/out
    grep -q ' 2/2 .* main,' clang/stats && grep -q ' 6  *2/16 .* left(' clang/stats && grep -q ' 6 ops placed' clang/stats ||
        { cat clang/stats; exit 1; }
done
for mode in graph turns serial; do
    KESCO_MODE=$mode VGPU_SEED=2 VGPU_CHECK=races clang/three | grep -x '6 7' || { echo "$mode"; exit 1; }
done
