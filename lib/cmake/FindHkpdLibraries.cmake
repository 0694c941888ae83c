# Finds the libraries that have no CMake package, one whose name differs between distributions, or one that does not state
# which kind of library it means (pugixml); defines the targets hkpd::utf8proc, hkpd::zstd, hkpd::deflate and
# hkpd::pugixml. Used by hkpd's own build, and by its package if hkpd is static.
include(FindPackageHandleStandardArgs)

set(hkpd_libraries utf8proc zstd deflate pugixml)
set(hkpd_headers utf8proc.h zstd.h libdeflate.h pugixml.hpp)
set(HkpdLibraries_needed)
foreach(library header IN ZIP_LISTS hkpd_libraries hkpd_headers)
  string(TOUPPER "${library}" name)
  find_path(HKPD_${name}_INCLUDE_DIR ${header})
  find_library(HKPD_${name}_LIBRARY NAMES ${library} lib${library} ${library}static ${library}_static)
  mark_as_advanced(HKPD_${name}_INCLUDE_DIR HKPD_${name}_LIBRARY)
  list(APPEND HkpdLibraries_needed HKPD_${name}_LIBRARY HKPD_${name}_INCLUDE_DIR)
  # GLOBAL, because programs that link a static hkpd link these too, wherever they were found.
  if(HKPD_${name}_LIBRARY AND HKPD_${name}_INCLUDE_DIR AND NOT TARGET hkpd::${library})
    add_library(hkpd::${library} UNKNOWN IMPORTED GLOBAL)
    set_target_properties(hkpd::${library} PROPERTIES
      IMPORTED_LOCATION "${HKPD_${name}_LIBRARY}"
      INTERFACE_INCLUDE_DIRECTORIES "${HKPD_${name}_INCLUDE_DIR}")
  endif()
endforeach()

find_package_handle_standard_args(HkpdLibraries REQUIRED_VARS ${HkpdLibraries_needed})
