# Compiler and linker options that make bugs harder to exploit, if the compiler supports them. Defines the target
# hkpd_hardening, which is empty without HKPD_HARDEN. Source: the compiler options hardening guide of the OpenSSF.
include(CheckCXXCompilerFlag)

add_library(hkpd_hardening INTERFACE)

string(TOUPPER "${CMAKE_BUILD_TYPE}" hkpd_build_type)
string(FIND "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${hkpd_build_type}}" "-fsanitize" hkpd_sanitizer)
if(hkpd_sanitizer EQUAL -1)
  set(HKPD_SANITIZED OFF)
else()
  set(HKPD_SANITIZED ON)
endif()

if(NOT HKPD_HARDEN)
  return()
endif()

if(MSVC)  # untested
  target_compile_options(hkpd_hardening INTERFACE /sdl /guard:cf)
  target_link_options(hkpd_hardening INTERFACE /guard:cf)
  return()
endif()

# MinGW's options for shadow stacks and stack clashes do not apply to Windows, where stack pages are always probed.
set(flags -fstack-protector-strong)
if(NOT WIN32)
  list(APPEND flags -fstack-clash-protection)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|i[3-6]86)$")
    list(APPEND flags -fcf-protection=full)
  elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
    list(APPEND flags -mbranch-protection=standard)
  endif()
endif()
foreach(flag IN LISTS flags)
  string(MAKE_C_IDENTIFIER "HKPD_HAS${flag}" known)
  check_cxx_compiler_flag(${flag} ${known})
  if(${known})
    target_compile_options(hkpd_hardening INTERFACE ${flag})
  endif()
endforeach()

# The checked functions of glibc need an optimising compiler and hide calls from sanitizers. -U, because the compilers of
# some distributions predefine a level.
if(CMAKE_SYSTEM_NAME STREQUAL "Linux" AND NOT HKPD_SANITIZED)
  target_compile_options(hkpd_hardening INTERFACE
    $<$<CONFIG:Release,RelWithDebInfo,MinSizeRel>:-U_FORTIFY_SOURCE;-D_FORTIFY_SOURCE=3>)
endif()

if(WIN32)
  # For Windows, GCC has the stack protector in a separate library, which its driver links if it gets this option.
  target_link_options(hkpd_hardening INTERFACE -fstack-protector-strong LINKER:--nxcompat,--dynamicbase,--high-entropy-va)
elseif(CMAKE_SYSTEM_NAME STREQUAL "Linux")
  include(CheckPIESupported)
  check_pie_supported(LANGUAGES CXX)
  set(CMAKE_POSITION_INDEPENDENT_CODE ON)
  target_link_options(hkpd_hardening INTERFACE LINKER:-z,relro,-z,now,-z,noexecstack)
endif()
