# cpack makes hkpd_VERSION_ARCHITECTURE.deb, the command, and libhkpd-dev_VERSION_ARCHITECTURE.deb, the static library
# and its headers. Debian's rules for what lies in a package are kept by prepare.cmake; lintian checks them.
find_program(DPKG_SHLIBDEPS dpkg-shlibdeps)
mark_as_advanced(DPKG_SHLIBDEPS)
set(CPACK_GENERATOR TGZ)
if(WIN32)
  set(CPACK_GENERATOR ZIP)
elseif(DPKG_SHLIBDEPS AND NOT BUILD_SHARED_LIBS)
  set(CPACK_GENERATOR DEB)
endif()

set(CPACK_PACKAGE_CONTACT "hkpd maintainers <maintainers@hkpd.example>" CACHE STRING "Maintainer of the packages")
set(CPACK_PACKAGE_VENDOR hkpd)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "decoder of Windows performance data")
set(CPACK_COMPONENTS_ALL command development)
set(CPACK_COMPONENT_COMMAND_DESCRIPTION
"hkpd reads what RegQueryValueEx(HKEY_PERFORMANCE_DATA) and the PerfLib
functions returned, from a Windows machine, a Samba server or Wine, and
performance logs (.blg), on any system. It shows objects, instances and
counters with their names, computes what PerfMon would show, and tells in plain
words what is wrong with the data and at which byte.")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION
"The static library that hkpd is made of, its headers, and what find_package
of CMake and pkg-config need, for programs that decode Windows performance
data themselves.")
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
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libhkpd-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "libdeflate-dev, libfmt-dev, libutf8proc-dev, libzstd-dev")
set(CPACK_PRE_BUILD_SCRIPTS "${CMAKE_CURRENT_LIST_DIR}/prepare.cmake")
include(CPack)
