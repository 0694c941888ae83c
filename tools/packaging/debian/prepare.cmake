# Run by cpack between staging and packaging: adapts the layout of `cmake --install` to Debian policy.
if(NOT CPACK_GENERATOR STREQUAL "DEB")
  return()
endif()
find_program(gzip gzip REQUIRED)

# compress FILE: compresses reproducibly, as policy requires.
function(compress file)
  execute_process(COMMAND "${gzip}" -9nf "${file}" COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# The time of SOURCE_DATE_EPOCH if that is set, for reproducible packages.
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)

foreach(component IN ITEMS COMMAND LIBRARY DEVELOPMENT)
  string(TOLOWER "${component}" folder)
  set(usr "${CPACK_TEMPORARY_DIRECTORY}/${folder}/usr")
  set(name "${CPACK_DEBIAN_${component}_PACKAGE_NAME}")
  file(COPY "${CMAKE_CURRENT_LIST_DIR}/copyright" DESTINATION "${usr}/share/doc/${name}")
  file(WRITE "${usr}/share/doc/${name}/changelog"
"hkpd (${CPACK_PACKAGE_VERSION}) unstable; urgency=medium

  * See CHANGELOG.md in the sources.

 -- ${CPACK_PACKAGE_CONTACT}  ${date}
")
  compress("${usr}/share/doc/${name}/changelog")
endforeach()

set(share "${CPACK_TEMPORARY_DIRECTORY}/command/usr/share")
file(GLOB pages "${share}/man/man*/*.[1-9]")
foreach(page IN LISTS pages)
  compress("${page}")
endforeach()

# Control files of the shared library: its symbols, with the version of the package that first had each. They must be those
# of libhkpd1.symbols: a symbol that is missing breaks programs, a new one needs a line there.
find_program(dpkg_gensymbols dpkg-gensymbols REQUIRED)
list(GET CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA 0 symbols)
cmake_path(GET symbols PARENT_PATH folder)
set(package "${CPACK_DEBIAN_LIBRARY_PACKAGE_NAME}")
file(WRITE "${folder}/triggers" "activate-noawait ldconfig\n")
file(WRITE "${folder}/shlibs" "libhkpd 1 ${package} (>= ${CPACK_PACKAGE_VERSION})\n")
file(GLOB_RECURSE library "${CPACK_TEMPORARY_DIRECTORY}/library/libhkpd.so.1.*")
execute_process(COMMAND "${dpkg_gensymbols}" -c4 "-p${package}" "-v${CPACK_PACKAGE_VERSION}"
    "-P${CPACK_TEMPORARY_DIRECTORY}/library" "-e${library}" "-I${CMAKE_CURRENT_LIST_DIR}/libhkpd1.symbols" "-O${symbols}"
  RESULT_VARIABLE result OUTPUT_VARIABLE differences ERROR_VARIABLE differences)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "The symbols of libhkpd.so.1 are not those of tools/packaging/debian/libhkpd1.symbols:\n${differences}")
endif()
