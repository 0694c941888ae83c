// The raw counters of a log's row as objects of a sample.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "blg/blg.hpp"
#include "hkpd/error.hpp"
#include "hkpd/sample.hpp"
#include "sample/build/column_storage.hpp"
#include "sample/build/log_instances.hpp"
#include "sample/build/log_schema.hpp"
#include "sample/build/v1_builder.hpp"
#include "sample/memory.hpp"

namespace hkpd {

class FaultSink;

/// Values, and what stands beside each of them, of one object. `begin`, each value of each row, `show`.
class LogObjectFiller {
  public:
    /// `bias` is UTC - local of the row, in 100 ns.
    LogObjectFiller(Object& object, const LogGroup& group, std::int64_t bias) noexcept
        : object_(object), group_(group), bias_(bias), stripes_(object.memory().numbers, object.memory().status) {}

    /// Makes room for so many rows: each value of each is to be put, or lacked.
    void begin(std::size_t rows) {
        const std::size_t columns = group_.counters.size();
        stripes_.begin(columns, 3 * columns, rows);
        rows_ = rows;
    }
    void put(std::size_t column, std::size_t row, const blg::RawCounter& counter) {
        const std::size_t columns = group_.counters.size();
        const std::size_t place = stripes_.place(column, row);
        if (blg::RawCounter::is_valid(counter.status))
            stripes_[place] = static_cast<std::uint64_t>(counter.first);
        else
            stripes_.without_value(place, ValueStatus{counter.status});
        stripes_[stripes_.place(columns + column, row)] = static_cast<std::uint64_t>(counter.second);
        stripes_[stripes_.place(2 * columns + column, row)] = counter.multi_count;
        stripes_[stripes_.place(3 * columns + column, row)] =
            static_cast<std::uint64_t>(counter.time) + static_cast<std::uint64_t>(bias_);
    }
    void lack(std::size_t column, std::size_t row, ValueStatus status) {
        const std::size_t columns = group_.counters.size();
        stripes_.without_value(stripes_.place(column, row), status);
        for (std::size_t companion = 1; companion <= 3; ++companion)
            stripes_[stripes_.place(companion * columns + column, row)] = 0;
    }

    /// Lets the columns show what was put. `by`: what the description is known by.
    void show(const Description& by) {
        if (object_.memory().description != by || object_.columns.size() != group_.counters.size()) describe();
        object_.memory().description = by;
        const std::size_t columns = group_.counters.size();
        for (std::size_t i = 0; i < columns; ++i) {
            Column& column = object_.columns[i];
            column.values = stripes_.numbers(i, rows_);
            column.second = stripes_.numbers(columns + i, rows_);
            column.multi_count = stripes_.numbers(2 * columns + i, rows_);
            column.taken = stripes_.numbers(3 * columns + i, rows_);
            column.status = stripes_.status(i, rows_);
        }
    }

  private:
    void describe() {
        const auto answer = [](const LogNames::Named& name) { return Titles::Answer{name.text, no_index}; };
        object_.title_index = group_.name.number;
        object_.help_index = object_.detail_level = object_.code_page = 0;
        object_.counterset.reset();
        object_.kind = group_.kind;
        object_.clock = {};
        object_.name = answer(group_.name);
        object_.help.reset();
        object_.memory().tables.clear();
        object_.memory().text.clear();
        object_.memory().shown_sound = false;
        object_.memory().named_by.tables = no_index;  // by no tables that SampleBuilder can take for its own
        object_.columns.assign(group_.counters.size(), {});
        for (std::size_t i = 0; i < group_.counters.size(); ++i) {
            const LogGroup::Counter& counter = group_.counters[i];
            Column& column = object_.columns[i];
            column.title_index = counter.name.number;
            column.name = answer(counter.name);
            column.type = counter.type;
            column.size = counter.size;
            column.scale = counter.scale;
            column.time_base = counter.time_base;
        }
    }

    Object& object_;
    const LogGroup& group_;
    std::int64_t bias_;
    Stripes stripes_;
    std::size_t rows_ = 0;
};

/// Fills one object after the other. Keeps memory between rows.
class LogObjects {
  public:
    /// From now on objects are of this row, which has to stay as it is, and have together at most so many values.
    /// `fits`: whether the row has the records that the catalogue says; else its values are damaged. `bias`: UTC -
    /// local of the row, in 100 ns.
    void begin(const blg::Row& row, bool fits, std::int64_t bias, std::uint64_t most_values);
    /// `by`: what the description of the group's columns is known by.
    void fill(Object& object, const LogGroup& group, const Description& by, const FaultSink& faults);

  private:
    bool fits_limit(std::uint64_t columns, std::uint64_t rows, const FaultSink& faults);
    void fill_fixed(Object& object, const LogGroup& group, LogObjectFiller& values, const FaultSink& faults);
    void fill_listed(Object& object, const LogGroup& group, LogObjectFiller& values, const FaultSink& faults);
    void open_lists(const LogGroup& group, const FaultSink& faults);
    ValueStatus status_of_list(std::size_t list) const noexcept;
    void fill_names(Object& object, const LogGroup& group, std::size_t rows, const FaultSink& faults);

    const blg::Row* row_ = nullptr;
    bool fits_ = false;
    std::int64_t bias_ = 0;
    std::uint64_t values_left_ = 0;
    std::uint64_t names_left_ = 0;  // bytes: the same ones may not be the names of many
    // For their memory.
    std::string text_;
    std::vector<blg::RawInstances> lists_;
    std::vector<bool> read_;  // of each list, whether it could be
    std::vector<bool> met_;   // of each row, whether the column at hand has a value
    LogInstances instances_;
};

}  // namespace hkpd
