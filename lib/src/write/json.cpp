#include <utility>

#include "forms.hpp"
#include "json_objects.hpp"
#include "labels.hpp"
#include "text.hpp"

namespace hkpd {
namespace {

class JsonWriter final : public Writer {
  public:
    explicit JsonWriter(WriteOptions options) : options_(std::move(options)), json_(sink_) {}

    void begin(std::string& out) override {
        sink_.attach(out);
        json_.StartObject();
        json_.key("samples");
        json_.StartArray();
    }

    void sample(const Sample& sample, std::span<const Selected> selected, Cooker* cooker, std::string& out) override {
        sink_.attach(out);
        json_.StartObject();
        json_.key("machine");
        json_.text_or_null(sample.machine);
        json_.string("source", source_name(sample.source));
        json_.key("system_time");
        write_time(sample);
        json_.number("perf_time", sample.perf.time);
        json_.number("perf_freq", sample.perf.frequency);
        json_.number("perf_time_100ns", sample.perf_time_100ns);
        if (sample.source == SampleSource::v1) {
            json_.number("default_object", sample.default_object);
            write_tables(sample);
        }
        json_.key("objects");
        json_.StartArray();
        JsonObjects objects(json_, sample, options_.cooked ? cooker : nullptr, options_.help_text);
        for (const Selected& part : selected) objects.write(part);
        json_.EndArray();
        json_.EndObject();
    }

    void end(Diagnostics& diagnostics, std::string& out) override {
        sink_.attach(out);
        json_.EndArray();
        json_.key("diagnostics");
        json_.StartArray();
        for (const Diagnostic& diagnostic : diagnostics.kept()) write_diagnostic(diagnostics, diagnostic);
        json_.EndArray();
        json_.EndObject();
        out += '\n';
    }

  private:
    void write_time(const Sample& sample) {
        if (!sample.system_time) {
            json_.Null();
            return;
        }
        std::string time;
        append_time(time, *sample.system_time);
        json_.text(time);
    }

    void write_tables(const Sample& sample) {
        json_.key("titles");
        json_.StartArray();
        for (const std::uint32_t position : sample.tables()) {
            const TitleTable& table = options_.titles->tables()[position];
            json_.StartObject();
            json_.key("language");
            json_.text_or_null(table.language().empty() ? std::nullopt
                                                        : std::optional<std::string_view>(table.language()));
            json_.key("source");
            path(table.origin());
            json_.EndObject();
        }
        json_.EndArray();
    }

    /// Names of files are any bytes; JSON is UTF-8.
    void path(std::string_view name) {
        std::string text;
        append_utf8(text, std::as_bytes(std::span(name)));
        json_.text(text);
    }

    void write_diagnostic(const Diagnostics& diagnostics, const Diagnostic& diagnostic) {
        const Error& error = diagnostic.error;
        json_.StartObject();
        json_.string("severity", severity_name(diagnostic.severity));
        json_.string("code", code_name(error.code));
        json_.index_or_null("sample", diagnostic.sample);
        json_.key("input");
        if (diagnostic.input < diagnostics.inputs().size())
            path(diagnostics.inputs()[diagnostic.input]);
        else
            json_.Null();
        json_.unsigned_number("offset", error.offset);
        json_.string("structure", error.structure);
        json_.string("field", error.field);
        json_.unsigned_number("need", error.need);
        json_.unsigned_number("have", error.have);
        write_object_place(diagnostics, diagnostic.object);
        json_.index_or_null("instance", diagnostic.instance);
        std::string message;
        append_message(message, error);
        json_.string("message", message);
        json_.EndObject();
    }

    /// V1: the title index. V2: the GUID of the counterset, or the place of a result of which nothing tells it.
    void write_object_place(const Diagnostics& diagnostics, std::uint32_t object) {
        const std::string_view name = diagnostics.object_name(object);
        const bool is_counterset = parse_guid(name).has_value();
        const auto place = unknown_result(object);
        json_.index_or_null("object", is_counterset || place ? no_index : object);
        if (is_counterset)
            json_.string("counterset", name);
        else if (place)
            json_.unsigned_number("result", *place);
    }

    WriteOptions options_;
    StringSink sink_;
    JsonStream json_;
};

}  // namespace

std::unique_ptr<Writer> make_json_writer(const WriteOptions& options) { return std::make_unique<JsonWriter>(options); }

}  // namespace hkpd
