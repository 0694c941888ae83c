# For a command that runs on any Linux, even if nothing else is installed: all libraries are static, and {fmt}, which
# Debian has no static library of, is header-only. Addresses are still randomised at each start. Names and text in code
# pages other than Unicode's are reported as unknown, see lib/src/without_iconv.
set(CMAKE_FIND_LIBRARY_SUFFIXES .a)
set(Boost_USE_STATIC_LIBS ON)
set(HKPD_FMT fmt::fmt-header-only)
set(CMAKE_CXX_LINK_OPTIONS_PIE -static-pie)
set(CMAKE_CXX_LINK_OPTIONS_NO_PIE -static)
