# check.sh BUILD SEED WORK [KEEP]
#
# Makes the program of SEED (with --keep KEEP) in the folder WORK, compiles it serially and with KeSCo at -O0 and, for
# every third seed, -O2, some with few lanes, without reordering or by critical paths, and compares what they do. Prints
# why it failed, one line, and ends with status 1: "generator: ..." if the serial program is at fault, "summary: ..." if
# it does what the access summaries in its image do not have, else what KeSCo did, with the command that shows it.
# KESCO_FUZZ_LEVELS="0 2" chooses the levels; KESCO_FUZZ_HEADERS is a folder that headers.sh has filled.
set -eu
build=$1 seed=$2 work=$3 keep=${4-}
root=$(CDPATH='' cd -- "$(dirname -- "$0")/../../.." && pwd)
vgpu="$build/test/vgpu/vgpu-clang++ -std=c++17 -w -I$root/runtime"
plugin="-fplugin=$build/plugin/libkesco.so"
export VGPU_DEVICES=2

fail() {
    echo "$*"
    exit 1
}

# run NAME SEED [SETTING]: NAME under that order; output in NAME.out, status in $status.
run() {
    status=0
    env VGPU_SEED="$2" VGPU_CHECK=races ${3+"$3"} timeout 60 "$work/$1" >"$work/$1.all" 2>"$work/$1.err" || status=$?
    # When the device's output comes, beside the host's, is up to CUDA.
    sed '/^D /d' "$work/$1.all" >"$work/$1.out"
    sed -n '/^D /p' "$work/$1.all" >>"$work/$1.out"
}

# make_steps NAME LEVEL FLAG...: the commands of a compile in the file NAME.steps, one a line: device, image, host, link.
# All have the device's bitcode and image in $work, so that one device compile serves all host compiles.
make_steps() {
    name=$1 device='' host=''
    if [ -n "${KESCO_FUZZ_HEADERS-}" ]; then
        device="\"-Xclang\" \"-include-pch\" \"-Xclang\" \"$KESCO_FUZZ_HEADERS/device$2$flags.pch\""
        host="\"-Xclang\" \"-include-pch\" \"-Xclang\" \"$KESCO_FUZZ_HEADERS/host$2$flags.pch\""
    fi
    shift
    # shellcheck disable=SC2086  # a command and its words
    $vgpu -### $flags "$@" "$work/program.cu" -o "$work/$name" -lpthread 2>&1 |
        sed "s,\"[^\"]*/0\.\(bc\|image\|o\)\",\"$work/$name.\1\",g; s,/[^\"/]*\.\(bc\|image\)\",/device.\1\",g
            1s,\"-x\",$device &,; 3s,\"-x\",$host &," >"$work/$name.steps"
}

# The summaries of optimised device code are others.
make_device() {
    device_level=-O0
    [ $((seed % 4)) -ne 3 ] || device_level=-O2
    make_steps device "$device_level" "$plugin"
    sed -n 1,2p "$work/device.steps" | sh -e >"$work/device.log" 2>&1
}

# make_host NAME FLAG...
make_host() {
    make_steps "$@"
    sed -n 3,4p "$work/$1.steps" | sh -e >"$work/$1.log" 2>&1
}

# run_serial SEED: the serial program, which must end well, or with what its own check of errors has (trap.c). Its image
# is that of the others.
run_serial() {
    run serial "$1"
    ! grep -q '^vgpu: summary' "$work/serial.err" ||
        fail "summary: VGPU_SEED=$1: $(grep -m 1 '^vgpu: summary' "$work/serial.err")"
    [ "$status" -eq 0 ] || [ "$status" -eq 7 ] || fail "generator: VGPU_SEED=$1: status $status: $(tail -n 1 "$work/serial.err")"
}

check_serial() {
    make_host serial -O0 || fail "generator: does not compile"
    run_serial 0
    wanted=$status
    cp "$work/serial.out" "$work/expected.out"
    for order in 1 2 $((seed * 7 + 11)); do
        run_serial "$order"
        [ "$status" -eq "$wanted" ] || fail "generator: VGPU_SEED=$order: another output, status $status"
        cmp -s "$work/serial.out" "$work/expected.out" || fail "generator: VGPU_SEED=$order: another output"
    done
}

# What the serial program does on devices without concurrent managed access. Not all programs keep to the rule there that
# kernels have managed memory to themselves; $exclusive is not empty for one that does.
check_serial_exclusive() {
    exclusive=''
    for order in 0 1 2 $((seed * 7 + 11)); do
        run serial "$order" VGPU_CONCURRENT_MANAGED=0
        [ "$status" -eq "$wanted" ] || return 0
        [ "$order" -ne 0 ] || cp "$work/serial.out" "$work/exclusive.out"
        cmp -s "$work/serial.out" "$work/exclusive.out" || return 0
    done
    exclusive=yes
}

# compare EXPECTED ORDER [SETTING]
compare() {
    expected=$1
    shift
    run "kesco$level" "$@"
    [ "$status" -eq "$wanted" ] || fail "-O$level: VGPU_SEED=$*: status $status: $command"
    cmp -s "$work/kesco$level.out" "$work/$expected.out" || fail "-O$level: VGPU_SEED=$*: another output: $command"
}

# check_kesco LEVEL FLAG...
check_kesco() {
    level=$1
    shift
    command="$vgpu $flags -O$level $* $plugin $work/program.cu -o $work/kesco$level -lpthread"
    make_host "kesco$level" -O"$level" "$@" "$plugin" "-fplugin-arg-kesco-report=$work/$level.json" ||
        fail "-O$level: the compiler fails: $command"
    for order in 0 1 2 $((seed * 3 + 3)) $((seed * 5 + 4)); do
        compare expected "$order"
    done
    [ "$level" -ne 0 ] || compare expected 1 KESCO_DISABLE=1
    [ -n "$exclusive" ] || return 0
    for order in 0 1 2 $((seed * 3 + 3)); do
        compare exclusive "$order" VGPU_CONCURRENT_MANAGED=0
    done
}

"$build/test/bin/fuzz_program" "$seed" --size "$KESCO_FUZZ_SIZE" ${KESCO_FUZZ_HIDDEN:+--hidden} ${keep:+--keep "$keep"} \
    >"$work/program.cu" || fail "generator: status $?"
flags=$(sed -n '1s,^// flags: ,,p' "$work/program.cu")
make_device || fail "generator: does not compile for the device"
check_serial
check_serial_exclusive
levels=0
[ $((seed % 3)) -ne 0 ] || levels="0 2"
set --
case $((seed % 7)) in
1 | 2 | 3) set -- "-fplugin-arg-kesco-max-lanes=$((seed % 7 + 1))" ;;
4) set -- -fplugin-arg-kesco-reorder=off ;;
5) set -- -fplugin-arg-kesco-policy=critical-path ;;
esac
for each in ${KESCO_FUZZ_LEVELS:-$levels}; do
    # The verifier behind every pass is slow: now and then.
    if [ "$each" -ne 0 ] && [ $((seed % 10)) -eq 0 ]; then
        check_kesco "$each" "$@" -Xclang -llvm-verify-each
    else
        check_kesco "$each" "$@"
    fi
done
