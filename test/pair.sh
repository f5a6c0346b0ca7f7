#!/bin/sh
# pair.sh BUILD CUDA FOLDER SAMPLE,...: what a build of KeSCo, for its LLVM, makes of the samples with the CUDA Toolkit at
# CUDA. They compile for a GPU, by kesco-nvcc too where that toolkit has nvcc, with the same plans, run on the virtual GPU as
# samples/run.sh runs them, and their plans are those in FOLDER/../plans, or become these where there are none yet. The first
# runs with that toolkit's libcudart.so, as far as the program without KeSCo does.
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

# nvcc knows of no lines within a statement, so a call may stand in the line that its statement begins in.
same_plans() {
    for plans; do
        sed 's/"line": [0-9]*, "callee"/"callee"/' "$plans" >"$plans.compared"
    done
    diff "$1.compared" "$2.compared"
}

mkdir -p "$folder/../plans"
sh test/lit/nvcc/Inputs/stage.sh "$PWD/$build" "$PWD/runtime" "$folder/stage"
for sample in $(printf '%s' "$samples" | tr , ' '); do
    "clang++-$llvm" --cuda-path="$CUDA_PATH" --cuda-gpu-arch=sm_90 -Wno-unknown-cuda-version -O2 -I. -Iruntime \
        "-fplugin=$build/plugin/libkesco.so" "-fplugin-arg-kesco-report=$folder/clang.json" -c "samples/$sample.cu" -o "$folder/$sample.o"
    if [ -x "$cuda/bin/nvcc" ]; then
        KESCO_CLANG=clang++-$llvm "$folder/stage/bin/kesco-nvcc" -arch=sm_90 -O2 -I. "-fplugin-arg-kesco-report=$folder/nvcc.json" \
            -c "samples/$sample.cu" -o "$folder/$sample.nvcc.o"
        same_plans "$folder/clang.json" "$folder/nvcc.json" || fail "the plans of $sample by kesco-nvcc are others than by clang"
    fi
    plans=$folder/../plans/$sample.json
    [ -e "$plans" ] || cp "$folder/samples/$sample.json" "$plans"
    diff "$plans" "$folder/samples/$sample.json" || fail "the plans of $sample are others than those of the first pair"
done

# No name is missing, and both end alike: without a GPU with the same error.
run() {
    status=0
    "clang++-$llvm" "$1" "$cuda/lib64/libcudart.so" "-Wl,-rpath,$cuda/lib64" -o "$1.run"
    LD_BIND_NOW=1 "$1.run" >"$1.out" 2>&1 || status=$?
    [ "$status" -ne 0 ] || : >"$1.out" # which has times
    echo "status $status" >>"$1.out"
}
first=${samples%%,*}
"clang++-$llvm" --cuda-path="$CUDA_PATH" --cuda-gpu-arch=sm_90 -Wno-unknown-cuda-version -O2 -I. -c "samples/$first.cu" -o "$folder/serial.o"
run "$folder/$first.o"
run "$folder/serial.o"
diff "$folder/serial.o.out" "$folder/$first.o.out" || fail "with KeSCo $first ends in another way"
