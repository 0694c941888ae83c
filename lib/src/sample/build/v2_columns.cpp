#include "sample/build/v2_columns.hpp"

#include <algorithm>

#include "hkpd/counter_type.hpp"
#include "hkpd/diagnostics.hpp"

namespace hkpd {
namespace {

constexpr std::uint32_t upper_half(std::uint64_t place) noexcept { return static_cast<std::uint32_t>(place >> 32); }
constexpr std::uint32_t lower_half(std::uint64_t place) noexcept { return static_cast<std::uint32_t>(place); }

/// A text that comes from no title table.
std::optional<Titles::Answer> answer(const std::optional<std::string_view>& text) noexcept {
    if (!text) return std::nullopt;
    return Titles::Answer{*text, no_index};
}

/// All that a registration says of a counter by itself.
void take(Column& column, const CountersetCounter* counter) noexcept {
    column.help_index = 0;
    column.type = counter == nullptr ? no_counter_type : counter->info.Type;
    column.attributes = counter == nullptr ? 0 : counter->info.Attrib;
    column.scale = counter == nullptr ? 0 : counter->info.DefaultScale;
    column.detail_level = counter == nullptr ? 0 : counter->info.DetailLevel;
    column.base = column.time = column.frequency = column.multi = -1;
    column.storage = Storage::number;
    column.name = counter == nullptr ? std::nullopt : answer(counter->name);
    column.help = counter == nullptr ? std::nullopt : answer(counter->help);
    column.second = column.multi_count = column.taken = {};
    column.time_base.reset();
}

}  // namespace

void CountersetColumns::describe(Object& object, const Counterset* set) {
    sort_by_id(object);
    if (drop_repeated(object)) sort_by_id(object);
    object.detail_level = set == nullptr ? 0 : set->detail_level;
    object.name = set == nullptr ? std::nullopt : answer(set->name);
    object.help = set == nullptr ? std::nullopt : answer(set->help);
    bool told = set == nullptr || !set->registered;
    for (Column& column : object.columns) {
        const CountersetCounter* counter = set == nullptr ? nullptr : set->find(column.title_index);
        take(column, counter);
        if (counter != nullptr) relate(column, counter->info);
        check(object, column, told);
    }
}

void CountersetColumns::sort_by_id(const Object& object) {
    by_id_.clear();
    for (std::uint32_t i = 0; i < object.columns.size(); ++i)
        if (const std::uint32_t id = object.columns[i].title_index; id != v2::no_id)
            by_id_.push_back(std::uint64_t{id} << 32 | i);
    std::ranges::sort(by_id_);
}

/// Of counters that several results have brought, or one more than once, the first counts.
bool CountersetColumns::drop_repeated(Object& object) {
    const auto repeats = [](std::uint64_t a, std::uint64_t b) { return upper_half(a) == upper_half(b); };
    if (std::ranges::adjacent_find(by_id_, repeats) == by_id_.end()) return false;
    std::size_t dropped = 0;
    for (std::size_t i = 1, first = 0; i < by_id_.size(); ++i) {
        if (upper_half(by_id_[i]) != upper_half(by_id_[first]))
            first = i;
        else
            by_id_[dropped++] = lower_half(by_id_[i]);
    }
    by_id_.resize(dropped);
    std::ranges::sort(by_id_);
    for (const std::uint64_t position : by_id_)
        report(Severity::note, object, object.columns[position], Errc::counter_id_repeated, "", 0,
               object.columns[position].title_index);
    std::size_t kept = 0;
    auto drop = by_id_.begin();
    for (std::size_t i = 0; i < object.columns.size(); ++i) {
        if (drop != by_id_.end() && *drop == i)
            ++drop;
        else
            object.columns[kept++] = object.columns[i];
    }
    object.columns.resize(kept);
    return true;
}

/// Where no counter serves as clock, the header's does; where one should that is not in the sample, none does.
void CountersetColumns::relate(Column& column, const v2::CounterRegInfo& info) const noexcept {
    column.base = position_of(info.BaseCounterId, -1);
    column.time = position_of(info.PerfTimeId, Column::not_there);
    column.frequency = position_of(info.PerfFreqId, Column::not_there);
    column.multi = position_of(info.MultiId, Column::not_there);
}

std::int32_t CountersetColumns::position_of(std::uint32_t id, std::int32_t missing) const noexcept {
    if (id == v2::no_id) return -1;
    const auto found = std::ranges::lower_bound(by_id_, id, {}, upper_half);
    return found != by_id_.end() && upper_half(*found) == id ? static_cast<std::int32_t>(lower_half(*found)) : missing;
}

/// `told`: whether there is nothing (more) to say of counters that are not registered.
void CountersetColumns::check(const Object& object, Column& column, bool& told) {
    const auto size = column.type == no_counter_type ? std::nullopt : CounterType{column.type}.value_size();
    if (column.type == no_counter_type && !told) {
        told = true;
        report(Severity::warning, object, column, Errc::counter_unknown, "", 0, column.title_index);
    }
    if (column.size == 0)
        column.size = size.value_or(0);
    else if (size.value_or(0) != 0 && *size != column.size)
        report(Severity::warning, object, column, Errc::value_size, "dwDataSize", *size, column.size);
}

void CountersetColumns::report(Severity severity, const Object& object, const Column& column, Errc code,
                               std::string_view field, std::uint64_t need, std::uint64_t have) {
    faults_.add(severity, {code, offset_ + column.offset, "PERF_COUNTER_DATA", field, need, have}, object.title_index);
}

}  // namespace hkpd
