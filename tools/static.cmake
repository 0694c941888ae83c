# For a command that runs on any Linux without other files: all libraries are static; {fmt}, which Debian does not package
# as a static library, is header-only. Addresses are still randomised at each start. Names and text in code pages other
# than those of Unicode are reported as unknown, see lib/src/without_iconv.
set(CMAKE_FIND_LIBRARY_SUFFIXES .a)
set(Boost_USE_STATIC_LIBS ON)
set(HKPD_FMT fmt::fmt-header-only)
set(CMAKE_CXX_LINK_OPTIONS_PIE -static-pie)
set(CMAKE_CXX_LINK_OPTIONS_NO_PIE -static)
