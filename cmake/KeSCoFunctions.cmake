# Functions that find_package(KeSCo) brings.
#
#   kesco_enable(TARGET [OPTIONS NAME[=VALUE]...])
#       Compiles the CUDA sources of TARGET with KeSCo, in projects of CMake's own language CUDA. Its compiler is
#       clang++-N, where N is KeSCo_LLVM_VERSION, or nvcc. Best it is kesco-clang++ or kesco-nvcc, for which nothing else
#       has to be given and this function only adds OPTIONS:
#           cmake -DCMAKE_CUDA_COMPILER=kesco-clang++
#       nvcc gets kesco-host-clang++ as its host compiler for TARGET, and has to have no other by
#       CMAKE_CUDA_HOST_COMPILER.
#       CMake 3 knows no device that both clang++-N and CUDA 13 support, and has to be told of one for clang++-N alone:
#           cmake -DCMAKE_CUDA_COMPILER=clang++-N -DCMAKE_CUDA_FLAGS=--cuda-gpu-arch=sm_90
#
#   kesco_add_executable(NAME ARGUMENT... [ARCHITECTURES 90...] [OPTIONS NAME[=VALUE]...] [COMPILE_OPTIONS FLAG...])
#   kesco_add_library(NAME ARGUMENT... [the same])
#       add_executable and add_library, whose other arguments they take, without CMake's CUDA language: .cu files, and
#       other sources whose property LANGUAGE is CUDA, are C++ sources of the target, with all that it and
#       CMAKE_CXX_FLAGS say, but KeSCo_CUDA_COMPILER compiles them, and KeSCo_CUDART is linked. ARCHITECTURES are as in CMAKE_CUDA_ARCHITECTURES, which is their default, or sm_90;
#       else code is made for the GPUs that are here, or without any for sm_75 and what is newer.
#       COMPILE_OPTIONS are for the .cu files alone. Other sources are CMAKE_CXX_COMPILER's: what they call in .cu files
#       one after the other overlaps only where that is kesco-clang++, or loads the plugin. A C++ compiler that is clang++-N, too, has fewest surprises.
#
# With CUDA_SEPARABLE_COMPILATION or -fgpu-rdc, device code of several sources is linked with the target, for which
# CMAKE_CXX_COMPILER has to be clang++-N or kesco-clang++.
#
# .cu files are compiled each by itself: UNITY_BUILD and PRECOMPILE_HEADERS are for a target's other files, which is said
# where they are asked for.
#
# OPTIONS are the plugin's, and checked when the project is configured. With runtime=shared, KeSCo::runtime is linked, or KeSCo::runtime_static where CUDA's own
# runtime is linked statically: that does not export its symbols to others.
#
# A launcher like ccache is kept: it compares device code and the plugin, too, and the files of profile=FILE and
# exclude=FILE, and what the plugin is to write is not cached.
#
#   KeSCo_CUDA_COMPILER   clang++-N
#   KeSCo_CUDART          CUDA's runtime library, from CUDAToolkit_ROOT or the environment's CUDA_PATH, else
#                         from /usr/local/cuda

# Sets KeSCo_LLVM_VERSION, and the location of KeSCo::kesco to the plugin for it. `link` is libkesco.so.
macro(_kesco_choose_plugin link)
  if(CMAKE_CUDA_COMPILER_ID STREQUAL "Clang" AND CMAKE_CUDA_COMPILER_VERSION MATCHES "^([0-9]+)[.]" AND EXISTS "${link}.${CMAKE_MATCH_1}")
    set(KeSCo_LLVM_VERSION ${CMAKE_MATCH_1})
  elseif(NOT KeSCo_LLVM_VERSION)
    execute_process(COMMAND ${KeSCo_CLANG} --print-plugin OUTPUT_VARIABLE _kesco_plugin ERROR_VARIABLE _kesco_error)
    string(REGEX MATCH "[0-9]+\n$" KeSCo_LLVM_VERSION "${_kesco_plugin}")
    string(STRIP "${KeSCo_LLVM_VERSION}" KeSCo_LLVM_VERSION)
  endif()
  if(EXISTS "${link}.${KeSCo_LLVM_VERSION}")
    get_target_property(_kesco_configurations KeSCo::kesco IMPORTED_CONFIGURATIONS)
    foreach(_kesco_configuration IN LISTS _kesco_configurations)
      set_target_properties(KeSCo::kesco PROPERTIES IMPORTED_LOCATION_${_kesco_configuration} "${link}.${KeSCo_LLVM_VERSION}")
    endforeach()
  else()
    set(KeSCo_FOUND FALSE)
    if(KeSCo_LLVM_VERSION)
      set(_kesco_error "there is no plugin for clang ${KeSCo_LLVM_VERSION}, which KeSCo_LLVM_VERSION asks for")
    endif()
    set(KeSCo_NOT_FOUND_MESSAGE "${_kesco_error}")
  endif()
