# on_terminal.sh FILE COMMAND...: runs the command on a terminal of its own; what it prints there goes to FILE.
set -eu
file=$1
shift
exec python3 -c '
import os, pty, sys
with open(sys.argv[1], "wb") as log:
    def keep(terminal):
        data = os.read(terminal, 1024)
        log.write(data)
        return data
    sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[2:], keep)))
' "$file" "$@"
