// A folder for one test, removed with it.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <string_view>

#include "base/path.hpp"
#include "support/blob_builder.hpp"

namespace hkpd_test {

inline std::string to_text(const blob::Blob& blob) {
    return {reinterpret_cast<const char*>(blob.bytes().data()), blob.size()};
}

inline std::string read_file(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    EXPECT_TRUE(file) << path;
    return {std::istreambuf_iterator<char>(file), {}};
}

/// Returns a file name without the characters that the system does not allow: on Windows control characters, and bytes
/// that are not UTF-8.
inline std::string nameable(std::string name) {
#ifdef _WIN32
    std::erase_if(name, [](unsigned char c) { return c < ' ' || c >= 0x80; });
#endif
    return name;
}

class TempFolder {
  public:
    TempFolder() {
        std::random_device random;
        do path_ = std::filesystem::path(testing::TempDir()) / ("hkpd-test-" + std::to_string(random()));
        while (!std::filesystem::create_directory(path_));
    }
    ~TempFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    TempFolder(const TempFolder&) = delete;
    TempFolder& operator=(const TempFolder&) = delete;

    std::string path(std::string_view name = "") const {
        // A path made of chars would be in Windows' ANSI code page.
        return hkpd::path_text(name.empty() ? path_ : path_ / std::u8string(name.begin(), name.end()));
    }

    /// Writes a file and returns its path; missing folders are made.
    std::string write(std::string_view name, std::string_view content) const {
        const std::filesystem::path path = hkpd::path_of(this->path(name));
        std::filesystem::create_directories(path.parent_path());
        std::ofstream(path, std::ios::binary).write(content.data(), static_cast<std::streamsize>(content.size()));
        return hkpd::path_text(path);
    }
    std::string write(std::string_view name, const blob::Blob& blob) const { return write(name, to_text(blob)); }

  private:
    std::filesystem::path path_;
};

}  // namespace hkpd_test