endmacro()

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

# Refuses what is neither a source nor a keyword of `command`, before CMake takes it for a source.
function(_kesco_refuse_keywords caller command)
  set(known WIN32 MACOSX_BUNDLE EXCLUDE_FROM_ALL STATIC SHARED MODULE OBJECT INTERFACE)
  foreach(word IN LISTS ARGN)
    if(word MATCHES "^[A-Z_]+$" AND NOT word IN_LIST known AND NOT EXISTS "${CMAKE_CURRENT_SOURCE_DIR}/${word}")
      message(FATAL_ERROR "${caller}: unknown argument '${word}': beside those of ${command} there are ARCHITECTURES, "
                          "OPTIONS and COMPILE_OPTIONS")
    endif()
  endforeach()
endfunction()

# Lets the plugin say what is wrong with the options behind `compiler`, which loads it.
function(_kesco_check_options caller compiler)
  set(flags ${ARGN})
  list(FILTER flags EXCLUDE REGEX "[$]<")
  list(TRANSFORM flags PREPEND -fplugin-arg-kesco-)
  get_target_property(plugin KeSCo::kesco LOCATION)
  execute_process(COMMAND ${compiler} -fplugin=${plugin} ${flags} -x c -fsyntax-only /dev/null
    OUTPUT_QUIET ERROR_VARIABLE error RESULT_VARIABLE result)
  if(NOT result EQUAL 0)
    string(REGEX MATCH "kesco: [^\n]*" told "${error}")
    if(told)
      string(REPLACE "kesco: " "" error "${told}")
    endif()
    message(FATAL_ERROR "${caller}: OPTIONS: ${error}")
  endif()
endfunction()

# nvcc's flags, of which kesco-nvcc and CMAKE_CUDA_HOST_COMPILER may have given those for the host compiler.
function(_kesco_nvcc_flags variable target)
  get_filename_component(compiler "${CMAKE_CUDA_COMPILER}" NAME)
  get_filename_component(host "${CMAKE_CUDA_HOST_COMPILER}" NAME)
  set(flags "")
  if(compiler STREQUAL "kesco-nvcc" OR host STREQUAL "kesco-host-clang++")
  elseif(host)
    message(FATAL_ERROR "kesco_enable(${target}) needs kesco-host-clang++ as nvcc's host compiler, but CMAKE_CUDA_HOST_COMPILER is "
                        "'${CMAKE_CUDA_HOST_COMPILER}'. Configure an empty build folder with -DCMAKE_CUDA_COMPILER=${KeSCo_NVCC}, "
                        "or with -DCMAKE_CUDA_HOST_COMPILER=${KeSCo_HOST_CLANG}")
  else()
    set(flags -ccbin=${KeSCo_HOST_CLANG} -allow-unsupported-compiler)
  endif()
  foreach(option IN LISTS ARGN)
    string(REPLACE "," "\\," option "${option}") # nvcc parts at commas
    list(APPEND flags -Xcompiler=-fplugin-arg-kesco-${option})
  endforeach()
  set(${variable} ${flags} PARENT_SCOPE)
endfunction()

