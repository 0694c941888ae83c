#include "write/sqlite/counters.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <string_view>
#include <utility>

#include "sample/display_name.hpp"
#include "write/cells.hpp"
#include "write/pdh/raw_counter.hpp"
#include "write/sqlite/schema.hpp"

namespace hkpd {
namespace {

/// The first characters of text in UTF-8.
std::string_view first_characters(std::string_view text, std::size_t most) noexcept {
    if (text.size() <= most) return text;
    std::size_t count = 0;
    const auto end = std::ranges::find_if(text, [&](char c) {
        const bool begins = (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
        return begins && ++count > most;
    });
    return text.substr(0, static_cast<std::size_t>(std::distance(text.begin(), end)));
}

}  // namespace

std::string database_name(std::string_view name) {
    // Before and after: a character may be shown as several, and no long text is shown for a piece of it.
    std::string shown = printable(first_characters(name, longest_name));
    shown.resize(first_characters(shown, longest_name).size());
    return shown;
}

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
    Counter counter{sample.machine ? database_name("\\\\" + *sample.machine) : std::string(),
                    object.title_index,
                    column.title_index,
                    ordinal,
                    database_name(object.name ? object.name->text : object_key(sample.source, object)),
                    database_name(column.name ? column.name->text : counter_key(sample.source, column)),
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
        cells.name = database_name(instance.own_name());
        if (!instance.parent.empty()) cells.parent = database_name(instance.parent);
        if (instance.repeat != 0) cells.index = instance.repeat;
    }
    const auto place = static_cast<std::uint32_t>(ids_.size());
    ids_.push_back(find_or_add(*counters_[counter], cells));
    places_.emplace(key, place);
    return place;
}

std::int64_t SqliteCounters::find_or_add(const Counter& counter, const InstanceCells& instance) {
    std::string content;
    for (const std::string* const name : {&counter.machine, &counter.object, &counter.name})
        content.append(*name) += '\0';
    for (const std::optional<std::string>* const name : {&instance.name, &instance.parent})
        content.append(name->value_or("")) += '\0';
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
