# Sets json_include_dir, where the tests find RapidJSON. Its version 1.1, the last one, assigns to a constant in a function
# that is never instantiated; Clang 19 rejects that. There the tests have a copy without that function, as upstream's
# unreleased sources are.
set(json_include_dir ${RAPIDJSON_INCLUDE_DIR})
set(assignment "GenericStringRef& operator=(const GenericStringRef& rhs) { s = rhs.s; length = rhs.length; }")
file(READ ${RAPIDJSON_INCLUDE_DIR}/rapidjson/document.h document)
string(FIND "${document}" "${assignment}" place)
if(CMAKE_CXX_COMPILER_ID STREQUAL Clang AND NOT place EQUAL -1)
  set(json_include_dir ${CMAKE_CURRENT_BINARY_DIR}/include)
  file(COPY ${RAPIDJSON_INCLUDE_DIR}/rapidjson DESTINATION ${json_include_dir} PATTERN document.h EXCLUDE)
  string(REPLACE "${assignment}" "GenericStringRef& operator=(const GenericStringRef& rhs) = delete;" document "${document}")
  file(WRITE ${json_include_dir}/rapidjson/document.h.new "${document}")
  file(COPY_FILE ${json_include_dir}/rapidjson/document.h.new ${json_include_dir}/rapidjson/document.h ONLY_IF_DIFFERENT)
endif()
