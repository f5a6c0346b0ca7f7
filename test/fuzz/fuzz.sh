#!/bin/sh
# fuzz.sh BUILD FIRST COUNT [JOBS]
#
# Compiles COUNT random programs, from seed FIRST on, serially and with KeSCo, runs them on the virtual GPU, and compares:
# under every order of execution KeSCo's output and exit status must be the serial ones, without a race. BUILD is a build
# folder; JOBS (default 2) is how many seeds are worked on at a time. A program that fails is kept, with all that belongs
# to it, in a folder that the messages name; the first one of a run is also made smaller.
#
#   KESCO_FUZZ_KIND    places: programs of one unit with loops over parts of arenas and over tables of pointers (places.h);
#                      ranges: kernels that compute where they access (index_kernels.h);
#                      stages: programs of one to three units, of which one may be without KeSCo, each at its own -O
#                      level, linked in several ways; their functions meet on streams and in memory of the program's own,
#                      wait for what others did, run in threads and in what a library calls back, and may trap in the end
#                      (stages.h); classes: objects whose members launch and wait behind each piece of work, in all the
#                      forms in which people write it, look at memory in between, and may be told of an error
#                      (classes.h); default: programs of one unit with many scenarios
#   KESCO_FUZZ_SIZE    scenarios (functions that launch) or kernels per program of one unit; default 6
#   KESCO_FUZZ_HIDDEN  not empty: also kernels that reach variables in ways that are hard to see
#   KESCO_FUZZ_TRIES   how many smaller programs are tried; default 300, 0 for none
#   KESCO_FUZZ_KEEP    the folder for programs that fail; default fuzz-failures in BUILD
#   KESCO_FUZZ_HEADERS a folder for precompiled headers, to be used by several runs; not for classes together with others
#
# How far it is, [DONE/COUNT], goes to standard error. The last line tells how many programs and scenarios ran, how many
# programs and regions had more than one lane, and how many failed. The exit status is 1 if one did.
set -eu
folder=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
[ $# -ge 3 ] || {
    sed -n '2,/^set/s/^# \{0,1\}//p' "$0" | sed '$d' >&2
    exit 2
}
build=$(CDPATH='' cd -- "$1" && pwd)
first=$2
count=$3
jobs=${4-2}
case ${KESCO_FUZZ_KIND-} in
stages | classes) export KESCO_FUZZ_CHECK=check_units.sh ;;
ranges) export KESCO_FUZZ_CHECK=check_ranges.sh ;;
'' | places) export KESCO_FUZZ_CHECK=check.sh ;;
*)
    echo "fuzz.sh: KESCO_FUZZ_KIND is places, ranges, stages, classes, or empty" >&2
    exit 2
    ;;
esac
export KESCO_FUZZ_SIZE="${KESCO_FUZZ_SIZE:-6}"
export KESCO_FUZZ_KEEP="${KESCO_FUZZ_KEEP:-$build/fuzz-failures}"
results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT
trap 'exit 130' INT TERM
export KESCO_FUZZ_HEADERS="${KESCO_FUZZ_HEADERS:-$results}"
# A few programs are compiled sooner without.
[ "$count" -lt 4 ] || sh "$folder/Inputs/headers.sh" "$build" "$KESCO_FUZZ_HEADERS"

# shellcheck disable=SC2016  # the inner shell expands
seq "$first" $((first + count - 1)) |
    xargs -P "$jobs" -I SEED sh -c '
        sh "$1/Inputs/one.sh" "$2" "$3" "$4"
        echo "[$(find "$4" -name "*.result" | wc -l)/$5]" >&2
    ' fuzz "$folder" "$build" SEED "$results" "$count" || true

# Of the first seed that fails, a smaller program.
for seed in $(grep -lr ' bad$' "$results" --include='*.result' | sed 's,.*/\(.*\)\.result,\1,' | sort -n | head -n 1); do
    sh "$folder/Inputs/reduce.sh" "$build" "$seed" "$KESCO_FUZZ_KEEP/$seed/reduced" "$(cat "$KESCO_FUZZ_KEEP/$seed/why")"
done

# One line a seed: seed, regions with more than one lane, outcome.
find "$results" -name '*.result' -exec cat {} + | awk -v size="$KESCO_FUZZ_SIZE" -v count="$count" -v kind="${KESCO_FUZZ_KIND-}" '
    { run++; regions += $2; if ($2 > 0) parallel++; if ($3 != "good") bad++ }
    END {
        bad += count - run
        printf "%d programs, %s: %d programs with more than one lane, %d such regions; %d failed\n",
               run, kind == "" ? run * size " scenarios" : "of " kind, parallel, regions, bad
        exit bad > 0
    }'
