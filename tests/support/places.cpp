#include "support/places.hpp"

namespace hkpd_test {

const char* const built_shared_folder = HKPD_SHARED_DIR;
const char* const made_data_folder = HKPD_MADE_DATA_DIR;
const char* const testdata_folder = HKPD_TESTDATA_DIR;
const char* const command_file = HKPD_COMMAND;
const char* const example_file = HKPD_EXAMPLE;

#if defined(__OPTIMIZE__) && !defined(HKPD_SANITIZED) && !defined(_WIN32)
const bool optimized = true;
#else
const bool optimized = false;
#endif

}  // namespace hkpd_test
