# What --version tells of a build beside the compiler's own macros, for the one source that shows it.
find_package(Git QUIET)
set(revision "")
set(date "")
if(GIT_FOUND AND EXISTS "${PROJECT_SOURCE_DIR}/.git")
  execute_process(COMMAND ${GIT_EXECUTABLE} -C ${PROJECT_SOURCE_DIR} rev-parse --short=12 HEAD
    OUTPUT_VARIABLE revision OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  execute_process(COMMAND ${GIT_EXECUTABLE} -C ${PROJECT_SOURCE_DIR} log -1 --format=%cs
    OUTPUT_VARIABLE date OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  # A commit changes it: configure again then.
  execute_process(COMMAND ${GIT_EXECUTABLE} -C ${PROJECT_SOURCE_DIR} rev-parse --git-path logs/HEAD
    OUTPUT_VARIABLE commits OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  cmake_path(ABSOLUTE_PATH commits BASE_DIRECTORY "${PROJECT_SOURCE_DIR}")
  if(EXISTS "${commits}")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${commits}")
  endif()
endif()

if(DEFINED ENV{SOURCE_DATE_EPOCH})  # https://reproducible-builds.org/specs/source-date-epoch/
  string(TIMESTAMP date "%Y-%m-%d" UTC)
endif()

string(REGEX MATCH "-fsanitize=([a-z,-]+)" matched "${CMAKE_CXX_FLAGS}")
string(REPLACE "," ", " sanitizers "${CMAKE_MATCH_1}")

# The versions of what the library is linked with are in headers of these, and nothing more is needed of them.
foreach(library hkpd::utf8proc hkpd::zstd hkpd::deflate SQLite::SQLite3)
  target_include_directories(hkpd_command SYSTEM PRIVATE $<TARGET_PROPERTY:${library},INTERFACE_INCLUDE_DIRECTORIES>)
endforeach()

set_source_files_properties(build_facts.cpp PROPERTIES COMPILE_DEFINITIONS
  "HKPD_REVISION=\"${revision}\";HKPD_BUILD_TYPE=\"$<CONFIG>\";HKPD_SANITIZERS=\"${sanitizers}\";HKPD_DATE=\"${date}\";HKPD_SYSTEM=\"${CMAKE_SYSTEM_NAME} ${CMAKE_SYSTEM_PROCESSOR}\"")
