# virtual_time.sh PROGRAM [ARGUMENT...]
# Prints the virtual time that the program takes, in microseconds.
set -eu
VGPU_STATS=$1.times.json "$@" >/dev/null
sed -n 's/.*"virtual_time_us": \([0-9.]*\).*/\1/p' "$1.times.json"
