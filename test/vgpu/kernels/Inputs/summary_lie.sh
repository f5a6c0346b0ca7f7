# summary_lie.sh PROGRAM SOURCE OLD NEW MESSAGE
#
# The program with summaries of which the line OLD is changed to NEW (put_summaries.py) must say MESSAGE and end with
# status 66, and would not if it were not checked.
set -eu
python3 "$(dirname "$0")/put_summaries.py" "$1" "$1.lie" "$2" "$3" "$4"
chmod +x "$1.lie"
"$1.lie" >"$1.out"
status=0
VGPU_CHECK=races "$1.lie" >"$1.out" 2>"$1.err" || status=$?
cat "$1.err"
[ "$status" -eq 66 ] || { echo "status $status" && exit 1; }
grep -qF "$5" "$1.err" || { echo "no message '$5'" && exit 1; }
