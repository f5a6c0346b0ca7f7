# reduce.sh BUILD SEED WORK WHY
#
# Leaves out statements of the program of SEED as long as it fails in the same way (WHY, up to the second colon's word),
# and keeps the smallest program in the folder WORK.
set -eu
build=$1 seed=$2 work=$3 why=$4
inputs=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
trial=$(mktemp -d)
trap 'rm -rf "$trial"' EXIT
mkdir -p "$work"

case $why in
generator:*) kind='generator:*' ;;
*compiler*) kind='-O*compiler*' ;;
*) kind='-O*VGPU_SEED*' ;;
esac

# fails LIST: true if what is left with these statements fails in the same way.
fails() {
    found=$(sh "$inputs/check.sh" "$build" "$seed" "$trial" "$1") && return 1
    # shellcheck disable=SC2254  # a pattern
    case $found in
    $kind) ;;
    *) return 1 ;;
    esac
    cp -R "$trial/." "$work"
    echo "$found" >"$work/why"
    echo "$1" >"$work/keep"
}

# The numbers on standard input without those at places $1 to $2, separated by commas.
without() {
    awk -v first="$1" -v last="$2" 'NR < first || NR > last' | tr '\n' ',' | sed 's/,$//'
}

total=$("$build/test/bin/fuzz_program" "$seed" --size "$KESCO_FUZZ_SIZE" ${KESCO_FUZZ_HIDDEN:+--hidden} --count)
seq 0 $((total - 1)) >"$trial.list"
chunk=$(((total + 1) / 2))
tries=0
while [ "$chunk" -ge 1 ] && [ "$tries" -lt "${KESCO_FUZZ_TRIES:-150}" ]; do
    at=1
    while [ "$at" -le "$(wc -l <"$trial.list")" ] && [ "$tries" -lt "${KESCO_FUZZ_TRIES:-150}" ]; do
        list=$(without "$at" $((at + chunk - 1)) <"$trial.list")
        tries=$((tries + 1))
        if fails "${list:-999999}"; then
            echo "$list" | tr ',' '\n' | sed '/^$/d' >"$trial.list"
        else
            at=$((at + chunk))
        fi
    done
    chunk=$((chunk / 2))
done
echo "seed $seed: smaller, in $work: fuzz_program $seed --size $KESCO_FUZZ_SIZE${KESCO_FUZZ_HIDDEN:+ --hidden} --keep $(cat "$work/keep" 2>/dev/null || echo all)"
rm -f "$trial.list"
