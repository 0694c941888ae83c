#include "write/json/diagnostics.hpp"

#include <span>
#include <string>

#include "base/text/encoding.hpp"
#include "hkpd/diagnostics.hpp"
#include "hkpd/guid.hpp"
#include "sample/display_name.hpp"

namespace hkpd {
namespace {

/// V1: the title index. V2: the GUID of the counterset, or the place of a result of which nothing tells it. What a log
/// knows by its name alone has no number.
void write_object_place(JsonStream& json, const Diagnostics& diagnostics, std::uint32_t object) {
    const std::string_view name = diagnostics.object_name(object);
    const bool is_counterset = parse_guid(name).has_value();
    const auto place = unknown_result(object);
    json.index_or_null("object", !name.empty() || place ? no_index : object);
    if (is_counterset)
        json.string("counterset", name);
    else if (place)
        json.unsigned_number("result", *place);
}

}  // namespace

void write_diagnostic(JsonStream& json, const Diagnostics& diagnostics, const Diagnostic& diagnostic) {
    const Error& error = diagnostic.error;
    json.string("severity", severity_name(diagnostic.severity));
    json.string("code", code_name(error.code));
    json.index_or_null("sample", diagnostic.place.sample);
    json.key("input");
    if (diagnostic.place.input < diagnostics.inputs().size())
        write_path(json, diagnostics.inputs()[diagnostic.place.input]);
    else
        json.Null();
    json.unsigned_number("offset", error.offset);
    json.string("structure", error.structure);
    json.string("field", error.field);
    json.unsigned_number("need", error.need);
    json.unsigned_number("have", error.have);
    write_object_place(json, diagnostics, diagnostic.object);
    json.index_or_null("instance", diagnostic.instance);
    std::string message;
    append_message(message, error);
    json.string("message", message);
}

void write_path(JsonStream& json, std::string_view name) {
    std::string text;
    append_utf8(text, std::as_bytes(std::span(name)));
    json.text(text);
}

void write_diagnostics(JsonStream& json, const Diagnostics& diagnostics) {
    json.key("diagnostics");
    json.StartArray();
    for (const Diagnostic& diagnostic : diagnostics.kept()) {
        json.StartObject();
        write_diagnostic(json, diagnostics, diagnostic);
        json.EndObject();
    }
    json.EndArray();
}

}  // namespace hkpd
