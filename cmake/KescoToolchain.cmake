# Finds the two toolchains that KeSCo is built against: LLVM/Clang and the CUDA Toolkit's headers.
# Sets KESCO_LLVM_BIN (folder of clang++, opt, FileCheck), KESCO_CUDA_PATH, KESCO_TEST_CUDA_PATH (what the tests give that
# clang++ for it) and the target kesco_cuda_headers.

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

# The majors that plugin/llvm_version.h knows; some of them from their headers alone.
set(KESCO_LLVM_VERSIONS 19 20 21 22)
set(_kesco_untried 20 21)
set(KESCO_LLVM_VERSION 22 CACHE STRING "Major version of the LLVM and Clang to build for: ${KESCO_LLVM_VERSIONS}")
set_property(CACHE KESCO_LLVM_VERSION PROPERTY STRINGS ${KESCO_LLVM_VERSIONS})
if(NOT KESCO_LLVM_VERSION IN_LIST KESCO_LLVM_VERSIONS)
  list(JOIN KESCO_LLVM_VERSIONS ", " _kesco_known)
  message(FATAL_ERROR "KESCO_LLVM_VERSION is '${KESCO_LLVM_VERSION}', but KeSCo builds for LLVM ${_kesco_known} alone.")
endif()
if(KESCO_LLVM_VERSION IN_LIST _kesco_untried)
  message(WARNING "KeSCo has never been built or tested with LLVM ${KESCO_LLVM_VERSION}: its source has been compared with the "
                  "headers of that release, no more. LLVM 19 and 22 are tested. Run the tests of this build before you use it.")
endif()
find_package(LLVM REQUIRED CONFIG PATHS /usr/lib/llvm-${KESCO_LLVM_VERSION}/lib/cmake/llvm NO_DEFAULT_PATH)
if(NOT LLVM_VERSION_MAJOR EQUAL KESCO_LLVM_VERSION)
  message(FATAL_ERROR "KeSCo is to be built for LLVM ${KESCO_LLVM_VERSION}, but LLVM_DIR leads to LLVM "
                      "${LLVM_PACKAGE_VERSION}: KESCO_LLVM_VERSION says which one it is for.")
endif()
set(KESCO_LLVM_BIN ${LLVM_TOOLS_BINARY_DIR})

set(KESCO_TEST_CUDA_PATH ${KESCO_CUDA_PATH})
if(KESCO_TESTS AND LLVM_VERSION_MAJOR LESS 22 AND NOT EXISTS ${KESCO_CUDA_PATH}/include/texture_fetch_functions.h)
  set(KESCO_TEST_CUDA_PATH ${CMAKE_BINARY_DIR}/cuda)
  # Once, since precompiled headers are older than what is made anew.
  if(NOT EXISTS ${KESCO_TEST_CUDA_PATH} OR NOT KESCO_TEST_CUDA_LINKED STREQUAL KESCO_CUDA_PATH)
    execute_process(COMMAND ${CMAKE_COMMAND} -DCUDA=${KESCO_CUDA_PATH} -DOUTPUT=${KESCO_TEST_CUDA_PATH}
      -P ${CMAKE_CURRENT_LIST_DIR}/cuda_for_older_clang.cmake COMMAND_ERROR_IS_FATAL ANY)
    set(KESCO_TEST_CUDA_LINKED ${KESCO_CUDA_PATH} CACHE INTERNAL "What KESCO_TEST_CUDA_PATH was made of")
  endif()
endif()
