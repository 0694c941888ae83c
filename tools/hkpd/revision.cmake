# cmake -D FOLDER=SOURCES -D OUTPUT=HEADER -P revision.cmake: writes the revision of the sources, with `-dirty` if files
# have been changed since, and its date. The header is only touched if its content changes.
find_package(Git QUIET)
set(revision "")
set(date "")
if(GIT_FOUND AND EXISTS "${FOLDER}/.git")
  set(git ${GIT_EXECUTABLE} --no-optional-locks -C ${FOLDER})
  execute_process(COMMAND ${git} describe --always --dirty --abbrev=12 --exclude=*
    OUTPUT_VARIABLE revision OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  execute_process(COMMAND ${git} log -1 --format=%cs
    OUTPUT_VARIABLE date OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
if(NOT revision)
  set(revision "$ENV{HKPD_REVISION}")
endif()
if(DEFINED ENV{SOURCE_DATE_EPOCH})  # https://reproducible-builds.org/specs/source-date-epoch/
  string(TIMESTAMP date "%Y-%m-%d" UTC)
endif()
file(CONFIGURE OUTPUT "${OUTPUT}" @ONLY CONTENT [[
// Written by revision.cmake.
#pragma once

#include <string_view>

namespace hkpd::command {

inline constexpr std::string_view source_revision = "@revision@", source_date = "@date@";

}  // namespace hkpd::command
]])
