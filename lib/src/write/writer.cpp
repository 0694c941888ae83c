#include <fmt/core.h>

#include <iterator>

#include "hkpd/diagnostics.hpp"
#include "hkpd/write.hpp"
#include "sample/display_name.hpp"
#include "write/cells.hpp"

namespace hkpd {
namespace {

/// Maximum number of diagnostics that are shown for one kind of fault in one object. Further diagnostics of this kind
/// are only counted.
constexpr std::uint64_t most_of_a_kind = 5;

}  // namespace

void Writer::begin(std::string& /*out*/) {}
bool Writer::again(std::string& /*out*/) { return false; }
void Writer::end(Diagnostics& /*diagnostics*/, std::string& /*out*/) {}

std::string_view Writer::failure() const noexcept { return {}; }

void append_diagnostic(std::string& out, const Diagnostics& diagnostics, const Diagnostic& diagnostic) {
    const Error& error = diagnostic.error;
    if (diagnostic.place.input < diagnostics.inputs().size()) {
        append_printable(out, diagnostics.inputs()[diagnostic.place.input]);
        out += ": ";
    }
    const auto to = std::back_inserter(out);
    if (diagnostic.place.record != no_index) fmt::format_to(to, "record {}: ", diagnostic.place.record);
    // A file of another kind is that as a whole.
    const bool has_offset = !error.structure.empty() && has_place(error.code) && error.code != Errc::foreign_file;
    if (has_offset) fmt::format_to(to, "offset {:#x}: ", error.offset);
    fmt::format_to(to, "{}: ", severity_name(diagnostic.severity));
    if (!error.structure.empty()) {
        out += error.structure;
        if (!error.field.empty()) fmt::format_to(to, ".{}", error.field);
        out += ": ";
    }
    std::string message;
    append_message(message, diagnostic);
    append_printable(out, message);
    if (diagnostic.object != no_index) {
        out += " (";
        append_object_place(out, diagnostics, diagnostic.object);
        if (diagnostic.instance != no_index) fmt::format_to(to, ", instance {}", diagnostic.instance);
        out += ')';
    }
}

void append_object_place(std::string& out, const Diagnostics& diagnostics, std::uint32_t object) {
    if (const std::string_view name = diagnostics.object_name(object); parse_guid(name))
        out.append("counterset ").append(name);
    else if (!name.empty())
        append_printable(out.append("object "), name);
    else if (const auto place = unknown_result(object))
        out += result_text(*place);
    else
        fmt::format_to(std::back_inserter(out), "object {}", object);
}

void append_table_name(std::string& out, const TitleTable& table) {
    append_printable(out, table.origin());
    if (table.language().empty()) return;
    out += " (language ";
    append_printable(out, table.language());
    out += ')';
}

bool KindCounter::is_among_first(const Diagnostic& diagnostic) {
    const Error& error = diagnostic.error;
    return ++counts_[{diagnostic.severity, error.code, error.field, diagnostic.object}] <= most_of_a_kind;
}

void KindCounter::append_rest(std::string& out, const Diagnostics& diagnostics) const {
    for (const auto& [kind, count] : counts_) {
        if (count <= most_of_a_kind) continue;
        const auto& [severity, code, field, object] = kind;
        std::string where;
        if (object != no_index) append_object_place(where = " in ", diagnostics, object);
        fmt::format_to(std::back_inserter(out), "{} more: {} {}{} (--verbose shows them)\n", count - most_of_a_kind,
                       severity_name(severity), code_name(code), where);
    }
}

}  // namespace hkpd
