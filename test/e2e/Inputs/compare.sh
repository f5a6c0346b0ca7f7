# compare.sh SEEDS SERIAL KESCO [ARGUMENT...]
#
# Runs SERIAL once and KESCO under VGPU_SEED 0 to SEEDS-1, with race checking and the same arguments, and fails
# unless every run ends well, as the serial one has to, and writes the same bytes: to standard output, and to the file
# that the argument OUT stands for. STATUS=N in the environment: every run has to end with the status N instead.
set -eu
expected=${STATUS:-0}
seeds=$1 serial=$2 kesco=$3
shift 3

run() {
    program=$1
    result=$2
    shift 2
    for argument; do
        shift
        [ "$argument" != OUT ] || argument=$result.out
        set -- "$@" "$argument"
    done
    rm -f "$result.out"
    status=0
    "$program" "$@" >"$result.txt" 2>"$result.err" || status=$?
    sed "s|$result|RESULT|g" "$result.txt" >"$result.text"
    [ ! -e "$result.out" ] || cat "$result.out" >>"$result.text"
}

VGPU_CHECK=races run "$serial" "$serial.result" "$@"
if [ "$status" -ne "$expected" ]; then
    cat "$serial.result.err"
    echo "the serial program ends with status $status"
    exit 1
fi
for seed in $(seq 0 $((seeds - 1))); do
    VGPU_SEED=$seed VGPU_CHECK=races run "$kesco" "$kesco.result" "$@"
    if [ "$status" -ne "$expected" ]; then
        cat "$kesco.result.err"
        echo "seed $seed: status $status, serially $expected"
        exit 1
    fi
    if ! cmp "$serial.result.text" "$kesco.result.text"; then
        echo "seed $seed: another result than serially"
        exit 1
    fi
done
