#!/bin/sh
# Builds and runs the samples twice, as the serial programs that they are and with KeSCo, and compares the
# results; a sample that was also written with streams by hand, that way too.
#
#   sh samples/run.sh [--with BUILD] [--out FOLDER] [--only SAMPLE,...]
#   sh samples/run.sh bench [OPTION...]    compares and times the benchmarks instead (samples/bench.sh)
#
# Runs on the GPU, or without one on the virtual GPU (test/vgpu): there the KeSCo builds run in several legal
# orders and under the race check, and a table shows the time that each program would take, by the virtual
# GPU's clock. What it makes is in build/samples, or where --out says:
#
#   SAMPLE.json .dot .svg      the plans, as the plugin reports them, for Graphviz, and as a picture
#   SAMPLE.trace.json          what ran when, for ui.perfetto.dev (KESCO_TRACE)
#   serial/ kesco/ by_hand/    the programs, their results, and logs: SAMPLE.build.log, SAMPLE.run.log
#
# Exit status: 0 all results are the same, 1 one is not or a step failed, 2 wrong arguments.
set -eu
cd "$(dirname "$0")/.."
. cmake/setup.sh

PICTURE=samples/data/lighthouse.png
FRAMES=4 # of video
SEEDS="0 1 2 3 4"
RACE_STATUS=66 # how a program on the virtual GPU ends when it has a race

usage() {
    cat <<'END'
usage: sh samples/run.sh [--with BUILD] [--out FOLDER] [--only SAMPLE,...]
       sh samples/run.sh bench [OPTION...]
Builds the samples without and with KeSCo, runs both and compares the results.
  --with BUILD       uses this finished build of KeSCo; default: builds build/release first
  --out FOLDER       where what is made goes; default: build/samples
  --only SAMPLE,...  only these samples
  bench              compares and times the benchmarks instead; bench --help lists its options
Exit status: 0 all results are the serial programs', 1 one is not or a step failed, 2 wrong arguments.
END
}

refuse() {
    printf '%s\n' "samples/run.sh: $*" >&2
    usage >&2
    exit 2
}

# Sets WITH (empty: BUILD is built first), BUILD, OUT and SAMPLES.
take_options() {
    WITH='' OUT=build/samples
    while [ $# -gt 0 ]; do
        case $1 in
        -h | --help)
            usage
            exit 0
            ;;
        --with | --out | --only) [ -n "${2:-}" ] || refuse "$1 needs a value" ;;
        *) refuse "unknown argument '$1'" ;;
        esac
        case $1 in
        --with) WITH=$2 ;;
        --out) OUT=$2 ;;
        --only) choose_samples "$2" ;;
        esac
        shift 2
    done
    BUILD=${WITH:-build/release}
    [ -z "$WITH" ] || [ -x "$WITH/samples/plan_chart" ] || refuse "--with '$WITH': no build of KeSCo is there"
}

# choose_samples NAME,...: sets SAMPLES, in their order.
choose_samples() {
    for name in $(printf '%s' "$1" | tr , ' '); do
        case " $SAMPLES " in
        *" $name "*) ;;
        *) refuse "--only: no sample '$name'; there are $SAMPLES" ;;
        esac
    done
    chosen=''
    for name in $SAMPLES; do
        case ",$1," in *",$name,"*) chosen="$chosen $name" ;; esac
    done
    SAMPLES=${chosen# }
}

# Sets COMPILER, ARCH and LIBS, and GPU: its name, or empty without one.
choose_device() {
    GPU='' ARCH=sm_90
    capability=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | head -n 1)
    if printf '%s' "$capability" | grep -Eqx '[0-9]+\.[0-9]+'; then
        GPU=$(nvidia-smi --query-gpu=name --format=csv,noheader | head -n 1)
        ARCH=sm_$(printf '%s' "$capability" | tr -d .)
        COMPILER=clang++-$(sed -n 's/^KESCO_LLVM_VERSION:STRING=//p' "$BUILD/CMakeCache.txt")
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
    name=$1 folder=$2 log=$OUT/$2/$1.build.log
    shift 2
    # shellcheck disable=SC2086  # LIBS is several words
    if ! "$COMPILER" -O2 -Wall -Wextra --cuda-path="$CUDA_PATH" --cuda-gpu-arch="$ARCH" \
        -Wno-unknown-cuda-version -I. "$@" "$(source_of "$name" "$folder")" -o "$OUT/$folder/$name" \
        "$BUILD/samples/libkesco_picture.a" $LIBS -lpng >"$log" 2>&1; then
        tail -n 40 "$log" >&2
        setup_fail "cannot compile $(source_of "$name" "$folder") ($folder; log: $log)"
    fi
    cat "$log" >&2
}

