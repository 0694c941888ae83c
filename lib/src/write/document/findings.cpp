// Writes the findings of checks in three formats: text, hkpd's own JSON document, and SARIF 2.1.0
// (docs.oasis-open.org/sarif/sarif/v2.1.0). In SARIF, a region of a binary file identifies its bytes by `byteOffset`
// (section 3.30.11).
#include "write/document/findings.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "hkpd/diagnostics.hpp"
#include "hkpd/write.hpp"
#include "write/cells.hpp"

namespace hkpd {
namespace {

class FindingsText {
  public:
    FindingsText(std::string& out, const Findings& findings, bool notes)
        : out_(out), findings_(findings), diagnostics_(findings.diagnostics()), notes_(notes) {}

    void write() {
        for (std::size_t i = 0; i < diagnostics_.kept().size(); ++i) {
            const Diagnostic& diagnostic = diagnostics_.kept()[i];
            if (!notes_ && diagnostic.severity == Severity::note) continue;
            if (!kinds_.is_among_first(diagnostic) && !notes_) continue;
            write_finding(diagnostic, findings_.all()[i]);
        }
        if (!notes_) kinds_.append_rest(out_, diagnostics_);
        if (const std::size_t listed = diagnostics_.kept().size(); diagnostics_.count() > listed)
            fmt::format_to(std::back_inserter(out_), "{} more findings are not listed\n",
                           diagnostics_.count() - listed);
    }

    void write_summary(const CheckedInputs& checked) {
        const auto counted = [this](Severity severity) {
            return count_of(diagnostics_.count(severity), severity_name(severity));
        };
        out_ += diagnostics_.any_fault() ? "faults: " : "no faults: ";
        if (diagnostics_.any_fault()) out_ += counted(Severity::error) + ", " + counted(Severity::warning) + ", ";
        out_ += counted(Severity::note);
        if (!notes_ && diagnostics_.count(Severity::note) != 0) out_ += " (--verbose shows notes)";
        out_ += "; checked: " + count_of(checked.samples, "sample");
        if (checked.title_tables != 0) out_ += ", " + count_of(checked.title_tables, "title table");
        if (checked.services != 0) out_ += ", " + count_of(checked.services, "provider");
        out_ += '\n';
    }

  private:
    void write_finding(const Diagnostic& diagnostic, const Finding& finding) {
        append_diagnostic(out_, diagnostics_, diagnostic);
        out_ += '\n';
        write_place(finding);
        if (const auto title = english_title(diagnostic.error)) line("English title", *title);
        write_rule(diagnostic.error);
        write_provider(diagnostic, finding);
    }

    void write_place(const Finding& finding) {
        std::string place;
        if (!finding.object.empty()) place += fmt::format("object \"{}\"", printable(finding.object));
        if (!finding.instance.empty())
            place += fmt::format("{}instance \"{}\"", place.empty() ? "" : ", ", printable(finding.instance));
        if (place.empty()) return;
        if (!finding.machine.empty()) place += fmt::format(" of {}", printable(finding.machine));
        line("in", place);
    }

    /// Writes the rule that a fault breaks and how to repair the fault, unless they were written for an earlier fault.
    void write_rule(const Error& error) {
        const auto repair = repair_of(error);
        if (!reported_.emplace(error.code, repair).second) return;
        if (const auto rule = rule_of(error.code); !rule.empty()) line("rule", rule);
        if (!repair.empty()) line("repair", repair);
    }

    void write_provider(const Diagnostic& diagnostic, const Finding& finding) {
        if (finding.service != nullptr)
            line("provider",
                 fmt::format("service {}, {}", printable(finding.service->name),
                             finding.service->library.empty() ? "no DLL" : printable(finding.service->library)));
        if (!finding.hidden.empty()) line("hides", printable(finding.hidden));
        if (const auto event = perflib_event(diagnostic.error); event && diagnostic.severity != Severity::note)
            line("event", fmt::format("Perflib event {} in the Windows application log", *event));
    }

