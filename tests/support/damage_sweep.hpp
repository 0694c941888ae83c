// Damages a valid input in every place, one at a time, and has a walker read each result: truncated to every length,
// every byte changed, pairs of fields at extremes, random bytes. The walker checks the properties of each result.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <functional>
#include <limits>
#include <memory>
#include <numeric>
#include <ostream>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "hkpd/bytes.hpp"
#include "hkpd/diagnostics.hpp"
#include "hkpd/error.hpp"

namespace hkpd_test {

/// A damage: the bytes from `begin` to `end` of an input were changed or removed.
struct Damage {
    enum class Kind : std::uint8_t { none, cut, bytes, fields };
    Kind kind = Kind::none;
    std::size_t begin = 0, end = 0;

    /// Returns whether the damage overlaps a structure.
    bool touches(std::size_t first, std::size_t last) const { return begin < last && first < end; }
};

/// Reads a whole input: first the valid one, which it keeps for comparison, then the damaged ones.
class Walker {
  public:
    Walker() = default;
    Walker(const Walker&) = delete;
    Walker& operator=(const Walker&) = delete;
    virtual ~Walker() = default;

    /// Returns what is wrong; empty if nothing is.
    virtual std::string complaint(hkpd::Bytes input, const Damage& damage) = 0;
    /// Returns what is wrong with the sweep as a whole, after this number of inputs.
    virtual std::string complaint_at_end(std::size_t /*inputs*/) { return {}; }
};

inline bool offset_is_inside(const hkpd::Error& error, hkpd::Bytes input) {
    return error.offset >= input.offset() && error.offset <= input.end();
}
inline bool offsets_are_inside(const hkpd::Diagnostics& diagnostics, hkpd::Bytes input) {
    return std::ranges::all_of(diagnostics.kept(),
                               [&](const auto& found) { return offset_is_inside(found.error, input); });
}

/// Ways to damage an input.
namespace damages {
enum : unsigned {
    cuts = 1,
    bytes = 2,       ///< set to the values that affect signs, lengths and counts
    all_values = 4,  ///< of every byte
    random_changes = 8
};
}

/// A row of a table of sweeps. With several parts, the row is one of them and damages every `parts`th place: ctest runs
/// the parts in parallel.
struct SweepRow {
    std::string name;
    std::function<std::vector<std::byte>()> input;
    std::function<std::unique_ptr<Walker>()> walker;
    unsigned ways = damages::cuts | damages::bytes;
    std::size_t part = 0, parts = 1;
    std::vector<std::size_t> (*fields)(hkpd::Bytes) = nullptr;  ///< pairs of these are set to extremes

    friend void PrintTo(const SweepRow& row, std::ostream* out) { *out << row.name; }
};

/// A walker without state.
template <auto complaint_of>
class PlainWalker final : public Walker {
  public:
    std::string complaint(hkpd::Bytes input, const Damage& damage) override { return complaint_of(input, damage); }
};
template <class W>
std::unique_ptr<Walker> make_walker() {
    return std::make_unique<W>();
}

/// Runs one row. Stops at the first damage that reveals a fault.
class DamageSweep {
  public:
    explicit DamageSweep(const SweepRow& row) : row_(row) {}

    void run() {
        ASSERT_FALSE(good_.empty());
        if (!walk({})) return;
        damage_everywhere();
        EXPECT_EQ(walker_->complaint_at_end(inputs_), "") << "after " << inputs_ << " inputs";
        testing::Test::RecordProperty("inputs", std::to_string(inputs_));
    }

  private:
    void damage_everywhere() {
        std::vector<unsigned> all(256);
        std::iota(all.begin(), all.end(), 0U);
        if ((row_.ways & damages::cuts) != 0) cut_everywhere();
        if ((row_.ways & damages::bytes) != 0) change_every_byte({0x00, 0x01, 0x7F, 0x80, 0xFF});
        if ((row_.ways & damages::all_values) != 0) change_every_byte(all);
        if ((row_.ways & damages::random_changes) != 0) change_random_bytes(1000);
        if (row_.fields != nullptr) set_every_pair(row_.fields(hkpd::Bytes(good_)));
    }

    /// Truncates the input to every shorter length.
    void cut_everywhere() {
        for (std::size_t size = row_.part; size < good_.size(); size += row_.parts)
            if (!walk({Damage::Kind::cut, size, std::numeric_limits<std::size_t>::max()})) return;
    }

