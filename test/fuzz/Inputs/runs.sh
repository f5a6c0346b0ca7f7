# What check.sh and check_units.sh share: compiling in steps, runs, and what they compare. They have set $build, $seed,
# $work, $root.
vgpu="$build/test/vgpu/vgpu-clang++ -std=c++17 -w -I$root/runtime"
plugin="-fplugin=$build/plugin/libkesco.so"
export VGPU_DEVICES=2
export KESCO_MODE=lanes # what the programs do is not worth them

fail() {
    echo "$*"
    exit 1
}

# The seed's options of the plugin.
plugin_options() {
    case $((seed % 7)) in
    1 | 2 | 3) echo "-fplugin-arg-kesco-max-lanes=$((seed % 7 + 1))" ;;
    4) echo -fplugin-arg-kesco-reorder=off ;;
    5) echo -fplugin-arg-kesco-policy=critical-path ;;
    esac
}

# run NAME SEED [SETTING]: NAME under that order; output in NAME.out, status in $status.
run() {
    status=0
    env VGPU_SEED="$2" VGPU_CHECK=races ${3+"$3"} timeout 60 "$work/$1" >"$work/$1.all" 2>"$work/$1.err" || status=$?
    # When the device's output comes, beside the host's, is up to CUDA.
    sed '/^D /d' "$work/$1.all" >"$work/$1.out"
    sed -n '/^D /p' "$work/$1.all" >>"$work/$1.out"
}

# print_steps SOURCE NAME DEVICE LEVEL FLAGS FLAG...: the commands of a compile to NAME, one a line: device, image, host,
# and if NAME is a program, link. DEVICE names the bitcode and the image, so that one device compile serves all host
# compiles. FLAGS are those that headers.sh knows.
print_steps() {
    source=$1 name=$2 device_name=$3 pch='' flags=$5
    [ ! -e "${KESCO_FUZZ_HEADERS-}/host$4$flags.pch" ] || pch="\"-Xclang\" \"-include-pch\" \"-Xclang\" \"$KESCO_FUZZ_HEADERS/"
    device=${pch:+$pch"device$4$flags.pch\""} host=${pch:+$pch"host$4$flags.pch\""}
    level=$4
    shift 5
    # shellcheck disable=SC2086  # a command and its words
    $vgpu -### $flags "$level" "$source" -o "$name" "$@" 2>&1 |
        sed "s,\"[^\"]*/0\.\(bc\|image\)\",\"$device_name.\1\",g; s,\"[^\"]*/0\.o\",\"$name.o\",g
            1s,\"-x\",$device &,; 3s,\"-x\",$host &,"
}

# run_serial SEED: the serial program, which must end well, or with what its own check of errors has (trap.c,
# classes_text.c). Its image is that of the others.
run_serial() {
    run serial "$1"
    ! grep -q '^vgpu: summary' "$work/serial.err" ||
        fail "summary: VGPU_SEED=$1: $(grep -m 1 '^vgpu: summary' "$work/serial.err")"
    case $status in
    0 | [7-9] | 1[01]) ;;
    *) fail "generator: VGPU_SEED=$1: status $status: $(tail -n 1 "$work/serial.err")" ;;
    esac
}

# The serial program's status becomes $wanted, and its output expected.out.
run_serial_orders() {
    run_serial 0
    wanted=$status
    cp "$work/serial.out" "$work/expected.out"
    for order in 1 2 $((seed * 7 + 11)); do
        run_serial "$order"
        [ "$status" -eq "$wanted" ] || fail "generator: VGPU_SEED=$order: another output, status $status"
        cmp -s "$work/serial.out" "$work/expected.out" || fail "generator: VGPU_SEED=$order: another output"
    done
}

# compare PROGRAM LABEL COMMAND EXPECTED ORDER [SETTING]: what PROGRAM does, which COMMAND made.
compare() {
    program=$1 label=$2 command=$3 expected=$4
    shift 4
    run "$program" "$@"
    [ "$status" -eq "$wanted" ] || fail "$label: VGPU_SEED=$*: status $status: $command"
    cmp -s "$work/$program.out" "$work/$expected.out" || fail "$label: VGPU_SEED=$*: another output: $command"
}