    void line(std::string_view what, std::string_view text) {
        fmt::format_to(std::back_inserter(out_), "    {}: {}\n", what, text);
    }

    std::string& out_;
    const Findings& findings_;
    const Diagnostics& diagnostics_;
    bool notes_;
    KindCounter kinds_;
    std::set<std::pair<Errc, std::string_view>> reported_;  // codes and repairs of the faults whose rules were written
};

class FindingsSarif {
  public:
    FindingsSarif(std::string& out, const Findings& findings)
        : findings_(findings), diagnostics_(findings.diagnostics()), json_(out) {
        for (const Diagnostic& diagnostic : diagnostics_.kept()) codes_.push_back(diagnostic.error.code);
        std::ranges::sort(codes_);
        codes_.erase(std::ranges::unique(codes_).begin(), codes_.end());
    }

    void write(std::string_view version, const std::function<void(JsonStream&)>& further) {
        json_.StartObject();
        json_.member("$schema", "https://json.schemastore.org/sarif-2.1.0.json");
        json_.member("version", "2.1.0");
        json_.key("runs");
        json_.StartArray();
        json_.object([&] { write_run(version); });
        if (further) further(json_);
        json_.EndArray();
        json_.EndObject();
    }

  private:
    void write_run(std::string_view version) {
        json_.object("tool", [&] {
            json_.object("driver", [&] {
                json_.member("name", "hkpd");
                json_.member("version", version);
                json_.objects("rules", codes_, [this](Errc code) { write_rule(code); });
            });
        });
        json_.member("columnKind", "utf16CodeUnits");
        std::size_t place = 0;
        json_.objects("results", diagnostics_.kept(),
                      [&](const Diagnostic& diagnostic) { write_result(diagnostic, findings_.all()[place++]); });
    }

    void write_rule(Errc code) {
        json_.member("id", code_name(code));
        if (const auto rule = rule_of(code); !rule.empty()) write_text("shortDescription", rule);
        if (const auto repair = repair_of(code); !repair.empty()) write_text("help", repair);
    }

    void write_result(const Diagnostic& diagnostic, const Finding& finding) {
        const Error& error = diagnostic.error;
        std::string message;
        if (!error.structure.empty())
            message = fmt::format("{}{}{}: ", error.structure, error.field.empty() ? "" : ".", error.field);
        append_message(message, diagnostic);
        if (const auto title = english_title(error)) message += fmt::format(" ({})", *title);
        json_.member("ruleId", code_name(error.code));
        json_.member("ruleIndex", std::ranges::lower_bound(codes_, error.code) - codes_.begin());
        json_.member("level", severity_name(diagnostic.severity));
        write_text("message", message);
        // Only a diagnostic of a file has a physical location: SARIF (3.29.2) requires that the location names an
        // artifact, and no reader of the document could open standard input.
        const bool in_file = diagnostic.place.input < diagnostics_.inputs().size() &&
                             diagnostics_.inputs()[diagnostic.place.input] != "-";
        if (in_file || !finding.object.empty())
            json_.objects("locations", std::array{in_file}, [&](bool physical) {
                if (physical) json_.object("physicalLocation", [&] { write_physical_location(diagnostic); });
                if (!finding.object.empty()) write_logical_location(finding);
            });
        json_.object("properties", [&] { write_properties(diagnostic, finding); });
    }

    void write_physical_location(const Diagnostic& diagnostic) {
        json_.object("artifactLocation",
                     [&] { json_.member("uri", uri_of(diagnostics_.inputs()[diagnostic.place.input])); });
        // If the place has a record number, the offset counts from the beginning of that record, not from the beginning
        // of the file. A region requires an offset in the file, so no region is written.
        if (diagnostic.place.record != no_index || !has_place(diagnostic.error.code)) return;
        json_.object("region", [&] {
            json_.member("byteOffset", diagnostic.error.offset);
            json_.member("byteLength", 0);
        });
    }

