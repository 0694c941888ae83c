// Where the tests find the files that they read and run, and how the library was built. Defined in one source,
// places.cpp: with a path in every compile command, each clone would compile all tests again, whatever is in a compiler
// cache.
#pragma once

namespace hkpd_test {

extern const char* const built_shared_folder;  ///< real data that is kept outside the tree: see shared_dir.hpp
extern const char* const made_data_folder;     ///< data in its place, made by the tests
extern const char* const testdata_folder;      ///< test data of the tree
extern const char* const command_file;         ///< the hkpd command; empty if it is not built
extern const char* const example_file;         ///< tools/examples/processor_time.cpp; empty if it is not built

extern const bool optimized;  ///< the library is built as shipped, so that its speed may be tested (not under Wine)

}  // namespace hkpd_test
