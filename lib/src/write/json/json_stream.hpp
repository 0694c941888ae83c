// RapidJSON's writer over a caller's buffer.
#pragma once

#include <rapidjson/writer.h>

#include <optional>
#include <string>
#include <string_view>

#include "hkpd/cook.hpp"
#include "hkpd/sample.hpp"
#include "write/append_number.hpp"
#include "write/writers.hpp"

namespace hkpd {

/// The output stream concept of RapidJSON, appending to a string.
// NOLINTBEGIN(readability-identifier-naming): the names are RapidJSON's.
class StringSink {
  public:
    using Ch = char;
    void attach(std::string& out) noexcept { out_ = &out; }
    std::string& out() const noexcept { return *out_; }
    void Put(char c) { out_->push_back(c); }
    void Flush() noexcept {}

  private:
    std::string* out_ = nullptr;
};
// NOLINTEND(readability-identifier-naming)

/// Appends a string with its quotes, escaped so that no terminal acts on it either.
void append_json_string(std::string& out, std::string_view text);

/// A JSON writer with the shapes that hkpd's documents have. Never throws, never fails: all text given is UTF-8.
class JsonStream : public rapidjson::Writer<StringSink> {
  public:
    using Base = rapidjson::Writer<StringSink>;
    explicit JsonStream(StringSink& sink) : Base(sink) {}

    void text(std::string_view value) {
        Prefix(rapidjson::kStringType);
        append_json_string(os_->out(), value);
    }
    void key(std::string_view name) { text(name); }
    void number(std::string_view name, std::int64_t value) {
        key(name);
        Base::Int64(value);
    }
    void unsigned_number(std::string_view name, std::uint64_t value) {
        key(name);
        Base::Uint64(value);
    }
    void string(std::string_view name, std::string_view value) {
        key(name);
        text(value);
    }
    /// `no_index` is null.
    void index_or_null(std::string_view name, std::uint32_t value) {
        key(name);
        uint_or_null(value == no_index ? std::nullopt : std::optional(value));
    }
    void text_or_null(const std::optional<std::string_view>& value) {
        if (value)
            text(*value);
        else
            Base::Null();
    }
    void uint_or_null(const std::optional<std::uint32_t>& value) {
        if (value)
            Base::Uint(*value);
        else
            Base::Null();
    }
    /// None where it is no moment of the calendar.
    void time(std::string_view name, const std::optional<SystemTime>& value) {
        key(name);
        if (!value) {
            Base::Null();
            return;
        }
        time_.clear();
        append_time(time_, *value);
        text(time_);
    }
    void title(const std::optional<Titles::Answer>& answer) {
        text_or_null(answer ? std::optional(answer->text) : std::nullopt);
    }
    void number_or_null(double value) {
        if (value != value) {
            Base::Null();
            return;
        }
        Prefix(rapidjson::kNumberType);
        append_number(os_->out(), value);
    }
    void reason(Reason reason) {
        if (reason == Reason::none)
            Base::Null();
        else
            text(reason_name(reason));
    }
    /// A raw value: an exact unsigned integer, a string for text, {"hex":"…"} for other sizes, null where damaged.
    void value(const Object& object, const Column& column, std::size_t row) {
        if (!column.sound(row)) {
            Base::Null();
        } else if (column.storage == Storage::number) {
            Prefix(rapidjson::kNumberType);
            append_digits(os_->out(), column.values[row]);
        } else if (column.storage == Storage::text) {
            text(object.bytes(column, row));
        } else {
            hex_.clear();
            append_hex(hex_, object.bytes(column, row));
            Base::StartObject();
            key("hex");
            text(hex_);
            Base::EndObject();
        }
    }

  private:
    std::string hex_, time_;
};

}  // namespace hkpd
