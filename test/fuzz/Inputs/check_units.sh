# check_units.sh BUILD SEED WORK [KEEP]
#
# Makes the program of SEED (with --keep KEEP), of the kind $KESCO_FUZZ_KIND, which has several units, in the folder WORK,
# builds it serially and as its file `build` says, and compares what the two do. Prints and ends as check.sh does.
set -eu
build=$1 seed=$2 work=$3 keep=${4-}
root=$(CDPATH='' cd -- "$(dirname -- "$0")/../../.." && pwd)
. "$root/test/fuzz/Inputs/runs.sh"

# compile_device UNIT FLAGS FLAG...: all host compiles of a unit have the one image.
compile_device() {
    image=$1 device_flags=$2
    shift 2
    device_level=-O0
    [ $((seed % 4)) -ne 3 ] || device_level=-O2
    print_steps "$work/$image.cu" "$work/$image.o" "$work/$image" "$device_level" "$device_flags" "$@" -c |
        sed -n 1,2p | sh -e >"$work/$image.log" 2>&1
}

# compile_host UNIT OBJECT LEVEL FLAGS FLAG...
compile_host() {
    (
        case "$*" in *-fPIC*) KESCO_FUZZ_HEADERS='' ;; esac # headers are compiled without
        host=$1 object=$2 host_level=$3 host_flags=$4
        shift 4
        print_steps "$work/$host.cu" "$work/$object" "$work/$host" "$host_level" "$host_flags" "$@" -c
    ) | sed -n 3p | sh -e >"$work/$2.log" 2>&1
}

# compile UNIT HOW LEVEL [FLAG...]: serially, and as the program has it.
compile() {
    unit=$1 how=$2 unit_level=$3 unit_flags=''
    shift 3
    case ${1-} in -fgpu-default-stream=*) unit_flags=$1 && shift ;; esac
    with=''
    [ "$how" = plain ] || with=$plugin
    compile_device "$unit" "$unit_flags" ${with:+"$with"} || fail "generator: $unit does not compile for the device"
    compile_host "$unit" "$unit.serial.o" -O0 "$unit_flags" || fail "generator: $unit does not compile"
    # shellcheck disable=SC2046  # none or one
    [ "$how" = plain ] || set -- "$@" "$with" "-fplugin-arg-kesco-report=$work/$unit.json" $(plugin_options)
    compile_host "$unit" "$unit.o" "$unit_level" "$unit_flags" "$@" ||
        fail "$label: the compiler fails: $vgpu $unit_flags $unit_level $* -c $work/$unit.cu"
}

# link OUTPUT ARGUMENT...
link() {
    output=$1
    shift
    "$clang" "$@" "$build/test/vgpu/libvgpu.so" "-Wl,-rpath,$build/test/vgpu" "-Wl,-rpath,$work" -lpthread \
        -o "$work/$output" >"$work/$output.log" 2>&1
}

# link_as KIND: the program's objects. The first has main; the others may be a library.
link_as() {
    others=$(cd "$work" && find . -name 'unit_[1-9].o' | sort | sed "s,^\.,$work,")
    # shellcheck disable=SC2086  # some objects
    case $1 in
    archive) ar rcs "$work/libothers.a" $others && link kesco "$work/unit_0.o" "-L$work" -lothers ;;
    shared)
        "$clang" -shared $others -o "$work/libothers.so" >"$work/libothers.log" 2>&1 &&
            link kesco "$work/unit_0.o" "-L$work" -lothers
        ;;
    full) link kesco -fuse-ld=lld -flto -O2 "$work/unit_0.o" $others ;;
    thin) link kesco -fuse-ld=lld -flto=thin -O2 "$work/unit_0.o" $others ;;
    *) link kesco "$work/unit_0.o" $others ;;
    esac
}

"$build/test/bin/fuzz_program" "$seed" "--$KESCO_FUZZ_KIND" "$work" ${keep:+--keep "$keep"} || fail "generator: status $?"
clang=$(sed -n 's,^LLVM_DIR:PATH=\(.*\)/lib/cmake/llvm$,\1/bin/clang++,p' "$build/CMakeCache.txt")
[ -x "${clang%/*}/ld.lld" ] || sed -i 's/ -Xclang -flto.*//; s/^link .*[ln]$/link objects/' "$work/build"
kind=$(sed -n 's/^link //p' "$work/build")
label="$KESCO_FUZZ_KIND, $kind"
shown="the units and how they are built are in $work"
while read -r word name rest; do
    # shellcheck disable=SC2086  # words
    [ "$word" != unit ] || compile "$name" $rest </dev/null
done <"$work/build"
link serial "$work"/unit_*.serial.o || fail "generator: does not link"
run_serial_orders
link_as "$kind" || fail "$label: does not link: $(head -n 1 "$work/kesco.log")"
for order in 0 1 2 $((seed * 3 + 3)) $((seed * 5 + 4)) $((seed * 11 + 5)); do
    compare kesco "$label" "$shown" expected "$order"
done
compare kesco "$label" "$shown" expected 2 KESCO_MODE=turns
compare kesco "$label" "$shown" expected 1 KESCO_MODE=graph
