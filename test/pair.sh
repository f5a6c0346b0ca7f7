#!/bin/sh
# pair.sh BUILD CUDA FOLDER SAMPLE,...: what a build of KeSCo, for its LLVM, makes of the samples with the CUDA Toolkit at
# CUDA. They compile for a GPU, by kesco-nvcc too where that toolkit has nvcc, run on the virtual GPU as samples/run.sh runs
# them, and their plans are those in FOLDER/../plans, or become these where there are none yet.
set -eu
build=$1 cuda=$2 folder=$3 samples=$4
cd "$(dirname "$0")/.."
llvm=$(sed -n 's/^KESCO_LLVM_VERSION:STRING=//p' "$build/CMakeCache.txt")

fail() {
    printf '%s\n' "$*" >&2
    exit 1
}

mkdir -p "$folder"
if [ "$llvm" -lt 22 ]; then
    cmake "-DCUDA=$cuda" "-DOUTPUT=$folder/cuda" -P cmake/cuda_for_older_clang.cmake
    CUDA_PATH=$folder/cuda
else
    CUDA_PATH=$cuda
fi
export CUDA_PATH
sh samples/run.sh --with "$build" --out "$folder/samples" --only "$samples"

mkdir -p "$folder/../plans"
sh test/lit/nvcc/Inputs/stage.sh "$PWD/$build" "$PWD/runtime" "$folder/stage"
for sample in $(printf '%s' "$samples" | tr , ' '); do
    "clang++-$llvm" --cuda-path="$CUDA_PATH" --cuda-gpu-arch=sm_90 -Wno-unknown-cuda-version -O2 -I. -Iruntime \
        "-fplugin=$build/plugin/libkesco.so" -c "samples/$sample.cu" -o "$folder/$sample.o"
    [ ! -x "$cuda/bin/nvcc" ] ||
        KESCO_CLANG=clang++-$llvm "$folder/stage/bin/kesco-nvcc" -arch=sm_90 -O2 -I. -c "samples/$sample.cu" -o "$folder/$sample.nvcc.o"
    plans=$folder/../plans/$sample.json
    [ -e "$plans" ] || cp "$folder/samples/$sample.json" "$plans"
    diff "$plans" "$folder/samples/$sample.json" || fail "the plans of $sample are others than those of the first pair"
done
