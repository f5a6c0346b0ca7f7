# fail.sh EXPECTED PROGRAM FAILURES
#
# Runs PROGRAM with VGPU_FAIL=FAILURES, in several orders and with race checking, and fails unless it ends well and
# prints what the file EXPECTED holds. Leaves the runtime's log in PROGRAM.log.
set -eu
expected=$1 program=$2 failures=$3

for seed in 0 1 2 3; do
    status=0
    VGPU_FAIL=$failures VGPU_SEED=$seed VGPU_CHECK=races KESCO_LOG=1 "$program" >"$program.out" 2>"$program.log" || status=$?
    if [ "$status" -ne 0 ] || ! cmp "$expected" "$program.out"; then
        cat "$program.log"
        echo "VGPU_FAIL=$failures, seed $seed: status $status"
        exit 1
    fi
done