# The option that makes a program compare its result with the CPU's. The other builds are compared with the
# serial one.
checked_in() {
    [ "$1" != serial ] || echo --check
}

# execute SAMPLE FOLDER: runs it; its result is then $OUT/FOLDER/SAMPLE.txt or .png, and what it says otherwise
# in SAMPLE.run.log beside it.
# shellcheck disable=SC2046  # checked_in may be no word
execute() {
    log=$OUT/$2/$1.run.log
    case $1 in
    vec | pipeline) "$OUT/$2/$1" >"$OUT/$2/$1.txt" 2>"$log" ;;
    img) "$OUT/$2/img" "$PICTURE" "$OUT/$2/img.png" $(checked_in "$2") >"$log" 2>&1 ;;
    video) "$OUT/$2/video" "$PICTURE" "$OUT/$2/video.png" "$FRAMES" $(checked_in "$2") >"$log" 2>&1 ;;
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
    if [ "$status" -ne 0 ]; then
        failed=$OUT/$folder/$name.failed$((FAILURES + 1)).log
        mv "$log" "$failed"
        log=$failed
        tail -n 20 "$log" >&2
    fi
    if [ "$status" -eq "$RACE_STATUS" ]; then
        fail "race$where; log: $log"
    elif [ "$status" -ne 0 ]; then
        fail "the build $folder failed$where, status $status; log: $log"
    elif ! cmp -s "$OUT/serial/$(result_of "$name")" "$OUT/$folder/$(result_of "$name")"; then
        fail "result identical: no$where; compare $OUT/serial/$(result_of "$name") and $OUT/$folder/$(result_of "$name")"
    fi
}

# run_and_compare_all SAMPLE FOLDER SEEDS: with lanes in every region under these orders, which all are to give the same
# result, and once more as programs run, for the time.
run_and_compare_all() {
    if [ -n "$GPU" ]; then
        run_and_compare "$1" "$2" " ($2)"
        return
    fi
    for seed in $3; do
        (
            export VGPU_SEED="$seed" VGPU_CHECK=races KESCO_MODE=lanes
            run_and_compare "$1" "$2" " ($2, VGPU_SEED=$seed)"
            exit "$FAILURES"
        ) || FAILURES=$?
    done
    VGPU_STATS=$OUT/$2/$1.stats.json VGPU_CHECK=races
    export VGPU_STATS VGPU_CHECK
    run_and_compare "$1" "$2" " ($2)"
    unset VGPU_STATS VGPU_CHECK
}

# trace SAMPLE: one more run with KeSCo, which writes down what ran when.
trace() {
    name=$1
    VGPU_TIME=1 KESCO_TRACE=$OUT/$1.trace.json
    export VGPU_TIME KESCO_TRACE
    run_and_compare "$name" kesco " (kesco, with KESCO_TRACE)"
    unset VGPU_TIME KESCO_TRACE
    [ -s "$OUT/$name.trace.json" ] || fail "no trace: $OUT/$name.trace.json"
}

# time_of SAMPLE FOLDER: what the virtual GPU's clock says in microseconds, or nothing.
time_of() {
    [ ! -e "$OUT/$2/$1.stats.json" ] || sed -n 's/.*"virtual_time_us": \([0-9.]*\).*/\1/p' "$OUT/$2/$1.stats.json"
}

title_of() {
    case $1 in
    vec) echo "vector squares" ;;
    img) echo "sharpens the subject of a picture and softens its background" ;;
    pipeline) echo "encrypts a large block of bytes, chunk by chunk" ;;
    video) echo "as img, for the frames of a film" ;;
    esac
}

