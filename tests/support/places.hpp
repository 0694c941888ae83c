// Where the tests find what they read and run, and how that was built. In one source, places.cpp: a path that stood in
// every compile command would make each clone compile all tests anew, whatever a compiler cache holds.
#pragma once

namespace hkpd_test {

extern const char* const shared_folder;    ///< real data that stays outside of the tree
extern const char* const testdata_folder;  ///< the tree's own
extern const char* const command_file;     ///< the hkpd command; empty where it is not built
extern const char* const example_file;     ///< tools/examples/processor_time.cpp, likewise

extern const bool optimized;  ///< the library is as it is shipped, so that its speed may be judged (not under Wine)

}  // namespace hkpd_test
