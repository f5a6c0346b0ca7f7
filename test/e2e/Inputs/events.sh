# events.sh PROGRAM [ARGUMENT...]
#
# Prints how many records of events PROGRAM makes, and below how many waits of streams for some.
set -eu
VGPU_STATS=$1.events.json "$@" >"$1.events.txt"
sed -n 's/.*"event_records": \([0-9]*\).*/\1/p; s/.*"event_waits": \([0-9]*\).*/\1/p' "$1.events.json"
