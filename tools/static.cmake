# For a command that runs on any Linux without other files: all libraries are static; {fmt}, which Debian does not package
# as a static library, is header-only. Addresses are still randomised at each start. Names and text in code pages other
# than those of Unicode are reported as unknown, see lib/src/without_iconv.
set(CMAKE_FIND_LIBRARY_SUFFIXES .a)
set(Boost_USE_STATIC_LIBS ON)
set(HKPD_FMT fmt::fmt-header-only)
set(CMAKE_CXX_LINK_OPTIONS_PIE -static-pie)
set(CMAKE_CXX_LINK_OPTIONS_NO_PIE -static)

# Less to read and to relocate at each start: without functions that nothing calls, and with relocations as bitmaps
# instead of 24 bytes each, if the linker has that form (binutils 2.38).
include(CheckLinkerFlag)
check_linker_flag(CXX LINKER:-z,pack-relative-relocs HKPD_PACKS_RELOCATIONS)
add_link_options(LINKER:--gc-sections $<$<BOOL:${HKPD_PACKS_RELOCATIONS}>:LINKER:-z,pack-relative-relocs>)
