#!/bin/sh
# The host time of placing an op with four pointers, 16 ranges in flight, over a CUDA runtime that does nothing: with
# KeSCo, beside the same launches on streams by hand, and beside CUDASTF where its headers are at hand.
#
#   [CCCL_INCLUDE=FOLDERS] sh test/bench/placing.sh [BUILD [RUNS]]    default: build/release, 5 runs
#
# CCCL_INCLUDE: what is to be searched for CCCL's headers, with ':' between folders; or a checkout of CCCL.
set -eu
cd "$(dirname "$0")/../.."
. cmake/setup.sh
setup_cuda

build=${1:-build/release}
runs=${2:-5}
null=$(cd "$build/test/bench" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

build_stf() {
    clang-22 -O2 -c test/bench/Inputs/placing_stf.c -o "$folder/null.o"
    # shellcheck disable=SC2046  # several words
    clang++-22 -x cuda --cuda-host-only --cuda-path="$CUDA_PATH" -Wno-unknown-cuda-version -std=c++17 -O3 -DNDEBUG -w \
        $(setup_cccl_flags "$CCCL_INCLUDE") -c test/bench/Inputs/placing_stf.cu -o "$folder/stf.o"
    clang++-22 "$folder/stf.o" "$folder/null.o" -L"$null" -lnull_cudart -Wl,-rpath,"$null" -lpthread -ldl -o "$folder/stf"
}

# The medians of lines "NAME|TIME" by name, the fastest first.
print_medians() {
    sort -t'|' -k2,2n "$1" | awk -F'|' '
        { times[$1, ++count[$1]] = $2; if (count[$1] == 1) names[++last] = $1 }
        END { for (i = 1; i <= last; i++) printf "%-45s %8.1f ns\n", names[i], times[names[i], int((count[names[i]] + 1) / 2)] }'
}

[ -z "${CCCL_INCLUDE:-}" ] || build_stf
setup_say "nanoseconds of the host for an op; of KeSCo and CUDASTF, beyond the launch by hand; medians of $runs runs"
run=0
while [ "$run" -lt "$runs" ]; do
    "$build/test/bin/host_cost" 2>/dev/null |
        sed -n "s/^# placing .* in flight, \(.*\): \([0-9.]*\) ns; \([0-9.]*\) by hand.*/KeSCo, \1|\2\nby hand|\3/p"
    [ ! -x "$folder/stf" ] || "$folder/stf" | sed 's/\(.*\) \([0-9.]*\)$/CUDASTF, \1|\2/'
    run=$((run + 1))
done >"$folder/times"
print_medians "$folder/times"
