# Finds the two toolchains that KeSCo is built against: LLVM/Clang 22 and the CUDA Toolkit's headers.
# Sets KESCO_LLVM_BIN (folder of clang++, opt, FileCheck, lit), KESCO_CUDA_PATH and the target kesco_cuda_headers.

set(_kesco_cuda_default /usr/local/cuda)
if(DEFINED ENV{CUDA_PATH})
  set(_kesco_cuda_default $ENV{CUDA_PATH})
endif()
set(KESCO_CUDA_PATH ${_kesco_cuda_default} CACHE PATH "Root of the CUDA Toolkit")
if(NOT EXISTS ${KESCO_CUDA_PATH}/include/cuda_runtime_api.h)
  message(FATAL_ERROR "No CUDA Toolkit at '${KESCO_CUDA_PATH}': cuda_runtime_api.h is missing there. "
                      "Install CUDA 13 or set the environment variable CUDA_PATH to its root.")
endif()
add_library(kesco_cuda_headers INTERFACE)
target_include_directories(kesco_cuda_headers SYSTEM INTERFACE ${KESCO_CUDA_PATH}/include)

find_package(LLVM REQUIRED CONFIG PATHS /usr/lib/llvm-22/lib/cmake/llvm NO_DEFAULT_PATH)
if(NOT LLVM_VERSION_MAJOR EQUAL 22)
  message(FATAL_ERROR "KeSCo needs LLVM 22, but LLVM_DIR leads to LLVM ${LLVM_PACKAGE_VERSION}.")
endif()
set(KESCO_LLVM_BIN ${LLVM_TOOLS_BINARY_DIR})
