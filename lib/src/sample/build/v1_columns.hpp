// Values of V1 instances into the columns of a sample's object.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/prefetch.hpp"
#include "base/text/encoding.hpp"
#include "hkpd/counter_type.hpp"
#include "hkpd/sample.hpp"
#include "sample/build/column_storage.hpp"
#include "sample/memory.hpp"

namespace hkpd {

/// ANSI text of an object that names no code page: Windows' own default in the West.
inline constexpr std::uint32_t usual_code_page = 1252;

/// Copies one object's instances and values into its columns.
class ColumnFiller {
  public:
    ColumnFiller(Object& object, const v1::Object& source, std::vector<std::uint64_t>& numbers,
                 std::vector<ValueStatus>& status, std::string& text, const FaultSink& faults)
        : object_(object), source_(source), stripes_(numbers, status), text_(text), faults_(faults) {}

    /// Makes room for about so many rows; `copy` makes more where it is needed.
    void begin(std::size_t rows) {
        std::size_t companions = 0;
        if (source_.numbers().size() != source_.counters().size()) plain_ = false;
        for (const v1::Counter& counter : source_.counters())
            if (counter.storage != Storage::number || has_count(counter)) ++companions;
        if (companions != 0) plain_ = false;
        stripes_.begin(source_.counters().size(), companions, rows);
        far_ = source_.counters().size() * rows * sizeof(std::uint64_t) > near_enough;
    }

    /// Whether all counters are numbers that every block can hold, and nothing else: those of sound instances can be
    /// copied by the tile.
    bool plain() const noexcept { return plain_; }

    /// Copies the values of sound instances of a `plain` object, column by column: so that what is written stands
    /// together too.
    void copy(std::span<const v1::InstancePlace> places, std::size_t row) {
        while (stripes_.full(row + places.size() - 1)) stripes_.grow();
        for (const v1::NumberPlace& number : source_.numbers()) {
            const std::span<std::uint64_t> to = stripes_.rows(number.counter, row, places.size());
            if (far_) prefetch_behind(to);  // a column goes on where the next tile does
            v1::read_column(source_, number, places, [to](std::size_t i, std::uint64_t value) { to[i] = value; });
        }
    }

    void copy(const v1::Instance& instance, bool complete, std::size_t row) {
        if (stripes_.full(row)) stripes_.grow();
        if (plain_ && complete) {
            for (const v1::NumberPlace& number : source_.numbers())
                stripes_[stripes_.place(number.counter, row)] =
                    load_number(instance.block.at(number.offset), number.size, source_.order());
            return;
        }
        const auto counters = source_.counters();
        std::size_t companion = counters.size();
        for (std::size_t i = 0; i < counters.size(); ++i) {
            const v1::Counter& counter = counters[i];
            const std::size_t place = stripes_.place(i, row);
            const bool number = counter.storage == Storage::number, count = has_count(counter);
            const std::size_t second = number && !count ? 0 : stripes_.place(companion++, row);
            if (count) stripes_[second] = instance_count(instance, counter);
            if (complete && counter.readable && number) {
                stripes_[place] = load_number(instance.block.at(counter.definition.CounterOffset),
                                              counter.definition.CounterSize, source_.order());
                continue;
            }
            const auto value = value_of(instance, counter);
            if (!value)
                damaged(place, second, number);
            else if (number)
                stripes_[place] = load_number(value->data(), value->size(), source_.order());
            else
                copy_bytes(counter, *value, instance.ordinal, place, second);
        }
    }

    /// Lets the columns show what was copied. `shown`: whether they are those that were shown last.
    void show(std::size_t rows, bool shown) {
        const bool sound = stripes_.sound();
        const bool was_sound = std::exchange(object_.memory().shown_sound, sound);
        if (shown && sound && was_sound && plain_ && stands(0, rows) && stands(object_.columns.size() - 1, rows))
            return;
        std::size_t companion = object_.columns.size();
        for (std::size_t i = 0; i < object_.columns.size(); ++i) {
            Column& column = object_.columns[i];
            column.values = stripes_.numbers(i, rows);
            column.second = {};
            if (column.storage != Storage::number || has_count(source_.counters()[i]))
                column.second = stripes_.numbers(companion++, rows);
            column.status = stripes_.status(i, rows);
        }
    }

  private:
    /// Whether a number stands behind the value that belongs to it: the instance count of a multi timer, a DWORD right
    /// behind its 8 bytes (learn.microsoft.com "Counter types"), where no PERF_COUNTER_MULTI_BASE follows.
    static bool has_count(const v1::Counter& counter) noexcept {
        const CounterType type{counter.definition.CounterType};
        return counter.storage == Storage::number && counter.base < 0 && type.multi() && !type.is_base() &&
               type.form() == CounterType::Form::counter;
    }
    /// 0 where it does not lie inside the counter block.
    std::uint64_t instance_count(const v1::Instance& instance, const v1::Counter& counter) const noexcept {
        const std::uint64_t at = std::uint64_t{counter.definition.CounterOffset} + counter.definition.CounterSize;
        const Bytes count = instance.block.slice(at, sizeof(std::uint32_t));
        return count.empty() ? 0 : load_number(count.data(), count.size(), source_.order());
    }

    /// Whether a column shows already what it is to show.
    bool stands(std::size_t column, std::size_t rows) const noexcept {
        if (column >= object_.columns.size()) return true;
        const auto values = object_.columns[column].values, wanted = stripes_.numbers(column, rows);
        return values.data() == wanted.data() && values.size() == wanted.size();
    }

    void damaged(std::size_t place, std::size_t second, bool number) {
        stripes_.damaged(place);
        if (!number) stripes_[second] = 0;
    }

    void copy_bytes(const v1::Counter& counter, Bytes value, std::uint32_t instance, std::size_t place,
                    std::size_t second) {
        stripes_[place] = text_.size();
        if (counter.storage == Storage::bytes) {
            text_.append(reinterpret_cast<const char*>(value.data()), value.size());
        } else {
            std::uint32_t page = 0;
            if (CounterType{counter.definition.CounterType}.is_ansi())
                page = object_.code_page == 0 ? usual_code_page : object_.code_page;
            append_text(text_, name_text(value, page, source_.order()), "PERF_COUNTER_BLOCK", "text",
                        object_.title_index, instance, faults_);
        }
        stripes_[second] = text_.size() - stripes_[place];
    }

    Object& object_;
    const v1::Object& source_;
    Stripes stripes_;
    std::string& text_;
    FaultSink faults_;
    bool plain_ = true;
    bool far_ = false;  // whether the columns are too large for a near cache
};

}  // namespace hkpd
