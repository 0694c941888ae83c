# Embeds the scripts and styles of a report's page (src/report/page) in the library, with the hashes by which the
# page's Content-Security-Policy permits them.

# Sets `result` to the Base64 form of hexadecimal digits.
function(hex_to_base64 hex result)
  set(digits "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
  string(LENGTH "${hex}" length)
  set(text "")
  set(at 0)
  while(at LESS length)
    string(SUBSTRING "${hex}" ${at} 6 group)
    string(LENGTH "${group}" size)
    string(SUBSTRING "${group}0000" 0 6 padded)
    math(EXPR bits "0x${padded}")
    foreach(shift 18 12 6 0)
      math(EXPR digit "(${bits} >> ${shift}) & 63")
      string(SUBSTRING "${digits}" ${digit} 1 character)
      string(APPEND text "${character}")
    endforeach()
    if(size LESS 6)  # one or two bytes
      math(EXPR kept "${size} / 2 + 1")
      string(LENGTH "${text}" end)
      math(EXPR end "${end} - 4 + ${kept}")
      string(SUBSTRING "${text}" 0 ${end} text)
      math(EXPR missing "4 - ${kept}")
      string(REPEAT "=" ${missing} padding)
      string(APPEND text "${padding}")
    endif()
    math(EXPR at "${at} + 6")
  endwhile()
  set(${result} "${text}" PARENT_SCOPE)
endfunction()

# Fails if a file contains the end of the element in which the page has it.
function(check_page_file file)
  file(READ "${file}" text)
  string(TOLOWER "${text}" text)
  string(FIND "${text}" "</s" end)
  if(NOT end EQUAL -1)
    message(FATAL_ERROR "${file} contains </s, which could end a script or style")
  endif()
endfunction()

# Sets `result` to the items of a list of PageAsset.
function(page_assets result)
  set(items "")
  foreach(file ${ARGN})
    check_page_file("${file}")
    file(SHA256 "${file}" sum)
    hex_to_base64("${sum}" hash)
    cmake_path(GET file FILENAME name)
    string(REGEX REPLACE "[^A-Za-z0-9]" "_" name "page_${name}")
    string(APPEND items "    {text_of(embedded::${name}()), \"sha256-${hash}\"},\n")
  endforeach()
  set(${result} "${items}" PARENT_SCOPE)
endfunction()

set(page "${CMAKE_CURRENT_SOURCE_DIR}/src/report/page")
set(page_scripts "${page}/uPlot.iife.min.js" "${page}/data.js" "${page}/axis.js" "${page}/chart.js" "${page}/plot.js" "${page}/happened.js" "${page}/page.js")
set(page_styles "${page}/uPlot.min.css" "${page}/page.css" "${page}/happened.css")
hkpd_embed_files(hkpd_page page ${page_scripts} ${page_styles} "${page}/LICENSE")
page_assets(scripts ${page_scripts})
page_assets(styles ${page_styles})
file(CONFIGURE OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/embedded/page_assets.cpp" @ONLY CONTENT
"#include \"report/assets.hpp\"

#include \"embedded/page.hpp\"

namespace hkpd {
namespace {

std::string_view text_of(std::span<const std::byte> bytes) noexcept {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

std::span<const PageAsset> page_scripts() noexcept {
    static const PageAsset assets[] = {
${scripts}    };
    return assets;
}

std::span<const PageAsset> page_styles() noexcept {
    static const PageAsset assets[] = {
${styles}    };
    return assets;
}

std::string_view page_licence() noexcept { return text_of(embedded::page_LICENSE()); }

}  // namespace hkpd
")
target_sources(hkpd_page PRIVATE "${CMAKE_CURRENT_BINARY_DIR}/embedded/page_assets.cpp")
