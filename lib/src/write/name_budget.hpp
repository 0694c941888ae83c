// The bytes of names that an output may contain.
#pragma once

#include <cstdint>

#include "hkpd/diagnostics.hpp"

namespace hkpd {

/// Counts the bytes of names in the output of a run. Names are repeated for each value, so their limit grows with the
/// input. On real machines, a block makes the output contain less than 20 bytes of names for each byte of the block.
class NameBudget {
  public:
    /// `limit`: number of bytes that are allowed whatever the size of the input.
    explicit NameBudget(std::uint64_t limit) noexcept : limit_(limit), allowed_(limit) {}

    /// Raises the limit by what an input of `bytes` bytes may add.
    void add_input(std::uint64_t bytes) noexcept {
        constexpr std::uint64_t bytes_per_byte = 64;
        allowed_ += bytes * bytes_per_byte;
    }
    bool fits(std::uint64_t bytes) const noexcept { return bytes <= allowed_ - used_; }
    /// Counts names, as used if they fit, otherwise as left out. Returns whether they fit.
    bool take(std::uint64_t bytes) noexcept {
        const bool fit = fits(bytes);
        (fit ? used_ : left_out_) += bytes;
        return fit;
    }
    /// Begins again, for the same input.
    void restart() noexcept { *this = NameBudget(limit_); }
    /// Reports the error `name_limit` if any names were left out.
    void report(Diagnostics& diagnostics) const {
        if (left_out_ != 0)
            diagnostics.add(Severity::error, {Errc::name_limit, 0, "", "", used_ + left_out_, allowed_});
    }

  private:
    std::uint64_t limit_, allowed_, used_ = 0, left_out_ = 0;
};

}  // namespace hkpd
