# Functions that find_package(KeSCo) brings.
#
#   kesco_enable(TARGET [OPTIONS NAME[=VALUE]...])
#       Compiles the CUDA sources of TARGET with KeSCo. For CMake's own CUDA language, by clang++-22:
#           cmake -DCMAKE_CUDA_COMPILER=clang++-22 -DCMAKE_CUDA_ARCHITECTURES=90
#       CMake 3 knows no device that both clang++-22 and CUDA 13 support, and has to be told of one besides:
#           -DCMAKE_CUDA_FLAGS=--cuda-gpu-arch=sm_90
#
#   kesco_add_executable(NAME SOURCE... [ARCHITECTURES 90...] [OPTIONS NAME[=VALUE]...] [COMPILE_OPTIONS FLAG...])
#       An executable of CUDA (.cu) and other sources, without CMake's CUDA language: KeSCo_CUDA_COMPILER compiles
#       the .cu files, with the include folders and definitions of NAME, and KeSCo_CUDART is linked.
#
#   kesco_add_cuda_object(VARIABLE SOURCE [TARGET NAME] [ARCHITECTURES 90...] [OPTIONS ...] [COMPILE_OPTIONS ...])
#       Compiles one .cu file the same way, for the target NAME, and sets VARIABLE to the object, which is to be
#       one of its sources.
#
# OPTIONS are the plugin's. With runtime=shared, kesco_enable and kesco_add_executable link KeSCo::runtime, or
# KeSCo::runtime_static where CUDA's own runtime is linked statically: that does not export its symbols to others.
#
#   KeSCo_CUDA_COMPILER   clang++-22
#   KeSCo_CUDART          CUDA's runtime library, from CUDAToolkit_ROOT or the environment's CUDA_PATH, else
#                         from /usr/local/cuda

function(_kesco_plugin_flags variable)
  set(flags -Wno-unknown-cuda-version -fplugin=$<TARGET_FILE:KeSCo::kesco>)
  foreach(option IN LISTS ARGN)
    list(APPEND flags -fplugin-arg-kesco-${option})
  endforeach()
  set(${variable} ${flags} PARENT_SCOPE)
endfunction()

function(_kesco_refuse_unknown caller)
  if(ARGN)
    message(FATAL_ERROR "${caller}: unknown arguments: ${ARGN}")
  endif()
endfunction()

function(kesco_enable target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "OPTIONS")
  _kesco_refuse_unknown("kesco_enable(${target})" ${arg_UNPARSED_ARGUMENTS})
  if(NOT TARGET ${target})
    message(FATAL_ERROR "kesco_enable: there is no target '${target}'")
  endif()
  get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  if(NOT CUDA IN_LIST languages)
    message(FATAL_ERROR "kesco_enable(${target}) is for projects with the language CUDA; without it, "
                        "kesco_add_executable compiles CUDA sources by clang++-22")
  endif()
  if(NOT CMAKE_CUDA_COMPILER_ID STREQUAL "Clang" OR NOT CMAKE_CUDA_COMPILER_VERSION MATCHES "^22[.]")
    message(FATAL_ERROR "kesco_enable(${target}) needs clang++-22 as CUDA compiler, but CMAKE_CUDA_COMPILER is "
                        "'${CMAKE_CUDA_COMPILER}' (${CMAKE_CUDA_COMPILER_ID} ${CMAKE_CUDA_COMPILER_VERSION}). Configure "
                        "an empty build folder with -DCMAKE_CUDA_COMPILER=clang++-22 "
                        "-DCMAKE_CUDA_FLAGS=--cuda-gpu-arch=sm_90 (or another device that CUDA supports), or use "
                        "kesco_add_executable")
  endif()
  _kesco_plugin_flags(flags ${arg_OPTIONS})
  foreach(flag IN LISTS flags)
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:${flag}>)
  endforeach()
  target_include_directories(${target} PRIVATE ${KeSCo_INCLUDE_DIR})
  if("runtime=shared" IN_LIST arg_OPTIONS)
    set(cudart $<LOWER_CASE:$<TARGET_PROPERTY:${target},CUDA_RUNTIME_LIBRARY>>)
    target_link_libraries(${target} PRIVATE KeSCo::runtime$<$<NOT:$<STREQUAL:${cudart},shared>>:_static>)
  endif()
endfunction()

# The compiler and CUDA's root for compiles by custom commands.
macro(_kesco_find_tools)
  find_program(KeSCo_CUDA_COMPILER clang++-22 HINTS /usr/lib/llvm-22/bin DOC "Compiles CUDA sources with KeSCo")
  if(NOT KeSCo_CUDA_COMPILER)
    message(FATAL_ERROR "KeSCo needs clang++-22, which is not here; set KeSCo_CUDA_COMPILER to its path")
  endif()
  set(_kesco_cuda_root /usr/local/cuda)
  if(CUDAToolkit_ROOT)
    set(_kesco_cuda_root "${CUDAToolkit_ROOT}")
  elseif(DEFINED ENV{CUDA_PATH})
    set(_kesco_cuda_root "$ENV{CUDA_PATH}")
  endif()
  find_library(KeSCo_CUDART cudart PATHS "${_kesco_cuda_root}" PATH_SUFFIXES lib64 lib NO_DEFAULT_PATH
               DOC "CUDA's runtime library")
