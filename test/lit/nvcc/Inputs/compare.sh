#!/bin/sh
# compare.sh FILE FOLDER 'COMMAND' 'COMMAND WITH THE PLUGIN' [NAME...]: compares, by covers.py, what the plugin finds of FILE's
# kernels in LLVM's IR, and in the PTX that the same compiler makes of them; what it prints is left in FOLDER.
set -eu
file=$1 folder=$2 plain=$3 kesco=$4
shift 4
# shellcheck disable=SC2086  # one word an argument
{
    $kesco -fplugin-arg-kesco-show=summaries -c "$file" -o "$folder/ir.o" 2>"$folder/ir"
    $plain --cuda-device-only -S "$file" -o "$folder/code.ptx"
    "$CUDA_PATH/bin/fatbinary" "--create=$folder/code.fatbin" -64 "--image3=kind=ptx,sm=90,file=$folder/code.ptx"
    $kesco --cuda-host-only -Xclang -fcuda-include-gpubinary -Xclang "$folder/code.fatbin" -fplugin-arg-kesco-show=summaries \
        -S -emit-llvm "$file" -o "$folder/host.ll" 2>"$folder/ptx"
}
python3 "$(dirname "$0")/covers.py" "$folder/ir" "$folder/ptx" "$@"