    void change_every_byte(const std::vector<unsigned>& values) {
        for (std::size_t at = row_.part; at < good_.size(); at += row_.parts) {
            for (const unsigned value : values) {
                damaged_[at] = static_cast<std::byte>(value);
                if (damaged_[at] != good_[at] && !walk({Damage::Kind::bytes, at, at + 1})) return;
            }
            damaged_[at] = good_[at];
        }
    }

    /// Changes up to 12 bytes at random places.
    void change_random_bytes(int rounds) {
        std::mt19937 random(1);
        const auto below = [&](std::size_t end) { return static_cast<std::size_t>(random()) % end; };
        for (int round = 0; round < rounds; ++round) {
            damaged_ = good_;
            for (std::size_t n = below(12) + 1; n > 0; --n)
                damaged_[below(damaged_.size())] = static_cast<std::byte>(below(256));
            if (!walk({Damage::Kind::bytes, 0, good_.size()})) return;
        }
        damaged_ = good_;
    }

    /// Sets each pair of these fields of four bytes, little endian, to each pair of extremes.
    void set_every_pair(const std::vector<std::size_t>& fields) {
        ASSERT_GT(fields.size(), 50U);
        const auto size = static_cast<std::uint32_t>(good_.size());
        const std::array<std::uint32_t, 9> extremes{0,           1,        7,    0x7FFF'FFFF, 0x8000'0000,
                                                    0xFFFF'FFFF, size - 1, size, size + 1};
        for (std::size_t a = row_.part; a < fields.size(); a += row_.parts)
            for (std::size_t b = 0; b < a; ++b) {
                for (const std::uint32_t first : extremes)
                    for (const std::uint32_t second : extremes) {
                        put(fields[a], first);
                        put(fields[b], second);
                        if (!walk({Damage::Kind::fields, fields[b], fields[a] + 4})) return;
                    }
                damaged_ = good_;
            }
    }

    void put(std::size_t at, std::uint32_t value) {
        for (std::size_t i = 0; i < 4; ++i) damaged_[at + i] = static_cast<std::byte>(value >> 8 * i & 0xFF);
    }

    /// Walks a copy on the heap of exactly the input's size, so that a sanitizer notices a read past the end and views
    /// of an earlier input. Returns false from the first fault on.
    bool walk(const Damage& damage) {
        const std::size_t size = damage.kind == Damage::Kind::cut ? damage.begin : damaged_.size();
        const auto copy = std::make_unique_for_overwrite<std::byte[]>(size);
        if (size != 0) std::memcpy(copy.get(), damaged_.data(), size);
        const std::string complaint = walker_->complaint(hkpd::Bytes({copy.get(), size}), damage);
        if (++inputs_ % inputs_per_look == 0) look_at_clock();
        if (complaint.empty() && !testing::Test::HasFailure()) return true;
        ADD_FAILURE() << complaint << text_of(damage);
        return false;
    }

    std::string text_of(const Damage& damage) const {
        if (damage.kind == Damage::Kind::cut) return ", cut to " + std::to_string(damage.begin) + " bytes";
        std::string text;
        for (std::size_t at = 0; at < good_.size(); ++at)
            if (good_[at] != damaged_[at])
                text += ", byte " + std::to_string(at) + " is " + std::to_string(std::to_integer<int>(damaged_[at]));
        return text;
    }

    /// Checks the processor time, as other programs may be running: two seconds per input, summed over many inputs,
    /// since a machine that stalled for a moment charges that to the running process.
    void look_at_clock() {
        const std::clock_t now = std::clock();
        const std::clock_t spent = now - std::exchange(last_look_, now);
        EXPECT_LT(spent / CLOCKS_PER_SEC, 2 * static_cast<std::clock_t>(inputs_per_look))
            << "seconds for this number of inputs";
    }
    static constexpr std::size_t inputs_per_look = 32;

    const SweepRow& row_;
    std::vector<std::byte> good_ = row_.input(), damaged_ = good_;
    std::unique_ptr<Walker> walker_ = row_.walker();
    std::size_t inputs_ = 0;
    std::clock_t last_look_ = std::clock();
};

}  // namespace hkpd_test
