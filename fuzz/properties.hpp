// Properties that hold for every input, whatever reads it: no byte is read outside it, it costs no more time and memory
// than it may, and every fault that is reported lies in it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <source_location>
#include <span>
#include <vector>

#include "cost.hpp"
#include "entry.hpp"
#include "hkpd/bytes.hpp"
#include "hkpd/diagnostics.hpp"
#include "hkpd/error.hpp"
#include "hkpd/limits.hpp"

namespace hkpd_fuzz {

/// Small enough that an input which asks for much more than it holds is slow or large beside what it may be.
inline constexpr hkpd::Limits small_limits{
    .values = 20'000, .bytes = 1U << 20U, .chunk = 1U << 18U, .title_bytes = 1U << 20U, .series = 5'000};

/// The input on the heap in a buffer of just its size, so that a sanitizer sees a byte over; with `before` bytes ahead
/// of it, so that two copies are aligned differently.
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

/// Every kept diagnostic that is about a place is about one of the input.
inline void require_places(const hkpd::Diagnostics& diagnostics, std::uint64_t end,
                           std::source_location place = std::source_location::current()) {
    for (const hkpd::Diagnostic& diagnostic : diagnostics.kept())
        require(!has_place(diagnostic.error.code) || diagnostic.error.offset <= end, place);
}

/// What reading an input may cost, from here to the end of the scope: proportional to its bytes and to the values that
/// `Limits` allow; `passes` times, where time is meant. The dearest inputs so far take a tenth of it, with
/// AddressSanitizer.
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
        require(cost_.seconds() <= seconds + seconds_of_one * static_cast<double>(size_) * passes_, place_);
        require(cost_.memory() <= memory + memory_of_one * size_, place_);
    }

  private:
    std::uint64_t size_;
    unsigned passes_;
    std::source_location place_;
    Cost cost_;
};

}  // namespace hkpd_fuzz
