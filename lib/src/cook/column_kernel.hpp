// Cooks rows of one column. Some operands come from clocks. If these operands are the same for all rows, they are
// computed once. Otherwise, each row is cooked by itself.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "cook/arithmetic.hpp"
#include "cook/formula.hpp"
#include "cook/operands.hpp"
#include "hkpd/cook.hpp"

namespace hkpd {

/// The readings of a column in the previous and the current sample, and the destination of the results. The first
/// elements of `values` and `reasons` are for row `first`.
template <Formula F>
class ColumnCook {
  public:
    ColumnCook(const Arithmetic& arithmetic, const Operands& before, const Operands& now, std::size_t first,
               std::span<double> values, std::span<Reason> reasons) noexcept
        : arithmetic_(arithmetic),
          before_(before),
          now_(now),
          first_(first),
          values_(values),
          reasons_(reasons),
          uniform_(now.uniform() && (!takes_two_samples(F) || before.uniform())) {
        if (uniform_) interval_ = arithmetic_.template interval<F>(before.common(), now.common());
    }

    /// Stores `no_value` and a reason as the results of `count` rows, beginning with `row`. The previous sample does
    /// not have these rows. The reason is the fault of the current reading if the reading has a fault, otherwise
    /// `reason`.
    void set_missing(std::size_t row, std::size_t count, Reason reason) const noexcept {
        for (std::size_t i = row; i < row + count; ++i) {
            const Reason fault = uniform_ ? Reason::none : now_[i].fault;
            put(i, {no_value, fault == Reason::none ? reason : fault});
        }
    }

    /// Cooks `count` rows. They begin at `row` in the current sample, and at `old` in the previous one.
    void compare(std::size_t row, std::size_t old, std::size_t count) const noexcept {
        if (!uniform_) {
            for (std::size_t i = 0; i < count; ++i) put(row + i, cook_one(row + i, old + i));
            return;
        }
        std::size_t done = 0;
        if constexpr (is_plain(F)) {
            if (interval_.fault == Reason::none && count >= block && !arithmetic_.limits(F)) {
                for (; done + block <= count; done += block) cook_block(row + done, old + done);
                // The last block may overlap the block before it. Rows in both are cooked twice, with the same result.
                if (done < count) cook_block(row + count - block, old + count - block);
                return;
            }
        }
        cook_uniform(row, old, count);
    }

  private:
    static constexpr std::size_t block = 16;

    void put(std::size_t row, CookedValue value) const noexcept {
        values_[row - first_] = value.value;
        reasons_[row - first_] = value.reason;
    }

    /// Returns the cooked value of one row. Unlike `cook_uniform`, reads all operands of the row, including clock and
    /// frequency, and checks whether they are valid.
    CookedValue cook_one(std::size_t row, std::size_t old) const noexcept {
        const Reading now = now_[row];
        if (now.fault != Reason::none) return {no_value, now.fault};
        if constexpr (!takes_two_samples(F)) return arithmetic_.template apply<F>(now, now);
        const Reading before = before_[old];
        return before.fault != Reason::none ? CookedValue{no_value, before.fault}
                                            : arithmetic_.template apply<F>(before, now);
    }

    /// Cooks rows whose readings differ only in value and base.
    void cook_uniform(std::size_t row, std::size_t old, std::size_t count) const noexcept {
        Reading before = before_.common(), now = now_.common();
        const Arithmetic arithmetic = arithmetic_;
        const Interval interval = interval_;
        for (std::size_t i = 0; i < count; ++i) {
            now.value = now_.values()[row + i];
            if constexpr (takes_base(F)) now.base = now_.bases()[row + i];
            if constexpr (takes_two_samples(F)) before.value = before_.values()[old + i];
            if constexpr (takes_two_samples(F) && takes_base(F)) before.base = before_.bases()[old + i];
            put(row + i, arithmetic.template apply<F>(interval, before, now));
        }
    }

    /// Cooks a block of rows as `cook_uniform` does, but only for a plain formula. Compilers vectorize the loop, as the
    /// loop has no branches on values. The loop assumes that counts are below 2^52, as they nearly always are. If any
    /// count is 2^52 or more, the block is cooked again by `cook_uniform`.
    void cook_block(std::size_t row, std::size_t old) const noexcept {
        const Arithmetic arithmetic = arithmetic_;
        const Interval interval = interval_;
        const auto now = now_.values().subspan(row).first<block>();
        const auto before = before_.values().subspan(old).first<block>();
        const auto values = values_.subspan(row - first_).template first<block>();
        std::uint64_t bits = 0, bits_before = 0;
        for (std::size_t i = 0; i < block; ++i) {
            std::uint64_t counted = now[i];
            if constexpr (takes_two_samples(F)) {
                // If the earlier value is below 2^63 and the counter went backwards, this difference is above 2^63. A
                // difference below 2^52 is therefore a real increase.
                counted -= before[i];
                bits_before |= before[i];
            }
            bits |= counted;
            values[i] = arithmetic.template plain<F>(small_number(counted), interval);
        }
        if (bits >= small_end || bits_before >= large_begin)
            cook_uniform(row, old, block);
        else
            std::ranges::fill(reasons_.subspan(row - first_).template first<block>(), Reason::none);
    }

    static constexpr std::uint64_t small_end = std::uint64_t{1} << 52, large_begin = std::uint64_t{1} << 63;
    /// Converts a number below 2^52 exactly, by forming the bits of 2^52 + number and subtracting 2^52.
    static double small_number(std::uint64_t number) noexcept {
        constexpr double offset = 0x1p52;
        return std::bit_cast<double>(number | std::bit_cast<std::uint64_t>(offset)) - offset;
    }

    const Arithmetic& arithmetic_;
    const Operands &before_, &now_;
    std::size_t first_;
    std::span<double> values_;
    std::span<Reason> reasons_;
    bool uniform_;
    Interval interval_;
};

}  // namespace hkpd
