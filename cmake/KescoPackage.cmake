# Debian packages, one for each component, by `cpack` in the build folder:
#   cmake --preset package && cmake --build --preset package && cpack --preset package
# puts libkesco_*.deb, libkesco-dev_*.deb, kesco_*.deb and kesco-vgpu_*.deb into build/package.

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME kesco)
set(CPACK_PACKAGE_VENDOR "")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "") # each package has its own
set(CPACK_PACKAGE_CONTACT "the KeSCo project <kesco@localhost>")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_COMPONENTS_ALL runtime dev plugin vgpu)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/package_documents.cmake)
# The same from every builder, whatever the umask.
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
    WORLD_READ WORLD_EXECUTE)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
# Headers and libraries of CUDA are not Debian's, so that nothing can depend on them.
set(kesco_cuda_package "cuda-toolkit (>= 13)")

set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME libkesco)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_RUNTIME_DESCRIPTION
    "KeSCo's runtime as a shared library
KeSCo compiles CUDA programs so that independent kernels run concurrently.
Programs that were compiled with the plugin option runtime=shared load this
library.")

set(CPACK_DEBIAN_DEV_PACKAGE_NAME libkesco-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "libkesco (= ${PROJECT_VERSION}), kesco (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_DEV_DESCRIPTION
    "KeSCo's header, static library and files for build systems
KeSCo compiles CUDA programs so that independent kernels run concurrently.
This package has kesco.h with its annotations, the runtime as a static library,
and what CMake's find_package and pkg-config look for.")

set(CPACK_DEBIAN_PLUGIN_PACKAGE_NAME kesco)
set(CPACK_DEBIAN_PLUGIN_PACKAGE_DEPENDS "clang-${LLVM_VERSION_MAJOR}")
set(CPACK_DEBIAN_PLUGIN_PACKAGE_RECOMMENDS "libkesco-dev (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_PLUGIN_PACKAGE_SUGGESTS "kesco-vgpu, ${kesco_cuda_package}")
set(CPACK_DEBIAN_PLUGIN_DESCRIPTION
    "Clang plugin that makes independent CUDA kernels run concurrently
KeSCo takes a CUDA program whose kernels are launched one after another, works
out which of them depend on each other, and compiles it so that the others run
at once on CUDA streams. This package has the plugin for clang-${LLVM_VERSION_MAJOR}, the compiler
driver kesco-clang++ and the planner kesco-schedule.")

# LLVM has llvm-symbolizer, which finds the lines of what the race check reports.
set(CPACK_DEBIAN_VGPU_PACKAGE_NAME kesco-vgpu)
set(CPACK_DEBIAN_VGPU_PACKAGE_DEPENDS "clang-${LLVM_VERSION_MAJOR}")
set(CPACK_DEBIAN_VGPU_PACKAGE_RECOMMENDS "kesco (= ${PROJECT_VERSION}), llvm-${LLVM_VERSION_MAJOR}")
set(CPACK_DEBIAN_VGPU_PACKAGE_SUGGESTS "libkesco-dev, ${kesco_cuda_package}")
set(CPACK_DEBIAN_VGPU_DESCRIPTION
    "virtual GPU that runs CUDA programs on the CPU and finds races
The compiler driver vgpu-clang++ takes clang++'s command line for CUDA and makes
programs whose kernels run on the CPU, in any order that CUDA allows. It reports
conflicting accesses that nothing orders. It wants the headers of CUDA 13, and
needs no GPU; with the package kesco it runs what KeSCo makes of a program.")

# What packages of programs that load libkesco_rt.so.1 depend on. CPack's own generator takes the plugin for such a
# library too.
file(WRITE ${CMAKE_BINARY_DIR}/cmake/shlibs "libkesco_rt 1 libkesco (>= ${PROJECT_VERSION})\n")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_CONTROL_EXTRA ${CMAKE_BINARY_DIR}/cmake/shlibs)

find_program(KESCO_SHLIBDEPS dpkg-shlibdeps DOC "Finds out which packages a Debian package depends on")
mark_as_advanced(KESCO_SHLIBDEPS)
if(KESCO_SHLIBDEPS)
  set(CPACK_DEBIAN_RUNTIME_PACKAGE_SHLIBDEPS ON)
  set(CPACK_DEBIAN_PLUGIN_PACKAGE_SHLIBDEPS ON)
  set(CPACK_DEBIAN_VGPU_PACKAGE_SHLIBDEPS ON)
endif()

include(CPack)