# Lets `compiler` be run as kesco-clang++ for what CMake's compiler of the language would compile of the target's CUDA.
function(_kesco_launch target language compiler)
  get_target_property(launcher ${target} ${language}_COMPILER_LAUNCHER)
  if(NOT launcher)
    set(launcher "")
  endif()
  set_target_properties(${target} PROPERTIES ${language}_COMPILER_LAUNCHER
    "sh;${KeSCo_LAUNCHER};${CMAKE_${language}_COMPILER};${KeSCo_CLANG};${compiler}")
  set_property(TARGET ${target} APPEND PROPERTY ${language}_COMPILER_LAUNCHER ${launcher})
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
                        "kesco_add_executable compiles CUDA sources by clang++-${KeSCo_LLVM_VERSION}")
  endif()
  if(CMAKE_CUDA_COMPILER_ID STREQUAL "NVIDIA")
    _kesco_nvcc_flags(flags ${target} ${arg_OPTIONS})
    set(checker ${KeSCo_CLANG})
  elseif(CMAKE_CUDA_COMPILER_ID STREQUAL "Clang" AND CMAKE_CUDA_COMPILER_VERSION MATCHES "^${KeSCo_LLVM_VERSION}[.]")
    _kesco_plugin_flags(flags ${arg_OPTIONS})
    set(checker ${CMAKE_CUDA_COMPILER})
  else()
    message(FATAL_ERROR "kesco_enable(${target}) needs clang++-${KeSCo_LLVM_VERSION} or nvcc as CUDA compiler, but CMAKE_CUDA_COMPILER is "
                        "'${CMAKE_CUDA_COMPILER}' (${CMAKE_CUDA_COMPILER_ID} ${CMAKE_CUDA_COMPILER_VERSION}). Configure "
                        "an empty build folder with -DCMAKE_CUDA_COMPILER=${KeSCo_CLANG}, or use kesco_add_executable")
  endif()
  _kesco_check_options("kesco_enable(${target})" ${checker} ${arg_OPTIONS})
  foreach(flag IN LISTS flags)
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:${flag}>)
  endforeach()
  target_include_directories(${target} PRIVATE ${KeSCo_INCLUDE_DIR})
  get_target_property(launcher ${target} CUDA_COMPILER_LAUNCHER)
  if(launcher AND CMAKE_CUDA_COMPILER_ID STREQUAL "Clang")
    _kesco_launch(${target} CUDA ${CMAKE_CUDA_COMPILER})
  endif()
  if("runtime=shared" IN_LIST arg_OPTIONS)
    set(cudart $<LOWER_CASE:$<TARGET_PROPERTY:${target},CUDA_RUNTIME_LIBRARY>>)
    target_link_libraries(${target} PRIVATE KeSCo::runtime$<$<NOT:$<STREQUAL:${cudart},shared>>:_static>)
  endif()
endfunction()

# The compiler, the devices by default, and CUDA's root, for .cu files that are C++ sources to CMake.
macro(_kesco_find_tools)
  find_program(KeSCo_CUDA_COMPILER clang++-${KeSCo_LLVM_VERSION} HINTS /usr/lib/llvm-${KeSCo_LLVM_VERSION}/bin DOC "Compiles CUDA sources with KeSCo")
  if(NOT KeSCo_CUDA_COMPILER)
    message(FATAL_ERROR "KeSCo needs clang++-${KeSCo_LLVM_VERSION}, which is not here; set KeSCo_CUDA_COMPILER to its path")
  endif()
  execute_process(COMMAND ${CMAKE_COMMAND} -E env KESCO_CLANG=${KeSCo_CUDA_COMPILER} ${KeSCo_CLANG} --print-devices
    OUTPUT_VARIABLE _kesco_default_devices ERROR_VARIABLE _kesco_error RESULT_VARIABLE _kesco_result
    OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_STRIP_TRAILING_WHITESPACE)
  if(NOT _kesco_result EQUAL 0)
    message(FATAL_ERROR "KeSCo_CUDA_COMPILER is '${KeSCo_CUDA_COMPILER}': ${_kesco_error}")
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

# Sets the variable to the flags for these architectures.
function(_kesco_device_flags variable caller)
  set(flags "")
  foreach(architecture IN LISTS ARGN)
    if(architecture MATCHES "^(sm_)?([0-9]+[af]?)(-real|-virtual)?$")
      list(APPEND flags --cuda-gpu-arch=sm_${CMAKE_MATCH_2})
    elseif(architecture STREQUAL "native")
      list(APPEND flags --cuda-gpu-arch=native)
    else()
      message(FATAL_ERROR "${caller}: the architecture '${architecture}' is none of 90, sm_90, 90-real, 90-virtual and the "
                          "like, nor native")
    endif()
  endforeach()
  set(${variable} ${flags} PARENT_SCOPE)
endfunction()

