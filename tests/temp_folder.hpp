// A folder of one test's own, gone with it.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "blob_builder.hpp"

namespace hkpd_test {

inline std::string to_text(const blob::Blob& blob) {
    return {reinterpret_cast<const char*>(blob.bytes().data()), blob.size()};
}

inline std::string read_file(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    EXPECT_TRUE(file) << path;
    return {std::istreambuf_iterator<char>(file), {}};
}

class TempFolder {
  public:
    TempFolder() {
        std::string name = testing::TempDir() + "/hkpd-test-XXXXXX";
        if (mkdtemp(name.data()) == nullptr) throw std::filesystem::filesystem_error(name, {});
        path_ = name;
    }
    ~TempFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    TempFolder(const TempFolder&) = delete;
    TempFolder& operator=(const TempFolder&) = delete;

    std::string path(std::string_view name = "") const { return name.empty() ? path_ : path_ / name; }

    /// Writes a file and says where it is; folders on the way are made.
    std::string write(std::string_view name, std::string_view content) const {
        const std::filesystem::path path = path_ / name;
        std::filesystem::create_directories(path.parent_path());
        std::ofstream(path, std::ios::binary).write(content.data(), static_cast<std::streamsize>(content.size()));
        return path;
    }
    std::string write(std::string_view name, const blob::Blob& blob) const { return write(name, to_text(blob)); }

  private:
    std::filesystem::path path_;
};

}  // namespace hkpd_test
