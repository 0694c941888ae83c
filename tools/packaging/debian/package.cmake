# cpack creates three packages NAME_VERSION_ARCHITECTURE.deb: hkpd is the command, libhkpd1 the shared library of the C
# interface, libhkpd-dev the headers, the static library for C++ and the link to the shared one. prepare.cmake applies
# Debian's rules for package contents; lintian checks them.
find_program(DPKG_SHLIBDEPS dpkg-shlibdeps)
mark_as_advanced(DPKG_SHLIBDEPS)
set(CPACK_GENERATOR TGZ)
if(WIN32)
  set(CPACK_GENERATOR ZIP)
elseif(DPKG_SHLIBDEPS AND HKPD_BUILD_C AND NOT BUILD_SHARED_LIBS)
  set(CPACK_GENERATOR DEB)
endif()

set(CPACK_PACKAGE_CONTACT "hkpd maintainers <maintainers@hkpd.example>" CACHE STRING "Maintainer of the packages")
set(CPACK_PACKAGE_VENDOR hkpd)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "decoder for Windows performance data")
set(CPACK_COMPONENTS_ALL command library development)
set(CPACK_COMPONENT_COMMAND_DESCRIPTION
"hkpd decodes data returned by RegQueryValueEx(HKEY_PERFORMANCE_DATA) and the
PerfLib functions on a Windows machine, a Samba server or Wine, and performance
logs (.blg), on any system. It shows objects, instances and counters with their
names, computes the values that PerfMon would show, and reports faults of the
data with their offsets.")
set(CPACK_COMPONENT_LIBRARY_DESCRIPTION
"The shared library of hkpd with the C interface of hkpd.h, for programs that
decode Windows performance data.")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION
"The C header of hkpd's shared library, the headers and the static library for
C++, and the files for find_package of CMake and pkg-config, for programs that
decode Windows performance data.")
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_STRIP_FILES ON)

set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_COMMAND_PACKAGE_NAME hkpd)
set(CPACK_DEBIAN_COMMAND_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_COMMAND_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_COMMAND_PACKAGE_RECOMMENDS tzdata)  # for the names of zones that --tz takes
set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME libhkpd1)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SHLIBDEPS ON)
# Written by prepare.cmake: the dependencies of packages that use the library, and a request for ldconfig.
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA
  "${PROJECT_BINARY_DIR}/debian/symbols" "${PROJECT_BINARY_DIR}/debian/shlibs" "${PROJECT_BINARY_DIR}/debian/triggers")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libhkpd-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
  "libhkpd1 (= ${hkpd_VERSION}), libabsl-dev, libdeflate-dev, libfmt-dev, libpugixml-dev, libsqlite3-dev, \
libutf8proc-dev, libzstd-dev")
set(CPACK_PRE_BUILD_SCRIPTS "${CMAKE_CURRENT_LIST_DIR}/prepare.cmake")
include(CPack)
