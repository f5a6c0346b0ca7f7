# The runtime as bitcode, of which the plugin carries the code (make_runtime_assembly.cpp), made by the clang that loads the
# plugin, whatever compiles the rest. All names but the ABI's are local. Landing places for indirect branches, which programs
# of -fcf-protection need, do no harm to others.
set(bitcode ${CMAKE_CURRENT_BINARY_DIR}/kesco_rt.bc)
set(landing_places "")
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set(landing_places -fcf-protection=branch)
endif()
get_target_property(sources kesco_rt_static SOURCES)
foreach(source ${sources})
  set(part ${CMAKE_CURRENT_BINARY_DIR}/bitcode/${source}.bc)
  cmake_path(GET part PARENT_PATH folder)
  file(MAKE_DIRECTORY ${folder})
  add_custom_command(OUTPUT ${part}
    COMMAND ${KESCO_LLVM_BIN}/clang -std=gnu11 -O2 -DNDEBUG -fPIC -fvisibility=hidden ${landing_places}
            -I${PROJECT_SOURCE_DIR} -isystem ${KESCO_CUDA_PATH}/include -emit-llvm -c ${PROJECT_SOURCE_DIR}/runtime/${source} -o ${part}
            -MD -MT ${part} -MF ${part}.d
    DEPENDS ${PROJECT_SOURCE_DIR}/runtime/${source}
    DEPFILE ${part}.d
    VERBATIM)
  list(APPEND parts ${part})
endforeach()
add_custom_command(OUTPUT ${bitcode}
  COMMAND ${KESCO_LLVM_BIN}/llvm-link ${parts} -o ${bitcode}.parts
  COMMAND ${KESCO_LLVM_BIN}/opt -passes=internalize,default<O2> -internalize-public-api-list=__kesco1_*
          ${bitcode}.parts -o ${bitcode}
  DEPENDS ${parts}
  VERBATIM)
