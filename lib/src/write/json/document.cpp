#include <utility>

#include "hkpd/diagnostics.hpp"
#include "write/json/diagnostics.hpp"
#include "write/json/objects.hpp"
#include "write/writers.hpp"

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
        json_.time("system_time", sample.system_time);
        json_.number("perf_time", sample.perf.time);
        json_.number("perf_freq", sample.perf.frequency);
        json_.number("perf_time_100ns", sample.perf_time_100ns);
        if (sample.source == SampleSource::v1) json_.number("default_object", sample.default_object);
        if (sample.source == SampleSource::log) write_zone(sample);
        if (sample.source != SampleSource::v2) write_tables(sample);
        json_.key("objects");
        json_.StartArray();
        JsonObjects objects(json_, sample, options_.cooked ? cooker : nullptr, options_.help_text);
        for (const Selected& part : selected) {
            objects.write(part);
            if (options_.drain != nullptr && out.size() >= much_text) options_.drain(out);
        }
        json_.EndArray();
        json_.EndObject();
    }

    void end(Diagnostics& diagnostics, std::string& out) override {
        sink_.attach(out);
        json_.EndArray();
        write_diagnostics(json_, diagnostics);
        json_.EndObject();
        out += '\n';
    }

  private:
    void write_zone(const Sample& sample) {
        json_.key("zone");
        if (!sample.zone) {
            json_.Null();
            return;
        }
        json_.StartObject();
        json_.string("name", sample.zone->name);
        json_.number("bias", sample.zone->bias);
        json_.EndObject();
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
            write_path(json_, table.origin());
            json_.EndObject();
        }
        json_.EndArray();
    }

    WriteOptions options_;
    StringSink sink_;
    JsonStream json_;
};

}  // namespace

std::unique_ptr<Writer> make_json_writer(const WriteOptions& options) { return std::make_unique<JsonWriter>(options); }

}  // namespace hkpd
