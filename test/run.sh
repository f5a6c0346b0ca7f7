#!/bin/sh
# Builds and runs every test; ends with one line, "N passed, N failed".
#
#   sh test/run.sh         all tests: C programs, lit, random programs, C programs again under sanitizers, format,
#                          clang-tidy, gcc
#   sh test/run.sh matrix  the samples, with each pair of an LLVM that is installed and a CUDA Toolkit that is here or comes
#                          by pip (CUDA 12), kernels against what PTX says of them, and lit with LLVM 19
#   sh test/run.sh soak    the same with more random plans, random bytes, and thousands of random programs (hours)
set -eu
cd "$(dirname "$0")/.."
. cmake/setup.sh

usage() {
    printf 'usage: sh test/run.sh [matrix | soak]\n' >&2
    exit 2
}

case ${1-} in
'') export KESCO_FUZZ_TRIES=20 ;; # one that fails is not to take the time of all that come behind
matrix) ;;
soak) export KESCO_TEST_CASES=1000000 ;;
*) usage ;;
esac
[ $# -le 1 ] || usage

passed=0
failed=0

count() {
    passed=$((passed + $1))
    failed=$((failed + $2))
}

# check NAME COMMAND...: one test that is a command.
check() {
    name=$1
    shift
    log=build/check-$(printf '%s' "$name" | tr -c 'a-z0-9' -).log
    if setup_progress "checking: $name" "$log" "$@"; then
        count 1 0
    else
        tail -n 40 "$log"
        setup_say "${BAD}FAILED: $name${PLAIN} (log: $log)"
        count 0 1
    fi
}

# run_c_tests BUILD TEXT: the cmocka programs of a build, several at a time. One that dies, or does not end in a
# quarter of an hour, counts as a failed test.
run_c_tests() {
    logs=build/$1/test/logs
    rm -rf "$logs"
    mkdir -p "$logs"
    all=$(wc -l <"build/$1/test/c-tests.txt")
    # shellcheck disable=SC2016  # the inner shell expands
    setup_progress "$2" "$logs/all.log" xargs -P "$(nproc)" -I PROGRAM sh -c '
        status=0
        CMOCKA_MESSAGE_OUTPUT=TAP timeout -k 10 900 "$1" >"$2/$(basename "$1").log" 2>&1 </dev/null || status=$?
        echo "$status" >"$2/$(basename "$1").status"
        echo "[$(find "$2" -name "*.status" | wc -l)/$3]"
    ' run PROGRAM "$logs" "$all" <"build/$1/test/c-tests.txt"
    while read -r program; do
        log=$logs/$(basename "$program")
        status=$(cat "$log.status")
        good=$(grep -c '^ok ' "$log.log" || true)
        bad=$(grep -c '^not ok ' "$log.log" || true)
        if [ "$status" -ne 0 ] && [ "$bad" -eq 0 ]; then
            bad=1
        fi
        if [ "$status" -eq 0 ] && [ "$good" -eq 0 ]; then
            bad=1
        fi
        if [ "$bad" -ne 0 ]; then
            cat "$log.log"
            setup_say "${BAD}FAILED: $program (status $status)${PLAIN} (log: $log.log)"
        fi
        count "$good" "$bad"
    done <"build/$1/test/c-tests.txt"
}

# lit_count WORD LOG: how many tests lit's summary has under WORD.
lit_count() {
    sed -n "s/^ *$1 *: *\([0-9]*\).*/\1/p" "$2" | tail -n 1
}

# run_lit BUILD TEXT
run_lit() {
    lit=$(sed -n 's/^KESCO_LIT:FILEPATH=//p' "build/$1/CMakeCache.txt")
    log=build/lit-$1.log
    setup_progress "$2" "$log" "$lit" -v --config-prefix=lit "build/$1/test" || true
    bad=0
    for word in Failed Unresolved 'Timed Out' 'Unexpectedly Passed'; do
        found=$(lit_count "$word" "$log")
        bad=$((bad + ${found:-0}))
    done
    good=$(lit_count Passed "$log")
    if [ "$bad" -ne 0 ] || [ "${good:-0}" -eq 0 ]; then
        cat "$log"
        setup_say "${BAD}FAILED: $2${PLAIN} (log: $log)"
    fi
    if [ "${good:-0}" -eq 0 ]; then
        bad=$((bad + 1))
    fi
    count "${good:-0}" "$bad"
}

sources() {
    find plugin runtime samples test -name '*.[ch]' -o -name '*.cpp' -o -path 'samples/*.cu'
}

c_sources() {
    find plugin runtime samples -name '*.c'
}

# pairs_of BUILD LLVM SAMPLES: one test for each CUDA Toolkit.
pairs_of() {
    for cuda in "$CUDA_PATH" $(find /usr/local/cuda-12* "$PWD/build/cuda-12.9" -maxdepth 0 2>/dev/null); do
        release=$(sed -n 's/^#define CUDART_VERSION *\([0-9]*\).*/\1/p' "$cuda/include/cuda_runtime_api.h")
        release=$((release / 1000)).$((release % 1000 / 10))
        check "LLVM $2 with CUDA $release" sh test/pair.sh "$1" "$cuda" "$PWD/build/matrix/llvm$2-cuda$release" "$3"
    done
}

# Kernels against what PTX says of them, of clang and of nvcc.
hold_against_ptx() {
    of_clang=$(sed -n 's/^# Of clang: //p' test/ptx/holds.sh)
    of_nvcc=$(sed -n 's/^# Of nvcc: //p' test/ptx/holds.sh)
    PTX_BUILD=$PWD/build/release PTX_CLANG=clang++-22
    export PTX_BUILD PTX_CLANG
    # shellcheck disable=SC2086  # one word a table
    check 'kernels against PTX of clang' sh test/ptx/holds.sh "$PTX_BUILD" build/matrix/ptx "img hits ml pipeline" $of_clang
    # shellcheck disable=SC2086
    check 'kernels against PTX of nvcc' env PTX_NVCC="$CUDA_PATH/bin/nvcc" \
        sh test/ptx/holds.sh "$PTX_BUILD" build/matrix/ptx "img hits ml pipeline" $of_nvcc
    check '10 random programs against PTX' env VGPU_CLANG="$PWD/test/ptx/ptx-clang++" KESCO_FUZZ_KIND=ranges KESCO_FUZZ_SIZE=40 \
        sh test/fuzz/fuzz.sh "$PTX_BUILD" 1 10 "$(nproc)"
}

run_matrix() {
    rm -rf build/matrix
    [ -d build/cuda-12.9 ] || setup_progress "getting CUDA 12.9 by pip" build/cuda.log sh cmake/cuda_from_wheels.sh build/cuda-12.9 ||
        setup_say "no CUDA 12.9, which is left out (log: build/cuda.log)"
    for llvm in 22 19; do
        if [ ! -x "/usr/lib/llvm-$llvm/bin/llvm-config" ] || [ ! -d "/usr/lib/llvm-$llvm/lib/cmake/clang" ]; then
            setup_say "LLVM $llvm is left out: clang-$llvm, llvm-$llvm-dev or libclang-$llvm-dev is not installed"
            continue
        fi
        [ "$llvm" = 22 ] && build=release || build=llvm$llvm
        setup_build "$build"
        pairs_of "build/$build" "$llvm" vec,img,pipeline,video
        [ "$llvm" != 22 ] || hold_against_ptx
        [ "$llvm" = 22 ] || run_lit "$build" "running lit with LLVM $llvm"
    done
}

finish() {
    if [ "$failed" -eq 0 ]; then colour=$GOOD; else colour=$BAD; fi
    printf '%s%s passed, %s failed%s\n' "$colour" "$passed" "$failed" "$PLAIN"
    [ "$failed" -eq 0 ]
}

setup_colours
setup_packages
setup_cuda
if [ "${1-}" = matrix ]; then
    run_matrix
    finish
    exit
fi
setup_build release
run_c_tests release "running the C tests"
run_lit release "running lit"
rm -rf build/matrix
pairs_of build/release 22 vec
# One for all runs but those of classes, which include more.
KESCO_FUZZ_HEADERS=$PWD/build/fuzz-headers
export KESCO_FUZZ_HEADERS
rm -rf "$KESCO_FUZZ_HEADERS"
mkdir "$KESCO_FUZZ_HEADERS"
check '12 random programs' sh test/fuzz/fuzz.sh build/release 1 12 "$(nproc)"
check '5 random programs of stages' env KESCO_FUZZ_KIND=stages sh test/fuzz/fuzz.sh build/release 1 5 "$(nproc)"
check '5 random programs of classes' env KESCO_FUZZ_KIND=classes KESCO_FUZZ_HEADERS= sh test/fuzz/fuzz.sh build/release 1 5 "$(nproc)"
check '4 random programs of places' env KESCO_FUZZ_KIND=places KESCO_FUZZ_SIZE=3 sh test/fuzz/fuzz.sh build/release 1 4 "$(nproc)"
check '3 random programs of ranges' env KESCO_FUZZ_KIND=ranges KESCO_FUZZ_SIZE=40 sh test/fuzz/fuzz.sh build/release 1 3 "$(nproc)"
if nvidia-smi -L 2>/dev/null | grep -q GPU; then
    # shellcheck disable=SC2016  # the inner shell expands
    check "the virtual GPU's rules on the GPU" sh -c 'cmake --build build/release --target device_rules &&
        sh build/release/test/device_rules/rules.sh build/device-rules "$(nproc)" 300 &&
        ! grep -e " FAILED " -e " NOT RUN" build/device-rules/rules.txt'
fi
setup_build sanitize
export KESCO_TEST_CASES="${KESCO_TEST_CASES:-400}" # all are tried without, and each takes ten times as long here
run_c_tests sanitize "running the C tests under AddressSanitizer and UndefinedBehaviorSanitizer"
# shellcheck disable=SC2046  # one word a file
check format clang-format-22 --dry-run -Werror $(sources)
# shellcheck disable=SC2016  # the inner shell expands
check 'clang-tidy' sh -c 'printf "%s\n" "$@" | xargs -P "$(nproc)" -n 1 clang-tidy-22 --quiet -p build/release' tidy $(c_sources)
check 'configuring with gcc' cmake --preset gcc
check 'gcc build' cmake --build --preset gcc

if [ "${1-}" = soak ]; then
    for target in text flow chart picture summary; do
        check "fuzz_$target for 10 minutes" "build/release/test/bin/fuzz_$target" -max_total_time=600 -timeout=60 -artifact_prefix=build/
    done
    check '20,000 random regions on random hardware' build/release/test/bin/test_regret 1000 20
    check '5000 random programs' sh test/fuzz/fuzz.sh build/release 100000 5000 "$(nproc)"
    check '3000 random programs of stages' env KESCO_FUZZ_KIND=stages sh test/fuzz/fuzz.sh build/release 100000 3000 "$(nproc)"
    check '3000 random programs of classes' env KESCO_FUZZ_KIND=classes KESCO_FUZZ_HEADERS= sh test/fuzz/fuzz.sh build/release 100000 3000 "$(nproc)"
    check '5000 random programs of places' env KESCO_FUZZ_KIND=places sh test/fuzz/fuzz.sh build/release 100000 5000 "$(nproc)"
    check '500 random programs of ranges' env KESCO_FUZZ_KIND=ranges KESCO_FUZZ_SIZE=40 sh test/fuzz/fuzz.sh build/release 100000 500 "$(nproc)"
    check '1000 random programs with kernels that hide what they touch' \
        env KESCO_FUZZ_HIDDEN=1 sh test/fuzz/fuzz.sh build/release 100000 1000 "$(nproc)"
fi

finish
