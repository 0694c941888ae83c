// Properties of every input, whatever reads it: no byte is read outside it, it costs no more time and memory than
// allowed, and every reported fault lies in it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <source_location>
#include <span>
#include <string_view>
#include <vector>

#include "cost.hpp"
#include "entry.hpp"
#include "hkpd/bytes.hpp"
#include "hkpd/diagnostics.hpp"
#include "hkpd/error.hpp"
#include "hkpd/limits.hpp"
#include "hkpd/names.hpp"
#include "names/local_titles.hpp"

namespace hkpd_fuzz {

/// Small enough that an input that asks for much more than it holds is noticeably slow or large.
inline constexpr hkpd::Limits small_limits{
    .values = 20'000, .bytes = 1U << 20U, .chunk = 1U << 18U, .title_bytes = 1U << 20U, .series = 5'000};

/// The properties and limits of one input. Every input gets the cheap properties, and limits in proportion to its size.
/// The expensive properties (repeating, another alignment, all forms of output, `small_limits`) are for every input
/// too, unless HKPD_FUZZ_SHARE in the environment is a number N: then for one input in N. `tests/fuzz.sh` sets it; a
/// replay does not, and has every property.
class Effort {
  public:
    Effort(const std::uint8_t* data, std::size_t size)
        : number_(std::hash<std::string_view>{}({reinterpret_cast<const char*>(data), size})),
          thorough_(number_ % share() == 0) {
        constexpr std::uint64_t least_values = 256;
        if (!thorough_) limits_.values = std::min(limits_.values, least_values + 2 * size);
    }

    bool thorough() const noexcept { return thorough_; }
    const hkpd::Limits& limits() const noexcept { return limits_; }
    /// Returns whether choice `i` of `count` is due: all of them if the input gets everything, else one, always the
    /// same for one input.
    bool takes(std::size_t i, std::size_t count) const noexcept { return thorough_ || number_ / 4096 % count == i; }

  private:
    static std::uint64_t share() noexcept {
        static const std::uint64_t every = [] {
            const char* const set = std::getenv("HKPD_FUZZ_SHARE");
            return std::max<std::uint64_t>(set == nullptr ? 1 : std::strtoull(set, nullptr, 10), 1);
        }();
        return every;
    }

    std::uint64_t number_;
    bool thorough_;
    hkpd::Limits limits_ = small_limits;
};

/// The input on the heap in a buffer of exactly its size, so that a sanitizer notices a read past the end; with
/// `before` bytes in front, so that two copies have different alignments.
class ExactCopy {
  public:
    explicit ExactCopy(std::span<const std::byte> input, std::size_t before = 0)
        : memory_(before + input.size()), bytes_(std::span(memory_).subspan(before)) {
        std::ranges::copy(input, memory_.begin() + static_cast<std::ptrdiff_t>(before));
    }
    ExactCopy(const ExactCopy&) = delete;
    ExactCopy& operator=(const ExactCopy&) = delete;
    hkpd::Bytes bytes() const noexcept { return bytes_; }

  private:
    std::vector<std::byte> memory_;
    hkpd::Bytes bytes_;
};

/// Requires that the place of every kept diagnostic that has one is in the input.
inline void require_places(const hkpd::Diagnostics& diagnostics, std::uint64_t end,
                           std::source_location place = std::source_location::current()) {
    for (const hkpd::Diagnostic& diagnostic : diagnostics.kept())
        require(!has_place(diagnostic.error.code) || diagnostic.error.offset <= end, place);
}

/// Makes the tables that a program makes once, for the first input that needs them. Returns true.
inline bool make_tables() {
    static const bool made = [] {
        hkpd::TitleTable german;
        german.add(4, "Arbeitsspeicher");
        return hkpd::local_language(german) == "German";
    }();
    return made;
}

/// Limits the cost of reading an input, from construction to the end of the scope: proportional to its bytes and to the
/// values that `Limits` allow; the time also to `passes`. The most expensive inputs so far take a tenth of it, with
/// AddressSanitizer. Tables that are made once are no part of it.
class Budget {
  public:
    Budget(std::size_t bytes, std::uint64_t values, unsigned passes,
           std::source_location place = std::source_location::current())
        : size_(bytes + values), passes_(passes), place_(place) {}
    Budget(const Budget&) = delete;
    Budget& operator=(const Budget&) = delete;
    ~Budget() {
        constexpr double seconds = 0.1, seconds_of_one = 5e-7;
        constexpr std::uint64_t memory = 1U << 20U, memory_of_one = 512;
        require(has_tables_, place_);
        require(cost_.seconds() <= seconds + seconds_of_one * static_cast<double>(size_) * passes_, place_);
        require(cost_.memory() <= memory + memory_of_one * size_, place_);
    }

  private:
    bool has_tables_ = make_tables();
    std::uint64_t size_;
    unsigned passes_;
    std::source_location place_;
    Cost cost_;  // the last member: what the others cost does not count
};

}  // namespace hkpd_fuzz
