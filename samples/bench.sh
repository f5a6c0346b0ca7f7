#!/bin/sh
# Builds the benchmarks (samples/bench.list), each as the serial program that it is, with streams by hand
# (samples/by_hand), as a CUDA graph (samples/graph), with KeSCo, and with Taskflow and CUDASTF where the user has their
# headers (samples/taskflow, samples/cudastf); compares their results, times them and prints tables. samples/run.sh bench calls it.
#
# What it makes is in build/bench, or where --out says; nothing there depends on what lies elsewhere, so that the folder runs on another
# machine with a GPU (sh run.sh), where nothing is installed but the driver. samples/bench_run.sh is that run.sh
# and says what the files are. Beside them then lies a chart, chart.svg and chart.png.
set -eu
cd "$(dirname "$0")/.."
. cmake/setup.sh

VARIANTS="serial by_hand graph kesco"

usage() {
    cat <<'END'
usage: sh samples/run.sh bench [--gpu|--virtual|--bundle] [OPTION...]
  --gpu            on the GPU; the default where there is one
  --virtual        on the virtual GPU, in virtual time
  --bundle         only builds, for a GPU (sm_90 where there is none), to run on another machine
  --with BUILD     uses this finished build of KeSCo; default: builds build/release first
  --memory M       where the data lives (samples/memory.h): device, the default, or managed, as in the paper
With TASKFLOW_INCLUDE, the folder that has taskflow/taskflow.hpp, the same with Taskflow is compared, too; with
CCCL_INCLUDE, a checkout of CCCL or the folders that have its headers, with ':' between them, with CUDASTF.
END
    sh samples/bench_run.sh --help | sed -e 1d -e 's/beside this script/build\/bench/'
}

refuse() {
    printf '%s\n' "bench: $*" >&2
    usage >&2
    exit 2
}

# Sets MODE, BUILD, WITH (empty: BUILD is built first), OUT, ONLY and MEMORY. The other options are run.sh's: OPTIONS.
take_options() {
    MODE='' WITH='' OUT=build/bench ONLY='' MEMORY=device OPTIONS=''
    while [ $# -gt 0 ]; do
        case $1 in
        -h | --help)
            usage
            exit 0
            ;;
        --gpu | --virtual | --bundle)
            [ -z "$MODE" ] || [ "$MODE" = "${1#--}" ] || refuse "--$MODE and $1 exclude each other"
            MODE=${1#--}
            shift
            continue
            ;;
        --with | --out | --only | --memory) [ $# -gt 1 ] || refuse "$1 needs a value" ;;
        *[!-a-z0-9.]*) refuse "unknown option '$1'" ;;
        esac
        case $1 in
        --with) WITH=$2 && shift ;;
        --out) OUT=$2 && shift ;;
        --only) ONLY=$2 OPTIONS="$OPTIONS --only $2" && shift ;;
        --memory)
            case $2 in device | managed) ;; *) refuse "--memory '$2' is not device or managed" ;; esac
            MEMORY=$2 && shift
            ;;
        *) OPTIONS="$OPTIONS $1" ;;
        esac
        shift
    done
    BUILD=${WITH:-build/release}
    [ -z "$WITH" ] || [ -x "$WITH/samples/bench_table" ] || refuse "--with '$WITH': no build of KeSCo is there"
    # shellcheck disable=SC2086  # one word an option
    sh samples/bench_run.sh --parse-only $OPTIONS || exit $?
}

# Adds to VARIANTS what the user has headers of.
choose_rivals() {
    [ -z "${TASKFLOW_INCLUDE:-}" ] || choose_taskflow
    [ -z "${CCCL_INCLUDE:-}" ] || choose_cudastf
}

# Flags that name folders are words of a line.
check_folder() {
    case $2 in *[!-+,=@%~/.:A-Za-z0-9_]*) setup_fail "$1 '$2' has a character that no name of a folder may have here" ;; esac
}

