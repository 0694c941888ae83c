#include "hkpd/check.hpp"
#include "hkpd/diagnostics.hpp"
#include "hkpd/write.hpp"
#include "write/json/diagnostics.hpp"

namespace hkpd {
namespace {

class FindingsJson {
  public:
    explicit FindingsJson(std::string& out) : json_(sink_) { sink_.attach(out); }

    void write(const Findings& findings, const CheckedInputs& checked) {
        const Diagnostics& diagnostics = findings.diagnostics();
        json_.StartObject();
        json_.key("findings");
        json_.StartArray();
        for (std::size_t i = 0; i < diagnostics.kept().size(); ++i) {
            json_.StartObject();
            write_diagnostic(json_, diagnostics, diagnostics.kept()[i]);
            json_.index_or_null("record", diagnostics.kept()[i].place.record);
            write_finding(diagnostics.kept()[i].error, findings.all()[i]);
            json_.EndObject();
        }
        json_.EndArray();
        json_.key("summary");
        write_summary(diagnostics, checked);
        json_.EndObject();
    }

  private:
    void write_finding(const Error& error, const Finding& finding) {
        text_or_null("object_name", finding.object);
        text_or_null("instance_name", finding.instance);
        text_or_null("machine", finding.machine);
        text_or_null("rule", rule_of(error.code));
        text_or_null("repair", repair_of(error.code));
        json_.key("perflib_event");
        json_.uint_or_null(perflib_event(error));
        text_or_null("service", finding.service != nullptr ? finding.service->name : "");
        text_or_null("library", finding.service != nullptr ? finding.service->library : "");
    }

    void write_summary(const Diagnostics& diagnostics, const CheckedInputs& checked) {
        json_.StartObject();
        json_.unsigned_number("errors", diagnostics.count(Severity::error));
        json_.unsigned_number("warnings", diagnostics.count(Severity::warning));
        json_.unsigned_number("notes", diagnostics.count(Severity::note));
        json_.unsigned_number("listed", diagnostics.kept().size());
        json_.unsigned_number("samples", checked.samples);
        json_.unsigned_number("title_tables", checked.title_tables);
        json_.unsigned_number("providers", checked.services);
        json_.EndObject();
    }

    void text_or_null(std::string_view key, std::string_view text) {
        json_.key(key);
        json_.text_or_null(text.empty() ? std::nullopt : std::optional(text));
    }

    StringSink sink_;
    JsonStream json_;
};

}  // namespace

void append_findings_json(std::string& out, const Findings& findings, const CheckedInputs& checked) {
    FindingsJson(out).write(findings, checked);
    out += '\n';
}

}  // namespace hkpd
