#include "sample/build/log_objects.hpp"

#include <algorithm>
#include <cstddef>

#include "blg/decode.hpp"
#include "sample/build/instance_filler.hpp"

namespace hkpd {
namespace {

/// The group has a name, and no number that would say anything.
void report_in_group(Severity severity, const Error& error, const LogGroup& group, std::uint32_t instance,
                     const FaultSink& faults) {
    faults.name_object(group.name.number, group.name.text);
    faults.add(severity, error, group.name.number, instance);
}

/// All are to be named.
void add_rows(InstanceFiller& instances, std::size_t rows, std::uint64_t offset) {
    for (Instance& instance : instances.next(rows))
        instance = {.name = instance.name, .unique_id = {}, .offset = offset};
}

}  // namespace

void LogObjects::begin(const blg::Row& row, bool fits, std::int64_t bias, std::uint64_t most_values) {
    row_ = &row;
    fits_ = fits;
    bias_ = bias;
    values_left_ = most_values;
    names_left_ = row.bytes().size();
}

void LogObjects::fill(Object& object, const LogGroup& group, const Description& by, const FaultSink& faults) {
    LogObjectFiller values(object, group, bias_);
    if (group.form == blg::Form::raw)
        fill_fixed(object, group, values, faults);
    else
        fill_listed(object, group, values, faults);
    values.show(by);
}

bool LogObjects::fits_limit(std::uint64_t columns, std::uint64_t rows, const FaultSink& faults) {
    if (rows == 0 || columns <= values_left_ / rows) {
        values_left_ -= columns * rows;
        return true;
    }
    faults.add(Severity::error,
               {Errc::value_limit, row_->bytes().offset(), blg::record_structure, "", columns * rows, values_left_});
    return false;
}

/// An object whose instances the catalogue names.
void LogObjects::fill_fixed(Object& object, const LogGroup& group, LogObjectFiller& values, const FaultSink& faults) {
    const std::size_t columns = group.counters.size();
    const std::size_t rows = fits_limit(columns, group.instances.size(), faults) ? group.instances.size() : 0;
    values.begin(rows);
    InstanceFiller names(object, text_, faults);
    add_rows(names, rows, row_->bytes().offset());
    for (std::size_t i = 0; i < rows; ++i) {
        names.set_name(group.instances[i]);
        for (std::size_t column = 0; column < columns; ++column) {
            const std::uint32_t entry = group.entries[i * columns + column];
            if (!fits_) {
                values.lack(column, i, ValueStatus::damaged);
            } else if (const auto counter = blg::read_raw(row_->records()[entry].body)) {
                values.put(column, i, *counter);
            } else {
                report_in_group(Severity::error, counter.error(), group, static_cast<std::uint32_t>(i), faults);
                values.lack(column, i, ValueStatus::damaged);
            }
        }
    }
    names.end();
}

/// The instances of all counters of a group; none of those that cannot be read.
void LogObjects::open_lists(const LogGroup& group, const FaultSink& faults) {
    lists_.assign(group.entries.size(), {});
    read_.assign(group.entries.size(), false);
    for (std::size_t i = 0; i < lists_.size() && fits_; ++i) {
        const auto opened = lists_[i].open(row_->records()[group.entries[i]].body);
        read_[i] = opened.has_value();
        if (!opened) report_in_group(Severity::error, opened.error(), group, no_index, faults);
        if (opened && lists_[i].size() == 0 && !blg::RawCounter::is_valid(lists_[i].status()))
            report_in_group(
                Severity::note,
                {Errc::result_status, row_->bytes().offset(), blg::record_structure, "CStatus", 0, lists_[i].status()},
                group, no_index, faults);
    }
    instances_.merge(lists_);
}

/// Why a list has no value for an instance that another one has.
ValueStatus LogObjects::status_of_list(std::size_t list) const noexcept {
    if (!read_[list]) return ValueStatus::damaged;
    const std::uint32_t status = lists_[list].status();
    const bool none = lists_[list].size() == 0 && !blg::RawCounter::is_valid(status);
    return none ? ValueStatus{status} : ValueStatus::no_instance;
}

/// The names of merged lists.
void LogObjects::fill_names(Object& object, const LogGroup& group, std::size_t rows, const FaultSink& faults) {
    InstanceFiller names(object, text_, faults);
    add_rows(names, rows, row_->bytes().offset());
    for (std::uint32_t i = 0; i < rows; ++i) {
        const auto [list, position] = instances_.rows()[i];
        if (const auto name = names_left_ == 0 ? std::nullopt : lists_[list].name(position)) {
            names_left_ -= std::min<std::uint64_t>(names_left_, name->bytes.size());
            names.set_name(*name, blg::record_structure, i);
        } else {
            report_in_group(Severity::error,
                            {Errc::log_name, row_->bytes().offset(), blg::record_structure, "Name", 0, position}, group,
                            i, faults);
            names.lose_name();
        }
    }
    names.end();
}

/// An object whose instances stand in the records.
void LogObjects::fill_listed(Object& object, const LogGroup& group, LogObjectFiller& values, const FaultSink& faults) {
    open_lists(group, faults);
    const std::size_t columns = group.counters.size();
    const std::size_t rows = fits_limit(columns, instances_.rows().size(), faults) ? instances_.rows().size() : 0;
    values.begin(rows);
    fill_names(object, group, rows, faults);
    for (std::size_t column = 0; column < columns; ++column) {
        met_.assign(rows, false);
        for (std::size_t i = 0; i < lists_[column].size() && rows != 0; ++i) {
            const std::uint32_t to = instances_.row(column, i);
            values.put(column, to, lists_[column].counter(i));
            met_[to] = true;
        }
        for (std::size_t i = 0; i < rows && lists_[column].size() != rows; ++i)
            if (!met_[i]) values.lack(column, i, status_of_list(column));
    }
}

}  // namespace hkpd