choose_taskflow() {
    [ -e "$TASKFLOW_INCLUDE/taskflow/cuda/cudaflow.hpp" ] ||
        setup_fail "TASKFLOW_INCLUDE '$TASKFLOW_INCLUDE' has no taskflow/cuda/cudaflow.hpp"
    check_folder TASKFLOW_INCLUDE "$TASKFLOW_INCLUDE"
    VARIANTS="$VARIANTS taskflow"
}

# Sets CUDASTF_FLAGS. On the GPU, CUDASTF calls the driver API, too.
choose_cudastf() {
    check_folder CCCL_INCLUDE "$CCCL_INCLUDE"
    CUDASTF_FLAGS=$(setup_cccl_flags "$CCCL_INCLUDE")
    [ -n "$CUDASTF_FLAGS" ] || setup_fail "CCCL_INCLUDE '$CCCL_INCLUDE' has no cuda/experimental/stf.cuh"
    CUDASTF_FLAGS="-std=c++17 -DNDEBUG $CUDASTF_FLAGS"
    [ "$MODE" = virtual ] || CUDASTF_FLAGS="$CUDASTF_FLAGS -lcuda"
    VARIANTS="$VARIANTS cudastf"
}

# Sets MODE if no option did, and ARCH.
choose_device() {
    capability=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | head -n 1)
    capability=$(printf '%s' "$capability" | grep -Ex '[0-9]+\.[0-9]+' || true)
    ARCH=sm_$(printf '%s' "${capability:-9.0}" | tr -d .)
    if [ -z "$MODE" ]; then
        MODE=virtual
        [ -z "$capability" ] || MODE=gpu
    elif [ "$MODE" = gpu ] && [ -z "$capability" ]; then
        setup_fail "there is no GPU here (nvidia-smi finds none); --virtual runs on the virtual GPU," \
            "--bundle builds for another machine"
    fi
}

# Sets COMPILER and LIBS. For the GPU all but the C library is linked statically.
choose_compiler() {
    if [ "$MODE" = virtual ]; then
        COMPILER=$BUILD/test/vgpu/vgpu-clang++
        LIBS="-Wl,--as-needed -lpng"
    else
        COMPILER=clang++-22
        LIBS="-L$CUDA_PATH/lib64 -L$CUDA_PATH/lib64/stubs -Wl,-Bstatic -lpng -lz -lcudart_static -Wl,-Bdynamic
            -static-libstdc++ -static-libgcc -s -ldl -lrt -pthread -lm"
    fi
}

source_of() {
    case $2 in
    by_hand* | graph | taskflow | cudastf) echo "samples/${2%_fetched}/$1.cu" ;;
    *) echo "samples/$1.cu" ;;
    esac
}

# The workloads to build: those of --only, or all.
workloads() {
    if [ -n "$ONLY" ]; then
        printf '%s\n' "$ONLY" | tr , ' '
    else
        sed -n 's/^\([a-z0-9]*\) .*/\1/p' samples/bench.list | { if [ "$MEMORY" = managed ]; then grep -vx chain; else cat; fi; }
    fi
}

# A line "PROGRAM SOURCE FLAGS..." for each program to compile.
programs() {
    echo "device samples/device.cu"
    for workload in $(workloads); do
        for variant in $VARIANTS; do
            source=$(source_of "$workload" "$variant")
            [ -e "$source" ] || continue
            flags=''
            case $variant in
            kesco) flags="-fplugin=$BUILD/plugin/libkesco.so -fplugin-arg-kesco-report=$OUT/reports/$workload.json" ;;
            kesco_fetched) flags="-fplugin=$BUILD/plugin/libkesco.so" ;;
            cudastf) flags=$CUDASTF_FLAGS ;;
            taskflow) flags="-std=c++20 -isystem $TASKFLOW_INCLUDE" ;;
            *_fetched) flags=-DMEMORY_FETCHED ;;
            esac
            if [ "$MEMORY" = managed ]; then
                [ "$variant" != kesco ] || flags="$flags -fplugin-arg-kesco-prefetch=off"
                flags="$flags -DMEMORY_MANAGED"
            fi
            case $variant/$workload in by_hand*/mp?) flags="$flags -Xclang -fgpu-default-stream=per-thread -pthread" ;; esac
            # shellcheck disable=SC2086  # to xargs, a blank at the end would mean that the next line belongs to it
            echo "programs/$variant/$workload" "$source" $flags
        done
    done
}

