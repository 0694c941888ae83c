#include "pdh_cells.hpp"

#include <algorithm>
#include <utility>

#include "hkpd/cook.hpp"

namespace hkpd {

const PdhCells::Part& PdhCells::find(std::size_t place, const Sample& sample, const Selected& selected) {
    if (parts_.size() <= place) parts_.resize(place + 1);
    Part& part = parts_[place];
    const bool same_counters = find_counters(part, sample, selected);
    rows_.clear();
    for (const std::uint32_t row : selected.rows) rows_.push_back(identities_.number(selected.object, row));
    if (!same_counters || rows_ != part.rows_) find_places(part, same_counters);
    return part;
}

/// False where they are not the counters of the sample before.
bool PdhCells::find_counters(Part& part, const Sample& sample, const Selected& selected) {
    const Object& object = sample.objects()[selected.object];
    const std::string_view machine = sample.machine ? std::string_view(*sample.machine) : std::string_view();
    heads_.clear();
    for (const Column& column : object.columns)
        heads_.push_back({column.title_index, column.type, column.name.has_value(),
                          cooked_ ? is_displayable(column) : column.storage == Storage::number});
    if (part.object_ == object.title_index && part.object_has_name_ == object.name.has_value() &&
        part.machine_ == machine && part.positions_ == selected.columns && part.heads_ == heads_)
        return true;
    part.machine_ = machine;
    part.object_ = object.title_index;
    part.object_has_name_ = object.name.has_value();
    part.positions_ = selected.columns;
    part.heads_ = heads_;

    same_title_.clear();
    rows_.clear();  // how many counters of the same title stand before each one
    for (const Part::Head& head : heads_) rows_.push_back(same_title_[head.title_index]++);
    part.counters_.clear();
    for (const std::uint32_t position : selected.columns)
        if (heads_[position].is_shown)
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
