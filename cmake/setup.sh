# What samples/run.sh and test/run.sh do first, as functions to source from the repository's root (POSIX sh,
# made for `set -eu`):
#   setup_packages      installs through apt what the build needs and is missing; with nothing missing it needs
#                       no network
#   setup_cuda          finds the CUDA Toolkit and exports CUDA_PATH
#   setup_build PRESET  configures build/PRESET once, and builds it
# Each ends the script with status 1 and a clear line on standard error when it cannot.
# shellcheck shell=sh

SETUP_PACKAGES="clang-22 clang-format-22 clang-tidy-22 libclang-rt-22-dev llvm-22 llvm-22-dev llvm-22-tools
    libclang-22-dev g++ cmake ninja-build pkg-config python3 libcmocka-dev libjansson-dev libpng-dev libzstd-dev
    zlib1g-dev gnuplot-nox fonts-dejavu-core make dpkg-dev fakeroot"

# One line on what happens now.
setup_say() {
    printf '%s\n' "-- $*"
}

setup_fail() {
    printf '%s\n' "$0: $*" >&2
    exit 1
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
        setup_fail "apt-get could not install: $setup_missing"
    fi
}

setup_cuda() {
    CUDA_PATH=${CUDA_PATH:-/usr/local/cuda}
    export CUDA_PATH
    setup_header=$CUDA_PATH/include/cuda_runtime_api.h
    if [ ! -f "$setup_header" ]; then
        setup_fail "no CUDA Toolkit at '$CUDA_PATH': install CUDA 13, or set CUDA_PATH to where it is"
    fi
    setup_version=$(sed -n 's/^#define CUDART_VERSION *\([0-9]*\).*/\1/p' "$setup_header")
    if [ "${setup_version:-0}" -lt 13000 ]; then
        setup_fail "the CUDA Toolkit at '$CUDA_PATH' is older than CUDA 13; set CUDA_PATH to a newer one"
    fi
}

setup_build() {
    if [ ! -f "build/$1/build.ninja" ]; then
        setup_say "configuring build/$1"
        cmake --preset "$1" --log-level=WARNING || setup_fail "configuring build/$1 failed"
    fi
    setup_say "building build/$1"
    if [ -t 1 ]; then
        cmake --build --preset "$1" || setup_fail "building build/$1 failed"
    elif ! cmake --build --preset "$1" >"build/$1/build.log" 2>&1; then
        tail -n 40 "build/$1/build.log" >&2
        setup_fail "building build/$1 failed (log: build/$1/build.log)"
    fi
}