    void write_logical_location(const Finding& finding) {
        const std::string full =
            finding.instance.empty() ? finding.object : fmt::format("{}({})", finding.object, finding.instance);
        json_.objects("logicalLocations", std::array{&finding}, [&](const Finding* found) {
            json_.member("name", found->instance.empty() ? found->object : found->instance);
            json_.member("fullyQualifiedName", full);
        });
    }

    void write_properties(const Diagnostic& diagnostic, const Finding& finding) {
        const Error& error = diagnostic.error;
        json_.member("offset", error.offset);
        json_.index_or_null("record", diagnostic.place.record);
        json_.index_or_null("sample", diagnostic.place.sample);
        json_.numbers(error);
        json_.fault_cell(diagnostic);
        if (const auto event = perflib_event(error)) json_.member("perflibEvent", *event);
        if (finding.service == nullptr) return;
        json_.member("service", finding.service->name);
        if (!finding.hidden.empty()) json_.member("hides", finding.hidden);
        json_.member("library", finding.service->library);
    }

    void write_text(std::string_view key, std::string_view text) {
        json_.object(key, [&] { json_.member("text", text); });
    }

    const Findings& findings_;
    const Diagnostics& diagnostics_;
    std::vector<Errc> codes_;  // codes of all diagnostics, ascending, each once
    JsonStream json_;
};

}  // namespace

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

void write_findings_text(std::string& out, const Findings& findings, const CheckedInputs& checked, bool notes,
                         const std::function<void()>& further) {
    FindingsText text(out, findings, notes);
    text.write();
    if (further) further();
    text.write_summary(checked);
}

void write_findings_sarif(std::string& out, const Findings& findings, std::string_view version,
                          const std::function<void(JsonStream&)>& further) {
    FindingsSarif(out, findings).write(version, further);
    out += '\n';
}

void write_findings_json(std::string& out, const Findings& findings, const CheckedInputs& checked,
                         const std::function<void(JsonStream&)>& further) {
    const Diagnostics& diagnostics = findings.diagnostics();
    JsonStream json(out);
    json.StartObject();
    std::size_t place = 0;
    json.objects("findings", diagnostics.kept(), [&](const Diagnostic& diagnostic) {
        const Finding& finding = findings.all()[place++];
        json.diagnostic(diagnostics, diagnostic);
        json.index_or_null("record", diagnostic.place.record);
        json.text_or_null("object_name", finding.object);
        json.text_or_null("instance_name", finding.instance);
        json.text_or_null("machine", finding.machine);
        json.text_or_null("rule", rule_of(diagnostic.error.code));
        json.text_or_null("repair", repair_of(diagnostic.error));
        json.member("english_title", english_title(diagnostic.error));
        json.member("perflib_event", perflib_event(diagnostic.error));
        json.text_or_null("service", finding.service != nullptr ? finding.service->name : "");
        json.text_or_null("library", finding.service != nullptr ? finding.service->library : "");
        if (!finding.hidden.empty()) json.member("hides", finding.hidden);
    });
    if (further) further(json);
    json.object("summary", [&] {
        json.member("errors", diagnostics.count(Severity::error));
        json.member("warnings", diagnostics.count(Severity::warning));
        json.member("notes", diagnostics.count(Severity::note));
        json.member("listed", diagnostics.kept().size());
        json.member("samples", checked.samples);
        json.member("title_tables", checked.title_tables);
        json.member("providers", checked.services);
    });
    json.EndObject();
    out += '\n';
}

void append_findings_text(std::string& out, const Findings& findings, const CheckedInputs& checked, bool notes) {
    write_findings_text(out, findings, checked, notes, {});
}

void append_findings_json(std::string& out, const Findings& findings, const CheckedInputs& checked) {
    write_findings_json(out, findings, checked, {});
}

void append_findings_sarif(std::string& out, const Findings& findings, std::string_view version) {
    write_findings_sarif(out, findings, version, {});
}

}  // namespace hkpd
