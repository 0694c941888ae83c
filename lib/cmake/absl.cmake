# Defines the target hkpd_absl: Abseil's time library, which reads the system's time zones. Linked statically even where
# Abseil's own targets are shared libraries, so that hkpd's command does not need them to run: the name of Abseil's
# shared libraries changes with every release.
find_package(absl REQUIRED CONFIG GLOBAL)
add_library(hkpd_absl INTERFACE IMPORTED GLOBAL)

# Appends the static libraries of an Abseil target and of all targets that it needs to `found`: each library before
# those that it uses. Sets `missing` if one of them has no static library.
function(hkpd_find_static_absl target)
  list(APPEND seen ${target})
  get_target_property(needed ${target} INTERFACE_LINK_LIBRARIES)
  foreach(library IN LISTS needed)
    if(library MATCHES "^absl::" AND NOT library IN_LIST seen)
      hkpd_find_static_absl(${library})
    endif()
  endforeach()
  get_target_property(type ${target} TYPE)
  if(NOT type STREQUAL "INTERFACE_LIBRARY")
    get_target_property(configurations ${target} IMPORTED_CONFIGURATIONS)
    list(GET configurations 0 configuration)
    get_target_property(file ${target} IMPORTED_LOCATION_${configuration})
    string(REGEX REPLACE "\\.so[.0-9]*$" ".a" file "${file}")
    if(NOT file MATCHES "\\.a$" OR NOT EXISTS "${file}")
      set(missing TRUE PARENT_SCOPE)
    endif()
    list(PREPEND found "${file}")
  endif()
  foreach(variable seen found missing)
    set(${variable} "${${variable}}" PARENT_SCOPE)
  endforeach()
endfunction()

set(found)
set(seen)
set(missing)
if(NOT BUILD_SHARED_LIBS)
  hkpd_find_static_absl(absl::time)
endif()
if(found AND NOT missing)
  get_target_property(absl_include_dir absl::time INTERFACE_INCLUDE_DIRECTORIES)
  set_target_properties(hkpd_absl PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${absl_include_dir}"
    INTERFACE_LINK_LIBRARIES "${found};Threads::Threads")
else()
  set_target_properties(hkpd_absl PROPERTIES INTERFACE_LINK_LIBRARIES absl::time)
endif()
