#!/bin/sh
# cuda_from_wheels.sh FOLDER: makes FOLDER the root of a CUDA Toolkit 12.9, as far as clang needs one to compile: headers,
# libdevice, ptxas and libcudart.so out of the wheels that NVIDIA publishes for Python, by pip, and fatbinary, which no wheel
# has, from the toolkit at CUDA_PATH (default /usr/local/cuda).
set -eu
folder=$1
wheels=$folder.wheels
pip=$(command -v pip3 || command -v pip) || {
    echo "$0: pip is missing; apt-get install python3-pip" >&2
    exit 1
}
trap 'rm -rf "$wheels"' EXIT
rm -rf "$folder" "$wheels"
"$pip" install -q --no-compile --root-user-action=ignore --no-deps --target "$wheels/all" nvidia-cuda-nvcc-cu12==12.9.86 \
    nvidia-cuda-runtime-cu12==12.9.79 nvidia-cuda-cccl-cu12==12.9.27 nvidia-curand-cu12==10.3.10.19
mkdir -p "$wheels/root/lib64"
mv "$wheels"/all/nvidia/cuda_runtime/lib/libcudart.so.12 "$wheels/root/lib64"
ln -s libcudart.so.12 "$wheels/root/lib64/libcudart.so"
for part in "$wheels"/all/nvidia/*/; do
    rm -rf "${part:?}lib"
    cp -R "$part." "$wheels/root"
done
ln -s "${CUDA_PATH:-/usr/local/cuda}/bin/fatbinary" "$wheels/root/bin/fatbinary"
mv "$wheels/root" "$folder"
