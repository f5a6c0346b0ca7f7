#!/bin/sh
# holds.sh BUILD FOLDER "SAMPLE..." TABLE...: holds what kernels do on the virtual GPU against what KeSCo reads of them in PTX
# (ptx-clang++, which says what of the environment it takes): kernels of tables of test/lit/device, and samples, whose plans are
# by the same, too.
# Of the tables, these run, and nvcc takes some:
#
# Of clang: plain_pointers pointer_flow functions block_memory atomics copies dead_code math variables indirect_calls assembly assembly_memory assembly_registers
# Of nvcc: functions indirect_calls math plain_pointers pointer_flow
set -eu
build=$1 folder=$2 samples=$3
shift 3
here=$(cd "$(dirname "$0")" && pwd)
root=$here/../..
export VGPU_CLANG="$here/ptx-clang++"
rm -rf "$folder"
mkdir -p "$folder"

for table; do
    echo "table $table"
    sh "$root/test/lit/device/Inputs/run_rows.sh" "$root/test/lit/device/$table.cu" "$folder" \
        "$build/test/vgpu/vgpu-clang++" "-I$root/runtime" -std=c++17 -w -O2
done
for sample in $samples; do
    echo "sample $sample"
    case $sample in
    img | video) set -- "$root/samples/data/knot.png" "$folder/out.png" ;;
    pipeline) set -- ;;
    *) set -- --scale 0.01 ;;
    esac
    "$build/test/vgpu/vgpu-clang++" -w -O2 "-I$root" "-fplugin=$build/plugin/libkesco.so" "$root/samples/$sample.cu" \
        "$build/samples/libkesco_picture.a" -lpng -o "$folder/$sample"
    KESCO_MODE=lanes VGPU_CHECK=races VGPU_STATS="$folder/stats.json" "$folder/$sample" "$@" >"$folder/out"
    grep -q '"summaries_checked": [1-9]' "$folder/stats.json"
done
