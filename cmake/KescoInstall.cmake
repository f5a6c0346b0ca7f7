# What `cmake --install` and the Debian packages consist of, beside the targets' own rules:
#   component runtime (package libkesco)      libkesco_rt.so
#   component dev     (package libkesco-dev)  kesco.h, libkesco_rt.a, for CMake and pkg-config
#   component plugin  (package kesco)         libkesco.so.N and a link to it, kesco-clang++ and its kin, what they read in lib/kesco, kesco-schedule
#   component vgpu    (package kesco-vgpu)    vgpu-clang++, and in lib/kesco what it runs and links
# All of it may be moved to another folder as a whole. Builds for several versions of LLVM may have one prefix: there is a
# plugin of each then, all else is that of the last install. The target `uninstall` takes away what the last
# `cmake --install` made, DESTDIR respected.
#
# To be included before the targets' folders: it notes which folders are not there yet.

foreach(folder BINDIR LIBDIR INCLUDEDIR)
  if(IS_ABSOLUTE "${CMAKE_INSTALL_${folder}}")
    message(FATAL_ERROR "CMAKE_INSTALL_${folder} is '${CMAKE_INSTALL_${folder}}', but has to be relative to "
                        "CMAKE_INSTALL_PREFIX: what is installed finds its parts from where it is.")
  endif()
endforeach()
file(RELATIVE_PATH KESCO_LIBDIR_FROM_BINDIR /${CMAKE_INSTALL_BINDIR} /${CMAKE_INSTALL_LIBDIR})
file(RELATIVE_PATH KESCO_INCLUDEDIR_FROM_BINDIR /${CMAKE_INSTALL_BINDIR} /${CMAKE_INSTALL_INCLUDEDIR})
file(RELATIVE_PATH KESCO_PREFIX_FROM_PKGCONFIG /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" KESCO_PREFIX_FROM_PKGCONFIG "${KESCO_PREFIX_FROM_PKGCONFIG}")

include(CMakePackageConfigHelpers)
set(KESCO_INSTALL_CMAKEDIR ${CMAKE_INSTALL_LIBDIR}/cmake/KeSCo)

# Folders that the install makes, from outer to inner ones.
set(KESCO_INSTALLED_FOLDERS ${CMAKE_INSTALL_BINDIR} ${CMAKE_INSTALL_INCLUDEDIR} ${KESCO_INSTALL_CMAKEDIR}
  ${CMAKE_INSTALL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_MANDIR}/man1 ${CMAKE_INSTALL_MANDIR}/man3 ${CMAKE_INSTALL_LIBDIR}/kesco
  ${CMAKE_INSTALL_DATADIR}/bash-completion/completions ${CMAKE_INSTALL_DATADIR}/zsh/site-functions
  ${CMAKE_INSTALL_DATADIR}/doc/kesco/doc ${CMAKE_INSTALL_DATADIR}/doc/libkesco
  ${CMAKE_INSTALL_DATADIR}/doc/libkesco-dev ${CMAKE_INSTALL_DATADIR}/doc/kesco-vgpu)
configure_file(${CMAKE_CURRENT_LIST_DIR}/note_folders.cmake.in ${CMAKE_BINARY_DIR}/cmake/note_folders.cmake @ONLY)
install(SCRIPT ${CMAKE_BINARY_DIR}/cmake/note_folders.cmake ALL_COMPONENTS)
add_custom_target(uninstall
  COMMAND ${CMAKE_COMMAND} -DBUILD=${CMAKE_BINARY_DIR} -P ${CMAKE_CURRENT_LIST_DIR}/uninstall.cmake
  VERBATIM)

# kesco_install_pages(COMPONENT PAGE...): man pages of the current folder, into their sections. They name the version
# of LLVM that this is built for.
function(kesco_install_pages component)
  foreach(page ${ARGN})
    string(REGEX MATCH "[0-9]$" section ${page})
    configure_file(${page} ${page} @ONLY)
    install(FILES ${CMAKE_CURRENT_BINARY_DIR}/${page} DESTINATION ${CMAKE_INSTALL_MANDIR}/man${section} COMPONENT ${component})
  endforeach()
endfunction()

if(KESCO_PLUGIN)
  write_basic_package_version_file(${CMAKE_BINARY_DIR}/cmake/KeSCoConfigVersion.cmake COMPATIBILITY SameMinorVersion)
  configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/KeSCoConfig.cmake.in ${CMAKE_BINARY_DIR}/cmake/KeSCoConfig.cmake
    INSTALL_DESTINATION ${KESCO_INSTALL_CMAKEDIR} PATH_VARS CMAKE_INSTALL_BINDIR CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_LIBDIR)
  install(FILES ${CMAKE_BINARY_DIR}/cmake/KeSCoConfig.cmake ${CMAKE_BINARY_DIR}/cmake/KeSCoConfigVersion.cmake
                ${CMAKE_CURRENT_LIST_DIR}/KeSCoFunctions.cmake ${CMAKE_CURRENT_LIST_DIR}/KeSCoLaunch.sh
    DESTINATION ${KESCO_INSTALL_CMAKEDIR} COMPONENT dev)
  install(EXPORT KeSCoTargets NAMESPACE KeSCo:: DESTINATION ${KESCO_INSTALL_CMAKEDIR} COMPONENT dev)

  foreach(module kesco kesco_rt)
    configure_file(${CMAKE_CURRENT_LIST_DIR}/${module}.pc.in ${CMAKE_BINARY_DIR}/cmake/${module}.pc @ONLY)
    install(FILES ${CMAKE_BINARY_DIR}/cmake/${module}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT dev)
  endforeach()
endif()

file(READ ${PROJECT_SOURCE_DIR}/LICENSE KESCO_LICENSE)
configure_file(${CMAKE_CURRENT_LIST_DIR}/copyright.in ${CMAKE_BINARY_DIR}/cmake/copyright @ONLY)
set(kesco_package_of_runtime libkesco)
set(kesco_package_of_dev libkesco-dev)
set(kesco_package_of_plugin kesco)
set(kesco_package_of_vgpu kesco-vgpu)
foreach(component runtime dev plugin vgpu)
  install(FILES ${CMAKE_BINARY_DIR}/cmake/copyright DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${kesco_package_of_${component}}
    COMPONENT ${component})
endforeach()

# README and the manual, with the links between them.
set(kesco_documents ${CMAKE_INSTALL_DATADIR}/doc/kesco)
install(FILES ${PROJECT_SOURCE_DIR}/README.md DESTINATION ${kesco_documents} COMPONENT plugin)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/doc DESTINATION ${kesco_documents} COMPONENT plugin)

include(KescoPackage)
