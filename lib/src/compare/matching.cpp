#include "compare_values.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace hkpd {
namespace {

std::optional<std::uint64_t> raw_number(const KeptColumn& column, std::size_t row) noexcept {
    if (column.storage != Storage::number || !column.sound(row)) return std::nullopt;
    return column.values[row];
}

/// What is damaged equals nothing, not even what is damaged too: nothing was seen to be equal.
bool same_raw(const KeptObject& v1, const KeptColumn& a, std::size_t i, const KeptObject& v2, const KeptColumn& b,
              std::size_t j, double tolerance) noexcept {
    if (!a.sound(i) || !b.sound(j) || (a.storage == Storage::number) != (b.storage == Storage::number)) return false;
    if (a.storage != Storage::number) return v1.bytes(a, i) == v2.bytes(b, j);
    return tolerance > 0 || a.values[i] == b.values[j];
}

bool same_cooked(double a, Reason a_reason, double b, Reason b_reason, double tolerance) noexcept {
    const bool both = !std::isnan(a) && !std::isnan(b);
    if (tolerance > 0 && both) {
        constexpr double percent = 0.01;
        return a == b || std::abs(a - b) <= tolerance * percent * std::max(std::abs(a), std::abs(b));
    }
    if (a_reason != b_reason) return false;
    return both ? std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b) : std::isnan(a) == std::isnan(b);
}

std::optional<double> value_of(double cooked) noexcept {
    return std::isnan(cooked) ? std::nullopt : std::optional(cooked);
}

}  // namespace

void compare_values(ComparedCounter& found, const KeptObject& v1, const KeptColumn& v1_column, const KeptObject& v2,
                    const KeptColumn& v2_column, const PlacePairs& rows, const ComparedMoment& moment) {
    const bool displayable = is_displayable(v1_column.type) || is_displayable(v2_column.type);
    const bool takes_two = needs_two_samples(v1_column.type) || needs_two_samples(v2_column.type);
    // V1 knows no attributes: what they make of a cooked value is no difference of the doors.
    constexpr std::uint64_t changing = v2::attribute::no_displayable | v2::attribute::display_as_real;
    const bool with_cooked = displayable && (v2_column.attributes & changing) == 0 && (moment.neighbours || !takes_two);
    for (const auto& [i, j] : rows) {
        const double a = v1_column.cooked[i], b = v2_column.cooked[j];
        const bool raw = same_raw(v1, v1_column, i, v2, v2_column, j, moment.tolerance);
        const bool cooked =
            !with_cooked || same_cooked(a, v1_column.reasons[i], b, v2_column.reasons[j], moment.tolerance);
        ++found.values;
        found.raw_differ += raw ? 0 : 1;
        found.cooked += with_cooked ? 1 : 0;
        found.cooked_differ += cooked ? 0 : 1;
        if ((raw && cooked) || found.first) continue;
        found.first = {.instance = instance_label(v1, i),
                       .pair = moment.pair,
                       .time = moment.time,
                       .v1_raw = raw_number(v1_column, i),
                       .v2_raw = raw_number(v2_column, j),
                       .v1_cooked = value_of(a),
                       .v2_cooked = value_of(b),
                       .v1_reason = v1_column.reasons[i],
                       .v2_reason = v2_column.reasons[j]};
    }
}

std::string instance_label(const KeptObject& object, std::size_t row) {
    std::string label(object.rows[row]);
    if (object.row_ordinals[row] != 0) label += '#' + std::to_string(object.row_ordinals[row]);
    return label;
}

}  // namespace hkpd
