# event_waits.sh PROGRAM [ARGUMENT...]
# Prints how often the program lets a stream wait for an event.
set -eu
VGPU_STATS=$1.waits.json "$@" >/dev/null
sed -n 's/.*"event_waits": \([0-9]*\).*/\1/p' "$1.waits.json"
