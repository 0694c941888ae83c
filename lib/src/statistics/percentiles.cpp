#include "statistics/percentiles.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace hkpd {
namespace {

/// With this shift, the bits of a double that remain are its exponent and the first 6 bits of its fraction: s = 6.
constexpr unsigned finest_shift = 46, fraction_bits = 52;
constexpr unsigned count_bits = 32;
constexpr std::uint64_t sign_bit = std::uint64_t{1} << 63U;
/// Added to numbers of ranges, so that ranges of negative values, whose numbers are negative, come first.
constexpr std::int64_t zero_range = std::int64_t{1} << 31U;

/// Returns the number of the range that contains a value: 0 on for 0 and above, -1 and below for negative values.
std::int64_t range_of(double value, unsigned shift) noexcept {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    const auto magnitude = static_cast<std::int64_t>((bits & ~sign_bit) >> shift);
    return (bits & sign_bit) != 0 ? -1 - magnitude : magnitude;
}

/// Returns the value that represents a range.
double value_of(std::int64_t range, unsigned shift) noexcept {
    const bool negative = range < 0;
    const auto magnitude = static_cast<std::uint64_t>(negative ? -1 - range : range);
    const auto low = std::bit_cast<double>(magnitude << shift);
    auto high = std::bit_cast<double>((magnitude + 1) << shift);
    if (!(high <= std::numeric_limits<double>::max())) high = std::numeric_limits<double>::max();
    // Written so that neither the product nor the sum of two large numbers is too large for a double.
    const double value = low == 0 ? 0 : 2 * (low / (low / high + 1));
    return negative ? -value : value;
}

std::uint64_t entry(std::int64_t range, std::uint64_t count) noexcept {
    return static_cast<std::uint64_t>(range + zero_range) << count_bits | count;
}
std::int64_t range_of(std::uint64_t entry) noexcept {
    return static_cast<std::int64_t>(entry >> count_bits) - zero_range;
}
std::uint64_t values_in(std::uint64_t entry) noexcept { return entry & 0xFFFF'FFFFU; }

unsigned shift_of(std::int8_t level) noexcept { return finest_shift + static_cast<unsigned>(level); }

/// Returns the number of the range of the next level that contains a range.
std::int64_t wider(std::int64_t range) noexcept { return range >> 1U; }

}  // namespace

std::size_t Percentiles::add(double value, std::size_t most) {
    const std::size_t before = entries_.capacity();
    if (level_ == exact && entries_.size() < most) {
        if (entries_.size() == entries_.capacity()) reserve(most);
        entries_.push_back(std::bit_cast<std::uint64_t>(value));
        return (entries_.capacity() - before) * entry_size;
    }
    if (level_ == exact) to_ranges(most);
    count_in_range(value, 1);
    join_ranges(most);
    return entries_.capacity() > before ? (entries_.capacity() - before) * entry_size : 0;
}

void Percentiles::set(std::span<const double> values, double min, double max) {
    entries_.resize(values.size());
    std::ranges::transform(values, entries_.begin(), [](double value) { return std::bit_cast<std::uint64_t>(value); });
    finish(min, max);
}

/// Doubles the memory, as far as `most` allows.
void Percentiles::reserve(std::size_t most) {
    constexpr std::size_t first = 4;
    entries_.reserve(std::min(std::max(first, entries_.capacity() * 2), most));
}

std::size_t Percentiles::shrink(std::size_t most) {
    const std::size_t before = entries_.capacity();
    if (before <= most) return 0;
    if (level_ == exact && entries_.size() > most)
        to_ranges(most);
    else
        join_ranges(most);
    entries_.shrink_to_fit();
    return (before - entries_.capacity()) * entry_size;
}

void Percentiles::to_ranges(std::size_t most) {
    level_ = 0;
    std::ranges::sort(entries_, {}, [](std::uint64_t bits) { return std::bit_cast<double>(bits); });
    std::vector<std::uint64_t> ranges;
    for (const std::uint64_t bits : entries_) {
        const std::int64_t range = range_of(std::bit_cast<double>(bits), finest_shift);
        if (!ranges.empty() && range_of(ranges.back()) == range)
            ++ranges.back();
        else
            ranges.push_back(entry(range, 1));
    }
    ranges.shrink_to_fit();
    entries_.swap(ranges);
    join_ranges(most);
}

void Percentiles::count_in_range(double value, std::uint32_t count) {
    const std::uint64_t key = entry(range_of(value, shift_of(level_)), 0);
    const auto found = std::ranges::lower_bound(entries_, key);
    if (found == entries_.end() || *found >> count_bits != key >> count_bits)
        entries_.insert(found, key | count);
    else if (values_in(*found) <= 0xFFFF'FFFFU - count)
        *found += count;
}

void Percentiles::join_ranges(std::size_t most) {
    while (entries_.size() > std::min(most, most_ranges)) {
        ++level_;
        std::size_t size = 0;
        for (const std::uint64_t old : entries_) {
            const std::int64_t range = wider(range_of(old));
            if (size != 0 && range_of(entries_[size - 1]) == range)
                entries_[size - 1] =
                    entry(range, std::min<std::uint64_t>(values_in(entries_[size - 1]) + values_in(old), 0xFFFF'FFFFU));
            else
                entries_[size++] = entry(range, values_in(old));
        }
        entries_.resize(size);
    }
}

double Percentiles::error() const noexcept {
    if (level_ == exact) return 0;
    constexpr int finest = static_cast<int>(fraction_bits - finest_shift);
    const int s = finest - level_;
    if (s >= 0) return 1 / (std::ldexp(1, s + 1) + 1);
    const double ratio = std::exp2(std::ldexp(1, -s));  // of the ends of a range; infinite if it has all numbers
    return std::isfinite(ratio) ? (ratio - 1) / (ratio + 1) : 1;
}

/// Returns the value with this number in ascending order, counted from 0. The entries must be ranges.
double Percentiles::at_rank(std::uint64_t rank) const noexcept {
    std::uint64_t before = 0;
    for (const std::uint64_t each : entries_) {
        before += values_in(each);
        if (rank < before) return value_of(range_of(each), shift_of(level_));
    }
    return entries_.empty() ? 0 : value_of(range_of(entries_.back()), shift_of(level_));
}

void Percentiles::at(std::span<const std::uint64_t> percents, double min, double max, std::span<double> result) {
    std::uint64_t count = entries_.size();
    if (level_ != exact) {
        count = 0;
        for (const std::uint64_t each : entries_) count += values_in(each);
    }
    const auto value = [](std::uint64_t bits) { return std::bit_cast<double>(bits); };
    constexpr std::uint64_t hundred = 100;
    auto sorted = entries_.begin();  // the values before it are the smallest
    for (std::size_t i = 0; i < result.size(); ++i) {
        const std::uint64_t place = percents[i] * (count - 1), rank = place / hundred, part = place % hundred;
        double low = 0, high = 0;
        if (level_ == exact) {
            const auto at = entries_.begin() + static_cast<std::ptrdiff_t>(rank);
            std::ranges::nth_element(sorted, at, entries_.end(), {}, value);
            sorted = at;
            low = value(*at);
            high = rank + 1 < count ? value(*std::ranges::min_element(at + 1, entries_.end(), {}, value)) : low;
        } else {
            low = std::clamp(at_rank(rank), min, max);
            high = std::clamp(at_rank(std::min(rank + 1, count - 1)), min, max);
        }
        // As in Python's statistics.quantiles, for equal results to the last bit.
        result[i] = (low * static_cast<double>(hundred - part) + high * static_cast<double>(part)) / hundred;
    }
}

Percentiles::Result Percentiles::finish(double min, double max) {
    Result result{min, min, min};
    if (!finished_) {
        constexpr std::array<std::uint64_t, 3> percents{50, 95, 99};
        if (!entries_.empty()) at(percents, min, max, result);
        entries_.assign({std::bit_cast<std::uint64_t>(result[0]), std::bit_cast<std::uint64_t>(result[1]),
                         std::bit_cast<std::uint64_t>(result[2])});
        entries_.shrink_to_fit();
        finished_ = true;
    }
    for (std::size_t i = 0; i < result.size(); ++i) result[i] = std::bit_cast<double>(entries_[i]);
    return result;
}

}  // namespace hkpd
