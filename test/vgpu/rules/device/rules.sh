#!/bin/sh
# Runs the rules' programs that stand beside this script on the device there is, and writes OUTDIR/rules.txt: of the
# device, a line for each rule ("PROGRAM NAME ok|FAILED STATUS"; a rule that CUDA leaves open may end with 0 or 10), what
# each that failed printed, and which were skipped.
# usage: rules.sh OUTDIR [JOBS [SECONDS]]
set -u
here=$(cd "$(dirname "$0")" && pwd)
out=${1:?usage: rules.sh OUTDIR [JOBS [SECONDS]]}
jobs=${2:-8}
seconds=${3:-40}
mkdir -p "$out/each"
programs=$(cat "$here/programs")
: >"$out/list"
: >"$out/skipped"
for program in $programs; do
    "$here/$program" --list | while read -r name rest; do
        case $name in
        skipped) echo "skipped $program $rest" >>"$out/skipped" ;;
        *) echo "$program $name" >>"$out/list" ;;
        esac
    done
done
begin=$(date +%s)
# shellcheck disable=SC2016  # the inner shell's
timeout "$seconds" xargs -P "$jobs" -L 1 sh -c '"$0/$2" --check "$3" >"$1/each/$2.$3" 2>&1; exit 0' "$here" "$out" <"$out/list"
{
    "$here/streams" --device
    while read -r program name; do
        if [ -s "$out/each/$program.$name" ]; then
            echo "$program $(head -n 1 "$out/each/$program.$name")"
        else
            echo "$program $name NOT RUN"
        fi
    done <"$out/list"
    echo "$(wc -l <"$out/list") rules in $(($(date +%s) - begin)) s"
    echo
    while read -r program name; do
        if [ -s "$out/each/$program.$name" ] && ! head -n 1 "$out/each/$program.$name" | grep -q ' ok '; then
            echo "== $program $(cat "$out/each/$program.$name")"
        fi
    done <"$out/list"
    echo
    cat "$out/skipped"
} >"$out/rules.txt"
rm -rf "$out/each" "$out/list" "$out/skipped"
grep -c ' ok ' "$out/rules.txt"
