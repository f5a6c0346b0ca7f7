# The device half of the virtual GPU: the compiler driver, the translator of device code, and the sources with
# which the library runs device code.
set(VGPU_DEVICE_SOURCES
  device_printf.c exec.c fiber.c math_half.c math_integer.c math_real.c math_rounding.c mbarrier.c meet.c nvvm_real.c
  nvvm_thread.c nvvm_warp.c resident.c sampling.c surface_access.c)

# Device arithmetic is what the source says, in every build type and on every processor.
set_source_files_properties(math_half.c math_real.c math_rounding.c nvvm_real.c sampling.c PROPERTIES COMPILE_OPTIONS -ffp-contract=off)

add_executable(vgpu-device vgpu-device.cpp image/access.cpp image/accesses.cpp image/assembly.cpp image/calls.cpp
               image/instructions.cpp image/instructions_memory.cpp image/instructions_textures.cpp image/instructions_threads.cpp
               image/library.cpp image/memory.cpp image/relocatable.cpp image/table.cpp image/target.cpp image/work.cpp)
kesco_llvm_target(vgpu-device)
kesco_precompile(vgpu-device ${KESCO_IR_HEADERS})
target_link_libraries(vgpu-device PRIVATE kesco_ptx LLVM)

# LLVM's symbols come from the clang that loads the plugin.
add_library(vgpu-host MODULE image/access.cpp image/host_accesses.cpp image/older_calls.cpp)
kesco_llvm_target(vgpu-host)
set_target_properties(vgpu-host PROPERTIES PREFIX "")

file(RELATIVE_PATH VGPU_PARTS_FROM_BIN /${CMAKE_INSTALL_BINDIR} /${VGPU_INSTALL_PARTSDIR})
file(RELATIVE_PATH VGPU_INCLUDE_FROM_PARTS /${VGPU_INSTALL_PARTSDIR} /${CMAKE_INSTALL_INCLUDEDIR})
add_executable(vgpu-clang++ driver/vgpu-clang++.c driver/command_line.c driver/packed_objects.c driver/places.c driver/step.c)
kesco_c_target(vgpu-clang++)
target_compile_definitions(vgpu-clang++ PRIVATE
  CLANG_PATH="${KESCO_LLVM_BIN}/clang++" CLANG_NAME="clang++-${LLVM_VERSION_MAJOR}"
  VGPU_PARTS_FROM_BIN="${VGPU_PARTS_FROM_BIN}" VGPU_INCLUDE_FROM_PARTS="${VGPU_INCLUDE_FROM_PARTS}")
if(KESCO_SANITIZE)
  target_compile_definitions(vgpu-clang++ PRIVATE KESCO_SANITIZE)
endif()
add_dependencies(vgpu-clang++ vgpu)

# What is C++ is the same in builds of the C parts: they make it when it is asked for by name.
if(KESCO_PLUGIN)
  add_dependencies(vgpu-clang++ vgpu-device vgpu-host)
  install(TARGETS vgpu-host vgpu-device
    LIBRARY DESTINATION ${VGPU_INSTALL_PARTSDIR} COMPONENT vgpu
    RUNTIME DESTINATION ${VGPU_INSTALL_PARTSDIR} COMPONENT vgpu)
else()
  set_target_properties(vgpu-device vgpu-host PROPERTIES EXCLUDE_FROM_ALL ON)
endif()
