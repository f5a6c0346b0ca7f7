# run.sh LIBRARY TEST OUT [OPTION]: runs the host pass of LIBRARY on the functions of TEST behind those of kernels.ll, into
# OUT.ll, OUT.json (the report) and OUT.remarks.
set -eu
here=$(dirname "$0")
python3 "$here/../../host/Inputs/image.py" "$here/kernels.ll" "$3.img"
cat "$here/kernels.ll" "$2" | opt -load-pass-plugin="$1" -passes="kesco<image=$3.img;report=$3.json${4+;$4}>,verify" -S -o "$3.ll" - \
    -pass-remarks=kesco -pass-remarks-missed=kesco -pass-remarks-analysis=kesco 2>"$3.remarks" || {
    cat "$3.remarks"
    exit 1
}
