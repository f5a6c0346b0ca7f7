# stage.sh BUILD PREFIX [COMMAND...]: installs BUILD to PREFIX, which may be there already, and runs the command. One
# at a time, and without a trace in BUILD, where `uninstall` finds what the user's last install was.
set -eu
build=$1 prefix=$2
shift 2
exec 9>"$build/test/install.lock"
flock 9

put_back() {
    for note in install_manifest.txt install_folders.txt; do
        rm -f "$build/$note"
        [ ! -e "$build/$note.kept" ] || mv "$build/$note.kept" "$build/$note"
    done
}
trap put_back EXIT
for note in install_manifest.txt install_folders.txt; do
    [ ! -e "$build/$note" ] || mv "$build/$note" "$build/$note.kept"
done
cmake --install "$build" --prefix "$prefix" >"$build/test/install.log" || {
    cat "$build/test/install.log"
    exit 1
}
if [ $# -gt 0 ]; then
    "$@"
fi
