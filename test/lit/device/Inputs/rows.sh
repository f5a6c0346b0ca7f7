#!/bin/sh
# rows.sh PREFIX FILE COMMAND...: compiles with COMMAND and holds its remarks on kernels against the rows of FILE.
#
# A row is a line "// PREFIX: NAME: SUMMARY", which may have FileCheck's patterns in it: the remark on kernel NAME says
# SUMMARY and nothing else. Each row must have its remark, and there must be no further ones; their order says
# nothing. All rows that lack theirs are shown.
set -eu

prefix=$1
file=$2
shift 2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

if ! "$@" -Rpass-analysis=kesco >"$folder/output" 2>&1; then
    cat "$folder/output"
    echo "failed: $*"
    exit 1
fi

# Which bytes they are is another test's affair (ranges.cu).
sed 's/\[[^][]* bytes)//g' "$folder/output" >"$folder/whole" && mv "$folder/whole" "$folder/output"

status=0
rows=0
sed -n "s|^ *// $prefix: ||p" "$file" >"$folder/rows"
while IFS= read -r row; do
    name=${row%%: *}
    printf "CHECK: remark: kernel '%s': %s [-Rpass-analysis=kesco]{{\$}}\n" "$name" "${row#*: }" >"$folder/check"
    if ! FileCheck "$folder/check" --input-file="$folder/output" >/dev/null 2>&1; then
        echo "expected: $row"
        grep -F "remark: kernel '${name%%\{*}" "$folder/output" | sed 's/.*remark: kernel/     got:/'
        status=1
    fi
    rows=$((rows + 1))
done <"$folder/rows"

remarks=$(grep -c "remark: kernel '" "$folder/output" || true)
if [ "$rows" -eq 0 ] || [ "$remarks" -ne "$rows" ]; then
    echo "$rows rows, but $remarks remarks"
    status=1
fi
exit $status
