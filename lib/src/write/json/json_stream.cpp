#include "write/json/json_stream.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "base/text/encoding.hpp"
#include "hkpd/guid.hpp"
#include "hkpd/write.hpp"
#include "sample/display_name.hpp"

namespace hkpd {

void append_json_string(std::string& out, std::string_view text, char before) {
    if (is_plain(text, '"', '\\')) return append_in_quotes(out, before, text);
    if (before != '\0') out += before;
    const std::size_t begin = out.size();
    StringSink sink;
    sink.attach(out);
    StringWriter(sink).String(text.data(), static_cast<rapidjson::SizeType>(text.size()));
    escape_json(out, begin);
}

void JsonStream::value(const SystemTime& time) {
    std::string text;
    append_time(text, time);
    value(text);
}

void JsonStream::path(std::string_view name, std::string_view file) {
    std::string text;
    append_utf8(text, std::as_bytes(std::span(file)));
    member(name, text);
}

void JsonStream::numbers(const Error& error) {
    constexpr std::array<std::string_view, 2> usual{"expected", "found"};
    const FaultNumbers all = fault_numbers(error);
    const auto write = [&](std::string_view name, const FaultNumber& number) {
        if (number.is_signed)
            member(name, static_cast<std::int32_t>(number.value));
        else
            member(name, number.value);
    };
    for (const std::string_view name : usual) {
        const auto* const number = std::ranges::find(all, name, &FaultNumber::name);
        if (number == all.end())
            member(name, std::nullopt);
        else
            write(name, *number);
    }
    for (const FaultNumber& number : all)
        if (std::ranges::find(usual, number.name) == usual.end()) write(number.name, number);
}

void JsonStream::diagnostic(const Diagnostics& diagnostics, const Diagnostic& diagnostic) {
    const Error& error = diagnostic.error;
    member("severity", severity_name(diagnostic.severity));
    member("code", code_name(error.code));
    index_or_null("sample", diagnostic.place.sample);
    if (diagnostic.place.input < diagnostics.inputs().size())
        path("input", diagnostics.inputs()[diagnostic.place.input]);
    else
        member("input", std::nullopt);
    member("offset", error.offset);
    member("structure", error.structure);
    member("field", error.field);
    numbers(error);
    // The member `object` is the title index of a V1 object, and null for all other objects. For a V2 result, the
    // member `counterset` has the GUID of its counterset. If the counterset is unknown, the member `result` has the
    // position of the result instead. If a log states only the name of an object, none of these members identifies the
    // object.
    const std::string_view name = diagnostics.object_name(diagnostic.object);
    const auto place = unknown_result(diagnostic.object);
    index_or_null("object", !name.empty() || place ? no_index : diagnostic.object);
    if (parse_guid(name))
        member("counterset", name);
    else if (place)
        member("result", *place);
    index_or_null("instance", diagnostic.instance);
    std::string message;
    append_message(message, diagnostic);
    member("message", message);
    fault_cell(diagnostic);
}

void JsonStream::fault_cell(const Diagnostic& diagnostic) {
    if (diagnostic.cell == nullptr) return;
    const FaultCell& cell = *diagnostic.cell;
    if (cell.line != 0) member("line", cell.line);
    if (cell.time_before.empty())
        member("time", cell.time);
    else
        member("time_before", cell.time_before);
    if (!cell.path.empty()) member("path", cell.path);
    if (cell.text) member("text", *cell.text);
    if (!cell.counter.empty()) member("counter", cell.counter);
}

}  // namespace hkpd
