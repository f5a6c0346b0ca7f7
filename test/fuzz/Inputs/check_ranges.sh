# check_ranges.sh BUILD SEED WORK [KEEP]
#
# Makes the program of SEED, of kernels that compute where they access (index_kernels.h), in the folder WORK, compiles its
# device code without and with optimisation, and runs it. Prints why it failed and ends as check.sh does: "summary: ..." if
# a launch accesses what its summary's ranges do not have.
set -eu
build=$1 seed=$2 work=$3 keep=${4-}
root=$(CDPATH='' cd -- "$(dirname -- "$0")/../../.." && pwd)
. "$root/test/fuzz/Inputs/runs.sh"

"$build/test/bin/fuzz_program" "$seed" --ranges --size "$KESCO_FUZZ_SIZE" ${keep:+--keep "$keep"} \
    >"$work/program.cu" || fail "generator: status $?"
for level in -O0 -O2; do
    print_steps "$work/program.cu" "$work/serial" "$work/device$level" "$level" '' -lpthread "$plugin" |
        sh -e >"$work/compile$level.log" 2>&1 || fail "generator: does not compile at $level"
    run_serial 0
done
