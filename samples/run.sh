#!/bin/sh
# Builds and runs the samples twice, as the serial programs that they are and with KeSCo, and compares the
# results; a sample that was also written with streams by hand, that way too.
#
#   sh samples/run.sh
#   sh samples/run.sh bench [OPTION...]    compares and times the benchmarks instead (samples/bench.sh)
#
# Runs on the GPU, or without one on the virtual GPU (test/vgpu): there the KeSCo builds run in several legal
# orders and under the race check, and a table shows the time that each program would take, by the virtual
# GPU's clock. What it makes is in build/samples. Exit status: 0 all results are the same, 1 one is not or a
# step failed, 2 wrong arguments.
set -eu
cd "$(dirname "$0")/.."
. cmake/setup.sh

BUILD=build/release
OUT=build/samples
PICTURE=samples/data/lighthouse.png
SAMPLES="vec img pipeline video"
FRAMES=4 # of video
SEEDS="0 1 2 3 4"
RACE_STATUS=66 # how a program on the virtual GPU ends when it has a race

usage() {
    echo "usage: sh samples/run.sh [bench [OPTION...]]"
    echo "Builds the samples without and with KeSCo, runs both and compares the results."
    echo "  bench  compares and times the benchmarks instead; bench --help lists its options"
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
        LIBS="-L$CUDA_PATH/lib64 -Wl,-rpath,$CUDA_PATH/lib64 -lcudart -pthread"
        setup_say "running on the GPU: $GPU ($ARCH)"
    else
        COMPILER=$BUILD/test/vgpu/vgpu-clang++
        LIBS=''
        setup_say "no GPU here: running on the virtual GPU"
    fi
}

# source_of SAMPLE FOLDER
source_of() {
    case $2 in
    by_hand) echo "samples/by_hand/$1.cu" ;;
    *) echo "samples/$1.cu" ;;
    esac
}

is_by_hand() {
    [ -e "samples/by_hand/$1.cu" ]
}

# compile SAMPLE FOLDER [FLAG...]
compile() {
    name=$1 folder=$2
    shift 2
    # shellcheck disable=SC2086  # LIBS is several words
    "$COMPILER" -O2 -Wall -Wextra --cuda-path="$CUDA_PATH" --cuda-gpu-arch="$ARCH" -Wno-unknown-cuda-version \
        -I. "$@" "$(source_of "$name" "$folder")" -o "$OUT/$folder/$name" \
        "$BUILD/samples/libkesco_picture.a" $LIBS -lpng ||
        setup_fail "cannot compile $(source_of "$name" "$folder") ($folder)"
}

# The option that makes a program compare its result with the CPU's. The other builds are compared with the
# serial one.
checked_in() {
    [ "$1" != serial ] || echo --check
}

# execute SAMPLE FOLDER: runs it; its result is then $OUT/FOLDER/SAMPLE.txt or .png.
# shellcheck disable=SC2046  # checked_in may be no word
execute() {
    case $1 in
    vec | pipeline) "$OUT/$2/$1" >"$OUT/$2/$1.txt" ;;
    img) "$OUT/$2/img" "$PICTURE" "$OUT/$2/img.png" $(checked_in "$2") >"$OUT/$2/img.log" ;;
    video) "$OUT/$2/video" "$PICTURE" "$OUT/$2/video.png" "$FRAMES" $(checked_in "$2") >"$OUT/$2/video.log" ;;
    esac
}

result_of() {
    case $1 in
    vec | pipeline) echo "$1.txt" ;;
    img | video) echo "$1.png" ;;
    esac
}

# The function whose plan is shown.
function_of() {
    case $1 in
    vec) echo sum_of_square_differences ;;
    img) echo run_pipeline ;;
    pipeline) echo run ;;
    video) echo process ;;
    esac
}

fail() {
    echo "  ${BAD}$*${PLAIN}"
    FAILURES=$((FAILURES + 1))
}

