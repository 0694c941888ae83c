# The facts about a build that --version shows.
set(revision_folder "${CMAKE_CURRENT_BINARY_DIR}/revision")
set(write_revision ${CMAKE_COMMAND} -D "FOLDER=${PROJECT_SOURCE_DIR}" -D "OUTPUT=${revision_folder}/revision.hpp"
  -P "${CMAKE_CURRENT_LIST_DIR}/revision.cmake")
# The revision is written with each build, because it changes between builds. It is also written now, for tools that
# read the sources without building.
execute_process(COMMAND ${write_revision})
add_custom_target(hkpd_revision COMMAND ${write_revision} BYPRODUCTS "${revision_folder}/revision.hpp" VERBATIM)
add_dependencies(hkpd_command hkpd_revision)
target_include_directories(hkpd_command PRIVATE "${revision_folder}")

string(REGEX MATCH "-fsanitize=([a-z,-]+)" matched "${CMAKE_CXX_FLAGS}")
string(REPLACE "," ", " sanitizers "${CMAKE_MATCH_1}")
string(REPLACE GNU GCC compiler "${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}")

# Only the headers of these libraries are needed, for their versions.
foreach(library hkpd::utf8proc hkpd::zstd hkpd::deflate hkpd::pugixml SQLite::SQLite3)
  target_include_directories(hkpd_command SYSTEM PRIVATE $<TARGET_PROPERTY:${library},INTERFACE_INCLUDE_DIRECTORIES>)
endforeach()

set_source_files_properties(hkpd/build_facts.cpp PROPERTIES COMPILE_DEFINITIONS
  "HKPD_COMPILER=\"${compiler}\";HKPD_BUILD_TYPE=\"$<CONFIG>\";HKPD_SANITIZERS=\"${sanitizers}\";HKPD_SYSTEM=\"${CMAKE_SYSTEM_NAME} ${CMAKE_SYSTEM_PROCESSOR}\"")