# Compiles every program, several at a time.
compile() {
    export COMPILER LIBS ARCH OUT BUILD
    # shellcheck disable=SC2016  # the inner shell expands
    programs | xargs -P "$(nproc)" -L 1 sh -c '
        program=$1 source=$2
        shift 2
        "$COMPILER" -O2 -Wall -Wextra --cuda-path="$CUDA_PATH" --cuda-gpu-arch="$ARCH" -Wno-unknown-cuda-version -I. \
            -Iruntime "$@" "$source" -o "$OUT/$program" "$BUILD/samples/libkesco_picture.a" $LIBS || exit 255' compile ||
        setup_fail "a benchmark cannot be compiled; what the compiler says is above"
}

# The tables' program, for machines that have no jansson, and what runs processes.
link_table() {
    cc -static -o "$OUT/together" "$BUILD/samples/CMakeFiles/together.dir/together.c.o" || setup_fail "cannot link together"
    # shellcheck disable=SC2046  # one word a flag
    cc -static -o "$OUT/bench_table" "$BUILD/samples/CMakeFiles/bench_table.dir/bench_table.c.o" \
        "$BUILD/samples/libkesco_bench.a" $(pkg-config --static --libs jansson) -lm || setup_fail "cannot link bench_table"
}

count_code() {
    for workload in $(workloads); do
        for variant in serial by_hand graph kesco taskflow cudastf; do
            [ -e "$OUT/programs/$variant/$workload" ] || continue
            counts=$("$BUILD/samples/count_tokens" "$(source_of "$workload" "$variant")")
            echo "lines $workload $variant ${counts% *}"
            echo "tokens $workload $variant ${counts#* }"
        done
    done
}

build() {
    setup_say "compiling the benchmarks"
    for made in programs reports data work; do
        rm -rf "${OUT:?}/$made"
    done
    mkdir -p "$OUT/reports"
    [ "$MEMORY" = device ] || VARIANTS="$VARIANTS serial_fetched by_hand_fetched kesco_fetched"
    for variant in $VARIANTS; do
        mkdir -p "$OUT/programs/$variant"
    done
    compile
    link_table
    count_code >"$OUT/code.txt"
    for workload in $(workloads); do
        grep "^$workload " samples/bench.list
    done >"$OUT/list"
    cp samples/bench_run.sh "$OUT/run.sh"
    cp -r samples/data "$OUT/data"
    if [ "$MODE" = virtual ]; then echo virtual; else echo gpu; fi >"$OUT/kind"
    echo "$MEMORY" >"$OUT/memory"
}

draw() {
    title="$(sed -n 's/^device //p' "$OUT/results.txt"); sizes: $(sed -n 's/^scale //p' "$OUT/results.txt") x the paper's"
    series=3
    [ "$MEMORY" = device ] || series=5
    for format in svg png; do
        gnuplot -e "DATA='$OUT/chart.dat'; OUT='$OUT/chart.$format'; TITLE=\"$title\"; SERIES=$series" samples/bench_chart.gp
    done
    setup_say "chart: $OUT/chart.png, $OUT/chart.svg; results: $OUT/results.json"
}

take_options "$@"
choose_device
choose_rivals
setup_for "$WITH"
choose_compiler
build
if [ "$MODE" = bundle ]; then
    setup_say "built $OUT ($(du -sh "$OUT" | cut -f 1)): on a machine with a GPU, run: sh $OUT/run.sh"
    exit 0
fi
status=0
# shellcheck disable=SC2086  # one word an option
sh "$OUT/run.sh" $OPTIONS || status=$?
[ ! -s "$OUT/chart.dat" ] || draw
exit $status
