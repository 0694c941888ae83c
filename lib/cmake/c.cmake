# The C interface (hkpd.h): libhkpd.so.1, which contains the decoder, the answers and reports. Only the functions of the version script are
# visible, so that a program can also link another version of the C++ library, and the C++ library's ABI may change.
list(TRANSFORM c_objects REPLACE "(.+)" "$<TARGET_OBJECTS:\\1>")
add_library(hkpd_c SHARED ${c_sources} ${c_objects})
add_library(hkpd::c ALIAS hkpd_c)
target_compile_features(hkpd_c PRIVATE cxx_std_23)
set(symbols "${CMAKE_CURRENT_SOURCE_DIR}/src/abi/symbols.map")
set_target_properties(hkpd_c PROPERTIES
  OUTPUT_NAME hkpd EXPORT_NAME c VERSION 1.0.0 SOVERSION 1 DEFINE_SYMBOL HKPD_BUILDING CXX_EXTENSIONS OFF
  CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON LINK_DEPENDS "${symbols}")
target_include_directories(hkpd_c
  PUBLIC $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include> PRIVATE "${generated_include_dir}" src)
# Without what only other parts of the C++ library use. Abseil's static libraries are not position-independent in Debian.
set(c_libraries ${libraries})
list(FILTER c_libraries EXCLUDE REGEX "absl|SQLite")
list(APPEND c_libraries hkpd::pugixml)
if(NOT WIN32)
  list(APPEND c_libraries absl::time)
endif()
target_link_libraries(hkpd_c PRIVATE hkpd_warnings Boost::headers ${c_libraries})
if(NOT MSVC)
  target_compile_options(hkpd_c PRIVATE -g)  # for tests/abi/abi.sh, which reads the types from the debug information
endif()
if(WIN32)
  set_target_properties(hkpd_c PROPERTIES PREFIX "")
  target_link_options(hkpd_c PRIVATE -static -s)  # it needs no other DLL than those of Windows
elseif(NOT APPLE)
  target_link_options(hkpd_c PRIVATE "LINKER:--version-script=${symbols}" LINKER:--exclude-libs,ALL,--as-needed)
endif()
