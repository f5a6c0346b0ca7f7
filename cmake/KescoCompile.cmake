# Compile settings that every KeSCo target shares.
#   kesco_c_target(TARGET)      C11, the project's warnings as errors, hidden symbols, sanitizers when asked for
#   kesco_llvm_target(TARGET)   C++17 or C11 against LLVM's and Clang's headers, the project's warnings as errors
#   kesco_precompile(TARGET HEADER...)   such a target with these headers of LLVM and Clang precompiled: most of what
#                               compiling its sources takes. Not under a compiler launcher: what ccache compares are
#                               preprocessed sources. So each source still includes what it uses.

set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_CXX_STANDARD 17)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()
# What is installed says nothing of where it was built. In a debug build, the debugger finds the sources.
if(NOT CMAKE_BUILD_TYPE STREQUAL "Debug")
  add_compile_options(-ffile-prefix-map=${CMAKE_BINARY_DIR}=. -ffile-prefix-map=${PROJECT_SOURCE_DIR}=.)
endif()

function(kesco_c_target target)
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:C>:-Wall -Wextra -Werror -Wshadow -Wmissing-prototypes
                         -fvisibility=hidden>)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR})
  if(KESCO_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=address,undefined -fno-sanitize-recover=all
                                             -fno-omit-frame-pointer)
    target_link_options(${target} PUBLIC -fsanitize=address,undefined)
  endif()
endfunction()

function(kesco_llvm_target target)
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Werror -Wshadow
                         -fvisibility=hidden -fvisibility-inlines-hidden>
                         $<$<COMPILE_LANGUAGE:C>:-Wall -Wextra -Werror -Wshadow -Wmissing-prototypes
                         -fvisibility=hidden>)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR})
  target_include_directories(${target} SYSTEM PRIVATE ${LLVM_INCLUDE_DIRS})
  separate_arguments(definitions NATIVE_COMMAND "${LLVM_DEFINITIONS}")
  target_compile_definitions(${target} PRIVATE ${definitions})
endfunction()

function(kesco_precompile target)
  if(CMAKE_CXX_COMPILER_LAUNCHER)
    return()
  endif()
  foreach(header ${ARGN})
    target_precompile_headers(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:<${header}$<ANGLE-R>>")
  endforeach()
endfunction()

# What most sources that work on LLVM's IR include.
set(KESCO_IR_HEADERS
  llvm/ADT/MapVector.h
  llvm/ADT/STLExtras.h
  llvm/ADT/SetVector.h
  llvm/ADT/SmallPtrSet.h
  llvm/ADT/StringExtras.h
  llvm/Analysis/LoopInfo.h
  llvm/Analysis/ScalarEvolutionExpressions.h
  llvm/Analysis/ValueTracking.h
  llvm/IR/DebugInfoMetadata.h
  llvm/IR/Dominators.h
  llvm/IR/IRBuilder.h
  llvm/IR/InstIterator.h
  llvm/IR/IntrinsicInst.h
  llvm/IR/Module.h
  llvm/Passes/PassBuilder.h
  llvm/Support/Path.h
  llvm/Transforms/Utils/Cloning.h
  llvm/Transforms/Utils/Local.h)
