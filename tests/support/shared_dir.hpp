// Real data that is kept outside the tree (`HKPD_SHARED_DIR`): tests that need it are skipped if it is missing, and
// fail if the environment has HKPD_REQUIRE_SHARED=1.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/path.hpp"
#include "support/places.hpp"

namespace hkpd_test {

/// Base class of the tests that read it.
class SharedDir : public testing::Test {
  protected:
    void SetUp() override {
        if (std::filesystem::exists(folder_)) return;
        const char* const required = std::getenv("HKPD_REQUIRE_SHARED");
        if (required != nullptr && std::string_view(required) == "1") FAIL() << folder_ << " is missing";
        GTEST_SKIP() << folder_ << " is missing";
    }

    /// Returns the path of a file there, in the form that the library and the command take.
    std::string path(std::string_view name) const { return hkpd::path_text(folder_ / name); }

    std::filesystem::path folder_ = shared_folder;
};

}  // namespace hkpd_test
