// SARIF 2.1.0: docs.oasis-open.org/sarif/sarif/v2.1.0. Bytes of binary files are regions by `byteOffset` (3.30.11).
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "hkpd/check.hpp"
#include "hkpd/diagnostics.hpp"
#include "hkpd/write.hpp"
#include "write/json/diagnostics.hpp"

namespace hkpd {
namespace {

/// A path as a relative URI reference or a file's (RFC 3986; RFC 8089, appendix E, for paths of Windows): what is not
/// unreserved is escaped byte by byte.
std::string uri_of(std::string_view path) {
    constexpr std::string_view plain = "-._~/";
    constexpr bool on_windows = std::filesystem::path::preferred_separator == '\\';
    const bool drive = path.size() > 2 && path[1] == ':' && (path[2] == '\\' || path[2] == '/');
    const bool share = path.starts_with("\\\\");
    const bool backslashes = drive || share || on_windows;
    std::string uri;
    if (drive)
        uri = "file:///";
    else if (share)
        uri = "file:";
    else if (path.starts_with('/'))
        uri = "file://";
    for (const char c : path) {
        const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        if (backslashes && c == '\\')
            uri += '/';
        else if (letter || plain.find(c) != std::string_view::npos || (drive && c == ':'))
            uri += c;
        else
            uri += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
    return uri;
}

class FindingsSarif {
  public:
    FindingsSarif(std::string& out, const Findings& findings)
        : findings_(findings), diagnostics_(findings.diagnostics()), json_(sink_) {
        sink_.attach(out);
        for (const Diagnostic& diagnostic : diagnostics_.kept()) codes_.push_back(diagnostic.error.code);
        std::ranges::sort(codes_);
        codes_.erase(std::ranges::unique(codes_).begin(), codes_.end());
    }

    void write(std::string_view version) {
        json_.StartObject();
        json_.string("$schema", "https://json.schemastore.org/sarif-2.1.0.json");
        json_.string("version", "2.1.0");
        json_.key("runs");
        json_.StartArray();
        json_.StartObject();
        write_tool(version);
        json_.string("columnKind", "utf16CodeUnits");
        json_.key("results");
        json_.StartArray();
        for (std::size_t i = 0; i < diagnostics_.kept().size(); ++i)
            write_result(diagnostics_.kept()[i], findings_.all()[i]);
        json_.EndArray();
        json_.EndObject();
        json_.EndArray();
        json_.EndObject();
    }

  private:
    void write_tool(std::string_view version) {
        json_.key("tool");
        json_.StartObject();
        json_.key("driver");
        json_.StartObject();
        json_.string("name", "hkpd");
        json_.string("version", version);
        json_.key("rules");
        json_.StartArray();
        for (const Errc code : codes_) write_rule(code);
        json_.EndArray();
        json_.EndObject();
        json_.EndObject();
    }

    void write_rule(Errc code) {
        json_.StartObject();
        json_.string("id", code_name(code));
        if (const auto rule = rule_of(code); !rule.empty()) write_text("shortDescription", rule);
        if (const auto repair = repair_of(code); !repair.empty()) write_text("help", repair);
        json_.EndObject();
    }

    void write_result(const Diagnostic& diagnostic, const Finding& finding) {
        const Error& error = diagnostic.error;
        const auto rule = std::ranges::lower_bound(codes_, error.code) - codes_.begin();
        std::string message;
        if (!error.structure.empty())
            message = fmt::format("{}{}{}: ", error.structure, error.field.empty() ? "" : ".", error.field);
        append_message(message, error);
        json_.StartObject();
        json_.string("ruleId", code_name(error.code));
        json_.unsigned_number("ruleIndex", static_cast<std::uint64_t>(rule));
        json_.string("level", severity_name(diagnostic.severity));
        write_text("message", message);
        write_location(diagnostic, finding);
        write_properties(diagnostic, finding);
        json_.EndObject();
    }

    void write_location(const Diagnostic& diagnostic, const Finding& finding) {
        const bool in_file = diagnostic.place.input < diagnostics_.inputs().size() &&
                             diagnostics_.inputs()[diagnostic.place.input] != "-";
        if (!in_file && finding.object.empty()) return;
        json_.key("locations");
        json_.StartArray();
        json_.StartObject();
        if (in_file) write_physical_location(diagnostic);
        write_logical_location(finding);
        json_.EndObject();
        json_.EndArray();
    }

    /// Of a file: standard input is no artifact that a reader could open (3.29.2 asks for one).
    void write_physical_location(const Diagnostic& diagnostic) {
        json_.key("physicalLocation");
        json_.StartObject();
        json_.key("artifactLocation");
        json_.StartObject();
        json_.string("uri", uri_of(diagnostics_.inputs()[diagnostic.place.input]));
        json_.EndObject();
        // An offset in a record of a capture is none in the file.
        if (diagnostic.place.record == no_index && has_place(diagnostic.error.code)) {
            json_.key("region");
            json_.StartObject();
            json_.unsigned_number("byteOffset", diagnostic.error.offset);
            json_.unsigned_number("byteLength", 0);
            json_.EndObject();
        }
        json_.EndObject();
    }

    void write_logical_location(const Finding& finding) {
        if (finding.object.empty()) return;
        json_.key("logicalLocations");
        json_.StartArray();
        json_.StartObject();
        json_.string("name", finding.instance.empty() ? finding.object : finding.instance);
        json_.string("fullyQualifiedName", finding.instance.empty()
                                               ? finding.object
                                               : fmt::format("{}({})", finding.object, finding.instance));
        json_.EndObject();
        json_.EndArray();
    }

    void write_properties(const Diagnostic& diagnostic, const Finding& finding) {
        const Error& error = diagnostic.error;
        json_.key("properties");
        json_.StartObject();
        json_.unsigned_number("offset", error.offset);
        json_.index_or_null("record", diagnostic.place.record);
        json_.index_or_null("sample", diagnostic.place.sample);
        json_.unsigned_number("need", error.need);
        json_.unsigned_number("have", error.have);
        if (const auto event = perflib_event(error)) json_.unsigned_number("perflibEvent", *event);
        if (finding.service != nullptr) {
            json_.string("service", finding.service->name);
            json_.string("library", finding.service->library);
        }
        json_.EndObject();
    }

    void write_text(std::string_view key, std::string_view text) {
        json_.key(key);
        json_.StartObject();
        json_.string("text", text);
        json_.EndObject();
    }

    const Findings& findings_;
    const Diagnostics& diagnostics_;
    std::vector<Errc> codes_;  // that were met, ascending
    StringSink sink_;
    JsonStream json_;
};

}  // namespace

void append_findings_sarif(std::string& out, const Findings& findings, std::string_view version) {
    FindingsSarif(out, findings).write(version);
    out += '\n';
}

}  // namespace hkpd
