#!/bin/sh
# run_rows.sh FILE FOLDER COMMAND...: compiles with COMMAND a program that runs the kernels of FILE's table, in FOLDER, and
# runs it: no kernel may touch what its summary does not have. Kernels that are named in a line "// Not modelled: NAME...", or
# "// Not run: NAME... (why)", are left out.
set -eu

file=$1
folder=$2
shift 2
sed -n 's|^// Not [a-z]*: \([a-z_0-9 ]*\).*|\1|p' "$file" | tr ' ' '\n' | sed 's/.*/RUN(&)/' >"$folder/left_out"
{
    printf '#include "%s"\n#include "%s/run_rows.h"\n' "$file" "$(dirname "$0")"
    printf 'int main() {\n    int ran = 0;\n'
    sed -n 's|^// ROW: \([a-z_0-9]*\): .*|RUN(\1)|p' "$file" | grep -vxF -f "$folder/left_out"
    printf '    return report(ran);\n}\n'
} >"$folder/rows.cu"
"$@" "$folder/rows.cu" -o "$folder/rows"
VGPU_CHECK=races VGPU_STATS="$folder/stats.json" "$folder/rows"
grep -q '"summary_violations": 0' "$folder/stats.json"
grep -q '"summaries_checked": [1-9]' "$folder/stats.json"
