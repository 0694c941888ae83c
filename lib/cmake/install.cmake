# Installs the library and its headers for find_package(hkpd) and pkg-config. A static and a shared library can have the
# same prefix: each is built in a tree of its own and installs its own part of the package.
include(CMakePackageConfigHelpers)

set(kind static)
set(private "")
set(public_libs " ${CMAKE_THREAD_LIBS_INIT}")
set(private_libs "")
set(report_requires ", pugixml")
if(BUILD_SHARED_LIBS)
  set(kind shared)
  set(public_libs "")
  set(private_libs " ${CMAKE_THREAD_LIBS_INIT}")
  set(report_requires "\nRequires.private: pugixml")
  set(private .private)  # libhkpd++.so records what it needs; libhkpd++.a next to it needs `pkg-config --static`
endif()
set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/hkpd")

install(TARGETS hkpd hkpd_report hkpd_provider EXPORT hkpd-${kind}
  RUNTIME COMPONENT library
  LIBRARY COMPONENT library NAMELINK_COMPONENT development
  ARCHIVE COMPONENT development
  INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
if(HKPD_BUILD_C)
  install(TARGETS hkpd_c EXPORT hkpd-c
    RUNTIME COMPONENT library
    LIBRARY COMPONENT library NAMELINK_COMPONENT development
    ARCHIVE COMPONENT development
    INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
  install(EXPORT hkpd-c NAMESPACE hkpd:: FILE hkpd-c.cmake DESTINATION "${package_dir}" COMPONENT development)
  install(FILES include/hkpd.h DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT development)
endif()
install(DIRECTORY include/hkpd "${generated_include_dir}/hkpd" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
  COMPONENT development FILES_MATCHING PATTERN *.hpp)

install(EXPORT hkpd-${kind} NAMESPACE hkpd:: FILE hkpd-${kind}.cmake DESTINATION "${package_dir}"
  COMPONENT development)
configure_package_config_file(cmake/hkpd-config.cmake.in "${CMAKE_CURRENT_BINARY_DIR}/hkpd-config.cmake"
  INSTALL_DESTINATION "${package_dir}" NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file("${CMAKE_CURRENT_BINARY_DIR}/hkpd-config-version.cmake"
  VERSION ${hkpd_VERSION} COMPATIBILITY SameMinorVersion)
install(FILES
    "${CMAKE_CURRENT_BINARY_DIR}/hkpd-config.cmake"
    "${CMAKE_CURRENT_BINARY_DIR}/hkpd-config-version.cmake"
    cmake/FindHkpdLibraries.cmake
  DESTINATION "${package_dir}" COMPONENT development)

# Paths are relative to the .pc files, so that an installation can be moved.
file(RELATIVE_PATH pc_prefix "/prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/prefix")
string(REGEX REPLACE "/$" "" pc_prefix "${pc_prefix}")
set(pc_zones)
if(NOT WIN32)
  set(pc_zones ", absl_time")
endif()
set(packages hkpd++ hkpd++-report hkpd++-provider)
if(HKPD_BUILD_C)
  list(APPEND packages hkpd)
endif()
foreach(package IN LISTS packages)
  configure_file(cmake/${package}.pc.in "${CMAKE_CURRENT_BINARY_DIR}/${package}.pc" @ONLY)
  install(FILES "${CMAKE_CURRENT_BINARY_DIR}/${package}.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig"
    COMPONENT development)
endforeach()
