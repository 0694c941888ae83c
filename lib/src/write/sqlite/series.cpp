#include "write/sqlite/series.hpp"

#include <fmt/core.h>

#include <limits>
#include <utility>

#include "sample/display_name.hpp"
#include "write/series.hpp"
#include "write/sqlite/names.hpp"
#include "write/sqlite/schema.hpp"

namespace hkpd {

SqliteSeries::SqliteSeries(SqliteDatabase& database, std::uint64_t most, bool reuse, std::function<void()> begin)
    : database_(database),
      begin_(std::move(begin)),
      most_(most),
      table_(most),
      instances_(database, reuse),
      rows_(database,
            "series (id, machine, object, counter, type, scale, time_base, parent, instance, pid, instance_id, life, "
            "identity)",
            "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"),
      last_(database, sqlite_schema::last_series) {
    if (reuse) find_.emplace(database, sqlite_schema::find_series);
}

std::uint32_t SqliteSeries::counter(const Sample& sample, const Object& object, const Column& column,
                                    std::uint32_t repeat) {
    Counter counter{sample.source,
                    machine_name(sample),
                    object.title_index,
                    column.title_index,
                    repeat,
                    database_name(object.name ? object.name->text : object_key(sample.source, object)),
                    database_name(column.name ? column.name->text : counter_key(sample.source, column)),
                    object.kind == Kind::multi,
                    column.type,
                    column.scale,
                    PdhRawCounters(sample, object, column).time_base()};
    if (const auto found = numbers_.find(counter); found != numbers_.end()) return found->second;
    if (counters_.size() >= most_ || counters_.size() >= no_index) {
        overflowed_ = true;
        return no_index;
    }
    const auto number = static_cast<std::uint32_t>(counters_.size());
    counters_.push_back(&numbers_.emplace(std::move(counter), number).first->first);
    return number;
}

std::int64_t SqliteSeries::add(std::pair<std::uint32_t, std::uint32_t> key) {
    begin_();
    const Counter& counter = *counters_[key.first];
    SqliteInstances::Row lone;
    const SqliteInstances::Row& instance =
        counter.of_list
            ? instances_.find_or_add(*table_.run(), key.second, {counter.source, counter.machine, counter.object})
            : lone;
    const Number identity = counter.of_list ? Number(instance.id) : Number();
    const std::int64_t type = static_cast<std::int32_t>(counter.type), scale = counter.scale;
    std::int64_t* taken = nullptr;
    if (find_ && !instance.is_new) {
        const std::string content =
            fmt::format("{}\n{}\n{}\n{} {} {} {}", counter.machine, counter.object, counter.name, type, scale,
                        identity.value_or(0), counter.time_base.value_or(0));
        taken = &taken_[std::hash<std::string>()(content)];
        find_->bind(1, counter.machine, counter.object, counter.name, type, scale, identity, counter.time_base, *taken);
        if (const auto found = find_->number()) return *taken = *found;
    }
    const std::int64_t id = next_id();
    if (taken != nullptr) *taken = id;
    Number pid, instance_id, life;
    std::optional<Text> name;
    if (counter.of_list) {
        const Identity ids = (*table_.run())[key.second];
        name = instance.instance;
        if (ids.pid) pid = *ids.pid;
        if (ids.instance_id) instance_id = *ids.instance_id;
        life = ids.life;
    }
    rows_.add(id, counter.machine, counter.object, counter.name, type, scale, counter.time_base, instance.parent, name,
              pid, instance_id, life, identity);
    return id;
}

/// Returns the id of the next row. Ids are assigned here, so that many rows can be added at once.
std::int64_t SqliteSeries::next_id() {
    if (next_id_ == 0) {
        constexpr std::int64_t many = std::int64_t{1} << 40U;
        const std::int64_t last = last_.number().value_or(0);
        if (last > std::numeric_limits<std::int64_t>::max() - many)
            database_.fail("the ids of its table 'series' are too large");
        next_id_ = last < 0 || database_.failed() ? 1 : last + 1;
    }
    return next_id_++;
}

void SqliteSeries::add_places(const Sample& sample, const Selected& part, std::int64_t record, std::int64_t run_id,
                              PlaceRows& rows) {
    if (sample.objects()[part.object].kind != Kind::multi) return;
    const ObjectInstances& instances = table_.run()->instances(sample, part.object);
    for (const std::uint32_t row : part.rows) {
        SqliteInstances::Row* const instance = instances_.find(instances.numbers[row]);
        const std::uint32_t place = instances.places[row];
        if (instance == nullptr || !instance->has_ids || instance->place == place) continue;
        instance->place = place;
        rows.add(record, instance->id, run_id, std::int64_t{place});
    }
}

void SqliteSeries::flush() {
    rows_.flush();
    next_id_ = 0;
}

void SqliteSeries::finish() {
    if (table_.run() != nullptr) instances_.finish(*table_.run(), begin_);
}

}  // namespace hkpd
