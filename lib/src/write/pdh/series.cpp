#include "write/pdh/series.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "hkpd/cook.hpp"
#include "write/pdh/raw_counter.hpp"

namespace hkpd {
namespace {

std::string_view machine_of_cells(const Sample& sample) noexcept {
    return sample.machine ? std::string_view(*sample.machine) : std::string_view();
}

/// As much of a name as counts: a long one would be kept for each counter.
std::optional<std::string_view> name_of(const std::optional<Titles::Answer>& title) {
    if (!title) return std::nullopt;
    return title->text.substr(0, longest_name_bytes);
}

/// That of a counter which neither sample nor object tells.
std::optional<std::int64_t> own_time_base(const Sample& sample, const Object& object, const Column& column) {
    if (!column.logged() && column.frequency == -1) return std::nullopt;
    return PdhRawCounters(sample, object, column).time_base();
}

}  // namespace

const PdhCells::Part& PdhCells::find(std::size_t place, const Sample& sample, const Selected& selected) {
    if (parts_.size() <= place) parts_.resize(place + 1);
    Part& part = parts_[place];
    const bool same = find_counters(part, sample, selected);
    rows_.clear();
    for (const std::uint32_t row : selected.rows) rows_.push_back(identities_.number(selected.object, row));
    if (!same || rows_ != part.rows_) find_places(part, same);
    return part;
}

bool PdhCells::is_shown(const Column& column) const {
    return cooked_ ? is_displayable(column) : column.storage == Storage::number;
}

/// Whether they are the counters of the sample before.
bool PdhCells::has_same_counters(const Part& part, const Sample& sample, const Selected& selected) const {
    const Object& object = sample.objects()[selected.object];
    const auto same = [&](const Part::Head& head, const Column& column) {
        return head.title_index == column.title_index && head.type == column.type && head.scale == column.scale &&
               head.is_shown == is_shown(column) && head.name == name_of(column.name) &&
               head.own_time_base == own_time_base(sample, object, column);
    };
    return part.object_ == object.title_index && part.kind_ == object.kind &&
           part.perf_frequency_ == sample.perf.frequency && part.frequency_ == object.clock.frequency &&
           part.object_name_ == name_of(object.name) && part.machine_ == machine_of_cells(sample) &&
           part.positions_ == selected.columns && std::ranges::equal(part.heads_, object.columns, same);
}

/// False where they are not those of the sample before.
bool PdhCells::find_counters(Part& part, const Sample& sample, const Selected& selected) {
    if (has_same_counters(part, sample, selected)) return true;
    const Object& object = sample.objects()[selected.object];
    part.machine_ = machine_of_cells(sample);
    part.object_ = object.title_index;
    part.kind_ = object.kind;
    part.perf_frequency_ = sample.perf.frequency;
    part.frequency_ = object.clock.frequency;
    part.object_name_ = name_of(object.name);
    part.positions_ = selected.columns;
    part.heads_.clear();
    for (const Column& column : object.columns)
        part.heads_.push_back({column.title_index, column.type, column.scale, is_shown(column),
                               own_time_base(sample, object, column),
                               std::optional<std::string>(name_of(column.name))});

    same_title_.clear();
    rows_.clear();  // how many counters of the same title stand before each one
    for (const Part::Head& head : part.heads_) rows_.push_back(same_title_[head.title_index]++);
    part.counters_.clear();
    for (const std::uint32_t position : selected.columns)
        if (part.heads_[position].is_shown)
            part.counters_.push_back(
                {position, columns_.counter(sample, object, object.columns[position], rows_[position])});
    return false;
}

void PdhCells::find_places(Part& part, bool same_counters) {
    if (!same_counters) part.rows_.clear();
    const auto& before = part.rows_;
    row_before_.resize(std::max(row_before_.size(), identities_.size()));
    for (std::uint32_t row = 0; row < before.size(); ++row)
        if (before[row] != no_index) row_before_[before[row]] = row;
    places_.clear();
    for (std::size_t c = 0; c < part.counters_.size(); ++c)
        for (const std::uint32_t identity : rows_) {
            const std::uint32_t row = identity == no_index ? no_index : row_before_[identity];
            const bool was_there = row < before.size() && before[row] == identity;
            places_.push_back(was_there ? part.places(c)[row] : columns_.place(part.counters_[c].number, identity));
        }
    std::swap(part.places_, places_);
    std::swap(part.rows_, rows_);
}

}  // namespace hkpd
