# reduce.sh BUILD SEED WORK WHY
#
# Leaves out statements and functions of the program of SEED as long as it fails in the same way as WHY, what check.sh
# said of it, and keeps the smallest program in the folder WORK. KESCO_FUZZ_TRIES (default 300) limits how many smaller
# programs are tried.
set -eu
build=$1 seed=$2 work=$3 why=$4
inputs=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
trial=$(mktemp -d)
trap 'rm -rf "$trial" "$trial.list"' EXIT
mkdir -p "$work"
left=${KESCO_FUZZ_TRIES:-300}

case $why in
generator:*compile*) kind='generator:*compile*' ;;
generator:*output*) kind='generator:*output*' ;;
generator:*) kind='generator:*status 6*' ;;
summary:*) kind='summary:*' ;;
-O*compiler*) kind='-O*compiler*' ;;
stages*link* | classes*link*) kind='*s, *link*' ;;
stages*compiler* | classes*compiler*) kind='*s, *compiler*' ;;
stages* | classes*) kind='*s, *VGPU_SEED*' ;;
*) kind='-O*VGPU_SEED*' ;;
esac
case $why in
-O*) KESCO_FUZZ_LEVELS=${why%%:*} && KESCO_FUZZ_LEVELS=${KESCO_FUZZ_LEVELS#-O} ;;
*) KESCO_FUZZ_LEVELS=0 ;;
esac
export KESCO_FUZZ_LEVELS

# fails LIST: true if what is left with these statements fails in the same way.
fails() {
    found=$(sh "$inputs/$KESCO_FUZZ_CHECK" "$build" "$seed" "$trial" "$1") && return 1
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

# pass CHUNK: tries to leave out each CHUNK of statements in turn, the last ones first: calls before what they call.
pass() {
    at=$(($(wc -l <"$trial.list") - $1 + 1))
    while [ $((at + $1)) -gt 1 ] && [ "$left" -gt 0 ]; do
        first=$((at > 1 ? at : 1))
        list=$(without "$first" $((at + $1 - 1)) <"$trial.list")
        left=$((left - 1))
        if fails "${list:-999999}"; then
            echo "$list" | tr ',' '\n' | sed '/^$/d' >"$trial.list"
        fi
        at=$((at - $1))
    done
}

made_with="--size $KESCO_FUZZ_SIZE${KESCO_FUZZ_HIDDEN:+ --hidden}"
case ${KESCO_FUZZ_KIND-} in
stages | classes) made_with="--$KESCO_FUZZ_KIND $work" ;;
places) made_with="--places $made_with" ;;
esac
# shellcheck disable=SC2086  # words
total=$("$build/test/bin/fuzz_program" "$seed" $made_with --count)
seq 0 $((total - 1)) >"$trial.list"
chunk=$(((total + 1) / 2))
while [ "$chunk" -ge 1 ]; do
    pass "$chunk"
    chunk=$((chunk / 2))
done
echo "seed $seed: smaller, in $work: fuzz_program $seed $made_with --keep $(cat "$work/keep" 2>/dev/null || echo all)"
