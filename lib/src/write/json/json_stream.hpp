// A JSON writer that appends to a string of the caller. It is based on RapidJSON's writer, and shared by all JSON
// documents.
#pragma once

#include <rapidjson/writer.h>

#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "base/json_allocator.hpp"
#include "hkpd/cook.hpp"
#include "hkpd/diagnostics.hpp"
#include "hkpd/sample.hpp"
#include "write/cells.hpp"

namespace hkpd {

class StringSink;
/// RapidJSON's writer to a string.
using StringWriter = rapidjson::Writer<StringSink, rapidjson::UTF8<>, rapidjson::UTF8<>, JsonAllocator>;

/// A RapidJSON output stream that appends to a string.
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

/// Appends the character `before`, unless it is NUL, and a quoted JSON string. Characters that a terminal would
/// interpret are escaped as well.
void append_json_string(std::string& out, std::string_view text, char before = '\0');

/// A JSON writer with functions for the values and members of hkpd's documents. Never fails; throws std::bad_alloc
/// alone. All text that is passed to it must be UTF-8.
class JsonStream : private StringSink, public StringWriter {
  public:
    using Base = StringWriter;
    JsonStream() : Base(static_cast<StringSink&>(*this)) {}
    explicit JsonStream(std::string& out) : JsonStream() { attach(out); }
    using StringSink::attach;

    /// Prepares for another document after the current one, which must be complete.
    void restart() { Reset(*this); }

    void value(std::string_view text) { append_json_string(out(), text, separator()); }
    /// Writes a number; null for NaN and infinity, which JSON does not have.
    void value(double number) {
        if (!std::isfinite(number)) return value(std::nullopt);
        separate();
        append_number(out(), number);
    }
    /// Writes the number whose JSON text is `digits`.
    void number(std::string_view digits) {
        separate();
        out() += digits;
    }
    void value(Reason reason) {
        if (reason == Reason::none) return value(std::nullopt);
        value(reason_name(reason));
    }
    void value(const SystemTime& time);
    void value(const Titles::Answer& title) { value(title.text); }
    void value(std::nullopt_t) { Null(); }
    /// Writes an integer or a Boolean.
    template <class T>
        requires std::is_integral_v<T>
    void value(T number) {
        if constexpr (std::is_same_v<T, bool>) {
            Bool(number);
        } else {
            append_digits(out(), number, separator());
        }
    }
    /// Writes the value of an optional, or null if the optional is empty.
    template <class T>
        requires std::is_class_v<T> && requires(const T& optional) { *optional; }
    void value(const T& optional) {
        if (optional)
            value(*optional);
        else
            Null();
    }

    /// Writes a key. `name` must need no escapes.
    void key(std::string_view name) { append_in_quotes(out(), separator(), name); }
    void member(std::string_view name, std::string_view content) {
        key(name);
        value(content);
    }
    /// Writes a member whose text must need no escapes.
    void word(std::string_view name, std::string_view content) {
        key(name);
        append_in_quotes(out(), separator(), content);
    }
    template <class T>
        requires(!std::is_convertible_v<const T&, std::string_view>)
    void member(std::string_view name, const T& content) {
        key(name);
        value(content);
    }
    /// Writes an index, or null for `no_index`.
    void index_or_null(std::string_view name, std::uint32_t index) {
        member(name, index == no_index ? std::nullopt : std::optional(index));
    }
    /// Writes text, or null if it is empty.
    void text_or_null(std::string_view name, std::string_view text) {
        member(name, text.empty() ? std::nullopt : std::optional(text));
    }

    /// Writes an object; `write` writes its members.
    template <class Write>
    void object(const Write& write) {
        StartObject();
        write();
        EndObject();
    }
    template <class Write>
    void object(std::string_view name, const Write& write) {
        key(name);
        object(write);
    }
    /// Writes an array; `write` writes the value of each item.
    template <class List, class Write>
    void array(std::string_view name, const List& list, const Write& write) {
        key(name);
        StartArray();
        for (const auto& item : list) write(item);
        EndArray();
    }
    /// Writes an array of objects; for each item, `write` writes the members of the object.
    template <class List, class Write>
    void objects(std::string_view name, const List& list, const Write& write) {
        array(name, list, [&](const auto& item) { object([&] { write(item); }); });
    }

    /// Writes the path of a file. A path can contain any bytes, so it is converted to UTF-8, which JSON requires.
    void path(std::string_view name, std::string_view file);
    /// Writes the members `expected` and `found`, null if the fault has no such number, and other numbers by their
    /// names.
    void numbers(const Error& error);
    /// Writes the members of a diagnostic.
    void diagnostic(const Diagnostics& diagnostics, const Diagnostic& diagnostic);
    /// Writes the line, time, counter path and text of a fault in a row of a text log; nothing for another fault.
    void fault_cell(const Diagnostic& diagnostic);
    /// Writes the key `diagnostics` and the list of all diagnostics in `Diagnostics::kept`.
    void diagnostics(const Diagnostics& all) {
        objects("diagnostics", all.kept(), [&](const Diagnostic& each) { diagnostic(all, each); });
    }
    /// Ends a document whose outermost object and main list are still open: closes the list, appends the diagnostics,
    /// closes the object and appends a line feed.
    void end_document(const Diagnostics& all, std::string& to) {
        attach(to);
        EndArray();
        diagnostics(all);
        EndObject();
        to += '\n';
    }

  private:
    /// Counts a value or key, and returns the separator between it and the previous value or key: a comma, a colon, or
    /// NUL for none. RapidJSON's `Prefix` appends the separator by itself. Here, the caller appends the separator
    /// together with the value or key, because each append to a string costs as much as the text of a short key.
    char separator() {
        if (level_stack_.Empty()) return '\0';
        Level& level = *level_stack_.template Top<Level>();
        const std::size_t before = level.valueCount++;
        if (before == 0) return '\0';
        return level.inArray || before % 2 == 0 ? ',' : ':';
    }
    void separate() {
        if (const char character = separator(); character != '\0') out() += character;
    }
};

}  // namespace hkpd