# Says which of a project's wishes do not hold for the target's .cu files.
function(_kesco_tell_limits target)
  get_target_property(joins ${target} UNITY_BUILD)
  if(joins)
    message(NOTICE "KeSCo: UNITY_BUILD of '${target}' joins none of its .cu files: each is compiled by itself")
  endif()
  get_target_property(headers ${target} PRECOMPILE_HEADERS)
  get_target_property(reused ${target} PRECOMPILE_HEADERS_REUSE_FROM)
  if(headers OR reused)
    message(NOTICE "KeSCo: the .cu files of '${target}' are compiled without its precompiled headers: what they need, "
                   "they have to include")
  endif()
  get_property(is_told GLOBAL PROPERTY KeSCo_TOLD_OF_COMMANDS)
  if(CMAKE_EXPORT_COMPILE_COMMANDS AND NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND NOT is_told)
    set_property(GLOBAL PROPERTY KeSCo_TOLD_OF_COMMANDS ON)
    message(NOTICE "KeSCo: compile_commands.json names '${CMAKE_CXX_COMPILER}' for .cu files, with clang's flags: clangd "
                   "and clang-tidy read it as it is, and tools that run its commands want "
                   "-DCMAKE_CXX_COMPILER=clang++-${KeSCo_LLVM_VERSION}")
  endif()
endfunction()

# Sets the variables to those of `sources` that are CUDA, and to the C++ ones.
function(_kesco_part_sources cuda cxx)
  set(found_cuda "")
  set(found_cxx "")
  foreach(source IN LISTS ARGN)
    get_source_file_property(language "${source}" LANGUAGE)
    if(source MATCHES "[.]cu$" OR language STREQUAL "CUDA")
      list(APPEND found_cuda "${source}")
    elseif(language STREQUAL "CXX")
      list(APPEND found_cxx "${source}")
    endif()
  endforeach()
  set(${cuda} ${found_cuda} PARENT_SCOPE)
  set(${cxx} ${found_cxx} PARENT_SCOPE)
endfunction()

# Says once which launches stay in order since C++ sources are compiled without KeSCo.
function(_kesco_tell_of_cxx target)
  get_property(is_told GLOBAL PROPERTY KeSCo_TOLD_OF_CXX)
  if(NOT is_told AND NOT CMAKE_CXX_COMPILER MATCHES "(kesco|vgpu)-clang[+][+]$" AND NOT CMAKE_CXX_FLAGS MATCHES "libkesco[.]so")
    set_property(GLOBAL PROPERTY KeSCo_TOLD_OF_CXX ON)
    message(STATUS "KeSCo: C++ sources, as of '${target}', are compiled by '${CMAKE_CXX_COMPILER}' without it: what "
                   "they launch by calling .cu files stays in order from one call to the next; with "
                   "-DCMAKE_CXX_COMPILER=kesco-clang++ it may overlap")
  endif()
endfunction()

# Has device code of several sources linked, where CUDA_SEPARABLE_COMPILATION or -fgpu-rdc asks for that: by the linker driver,
# which has to be clang++-N.
function(_kesco_link_device target)
  get_target_property(is_asked ${target} CUDA_SEPARABLE_COMPILATION)
  get_target_property(options ${target} COMPILE_OPTIONS)
  get_target_property(flags ${target} KeSCo_FLAGS)
  if(is_asked)
    set_property(TARGET ${target} APPEND PROPERTY KeSCo_FLAGS -fgpu-rdc)
  elseif(NOT "${options} ${flags} ${CMAKE_CXX_FLAGS}" MATCHES "-fgpu-rdc")
    return()
  endif()
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang" OR NOT CMAKE_CXX_COMPILER_VERSION MATCHES "^${KeSCo_LLVM_VERSION}[.]")
    message(FATAL_ERROR "KeSCo: relocatable device code, as '${target}' asks for by CUDA_SEPARABLE_COMPILATION or -fgpu-rdc, is "
                        "linked by clang++-${KeSCo_LLVM_VERSION}, and CMAKE_CXX_COMPILER is '${CMAKE_CXX_COMPILER}'. Configure an "
                        "empty build folder with -DCMAKE_CXX_COMPILER=kesco-clang++")
  endif()
  get_target_property(type ${target} TYPE)
  string(REGEX MATCH "--cuda-path=[^;]*" cuda_path "${flags}")
  if(type MATCHES "STATIC|OBJECT")
    target_link_options(${target} INTERFACE --offload-link ${cuda_path})
  else()
    target_link_options(${target} PRIVATE --offload-link ${cuda_path})
  endif()
