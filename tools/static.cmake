# For a command that runs on any Linux, even where there is nothing else: all libraries are static ones, {fmt} (of which
# Debian has no static one) is headers. Its addresses are chosen at each start all the same. Names and text in code pages
# other than Unicode's are told as unknown, see lib/src/without_iconv.
set(CMAKE_FIND_LIBRARY_SUFFIXES .a)
set(Boost_USE_STATIC_LIBS ON)
set(HKPD_FMT fmt::fmt-header-only)
set(CMAKE_CXX_LINK_OPTIONS_PIE -static-pie)
set(CMAKE_CXX_LINK_OPTIONS_NO_PIE -static)
