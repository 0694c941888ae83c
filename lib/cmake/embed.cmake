# Compiles files into a target.
#
# hkpd_embed_files(TARGET NAME FILE...) generates embedded/NAME.hpp with a function for each file that returns its bytes,
# which are valid during the whole program:
#
#   namespace hkpd::embedded { std::span<const std::byte> NAME_windows_xml() noexcept; }
#
# In the name of the function, `_` replaces every character of the file's name that is no letter or digit. Relative names
# are searched in the current source directory.
function(hkpd_embed_files target name)
  set(directory "${CMAKE_CURRENT_BINARY_DIR}/embedded")
  set(declarations "")
  set(definitions "")
  foreach(file IN LISTS ARGN)
    cmake_path(ABSOLUTE_PATH file)
    cmake_path(GET file FILENAME identifier)
    string(REGEX REPLACE "[^A-Za-z0-9]" "_" identifier "${name}_${identifier}")
    file(READ "${file}" bytes HEX)
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
    string(REGEX REPLACE "((0x..,)(0x..,)(0x..,)(0x..,)(0x..,)(0x..,)(0x..,)(0x..,))" "\\1\n" bytes "${bytes}")
    string(APPEND declarations "std::span<const std::byte> ${identifier}() noexcept;\n")
    string(APPEND definitions "
std::span<const std::byte> ${identifier}() noexcept {
    static constexpr unsigned char bytes[] = {
${bytes}};
    return std::as_bytes(std::span(bytes));
}
")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
  endforeach()
  file(CONFIGURE OUTPUT "${directory}/${name}.hpp" @ONLY CONTENT
"// Generated: the content of files.
#pragma once

#include <cstddef>
#include <span>

namespace hkpd::embedded {
${declarations}}  // namespace hkpd::embedded
")
  file(CONFIGURE OUTPUT "${directory}/${name}.cpp" @ONLY CONTENT
"#include \"embedded/${name}.hpp\"

namespace hkpd::embedded {
${definitions}
}  // namespace hkpd::embedded
")
  target_sources(${target} PRIVATE "${directory}/${name}.cpp")
  target_include_directories(${target} PRIVATE "${CMAKE_CURRENT_BINARY_DIR}")
endfunction()
