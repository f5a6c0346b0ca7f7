# one.sh BUILD SEED RESULTS: one random program; see fuzz.sh. Writes the line RESULTS/SEED.result.
set -eu
build=$1 seed=$2 results=$3
inputs=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

status=0
why=$(sh "$inputs/$KESCO_FUZZ_CHECK" "$build" "$seed" "$work") || status=$?
regions=$(find "$work" -name '*.json' -exec cat {} + | sh "$inputs/regions.sh")
if [ "$status" -eq 0 ]; then
    echo "$seed $regions good" >"$results/$seed.result"
    exit 0
fi
kept=$KESCO_FUZZ_KEEP/$seed
rm -rf "$kept"
mkdir -p "$kept"
cp -R "$work/." "$kept"
echo "$why" >"$kept/why"
echo "seed $seed: $why (kept in $kept; again: ${KESCO_FUZZ_KIND:+KESCO_FUZZ_KIND=$KESCO_FUZZ_KIND }KESCO_FUZZ_SIZE=$KESCO_FUZZ_SIZE" \
    "${KESCO_FUZZ_HIDDEN:+KESCO_FUZZ_HIDDEN=1 }sh test/fuzz/fuzz.sh $build $seed 1)"
echo "$seed $regions bad" >"$results/$seed.result"
