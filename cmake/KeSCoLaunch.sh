#!/bin/sh
# KeSCoLaunch.sh COMPILER KESCO_CLANG CUDA_COMPILER COMMAND...: runs the command that CMake has for a source file. Where
# that is CUDA, kesco-clang++ stands in the place of COMPILER, and runs CUDA_COMPILER. Flags that are made for another
# C++ compiler are not all clang's.
set -eu
compiler=$1 kesco_clang=$2 cuda_compiler=$3
shift 3

is_cuda='' before=''
for word; do
    [ "$before $word" != '-x cuda' ] || is_cuda=yes
    before=$word
done
[ -n "$is_cuda" ] || exec "$@"

is_replaced=''
for word; do
    shift
    if [ -z "$is_replaced" ] && [ "$word" = "$compiler" ]; then
        is_replaced=yes word=$kesco_clang
    fi
    set -- "$@" "$word"
done
if [ "$compiler" != "$cuda_compiler" ]; then
    set -- "$@" -fno-lto -Wno-unknown-warning-option -Wno-ignored-optimization-argument
fi
KESCO_CLANG=$cuda_compiler exec "$@"
