#include "write/sqlite/instances.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/text/names.hpp"
#include "identity/instance_name.hpp"
#include "write/sqlite/names.hpp"
#include "write/sqlite/schema.hpp"

namespace hkpd {

SqliteInstances::SqliteInstances(SqliteDatabase& database, bool reuse)
    : database_(database),
      add_(database, sqlite_schema::add_instance),
      change_(database, sqlite_schema::change_instance),
      show_ids_(database, sqlite_schema::show_ids),
      show_lives_(database, sqlite_schema::show_lives) {
    if (!reuse) return;
    find_.emplace(database, sqlite_schema::find_instance);
    next_number_.emplace(database, sqlite_schema::next_number);
    has_ids_.emplace(database, sqlite_schema::has_ids);
}

const SqliteInstances::Row& SqliteInstances::find_or_add(RunInstances& run, std::uint32_t number,
                                                         const Object& object) {
    if (number >= rows_.size()) rows_.resize(std::max(run.size(), 2 * rows_.size()));
    Row& row = rows_[number];
    if (row.id != 0) return row;
    const Identity identity = run[number];
    const std::string_view source = source_name(object.source),
                           name = keep(database_name(identity.name), identity.name);
    if (identity.parent) row.parent = keep(database_name(*identity.parent), *identity.parent);
    row.instance = name;
    if (identity.place != 0) {
        text_.clear();
        append_place(text_, std::nullopt, name, identity.place);
        row.instance = texts_.emplace_back(text_);
    }
    row.has_ids = identity.pid || identity.instance_id;
    row.form = form_of(run, number);
    const auto pid = identity.pid.transform([](std::uint32_t id) { return std::int64_t{id}; });
    const auto instance_id = identity.instance_id.transform([](std::int32_t id) { return std::int64_t{id}; });
    const auto bind_name = [&](SqliteStatement& statement) {
        statement.bind(1, source, object.machine, object.name, row.parent, name);
    };
    const auto bind = [&](SqliteStatement& statement) {
        bind_name(statement);
        statement.bind(6, std::int64_t{identity.place}, pid, instance_id, std::int64_t{identity.life});
    };

    std::string key = fmt::format("{}\n{}\n{}\n{}{}\n{}", source, object.machine, object.name, row.parent ? "/" : "",
                                  fold_case(row.parent.value_or("")), fold_case(name));
    const auto [found, is_new_group] = groups_.try_emplace(key);
    Group& group = found->second;
    if (is_new_group && next_number_ && has_ids_) {
        bind_name(*next_number_);
        bind_name(*has_ids_);
        group.next = next_number_->number().value_or(0);
        group.has_ids = has_ids_->number().value_or(0) != 0;
    }
    if (find_) {
        fmt::format_to(std::back_inserter(key), "\n{} {} {} {}", identity.place, pid.value_or(-1),
                       instance_id.value_or(v1::no_unique_id), identity.life);
        std::int64_t& taken = taken_[key];
        bind(*find_);
        find_->bind(10, taken);
        if (const auto id = find_->number()) {
            row.id = taken = *id;
            change(row.id, source, row.form);
        }
    }
    if (row.id == 0) {
        row.is_new = true;
        if (group.next != 0 && row.form == by_name && (row.has_ids || group.has_ids)) row.form = with_ids;
        std::int64_t count = identity.place;
        if (row.has_ids || (group.has_ids && count < group.next)) count = group.next;
        group.next = std::max(group.next, count + 1);
        bind(add_);
        add_.bind(10, count, std::int64_t{row.form});
        add_.run();
        row.id = database_.last_row();
        if (find_) taken_[key] = row.id;
    }
    group.has_ids = group.has_ids || row.has_ids;
    if (row.form != by_name && !std::exchange(group.shows_ids, true)) {
        bind_name(show_ids_);
        show_ids_.run();
    }
    if (row.form == with_life && identity.life == 2) {  // then that of the first one has changed
        bind_name(show_lives_);
        show_lives_.bind(6, pid, instance_id);
        show_lives_.run();
    }
    return row;
}

/// Returns how the text of an identity is made, as far as the run is known.
std::uint8_t SqliteInstances::form_of(RunInstances& run, std::uint32_t number) {
    const Identity identity = run[number];
    display_.clear();
    run.append_display(display_, number);
    text_.clear();
    append_place(text_, identity.parent, identity.name, identity.place);
    if (display_ == text_) return by_name;
    text_.clear();
    run.append_ids(text_, number);
    return display_ == text_ ? with_ids : with_life;
}

void SqliteInstances::change(std::int64_t id, std::optional<std::string_view> source, std::uint8_t form) {
    change_.bind(1, source, std::int64_t{form}, id);
    change_.run();
}

/// Returns the text as one that stays valid. `original`: a text of the run, which is used if it is equal.
std::string_view SqliteInstances::keep(std::string text, std::string_view original) {
    return text == original ? original : std::string_view(texts_.emplace_back(std::move(text)));
}

}  // namespace hkpd
