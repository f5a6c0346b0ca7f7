# What samples/run.sh and test/run.sh do first, as functions to source from the repository's root (POSIX sh,
# made for `set -eu`):
#   setup_packages      installs through apt what the build needs and is missing; with nothing missing it needs
#                       no network
#   setup_cuda [OLDEST] finds the CUDA Toolkit and exports CUDA_PATH; OLDEST is the oldest major version that will do, 13
#                       without
#   setup_build PRESET  configures build/PRESET once, and builds it
#   setup_for BUILD     all that it takes to use the build folder BUILD; if that is empty, build/release, by the
#                       three above
# Each ends the script with status 1 and a clear line on standard error when it cannot. They use, and offer:
#   setup_say TEXT                     one line on what happens now
#   setup_fail TEXT                    ends the script
#   setup_colours                      sets GOOD, BAD and PLAIN
#   setup_progress TEXT LOG COMMAND... runs a long command, whose output goes to LOG, and tells how far it is
# shellcheck shell=sh

SETUP_PACKAGES="clang-22 clang-format-22 clang-tidy-22 libclang-rt-22-dev lld-22 llvm-22 llvm-22-dev llvm-22-linker-tools llvm-22-tools
    libclang-22-dev g++ cmake ninja-build pkg-config python3 libcmocka-dev libjansson-dev libexpat1-dev libpng-dev
    libzstd-dev zlib1g-dev gnuplot-nox fonts-dejavu-core graphviz python3-jsonschema make dpkg-dev fakeroot"

# One line on what happens now.
setup_say() {
    printf '%s\n' "-- $*"
}

setup_fail() {
    printf '%s\n' "$0: $*" >&2
    exit 1
}

# Whether standard output is a terminal that can do more than print line after line.
setup_is_terminal() {
    [ -t 1 ] && [ "${TERM:-dumb}" != dumb ]
}

# To be printed before and behind what went well or did not; empty off a terminal, or if NO_COLOR is set.
# shellcheck disable=SC2034  # for the script that sources this
setup_colours() {
    GOOD='' BAD='' PLAIN=''
    if setup_is_terminal && [ -z "${NO_COLOR:-}" ]; then
        GOOD=$(printf '\033[32m') BAD=$(printf '\033[31m') PLAIN=$(printf '\033[0m')
    fi
}

# Prints "-- TEXT: DONE of ALL" for lines that have "[DONE/ALL]" or "(DONE of ALL)": on a terminal in one line that
# changes, else one line for each tenth.
setup_show_progress() {
    setup_tenth=0 setup_shown=''
    while IFS= read -r setup_line; do
        case $setup_line in
        *'['[0-9]*/[0-9]*']'*) setup_line=${setup_line#*[} ;;
        *'('[0-9]*' of '[0-9]*')'*) setup_line=${setup_line##*\(} ;;
        *) continue ;;
        esac
        setup_done=${setup_line%%[!0-9]*} setup_line=${setup_line#"${setup_line%%[!0-9]*}"}
        setup_line=${setup_line#/} setup_line=${setup_line# of }
        setup_all=${setup_line%%[!0-9]*}
        if [ -z "$setup_done" ] || [ "${setup_all:-0}" -eq 0 ]; then
            continue
        fi
        if setup_is_terminal; then
            printf '\r-- %s: %s of %s\033[K' "$1" "$setup_done" "$setup_all"
            setup_shown=yes
        elif [ $((setup_done * 10 / setup_all)) -gt "$setup_tenth" ]; then
            setup_tenth=$((setup_done * 10 / setup_all))
            setup_say "$1: $setup_done of $setup_all"
        fi
    done
    [ -z "$setup_shown" ] || echo
}

# The status is the command's.
setup_progress() {
    setup_text=$1 setup_log=$2
    shift 2
    setup_say "$setup_text"
    {
        setup_status=0
        "$@" 2>&1 || setup_status=$?
        echo "$setup_status" >"$setup_log.status"
    } | tee "$setup_log" | setup_show_progress "$setup_text"
    setup_status=$(cat "$setup_log.status")
    rm "$setup_log.status"
    return "$setup_status"
}

setup_missing_packages() {
    for setup_package in $SETUP_PACKAGES; do
        setup_state=$(dpkg-query -W -f='${db:Status-Status}' "$setup_package" 2>/dev/null || true)
        [ "$setup_state" = installed ] || printf '%s ' "$setup_package"
    done
}

setup_as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    else
        sudo "$@"
    fi
}

