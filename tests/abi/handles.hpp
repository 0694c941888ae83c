// Handles and structs of the C interface, for its tests.
#pragma once

#include <gtest/gtest.h>
#include <hkpd.h>

#include <cstddef>
#include <string>

namespace hkpd_test {

/// Returns a struct that a function can fill.
template <class Struct>
Struct sized() {
    Struct made{};
    made.struct_size = sizeof made;
    return made;
}

/// A reader that closes itself. Converts to the handle that the functions take.
class Reader {
  public:
    Reader() = default;
    explicit Reader(const std::string& path, const hkpd_options* options = nullptr) {
        const char* const text = path.c_str();
        EXPECT_EQ(hkpd_open(&text, 1, options, &reader_, nullptr), HKPD_OK);
    }
    Reader(const Reader&) = delete;
    Reader& operator=(const Reader&) = delete;
    ~Reader() { hkpd_close(reader_); }

    operator hkpd_reader*() const { return reader_; }
    hkpd_reader** address() { return &reader_; }

    /// Reads all samples and returns their number.
    std::size_t count() const {
        std::size_t found = 0;
        while (hkpd_next(reader_, nullptr) == HKPD_OK) ++found;
        return found;
    }

  private:
    hkpd_reader* reader_ = nullptr;
};

}  // namespace hkpd_test
