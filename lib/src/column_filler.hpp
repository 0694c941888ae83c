// Values of V1 instances into the columns of a sample's object.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hkpd/counter_type.hpp"
#include "hkpd/sample.hpp"
#include "name_v1.hpp"
#include "text.hpp"

namespace hkpd {

/// ANSI text of an object that names no code page: Windows' own default in the West.
inline constexpr std::uint32_t usual_code_page = 1252;

/// Appends text as UTF-8. Characters that its encoding does not have are a warning; an encoding that is unknown here
/// costs all but the ASCII of it.
inline void append_text(std::string& out, const v1::Text& text, std::string_view structure, std::string_view field,
                        std::uint32_t object, std::uint32_t instance, Diagnostics& diagnostics) {
    if (append_code_page(out, text.bytes.span(), text.code_page, text.order)) return;
    if (knows_code_page(text.code_page))
        diagnostics.add(Severity::warning,
                        {Errc::bad_text, text.bytes.offset(), structure, field, 0, text.bytes.size()}, object,
                        instance);
    else
        diagnostics.add(Severity::error, {Errc::code_page, text.bytes.offset(), structure, field, 0, text.code_page},
                        object, instance);
}

/// Copies one object's instances and values into its columns.
class ColumnFiller {
  public:
    ColumnFiller(Object& object, const v1::Object& source, std::vector<std::uint64_t>& numbers,
                 std::vector<ValueStatus>& status, std::string& text, Diagnostics& diagnostics)
        : object_(object),
          source_(source),
          numbers_(numbers),
          status_(status),
          text_(text),
          diagnostics_(diagnostics) {}

    /// Makes room for about so many rows; `copy` makes more where it is needed.
    void begin(std::size_t rows) {
        rows_ = std::max<std::size_t>(rows, 1);
        std::size_t companions = 0;
        status_.clear();
        for (const v1::Counter& counter : source_.counters())
            if (counter.storage != Storage::number || has_count(counter)) ++companions;
        stripes_ = source_.counters().size() + companions;
        if (numbers_.size() < stripes_ * rows_) numbers_.resize(stripes_ * rows_);
    }

    void copy(const v1::Instance& instance, bool complete, std::size_t row) {
        if (row == rows_) grow();
        const auto counters = source_.counters();
        std::size_t companion = counters.size();
        for (std::size_t i = 0; i < counters.size(); ++i) {
            const v1::Counter& counter = counters[i];
            const std::size_t place = i * rows_ + row;
            const bool number = counter.storage == Storage::number, count = has_count(counter);
            const std::size_t second = number && !count ? 0 : companion++ * rows_ + row;
            if (count) numbers_[second] = instance_count(instance, counter);
            if (complete && counter.readable && number) {
                numbers_[place] = load_number(instance.block.data() + counter.definition.CounterOffset,
                                              counter.definition.CounterSize, source_.order());
                continue;
            }
            const auto value = value_of(instance, counter);
            if (!value)
                damaged(place, second, number);
            else if (number)
                numbers_[place] = load_number(value->data(), value->size(), source_.order());
            else
                copy_bytes(counter, *value, instance.ordinal, place, second);
        }
    }

    /// Lets the columns show what was copied.
    void show(std::size_t rows) {
        std::size_t companion = object_.columns.size();
        for (std::size_t i = 0; i < object_.columns.size(); ++i) {
            Column& column = object_.columns[i];
            column.values = {numbers_.data() + i * rows_, rows};
            column.second = {};
            if (column.storage != Storage::number || has_count(source_.counters()[i]))
                column.second = {numbers_.data() + companion++ * rows_, rows};
            column.status = {};
            if (status_.empty()) continue;
            const std::span<const ValueStatus> status{status_.data() + i * rows_, rows};
            if (std::ranges::any_of(status, [](ValueStatus s) { return s != ValueStatus::valid; }))
                column.status = status;
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
    void begin_status() {
        if (status_.empty()) status_.assign(source_.counters().size() * rows_, ValueStatus::valid);
    }

    /// Doubles the rows: what NumInstances says is not believed in advance.
    void grow() {
        const std::size_t rows = rows_ * 2;
        const auto move_apart = [&](auto& cells, std::size_t stripes) {
            cells.resize(std::max(cells.size(), stripes * rows));
            for (std::size_t i = stripes; i-- > 1;)
                std::copy_backward(cells.data() + i * rows_, cells.data() + (i + 1) * rows_,
                                   cells.data() + i * rows + rows_);
        };
        move_apart(numbers_, stripes_);
        if (!status_.empty()) {
            move_apart(status_, source_.counters().size());
            for (std::size_t i = 0; i < source_.counters().size(); ++i)
                std::fill_n(status_.data() + i * rows + rows_, rows - rows_, ValueStatus::valid);
        }
        rows_ = rows;
    }

    void damaged(std::size_t place, std::size_t second, bool number) {
        begin_status();
        status_[place] = ValueStatus::damaged;
        numbers_[place] = 0;
        if (!number) numbers_[second] = 0;
    }

    void copy_bytes(const v1::Counter& counter, Bytes value, std::uint32_t instance, std::size_t place,
                    std::size_t second) {
        numbers_[place] = text_.size();
        if (counter.storage == Storage::bytes) {
            text_.append(reinterpret_cast<const char*>(value.data()), value.size());
        } else {
            std::uint32_t page = 0;
            if (CounterType{counter.definition.CounterType}.is_ansi())
                page = object_.code_page == 0 ? usual_code_page : object_.code_page;
            append_text(text_, v1::name_text(value, page, source_.order()), "PERF_COUNTER_BLOCK", "text",
                        object_.title_index, instance, diagnostics_);
        }
        numbers_[second] = text_.size() - numbers_[place];
    }

    Object& object_;
    const v1::Object& source_;
    std::vector<std::uint64_t>& numbers_;
    std::vector<ValueStatus>& status_;
    std::string& text_;
    Diagnostics& diagnostics_;
    std::size_t rows_ = 0;     // the length of a stripe
    std::size_t stripes_ = 0;  // one for each column, and one more for each that has a second number
};

}  // namespace hkpd
