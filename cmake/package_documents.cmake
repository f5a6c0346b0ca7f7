# What Debian wants of a package beside what `cmake --install` makes: compressed man pages, and a changelog (its policy,
# sections 12.1 and 12.7), and completion where its zsh looks for that of packages. CPack runs it on the folders that it
# has installed into, one for each component.
function(compress file)
  execute_process(COMMAND gzip -9nf ${file} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(GLOB pages ${CPACK_TEMPORARY_DIRECTORY}/*${CPACK_PACKAGING_INSTALL_PREFIX}/share/man/man*/*.[1-8])
foreach(page IN LISTS pages)
  compress(${page})
endforeach()

string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
file(GLOB copyrights ${CPACK_TEMPORARY_DIRECTORY}/*${CPACK_PACKAGING_INSTALL_PREFIX}/share/doc/*/copyright)
foreach(copyright IN LISTS copyrights)
  get_filename_component(folder ${copyright} DIRECTORY)
  get_filename_component(package ${folder} NAME)
  file(WRITE ${folder}/changelog "${package} (${CPACK_PACKAGE_VERSION}) unstable; urgency=medium\n\n"
    "  * Version ${CPACK_PACKAGE_VERSION}.\n\n -- ${CPACK_PACKAGE_CONTACT}  ${date}\n")
  compress(${folder}/changelog)
endforeach()

file(GLOB completions ${CPACK_TEMPORARY_DIRECTORY}/*${CPACK_PACKAGING_INSTALL_PREFIX}/share/zsh/site-functions)
foreach(folder IN LISTS completions)
  get_filename_component(parent ${folder} DIRECTORY)
  file(RENAME ${folder} ${parent}/vendor-completions)
endforeach()
