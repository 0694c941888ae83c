#include "sqlite_counters.hpp"

#include <functional>
#include <string_view>

#include "cells.hpp"
#include "labels.hpp"
#include "pdh_raw_counter.hpp"
#include "sqlite_schema.hpp"

namespace hkpd {

SqliteCounters::SqliteCounters(SqliteDatabase& database, const Identities& identities, std::uint64_t most)
    : database_(database),
      identities_(identities),
      most_(most),
      add_(database, sqlite_schema::add_counter),
      find_(database, sqlite_schema::find_counter) {}

bool SqliteCounters::has_room(std::size_t count) noexcept {
    if (count < most_ && count < no_index) return true;
    overflowed_ = true;
    return false;
}

std::uint32_t SqliteCounters::counter(const Sample& sample, const Object& object, const Column& column,
                                      std::uint32_t ordinal) {
    Counter counter{sample.machine ? "\\\\" + printable(*sample.machine) : std::string(),
                    object.title_index,
                    column.title_index,
                    ordinal,
                    printable(object.name ? object.name->text : object_key(sample.source, object)),
                    printable(column.name ? column.name->text : counter_key(sample.source, column)),
                    object.kind == Kind::multi,
                    column.type,
                    column.scale,
                    PdhRawCounters(sample, object, column).time_base()};
    if (const auto found = numbers_.find(counter); found != numbers_.end()) return found->second;
    if (!has_room(counters_.size())) return no_index;
    const auto number = static_cast<std::uint32_t>(counters_.size());
    counters_.push_back(&numbers_.emplace(std::move(counter), number).first->first);
    return number;
}

std::uint32_t SqliteCounters::place(std::uint32_t counter, std::uint32_t identity) {
    if (counter == no_index || identity == no_index) return no_index;
    const std::uint64_t key = std::uint64_t{counter} << 32U | identity;
    if (const auto found = places_.find(key); found != places_.end()) return found->second;
    if (!has_room(places_.size())) return no_index;
    InstanceCells cells;
    if (counters_[counter]->of_list) {
        const Identities::Identity& instance = identities_[identity];
        cells.name = printable(instance.own_name());
        if (!instance.parent.empty()) cells.parent = printable(instance.parent);
        if (instance.repeat != 0) cells.index = instance.repeat;
    }
    const auto place = static_cast<std::uint32_t>(ids_.size());
    ids_.push_back(find_or_add(*counters_[counter], cells));
    places_.emplace(key, place);
    return place;
}

std::int64_t SqliteCounters::find_or_add(const Counter& counter, const InstanceCells& instance) {
    std::string content;
    const auto text = [](const std::optional<std::string>& cell) { return cell ? std::string_view(*cell) : ""; };
    for (const std::string_view name : {std::string_view(counter.machine), std::string_view(counter.object),
                                        std::string_view(counter.name), text(instance.name), text(instance.parent)})
        content.append(name) += '\0';
    for (const std::int64_t number : {std::int64_t{counter.type}, std::int64_t{counter.scale},
                                      instance.index.value_or(0), counter.time_base.value_or(0)})
        content.append(std::to_string(number)) += '\0';
    std::int64_t& taken = taken_[std::hash<std::string>()(content)];

    std::optional<Halves> time_base;
    if (counter.time_base) time_base = Halves::of(static_cast<std::uint64_t>(*counter.time_base));
    for (SqliteStatement* const statement : {&find_, &add_}) {
        statement->bind(1, std::string_view(counter.machine));
        statement->bind(2, std::string_view(counter.object));
        statement->bind(3, std::string_view(counter.name));
        statement->bind(4, std::int64_t{static_cast<std::int32_t>(counter.type)});
        statement->bind(5, std::int64_t{counter.scale});
        statement->bind(6, instance.name);
        statement->bind(7, instance.index);
        statement->bind(8, instance.parent);
        statement->bind(9, time_base ? std::optional(time_base->low) : std::nullopt);
        statement->bind(10, time_base ? std::optional(time_base->high) : std::nullopt);
    }
    find_.bind(11, taken);
    if (const auto found = find_.number()) return taken = *found;
    add_.run();
    return taken = database_.last_row();
}

}  // namespace hkpd
