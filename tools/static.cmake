# For a command that runs on any Linux, even where there is nothing else: all libraries are static ones, {fmt} (of which
# Debian has no static one) is headers. Position-independent all the same. What glibc loads when it runs is not there:
# of iconv it can do without its modules what has to do with Unicode, so that titles in code pages are told as unknown.
set(CMAKE_FIND_LIBRARY_SUFFIXES .a)
set(Boost_USE_STATIC_LIBS ON)
set(HKPD_FMT fmt::fmt-header-only)
add_link_options(-static-pie)
