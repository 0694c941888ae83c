// Damages a good blob in every place, one at a time, and has a reader walk each result: it must not crash, must not
// point outside the input, and must still deliver every object that the damage has not touched.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "support/blob_builder.hpp"
#include "hkpd/bytes.hpp"
#include "hkpd/error.hpp"

namespace hkpd_test {

/// What a reader delivered: all that it knows of each object, by title index.
using Delivered = std::map<std::uint32_t, std::string>;

/// Opens, validates and reads everything in the input.
using Walker = std::function<Delivered(hkpd::Bytes, hkpd::Diagnostics&)>;

/// One blob, whose objects have different title indices and no byte between them, and one reader. Stops at the first
/// damage that shows a fault.
class MutationSweep {
  public:
    MutationSweep(blob::Blob blob, Walker walker) : blob_(std::move(blob)), walker_(std::move(walker)) {
        hkpd::Diagnostics diagnostics;
        whole_ = walker_(hkpd::Bytes(blob_.bytes()), diagnostics);
        EXPECT_EQ(diagnostics.count(hkpd::Severity::error), 0U) << "the blob is not good to begin with";
        EXPECT_EQ(whole_.size(), blob_.object_count());
    }

    /// Every length below the whole. Objects that are complete are delivered.
    void truncate_everywhere() const {
        for (std::size_t size = 0; size < blob_.size() && !testing::Test::HasFailure(); ++size) {
            SCOPED_TRACE("cut to " + std::to_string(size) + " bytes");
            const Delivered delivered = walk_copy(blob_.bytes().first(size), size, 0);
            for (std::size_t k = 0; k < blob_.object_count(); ++k)
                if (blob_.object_end(k) <= size) expect_untouched(delivered, k);
        }
    }

    /// Every byte changed to each of the values that turn signs, lengths and counts around.
    void change_every_byte() const {
        for (std::size_t at = 0; at < blob_.size(); ++at)
            for (const unsigned value : {0x00u, 0x7Fu, 0x80u, 0xFFu}) {
                if (testing::Test::HasFailure()) return;
                SCOPED_TRACE("byte " + std::to_string(at) + " is " + std::to_string(value));
                change_byte(at, static_cast<std::byte>(value));
            }
    }

  private:
    /// The reader sees a buffer on the heap of just this size, so that a sanitizer sees one byte over.
    Delivered walk_copy(std::span<const std::byte> bytes, std::size_t at, std::size_t changed,
                        std::byte value = {}) const {
        const auto copy = std::make_unique<std::byte[]>(bytes.size());
        std::ranges::copy(bytes, copy.get());
        std::fill_n(copy.get() + at, changed, value);
        const hkpd::Bytes input(std::span<const std::byte>(copy.get(), bytes.size()));
        hkpd::Diagnostics diagnostics;
        const auto start = std::chrono::steady_clock::now();
        Delivered delivered = walker_(input, diagnostics);
        EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(2));
        for (const hkpd::Diagnostic& diagnostic : diagnostics.kept())
            EXPECT_LE(diagnostic.error.offset, input.size()) << hkpd::code_name(diagnostic.error.code);
        return delivered;
    }

    void change_byte(std::size_t at, std::byte value) const {
        const Delivered delivered = walk_copy(blob_.bytes(), at, 1, value);
        if (at < blob_.object(0)) return;  // the header is no object
        for (std::size_t k = 0; k < blob_.object_count(); ++k) {
            const bool touched = at >= blob_.object(k) && at < blob_.object_end(k);
            if (!touched) expect_untouched(delivered, k);
        }
    }

    void expect_untouched(const Delivered& delivered, std::size_t k) const {
        const std::uint32_t title = blob_.get32(blob_.object(k) + blob::object_type::ObjectNameTitleIndex);
        const auto found = delivered.find(title);
        ASSERT_NE(found, delivered.end()) << "object " << title << " is lost";
        EXPECT_EQ(found->second, whole_.at(title)) << "object " << title << " is not the same";
    }

    blob::Blob blob_;
    Walker walker_;
    Delivered whole_;
};

}  // namespace hkpd_test
