# check.sh BUILD SEED WORK [KEEP]
#
# Makes the program of SEED (with --keep KEEP) in the folder WORK, compiles it serially and with KeSCo at -O0 and -O2,
# and compares what they do. Prints why it failed, one line, and ends with status 1: "generator: ..." if the serial
# program is at fault, else what KeSCo did, with the command that shows it.
set -eu
build=$1 seed=$2 work=$3 keep=${4-}
root=$(CDPATH='' cd -- "$(dirname -- "$0")/../../.." && pwd)
vgpu="$build/test/vgpu/vgpu-clang++ -std=c++17 -w -I$root/runtime"

fail() {
    echo "$*"
    exit 1
}

# run NAME SEED: NAME under that order; output in NAME.out, status in $status.
run() {
    status=0
    VGPU_SEED=$2 VGPU_CHECK=races timeout 60 "$work/$1" >"$work/$1.all" 2>"$work/$1.err" || status=$?
    # When the device's output comes, beside the host's, is up to CUDA.
    sed '/^D /d' "$work/$1.all" >"$work/$1.out"
    sed -n '/^D /p' "$work/$1.all" >>"$work/$1.out"
}

check_serial() {
    # shellcheck disable=SC2086  # a command and its words
    $vgpu -O1 "$work/program.cu" -o "$work/serial" -lpthread >"$work/serial.log" 2>&1 || fail "generator: does not compile"
    run serial 0
    [ "$status" -eq 0 ] || fail "generator: VGPU_SEED=0: status $status: $(tail -n 1 "$work/serial.err")"
    cp "$work/serial.out" "$work/expected.out"
    for order in 1 2 $((seed * 7 + 11)); do
        run serial "$order"
        [ "$status" -eq 0 ] || fail "generator: VGPU_SEED=$order: status $status: $(tail -n 1 "$work/serial.err")"
        cmp -s "$work/serial.out" "$work/expected.out" || fail "generator: VGPU_SEED=$order: another output"
    done
}

# check_kesco LEVEL FLAG...
check_kesco() {
    level=$1
    shift
    set -- $vgpu -O"$level" "$@" -fplugin="$build/plugin/libkesco.so" -fplugin-arg-kesco-report="$work/$level.json" \
        "$work/program.cu" -o "$work/kesco$level" -lpthread
    "$@" >"$work/kesco$level.log" 2>&1 || fail "-O$level: the compiler fails: $*"
    for order in 0 1 2 $((seed * 3 + 3)) $((seed * 5 + 4)) $((seed * 7 + 5)); do
        run "kesco$level" "$order"
        [ "$status" -eq 0 ] || fail "-O$level: VGPU_SEED=$order: status $status: $*"
        cmp -s "$work/kesco$level.out" "$work/expected.out" || fail "-O$level: VGPU_SEED=$order: another output: $*"
    done
}

"$build/test/bin/fuzz_program" "$seed" --size "$KESCO_FUZZ_SIZE" ${KESCO_FUZZ_HIDDEN:+--hidden} ${keep:+--keep "$keep"} >"$work/program.cu" ||
    fail "generator: status $?"
check_serial
check_kesco 0
# The verifier behind every pass is slow: now and then.
if [ $((seed % 10)) -eq 0 ]; then
    check_kesco 2 -Xclang -llvm-verify-each
else
    check_kesco 2
fi