setup_apt_get() {
    setup_as_root env DEBIAN_FRONTEND=noninteractive apt-get -q "$@" >>build/setup.log 2>&1
}

# Package lists may be missing or old, so a failing install is tried again with new ones.
setup_install() {
    setup_apt_get install -y --no-install-recommends "$@" && return
    setup_say "updating apt's package lists"
    setup_apt_get update && setup_apt_get install -y --no-install-recommends "$@"
}

setup_packages() {
    if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
        # shellcheck disable=SC2046,SC2086,SC2116  # to one line
        setup_say "no apt here: taking it that these are installed: $(echo $SETUP_PACKAGES)"
        return
    fi
    setup_missing=$(setup_missing_packages)
    [ -n "$setup_missing" ] || return 0
    if [ "$(id -u)" -ne 0 ] && ! command -v sudo >/dev/null; then
        setup_fail "these packages are missing, and installing them takes root or sudo: $setup_missing"
    fi
    mkdir -p build
    : >build/setup.log
    setup_say "installing with apt-get (log: build/setup.log): $setup_missing"
    # shellcheck disable=SC2086  # one word a package
    if ! setup_install $setup_missing; then
        tail -n 15 build/setup.log >&2
        setup_fail "apt-get could not install: $setup_missing(log: build/setup.log)"
    fi
}

setup_cuda() {
    setup_oldest=${1:-13}
    CUDA_PATH=${CUDA_PATH:-/usr/local/cuda}
    export CUDA_PATH
    setup_header=$CUDA_PATH/include/cuda_runtime_api.h
    if [ ! -f "$setup_header" ]; then
        setup_fail "no CUDA Toolkit at '$CUDA_PATH': install CUDA 13, or set CUDA_PATH to where it is"
    fi
    setup_version=$(sed -n 's/^#define CUDART_VERSION *\([0-9]*\).*/\1/p' "$setup_header")
    if [ "${setup_version:-0}" -lt "${setup_oldest}000" ]; then
        setup_fail "the CUDA Toolkit at '$CUDA_PATH' is older than CUDA $setup_oldest; set CUDA_PATH to a newer one"
    fi
}

# The compiler's flags for CCCL's headers, which are $1: a checkout, or folders with ':' between. Prints nothing where
# CUDASTF is not among them.
setup_cccl_flags() {
    flags='' found=''
    for folder in $(printf '%s' "$1" | tr : ' '); do
        for part in . cudax/include libcudacxx/include cub thrust; do
            [ "$part" = . ] || [ -d "$folder/$part" ] || continue
            flags="$flags -isystem $folder/$part"
            [ ! -e "$folder/$part/cuda/experimental/stf.cuh" ] || found=yes
        done
    done
    [ -z "$found" ] || printf '%s' "$flags"
}

setup_build() {
    if [ ! -f "build/$1/build.ninja" ]; then
        setup_say "configuring build/$1"
        mkdir -p "build/$1"
        if ! cmake --preset "$1" --log-level=WARNING >"build/$1/configure.log" 2>&1; then
            tail -n 40 "build/$1/configure.log" >&2
            setup_fail "configuring build/$1 failed (log: build/$1/configure.log)"
        fi
        grep -i -A 5 warning "build/$1/configure.log" >&2 || true
    fi
    if ! setup_progress "building build/$1" "build/$1/build.log" cmake --build --preset "$1"; then
        tail -n 40 "build/$1/build.log" >&2
        setup_fail "building build/$1 failed (log: build/$1/build.log)"
    fi
}

setup_for() {
    if [ -n "$1" ]; then
        setup_cuda 12
    else
        setup_packages
        setup_cuda
        setup_build release
    fi
}