sample() {
    sample=$1 failures_before=$FAILURES
    echo
    echo "$sample: $(title_of "$sample")"
    step "compiling $sample without and with KeSCo"
    compile "$sample" serial
    compile "$sample" kesco -fplugin="$BUILD/plugin/libkesco.so" -fplugin-arg-kesco-report="$OUT/$sample.json" \
        -fplugin-arg-kesco-dot="$OUT/$sample.dot" -fplugin-arg-kesco-svg="$OUT/$sample.svg"
    step "running $sample"
    VGPU_STATS=$OUT/serial/$sample.stats.json
    export VGPU_STATS
    if ! execute "$sample" serial; then
        tail -n 20 "$log" >&2
        setup_fail "the serial build of $sample failed (log: $log)"
    fi
    unset VGPU_STATS
    run_and_compare_all "$sample" kesco "$SEEDS"
    trace "$sample"
    if is_by_hand "$sample"; then
        step "compiling and running $sample as written by hand"
        compile "$sample" by_hand
        run_and_compare_all "$sample" by_hand 0
    fi
    "$BUILD/samples/plan_chart" "$OUT/$sample.json" "$(function_of "$sample")"
    if [ "$FAILURES" -eq "$failures_before" ]; then
        SAME="$SAME $sample"
        echo "  ${GOOD}result identical: yes${PLAIN}$HOW"
    fi
    [ "$(result_of "$sample")" != "$sample.txt" ] || sed 's/^/  /' "$OUT/serial/$sample.txt"
}

# How many steps there are: what sample calls step for.
count_steps() {
    STEP=0 STEPS=0
    for sample in $SAMPLES; do
        STEPS=$((STEPS + 2))
        ! is_by_hand "$sample" || STEPS=$((STEPS + 1))
    done
}

step() {
    STEP=$((STEP + 1))
    setup_say "$* ($STEP of $STEPS)"
}

# One line a sample: its result, and its times where the virtual GPU's clock tells them.
show_results() {
    echo
    [ -n "$GPU" ] || echo "virtual time in microseconds:"
    for name in $SAMPLES; do
        case " $SAME " in *" $name "*) result=same ;; *) result=DIFFERS ;; esac
        echo "$name $result $(time_of "$name" serial) $(time_of "$name" kesco) $(time_of "$name" by_hand)"
    done | awk -v good="$GOOD" -v bad="$BAD" -v plain="$PLAIN" -v timed="${GPU:+no}" '
        BEGIN {
            printf "  %-10s %-7s", "sample", "result"
            if (!timed) printf " %9s %9s %9s %8s", "serial", "KeSCo", "by hand", "speedup"
            print ""
        }
        {
            printf "  %-10s %s%-7s%s", $1, $2 == "same" ? good : bad, $2, plain
            if (NF >= 4) printf " %9.1f %9.1f %9s %7.2fx", $3, $4, NF == 5 ? sprintf("%.1f", $5) : "", $3 / $4
            print ""
        }'
}

# show_file SAMPLE WHAT FILE [.ENDING...]: the endings are those of files beside it.
show_file() {
    label=$(printf '%-10s %-8s' "$1" "$2")
    shift 2
    [ ! -e "$1" ] || echo "  $label $*"
}

show_files() {
    echo
    echo "files:"
    for name in $SAMPLES; do
        show_file "$name" plan "$OUT/$name.svg" .dot .json
        show_file "$name" trace "$OUT/$name.trace.json"
        show_file "$name" serial "$OUT/serial/$name.png"
        show_file "$name" KeSCo "$OUT/kesco/$name.png"
    done
}

SAMPLES="vec img pipeline video"
if [ "${1:-}" = bench ]; then
    shift
    exec sh samples/bench.sh "$@"
fi
take_options "$@"
FAILURES=0 SAME=''
setup_colours
setup_for "$WITH"
choose_device
HOW=''
[ -n "$GPU" ] || HOW=" (virtual GPU, VGPU_SEED $SEEDS, no race)"
for folder in serial kesco by_hand; do
    rm -rf "${OUT:?}/$folder"
done
rm -f "$OUT"/*.json "$OUT"/*.dot "$OUT"/*.svg
mkdir -p "$OUT/serial" "$OUT/kesco" "$OUT/by_hand"

count_steps
for each in $SAMPLES; do
    sample "$each"
done
show_results
show_files
echo
if [ "$FAILURES" -gt 0 ]; then
    echo "${BAD}Runs that are not as the serial program's: $FAILURES${PLAIN}"
    exit 1
fi
echo "${GOOD}All results are the serial programs'.${PLAIN}"
