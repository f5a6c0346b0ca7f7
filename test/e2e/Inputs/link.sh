# Links the units that linking.cu has compiled, in all ways, and runs what comes out.
#
#   sh link.sh FOLDER LINKER LIBRARY...
#
# FOLDER has the objects UNIT.KIND.o: of each unit, by the level of optimisation, for link-time optimisation
# (full, thin), that call the runtime as a library (calls), and without KeSCo (plain).
set -eu
cd "$1"
linker=$2
shift 2

run() {
    for seed in 0 2; do
        VGPU_SEED=$seed VGPU_CHECK=races ./a.out "$@" >out || { echo "$linker: $what: status $?"; exit 1; }
        printf '%s\n' 'one, 12' 'two, 12' 'three, 12' | cmp - out || { echo "$linker: $what"; exit 1; }
    done
}

link() {
    what=$*
    clang++ -fuse-ld="$linker" main.o "$@" $libraries -o a.out
    run
}

# How many copies of the runtime the program has.
copies() {
    found=$(llvm-nm a.out | grep -c ' __kesco1_rt.kesco_thread_region') || true
    test "$found" = "$1" || { echo "$linker: $what: $found runtimes"; exit 1; }
}

libraries=$*
for level in 0 1 2 3; do
    link ONE.$level.o TWO.$level.o THREE.$level.o
    copies 1
done
link ONE.0.o TWO.3.o THREE.1.o -Wl,--gc-sections
copies 1
test "$linker" = bfd || link ONE.1.o TWO.2.o THREE.3.o -Wl,--icf=all -Wl,--gc-sections
link -flto -O2 ONE.full.o TWO.full.o THREE.full.o
copies 1
link -flto=thin -O2 ONE.thin.o TWO.thin.o THREE.thin.o
link -flto=thin -O2 -Wl,--gc-sections ONE.thin.o TWO.thin.o THREE.thin.o
copies 1
if [ "$linker" != gold ]; then # whose plugin for LLVM is that of bfd
    link -flto -O3 ONE.full.o TWO.2.o THREE.full.o
    link -flto -O1 ONE.2.o TWO.full.o THREE.0.o
    link -flto=thin -O2 ONE.0.o TWO.thin.o THREE.thin.o
    link -flto -O2 ONE.full.o TWO.thin.o THREE.2.o
fi
link ONE.2.o TWO.calls.o THREE.plain.o
copies 1
link -flto -O2 TWO.calls.o THREE.plain.o ONE.full.o
copies 1
link ONE.2.o -L. -ltwo
copies 1
link -flto ONE.full.o -L. -ltwo
clang++ -fuse-ld="$linker" -shared TWO.2.o THREE.1.o -o libboth.so
link ONE.2.o -L. -lboth -Wl,-rpath,.
link -flto=thin ONE.thin.o -L. -lboth -Wl,-rpath,.
what='a library that is loaded'
clang++ -fuse-ld="$linker" -shared ONE.2.o TWO.2.o THREE.1.o -o libthree.so
clang++ -fuse-ld="$linker" loader.o $libraries -o a.out
run ./libthree.so