endmacro()

function(kesco_add_cuda_object variable source)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "TARGET" "ARCHITECTURES;OPTIONS;COMPILE_OPTIONS")
  _kesco_refuse_unknown("kesco_add_cuda_object(${variable} ${source})" ${arg_UNPARSED_ARGUMENTS})
  _kesco_find_tools()
  _kesco_plugin_flags(flags ${arg_OPTIONS})
  list(PREPEND flags --cuda-path=${_kesco_cuda_root} "-I${KeSCo_INCLUDE_DIR}")
  foreach(architecture IN LISTS arg_ARCHITECTURES)
    list(APPEND flags --cuda-gpu-arch=sm_${architecture})
  endforeach()
  string(TOUPPER "${CMAKE_BUILD_TYPE}" type)
  separate_arguments(type_flags NATIVE_COMMAND "${CMAKE_CXX_FLAGS_${type}}")
  set(target_flags "")
  if(arg_TARGET)
    set(folders $<REMOVE_DUPLICATES:$<TARGET_PROPERTY:${arg_TARGET},INCLUDE_DIRECTORIES>>)
    set(definitions $<TARGET_PROPERTY:${arg_TARGET},COMPILE_DEFINITIONS>)
    set(pic $<BOOL:$<TARGET_PROPERTY:${arg_TARGET},POSITION_INDEPENDENT_CODE>>)
    set(standard $<TARGET_PROPERTY:${arg_TARGET},CXX_STANDARD>)
    set(target_flags "$<$<BOOL:${folders}>:-I$<JOIN:${folders},$<SEMICOLON>-I>>"
                     "$<$<BOOL:${definitions}>:-D$<JOIN:${definitions},$<SEMICOLON>-D>>"
                     "$<${pic}:-fPIC>" "$<$<BOOL:${standard}>:-std=c++${standard}>")
  endif()
  get_filename_component(path "${source}" ABSOLUTE)
  string(MD5 hash "${arg_TARGET} ${path}")
  string(SUBSTRING ${hash} 0 8 hash)
  get_filename_component(name "${source}" NAME)
  set(object ${CMAKE_CURRENT_BINARY_DIR}/${name}.${hash}${CMAKE_CXX_OUTPUT_EXTENSION})
  add_custom_command(OUTPUT ${object}
    COMMAND ${KeSCo_CUDA_COMPILER} -x cuda ${flags} ${type_flags} ${target_flags} ${arg_COMPILE_OPTIONS}
            -MD -MT ${object} -MF ${object}.d -c ${path} -o ${object}
    DEPENDS ${path} KeSCo::kesco
    DEPFILE ${object}.d
    COMMENT "Building CUDA object ${name} with KeSCo"
    COMMAND_EXPAND_LISTS VERBATIM)
  set(${variable} ${object} PARENT_SCOPE)
endfunction()

function(kesco_add_executable name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "ARCHITECTURES;OPTIONS;COMPILE_OPTIONS")
  _kesco_find_tools()
  if(NOT KeSCo_CUDART)
    message(FATAL_ERROR "kesco_add_executable(${name}): no libcudart in '${_kesco_cuda_root}'; set CUDAToolkit_ROOT "
                        "to CUDA's root, or KeSCo_CUDART to the library")
  endif()
  add_executable(${name})
  foreach(source IN LISTS arg_UNPARSED_ARGUMENTS)
    if(source MATCHES "[.]cu$")
      kesco_add_cuda_object(object ${source} TARGET ${name} ARCHITECTURES ${arg_ARCHITECTURES} OPTIONS ${arg_OPTIONS}
                            COMPILE_OPTIONS ${arg_COMPILE_OPTIONS})
      set(source ${object})
    endif()
    target_sources(${name} PRIVATE ${source})
  endforeach()
  set_target_properties(${name} PROPERTIES LINKER_LANGUAGE CXX)
  if("runtime=shared" IN_LIST arg_OPTIONS)
    if(KeSCo_CUDART MATCHES "[.]a$")
      target_link_libraries(${name} PRIVATE KeSCo::runtime_static)
    else()
      target_link_libraries(${name} PRIVATE KeSCo::runtime)
    endif()
  endif()
  target_link_libraries(${name} PRIVATE ${KeSCo_CUDART} Threads::Threads ${CMAKE_DL_LIBS})
endfunction()