endfunction()

# The CUDA sources of the target are KeSCo_CUDA_COMPILER's. What they are compiled with is a property of the target, since a
# file may be a source of several targets.
function(_kesco_take_sources target)
  get_target_property(plugin KeSCo::kesco LOCATION)
  get_target_property(sources ${target} SOURCES)
  _kesco_part_sources(cuda cxx ${sources})
  if(cuda)
    _kesco_link_device(${target})
    _kesco_tell_limits(${target})
  endif()
  if(cuda AND cxx)
    _kesco_tell_of_cxx(${target})
  endif()
  foreach(source IN LISTS cuda)
    set_source_files_properties(${source} PROPERTIES LANGUAGE CXX
      COMPILE_OPTIONS $<GENEX_EVAL:$<TARGET_PROPERTY:KeSCo_FLAGS>>
      OBJECT_DEPENDS ${plugin} SKIP_PRECOMPILE_HEADERS ON SKIP_UNITY_BUILD_INCLUSION ON CXX_SCAN_FOR_MODULES OFF)
  endforeach()
endfunction()

# Behind add_executable and add_library: ARGN are the arguments of kesco_add_..., `caller`.
macro(_kesco_add caller command name)
  cmake_parse_arguments(arg "" "" "ARCHITECTURES;OPTIONS;COMPILE_OPTIONS" ${ARGN})
  get_property(_kesco_languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  if(NOT CXX IN_LIST _kesco_languages)
    message(FATAL_ERROR "${caller}(${name}) is for projects with the language CXX")
  endif()
  _kesco_refuse_keywords("${caller}(${name})" ${command} ${arg_UNPARSED_ARGUMENTS})
  _kesco_find_tools()
  if(NOT KeSCo_CUDART)
    message(FATAL_ERROR "${caller}(${name}): no libcudart in '${_kesco_cuda_root}'; set CUDAToolkit_ROOT "
                        "to CUDA's root, or KeSCo_CUDART to the library")
  endif()
  cmake_language(CALL ${command} ${name} ${arg_UNPARSED_ARGUMENTS})
  if(NOT arg_ARCHITECTURES)
    set(arg_ARCHITECTURES ${CMAKE_CUDA_ARCHITECTURES})
  endif()
  _kesco_device_flags(_kesco_devices "${caller}(${name})" ${arg_ARCHITECTURES})
  if(NOT _kesco_devices)
    string(REPLACE "\n" ";" _kesco_devices "${_kesco_default_devices}")
  endif()
  _kesco_check_options("${caller}(${name})" ${KeSCo_CUDA_COMPILER} ${arg_OPTIONS})
  _kesco_plugin_flags(_kesco_flags ${arg_OPTIONS})
  set_target_properties(${name} PROPERTIES KeSCo_FLAGS
    "-x;cuda;--cuda-path=${_kesco_cuda_root};${_kesco_devices};${_kesco_flags};${arg_COMPILE_OPTIONS}")
  _kesco_launch(${name} CXX ${KeSCo_CUDA_COMPILER})
  # At the end of the folder, since target_sources may add some.
  cmake_language(EVAL CODE "cmake_language(DEFER CALL _kesco_take_sources [[${name}]])")
  target_include_directories(${name} PRIVATE ${KeSCo_INCLUDE_DIR})
  if("runtime=shared" IN_LIST arg_OPTIONS)
    if(KeSCo_CUDART MATCHES "[.]a$")
      target_link_libraries(${name} PRIVATE KeSCo::runtime_static)
    else()
      target_link_libraries(${name} PRIVATE KeSCo::runtime)
    endif()
  endif()
  target_link_libraries(${name} PRIVATE ${KeSCo_CUDART} Threads::Threads ${CMAKE_DL_LIBS})
endmacro()

function(kesco_add_executable name)
  _kesco_add(kesco_add_executable add_executable ${name} ${ARGN})
endfunction()

function(kesco_add_library name)
  _kesco_add(kesco_add_library add_library ${name} ${ARGN})
endfunction()
