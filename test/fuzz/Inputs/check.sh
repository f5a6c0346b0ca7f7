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
. "$root/test/fuzz/Inputs/runs.sh"

# make_steps NAME LEVEL FLAG...: the commands of a compile in the file NAME.steps.
make_steps() {
    target=$1 at=$2
    shift 2
    print_steps "$work/program.cu" "$work/$target" "$work/device" "$at" "$program_flags" "$@" -lpthread >"$work/$target.steps"
}

# The summaries of optimised device code are others.
make_device() {
    device_level=-O0
    [ $((seed % 4)) -ne 3 ] || device_level=-O2
    make_steps device "$device_level" "$plugin"
    sed -n 1,2p "$work/device.steps" | sh -e >"$work/device.log" 2>&1
}

# make_host NAME LEVEL FLAG...
make_host() {
    make_steps "$@"
    sed -n 3,4p "$work/$1.steps" | sh -e >"$work/$1.log" 2>&1
}

check_serial() {
    make_host serial -O0 || fail "generator: does not compile"
    run_serial_orders
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

# compare_to EXPECTED ORDER [SETTING]
compare_to() {
    compare "kesco$each" "-O$each" "$shown" "$@"
}

# check_kesco LEVEL FLAG...
check_kesco() {
    each=$1
    shift
    shown="$vgpu $program_flags -O$each $* $plugin $work/program.cu -o $work/kesco$each -lpthread"
    make_host "kesco$each" "-O$each" "$@" "$plugin" "-fplugin-arg-kesco-report=$work/$each.json" ||
        fail "-O$each: the compiler fails: $shown"
    for order in 0 1 2 $((seed * 3 + 3)) $((seed * 5 + 4)); do
        compare_to expected "$order"
    done
    [ "$each" -ne 0 ] || compare_to expected 1 KESCO_DISABLE=1
    compare_to expected 2 KESCO_MODE=turns
    compare_to expected 1 KESCO_MODE=graph
    [ -n "$exclusive" ] || return 0
    for order in 0 1 2 $((seed * 3 + 3)); do
        compare_to exclusive "$order" VGPU_CONCURRENT_MANAGED=0
    done
}

"$build/test/bin/fuzz_program" "$seed" ${KESCO_FUZZ_KIND:+"--$KESCO_FUZZ_KIND"} --size "$KESCO_FUZZ_SIZE" ${KESCO_FUZZ_HIDDEN:+--hidden} ${keep:+--keep "$keep"} \
    >"$work/program.cu" || fail "generator: status $?"
program_flags=$(sed -n '1s,^// flags: ,,p' "$work/program.cu")
make_device || fail "generator: does not compile for the device"
check_serial
check_serial_exclusive
levels=0
[ $((seed % 3)) -ne 0 ] || levels="0 2"
# shellcheck disable=SC2046  # none or one
set -- $(plugin_options)
for level_of_kesco in ${KESCO_FUZZ_LEVELS:-$levels}; do
    # The verifier behind every pass is slow: now and then.
    if [ "$level_of_kesco" -ne 0 ] && [ $((seed % 10)) -eq 0 ]; then
        check_kesco "$level_of_kesco" "$@" -Xclang -llvm-verify-each
    else
        check_kesco "$level_of_kesco" "$@"
    fi
done
