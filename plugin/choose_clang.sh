# The majors of clang that plugins are here for, newest first.
plugin_versions() {
    printf '%s\n' "$libdir"/libkesco.so.* | sed -n 's/.*[.]so[.]\([0-9][0-9]*\)$/\1/p' | sort -rn
}

# Sets `version`, `compiler` and `plugin`, which fit: KESCO_CLANG and the plugin for it, else the newest clang++-N that is
# here and has one. To others a plugin is an error that does not say so, or nothing at all.
choose_clang() {
    versions=$(plugin_versions)
    [ -n "$versions" ] || fail "the plugin is missing: $libdir/libkesco.so.N, for clang N"
    known=$(printf '%s\n' "$versions" | sed '2,$s/^/or /' | tr '\n' ' ')
    known=${known% }
    compiler=${KESCO_CLANG:-} told=''
    if [ -n "$compiler" ]; then
        command -v "$compiler" >/dev/null || fail "the compiler '$compiler' is missing; KESCO_CLANG says which one to run"
        told=$("$compiler" --version 2>/dev/null | head -n 1)
        version=${told#*clang version }
        version=${version%%.*}
    else
        for version in $versions; do
            compiler=$(command -v "clang++-$version" || command -v "/usr/lib/llvm-$version/bin/clang++") && break
        done
        [ -n "$compiler" ] || fail "needs clang $known, and none is here; KESCO_CLANG says which compiler to run"
    fi
    plugin=$libdir/libkesco.so.$version
    [ -r "$plugin" ] || fail "needs clang $known, found '$compiler': ${told:-it does not tell its version}"
}
