// Data of real producers. It is kept outside the tree (`../shared` or HKPD_SHARED_DIR): a clone of this repository
// comes without it. Whether a test runs then is decided by its fixture, here:
//
// - `SharedDir` skips its tests, with one reason for all: what they state is true of the real bytes alone. If the
//   environment has HKPD_REQUIRE_SHARED=1, as in CI, they fail.
// - `WindowsData` uses files that the tests' builders make from facts about the real ones: the same machines, counters,
//   processes and times, so that most statements hold of both.
//
// The names of their test suites begin with `Real` and `Windows`: ctest labels those `shared` (tests/CMakeLists.txt).
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <string_view>

#include "base/path.hpp"

namespace hkpd_test {

/// Returns the folder of the real data: HKPD_SHARED_DIR in the environment, otherwise that of the build.
std::filesystem::path shared_folder();

/// Returns that folder, or if it is missing one with made files under the same names; makes them if necessary. Fails
/// the test if the real data is required.
std::filesystem::path windows_folder();

/// Base class of tests of real data.
class SharedDir : public testing::Test {
  protected:
    void SetUp() override;

    /// Returns the path of a file there, in the form that the library and the command take.
    std::string path(std::string_view name) const { return hkpd::path_text(folder_ / name); }

    std::filesystem::path folder_ = shared_folder();
};

/// Base class of tests of the logs of Windows, their blobs and titles, real or made.
class WindowsData : public testing::Test {
  protected:
    void SetUp() override;

    std::string path(std::string_view name) const { return hkpd::path_text(folder_ / name); }

    std::filesystem::path folder_ = windows_folder();
};

}  // namespace hkpd_test
