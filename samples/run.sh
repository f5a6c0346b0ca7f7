#!/bin/sh
# Builds and runs the samples twice, as the serial programs that they are and with KeSCo, and compares the
# results.
#
#   sh samples/run.sh
#
# Runs on the GPU, or without one on the virtual GPU (test/vgpu): there the KeSCo builds run in several legal
# orders and under the race check. What it makes is in build/samples. Exit status: 0 all results are the same,
# 1 one is not or a step failed, 2 wrong arguments.
set -eu
cd "$(dirname "$0")/.."
. cmake/setup.sh

BUILD=build/release
OUT=build/samples
PICTURE=samples/data/lighthouse.png
SEEDS="0 1 2 3 4"
RACE_STATUS=66 # how a program on the virtual GPU ends when it has a race

usage() {
    echo "usage: sh samples/run.sh"
    echo "Builds the samples without and with KeSCo, runs both and compares the results."
}

# Sets GOOD, BAD, PLAIN: colours on a terminal, unless NO_COLOR is set.
choose_colours() {
    GOOD='' BAD='' PLAIN=''
    if [ -t 1 ] && [ -z "${NO_COLOR:-}" ]; then
        GOOD=$(printf '\033[32m') BAD=$(printf '\033[31m') PLAIN=$(printf '\033[0m')
    fi
}

# Sets COMPILER, ARCH and LIBS, and GPU: its name, or empty without one.
choose_device() {
    GPU='' ARCH=sm_90
    capability=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | head -n 1)
    if printf '%s' "$capability" | grep -Eqx '[0-9]+\.[0-9]+'; then
        GPU=$(nvidia-smi --query-gpu=name --format=csv,noheader | head -n 1)
        ARCH=sm_$(printf '%s' "$capability" | tr -d .)
        COMPILER=clang++-22
        LIBS="$BUILD/runtime/libkesco_rt.a -L$CUDA_PATH/lib64 -Wl,-rpath,$CUDA_PATH/lib64 -lcudart -pthread"
        setup_say "running on the GPU: $GPU ($ARCH)"
    else
        COMPILER=$BUILD/test/vgpu/vgpu-clang++
        LIBS=''
        setup_say "no GPU here: running on the virtual GPU"
    fi
}

# compile SAMPLE FOLDER [FLAG...]
compile() {
    name=$1 folder=$2
    shift 2
    # shellcheck disable=SC2086  # LIBS is several words
    "$COMPILER" -O2 -Wall -Wextra --cuda-path="$CUDA_PATH" --cuda-gpu-arch="$ARCH" -Wno-unknown-cuda-version \
        -I. "$@" "samples/$name.cu" -o "$OUT/$folder/$name" \
        "$BUILD/samples/libkesco_picture.a" $LIBS -lpng
}

# execute SAMPLE FOLDER: runs it; its result is then $OUT/FOLDER/SAMPLE.txt or .png.
execute() {
    case $1 in
    vec) "$OUT/$2/vec" >"$OUT/$2/vec.txt" ;;
    img) "$OUT/$2/img" "$PICTURE" "$OUT/$2/img.png" --check >"$OUT/$2/img.log" ;;
    esac
}

result_of() {
    case $1 in
    vec) echo vec.txt ;;
    img) echo img.png ;;
    esac
}

fail() {
    echo "  ${BAD}$*${PLAIN}"
    FAILURES=$((FAILURES + 1))
}

# One run of the KeSCo build, compared with the serial one's result. WHERE is a word on which run it is.
run_and_compare() {
    name=$1 where=$2 status=0
    rm -f "$OUT/kesco/$(result_of "$name")"
    execute "$name" kesco || status=$?
    if [ "$status" -eq "$RACE_STATUS" ]; then
        fail "race$where: see above"
    elif [ "$status" -ne 0 ]; then
        fail "the KeSCo build failed$where, status $status"
    elif ! cmp -s "$OUT/serial/$(result_of "$name")" "$OUT/kesco/$(result_of "$name")"; then
        fail "result identical: no$where"
    fi
}

run_kesco() {
    if [ -n "$GPU" ]; then
        run_and_compare "$1" ""
        return
    fi
    for seed in $SEEDS; do
        VGPU_SEED=$seed VGPU_CHECK=races VGPU_STATS=$OUT/kesco/$1.stats.json
        export VGPU_SEED VGPU_CHECK VGPU_STATS
        run_and_compare "$1" " (VGPU_SEED=$seed)"
        unset VGPU_SEED VGPU_CHECK VGPU_STATS
    done
}

# sample SAMPLE TITLE
sample() {
    name=$1 failures_before=$FAILURES
    echo
    echo "$name: $2"
    setup_say "compiling $name without and with KeSCo"
    compile "$name" serial || setup_fail "cannot compile samples/$name.cu"
    compile "$name" kesco -fplugin="$BUILD/plugin/libkesco.so" -fplugin-arg-kesco-report="$OUT/$name.json" ||
        setup_fail "cannot compile samples/$name.cu with KeSCo"
    setup_say "running $name"
    execute "$name" serial || setup_fail "the serial build of $name failed"
    run_kesco "$name"
    "$BUILD/samples/plan_chart" "$OUT/$name.json"
    if [ "$FAILURES" -eq "$failures_before" ]; then
        echo "  ${GOOD}result identical: yes${PLAIN}$HOW"
    fi
}

case "$#:${1:-}" in
0:) ;;
1:-h | 1:--help)
    usage
    exit 0
    ;;
*)
    usage >&2
    exit 2
    ;;
esac

FAILURES=0
choose_colours
setup_packages
setup_cuda
setup_build release
choose_device
HOW=''
[ -n "$GPU" ] || HOW=" (virtual GPU, VGPU_SEED $SEEDS, no race)"
rm -rf "$OUT"
mkdir -p "$OUT/serial" "$OUT/kesco"

sample vec "vector squares"
cat "$OUT/serial/vec.txt"
sample img "sharpens the subject of a picture and softens its background"
echo "  picture:  $PICTURE"
echo "  serial:   $OUT/serial/img.png"
echo "  KeSCo:    $OUT/kesco/img.png"
echo
if [ "$FAILURES" -gt 0 ]; then
    echo "${BAD}Runs that are not as the serial program's: $FAILURES${PLAIN}"
    exit 1
fi
echo "${GOOD}All results are the serial programs'.${PLAIN}"
