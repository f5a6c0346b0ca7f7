# Test programs in C.
#   kesco_c_test(NAME SOURCES source... [LIBS library...])
#       builds a cmocka test program in <build folder>/test/bin and appends its path to the global property
#       KESCO_C_TESTS, from which the list of tests is made

find_package(PkgConfig REQUIRED)
pkg_check_modules(CMOCKA REQUIRED IMPORTED_TARGET cmocka)
set(KESCO_TEST_BIN ${CMAKE_BINARY_DIR}/test/bin)

function(kesco_c_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LIBS")
  add_executable(${name} ${arg_SOURCES})
  kesco_c_target(${name})
  target_link_libraries(${name} PRIVATE ${arg_LIBS} PkgConfig::CMOCKA)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${KESCO_TEST_BIN})
  set_property(GLOBAL APPEND PROPERTY KESCO_C_TESTS ${KESCO_TEST_BIN}/${name})
endfunction()
