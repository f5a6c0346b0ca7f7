#!/bin/sh
# What the plugin adds to the time of a compile, for a file without kernels, one with kernels that it does not
# launch, and the samples. Both sides of each file are compiled, without and with the plugin in turn.
#
#   sh test/bench/compile_time.sh [BUILD [RUNS]]    default: build/release, 10 runs
set -eu
cd "$(dirname "$0")/../.."
. cmake/setup.sh
setup_cuda

build=${1:-build/release}
runs=${2:-10}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

cat >"$folder/no_kernels.cu" <<'SOURCE'
#include <map>
#include <string>
#include <vector>
using Table = std::map<std::string, std::vector<int>>;
size_t count(const Table &table) {
    size_t sum = 0;
    for (const auto &entry : table)
        sum += entry.second.size();
    return sum;
}
void fill(Table &table) {
    for (int i = 0; i < 100; i++)
        table[std::to_string(i)].push_back(i);
}
SOURCE
echo '#include "samples/img_kernels.h"' >"$folder/no_launches.cu"

measure() {
    set -- "$1" "$2" clang++-22 -O2 -c -x cuda --cuda-gpu-arch=sm_90 --cuda-path="$CUDA_PATH" \
        -Wno-unknown-cuda-version -I. -Iruntime "$2" -o "$folder/out.o"
    name=$1
    shift 2
    "$build/test/bin/ratio" "$runs" "$name" "$@" -- "$@" "-fplugin=$build/plugin/libkesco.so"
}

setup_say "processor time without the plugin, with it, and what it adds; the least of $runs runs"
measure 'no kernels' "$folder/no_kernels.cu"
measure 'kernels, no launches' "$folder/no_launches.cu"
for sample in vec img pipeline video; do
    measure "$sample" "samples/$sample.cu"
done
