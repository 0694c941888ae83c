#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "hkpd/diagnostics.hpp"
#include "hkpd/write.hpp"
#include "sample/display_name.hpp"
#include "write/writers.hpp"

namespace hkpd {

std::optional<Format> format_of(std::string_view name) noexcept {
    constexpr auto names =
        std::to_array<std::string_view>({"table", "json", "jsonl", "csv", "pdh-csv", "pdh-tsv", "openmetrics", "sqlite",
                                         "timeline"});  // in the order of Format
    if (name == "text") return Format::table;
    const auto found = std::ranges::find(names, name);
    return found == names.end() ? std::nullopt : std::optional(static_cast<Format>(found - names.begin()));
}

bool remembers_instances(Format format) noexcept {
    return format == Format::pdh_csv || format == Format::pdh_tsv || format == Format::openmetrics ||
           format == Format::sqlite || format == Format::timeline;
}

void Writer::begin(std::string& /*out*/) {}
bool Writer::again(std::string& /*out*/) { return false; }
void Writer::end(Diagnostics& /*diagnostics*/, std::string& /*out*/) {}

std::string_view Writer::failure() const noexcept { return {}; }

namespace {

std::unique_ptr<Writer> make_unlimited(Format format, const WriteOptions& options) {
    switch (format) {
        case Format::json:
            return make_json_writer(options);
        case Format::jsonl:
        case Format::csv:
            return options.bucket_length != 0 ? make_bucket_writer(format, options)
                                              : make_value_writer(format, options);
        case Format::pdh_csv:
        case Format::pdh_tsv:
            return make_pdh_writer(format, options);
        case Format::openmetrics:
            return make_openmetrics_writer(options);
        case Format::sqlite:
            return make_sqlite_writer(options);
        case Format::timeline:
            return make_timeline_writer(options);
        default:
            return make_table_writer(options);
    }
}

}  // namespace

std::unique_ptr<Writer> make_writer(Format format, const WriteOptions& options) {
    return with_name_limit(make_unlimited(format, options), options);
}

void append_diagnostic(std::string& out, const Diagnostics& diagnostics, const Diagnostic& diagnostic) {
    const Error& error = diagnostic.error;
    if (diagnostic.place.input < diagnostics.inputs().size()) {
        append_printable(out, diagnostics.inputs()[diagnostic.place.input]);
        out += ": ";
    }
    const auto to = std::back_inserter(out);
    if (diagnostic.place.record != no_index) fmt::format_to(to, "record {}: ", diagnostic.place.record);
    if (!error.structure.empty() && has_place(error.code)) fmt::format_to(to, "offset {:#x}: ", error.offset);
    fmt::format_to(to, "{}: ", severity_name(diagnostic.severity));
    if (!error.structure.empty()) {
        out += error.structure;
        if (!error.field.empty()) fmt::format_to(to, ".{}", error.field);
        out += ": ";
    }
    append_message(out, error);
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

}  // namespace hkpd
