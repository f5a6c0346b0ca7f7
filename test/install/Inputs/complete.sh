#!/bin/bash
# complete.sh FOLDER COMMAND ARGUMENTS: what bash completes the last of the arguments to, by the file in FOLDER.
# shellcheck source=/dev/null
. "$1/$2"
COMP_LINE="$2 $3"
COMP_POINT=${#COMP_LINE}
_kesco "$2"
printf '%s\n' "${COMPREPLY[@]}"
