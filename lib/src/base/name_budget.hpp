// The limit on the bytes of names in an output.
#pragma once

#include <cstdint>

#include "hkpd/diagnostics.hpp"

namespace hkpd {

/// A count of the bytes of names in the output of a run, with a limit. The limit grows with the size of the input,
/// because names are repeated for each value. On real machines, the output has fewer than 20 bytes of names for each
/// byte of a block.
class NameBudget {
  public:
    /// `limit`: number of bytes of names that are allowed in addition to those that `add_input` allows.
    explicit NameBudget(std::uint64_t limit) noexcept : limit_(limit), allowed_(limit) {}

    /// Raises the limit for an input of `bytes` bytes.
    void add_input(std::uint64_t bytes) noexcept {
        constexpr std::uint64_t bytes_per_byte = 64;
        allowed_ += bytes * bytes_per_byte;
    }
    bool fits(std::uint64_t bytes) const noexcept { return bytes <= allowed_ - used_; }
    /// Counts `bytes` bytes of names: as used if the limit allows them, otherwise as left out. Returns whether the
    /// limit allows them.
    bool take(std::uint64_t bytes) noexcept {
        const bool fit = fits(bytes);
        (fit ? used_ : left_out_) += bytes;
        return fit;
    }
    /// Resets the counts and the limit, because the same input is read again.
    void restart() noexcept { *this = NameBudget(limit_); }
    /// Reports the error `name_limit` if any names were left out.
    void report(Diagnostics& diagnostics) const {
        if (left_out_ != 0) diagnostics.add({Errc::name_limit, 0, "", "", allowed_, used_ + left_out_});
    }

  private:
    std::uint64_t limit_, allowed_, used_ = 0, left_out_ = 0;
};

}  // namespace hkpd
