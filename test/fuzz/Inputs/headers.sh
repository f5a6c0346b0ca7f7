# headers.sh BUILD FOLDER: precompiles in FOLDER the headers that random programs include, for each way in which
# check.sh compiles. <kesco.h> is not among them: it asks for the plugin.
set -eu
build=$1 folder=$2
case ${KESCO_FUZZ_KIND-} in
classes) more="algorithm chrono iostream sstream stdexcept string" ;;
*) more='' ;;
esac
[ -e "$folder/headers.cu" ] || for header in cassert cstdint cstdio cstdlib cstring ctime memory new ostream streambuf thread utility vector $more; do
    echo "#include <$header>"
done >"$folder/headers.cu"

# precompile NAME LINE FLAG...: the command that is line LINE of a compile's steps makes NAME.pch instead, beside what
# else is made; if it is not there yet.
precompile() {
    name=$1 line=$2
    shift 2
    [ ! -e "$folder/$name.pch" ] || return 0
    "$build/test/vgpu/vgpu-clang++" -### -std=c++17 -w "$@" -c "$folder/headers.cu" -o "$folder/headers.o" 2>&1 |
        sed -n "${line}s,\"-o\" \"[^\"]*\"\$,\"-Xclang\" \"-emit-pch\" \"-o\" \"$folder/$name.pch\",p" | sh -e &
    made="$made $folder/$name.pch"
}

# Device code is compiled at two levels. Few programs of classes have the per-thread default stream.
all_flags=-fgpu-default-stream=per-thread
[ "${KESCO_FUZZ_KIND-}" != classes ] || all_flags=''
for flags in '' $all_flags; do
    made=''
    for level in -O0 -O2; do
        # shellcheck disable=SC2086  # none or one
        precompile "device$level$flags" 1 $level $flags
    done
    for level in -O0 -O2 ${KESCO_FUZZ_KIND:+-O1 -O3}; do
        # shellcheck disable=SC2086
        precompile "host$level$flags" 3 $level $flags
    done
    wait
    # shellcheck disable=SC2086  # several
    [ -z "$made" ] || ls $made >/dev/null
done
