#!/bin/sh
# Builds the rules for a real device: a program for each file of rules, and rules.sh, in OUTDIR.
# usage: build.sh OUTDIR CC FLAGS... -- CXX FLAGS... -- FLAGS for linking...
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$here/../../../..
out=${1:?usage: build.sh OUTDIR CC FLAGS... -- CXX FLAGS... -- FLAGS...}
shift
programs='capture capture_breaks clocks copies device_order devices errors events graph_nodes graph_updates graphs handles host_accesses managed_copies memory per_thread pools streams'
compile=
while [ "$1" != -- ]; do
    compile="$compile $1"
    shift
done
shift
link=
while [ "$1" != -- ]; do
    link="$link $1"
    shift
done
shift
mkdir -p "$out"
echo "$programs" >"$out/programs"
c() { # NAME SOURCE
    # shellcheck disable=SC2086  # words
    $compile -std=gnu11 -O1 -DRULES_OF_A_DEVICE -I"$root" -c "$2" -o "$out/$1.o"
}
c rules "$here/rules.c"
c launches "$here/../launches.c"
# shellcheck disable=SC2086
$link -std=c++17 -O1 -I"$root" -c "$here/kernels.cu" -o "$out/kernels.o"
for program in $programs; do
    c "$program" "$here/../$program.c"
    # shellcheck disable=SC2086
    $link "$out/$program.o" "$out/rules.o" "$out/launches.o" "$out/kernels.o" -Wl,--wrap=cudaDeviceReset "$@" -o "$out/$program"
done
cp "$here/rules.sh" "$out"
