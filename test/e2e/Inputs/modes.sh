# modes.sh SERIAL KESCO ARGUMENT: both programs in each mode, with the same output, and whether they take as long as the
# serial program or as with lanes, by the virtual clock, to one part in a hundred.
set -eu
serial=$1 kesco=$2 argument=$3

# time_of PROGRAM MODE
time_of() {
    KESCO_MODE=$2 VGPU_STATS=$kesco.json "$1" "$argument" >"$kesco.out"
    cmp "$kesco.expected" "$kesco.out"
    sed -n 's/.*"virtual_time_us": \([0-9.]*\),/\1/p' "$kesco.json"
}

plain=$(KESCO_MODE='' VGPU_STATS=$kesco.json "$serial" "$argument" >"$kesco.expected" &&
    sed -n 's/.*"virtual_time_us": \([0-9.]*\),/\1/p' "$kesco.json")
lanes=$(time_of "$kesco" lanes)
for mode in auto serial; do
    awk -v mode="$mode" -v time="$(time_of "$kesco" "$mode")" -v plain="$plain" -v lanes="$lanes" '
        function near(a, b) { return a < b * 1.01 && b < a * 1.01 }
        BEGIN { print mode ": as " (near(time, plain) ? "serial" : near(time, lanes) ? "lanes" : time < plain && time < lanes ? "neither, less" : "neither"), time, plain, lanes }'
done
VGPU_CHECK=races VGPU_SEED=2 KESCO_MODE=turns "$kesco" "$argument" | cmp - "$kesco.expected"
