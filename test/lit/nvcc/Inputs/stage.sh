#!/bin/sh
# stage.sh BUILD INCLUDE FOLDER: FOLDER gets bin/kesco-nvcc and what that runs, as an install has them.
set -eu
build=$1 include=$2 folder=$3
rm -rf "$folder"
mkdir -p "$folder/bin"
for driver in kesco-nvcc kesco-host-clang++; do
    install "$build/plugin/$driver" "$folder/bin"
done
place() {
    sed -n "s|^$1=\$bin/||p" "$build/plugin/compilers.sh"
}
libdir=$folder/bin/$(place libdir)
mkdir -p "$libdir/kesco"
cp "$build/plugin/compilers.sh" "$libdir/kesco"
ln -s "$build"/plugin/libkesco.so.* "$libdir"
ln -s "$include" "$folder/bin/$(place include)"