# run_and_compare SAMPLE FOLDER WHERE: one run of that build, compared with the serial one's result. WHERE says
# which run it is.
run_and_compare() {
    name=$1 folder=$2 where=$3 status=0
    rm -f "$OUT/$folder/$(result_of "$name")"
    execute "$name" "$folder" || status=$?
    if [ "$status" -eq "$RACE_STATUS" ]; then
        fail "race$where: see above"
    elif [ "$status" -ne 0 ]; then
        fail "the build $folder failed$where, status $status"
    elif ! cmp -s "$OUT/serial/$(result_of "$name")" "$OUT/$folder/$(result_of "$name")"; then
        fail "result identical: no$where"
    fi
}

# run_and_compare_all SAMPLE FOLDER SEEDS
run_and_compare_all() {
    if [ -n "$GPU" ]; then
        run_and_compare "$1" "$2" " ($2)"
        return
    fi
    for seed in $3; do
        VGPU_SEED=$seed VGPU_CHECK=races VGPU_STATS=$OUT/$2/$1.stats.json
        export VGPU_SEED VGPU_CHECK VGPU_STATS
        run_and_compare "$1" "$2" " ($2, VGPU_SEED=$seed)"
        unset VGPU_SEED VGPU_CHECK VGPU_STATS
    done
}

# time_of SAMPLE FOLDER: what the virtual GPU's clock says in microseconds, or nothing.
time_of() {
    [ ! -e "$OUT/$2/$1.stats.json" ] || sed -n 's/.*"virtual_time_us": \([0-9.]*\).*/\1/p' "$OUT/$2/$1.stats.json"
}

# sample SAMPLE TITLE
sample() {
    sample=$1 failures_before=$FAILURES
    echo
    echo "$sample: $2"
    setup_say "compiling $sample without and with KeSCo"
    compile "$sample" serial
    compile "$sample" kesco -fplugin="$BUILD/plugin/libkesco.so" -fplugin-arg-kesco-report="$OUT/$sample.json"
    setup_say "running $sample"
    VGPU_STATS=$OUT/serial/$sample.stats.json
    export VGPU_STATS
    execute "$sample" serial || setup_fail "the serial build of $sample failed"
    unset VGPU_STATS
    run_and_compare_all "$sample" kesco "$SEEDS"
    if is_by_hand "$sample"; then
        setup_say "compiling and running $sample as written by hand"
        compile "$sample" by_hand
        run_and_compare_all "$sample" by_hand 0
    fi
    "$BUILD/samples/plan_chart" "$OUT/$sample.json" "$(function_of "$sample")"
    if [ "$FAILURES" -eq "$failures_before" ]; then
        echo "  ${GOOD}result identical: yes${PLAIN}$HOW"
    fi
}

show_pictures() {
    echo "  picture:  $PICTURE"
    echo "  serial:   $OUT/serial/$1.png"
    echo "  KeSCo:    $OUT/kesco/$1.png"
}

# The time of each sample, where the virtual GPU's clock tells it.
show_times() {
    [ -n "$(time_of vec serial)" ] || return 0
    echo "virtual time in microseconds:"
    for sample in $SAMPLES; do
        echo "$sample $(time_of "$sample" serial) $(time_of "$sample" kesco) $(time_of "$sample" by_hand)"
    done | awk 'BEGIN { printf "  %-10s %9s %9s %9s %8s\n", "sample", "serial", "KeSCo", "by hand", "speedup" }
        {
            by_hand = NF == 4 ? sprintf("%.1f", $4) : ""
            printf "  %-10s %9.1f %9.1f %9s %7.2fx\n", $1, $2, $3, by_hand, $2 / $3
        }'
}

if [ "${1:-}" = bench ]; then
    shift
    exec sh samples/bench.sh "$@"
fi
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
mkdir -p "$OUT/serial" "$OUT/kesco" "$OUT/by_hand"

sample vec "vector squares"
cat "$OUT/serial/vec.txt"
sample img "sharpens the subject of a picture and softens its background"
show_pictures img
sample pipeline "encrypts a large block of bytes, chunk by chunk"
cat "$OUT/serial/pipeline.txt"
sample video "as img, for the frames of a film"
show_pictures video
echo
show_times
if [ "$FAILURES" -gt 0 ]; then
    echo "${BAD}Runs that are not as the serial program's: $FAILURES${PLAIN}"
    exit 1
fi
echo "${GOOD}All results are the serial programs'.${PLAIN}"
