# compare_times.sh PROGRAM ARGUMENTS MORE-ARGUMENTS FACTOR
# Fails unless the program takes at least FACTOR times the virtual time with the second arguments; with factor 1,
# unless it takes the same time without the checks that VGPU_CHECK asks for.
stats=$1.times.json
time_of() { # unquoted: several arguments
    VGPU_STATS=$stats "$program" $1 >/dev/null || exit 1
    sed -n 's/.*"virtual_time_us": \(.*\),/\1/p' "$stats"
}
program=$1
less=$(time_of "$2") || exit 1
[ "$4" != 1 ] || unset VGPU_CHECK
more=$(time_of "$3") || exit 1
awk -v less="$less" -v more="$more" -v factor="$4" \
    'BEGIN { print less, more; exit factor == 1 ? less != more : !(more >= factor * less) }'
