#include <algorithm>
#include <utility>

#include "forms.hpp"
#include "hkpd/counter_type.hpp"
#include "json_stream.hpp"
#include "text.hpp"

namespace hkpd {
namespace {

std::string_view kind_name(Kind kind) noexcept {
    switch (kind) {
        case Kind::single:
            return "single";
        case Kind::metadata_single:
            return "metadata_single";
        case Kind::metadata_multi:
            return "metadata_multi";
        default:
            return "multi";
    }
}

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
        json_.key("system_time");
        write_time(sample);
        number("perf_time", sample.perf.time);
        number("perf_freq", sample.perf.frequency);
        number("perf_time_100ns", sample.perf_time_100ns);
        number("default_object", sample.default_object);
        write_tables(sample);
        json_.key("objects");
        json_.StartArray();
        cooker_ = options_.cooked ? cooker : nullptr;
        for (const Selected& part : selected) write_object(sample, part);
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
    void number(std::string_view key, std::int64_t value) {
        json_.key(key);
        json_.Int64(value);
    }
    void unsigned_number(std::string_view key, std::uint64_t value) {
        json_.key(key);
        json_.Uint64(value);
    }
    void string(std::string_view key, std::string_view value) {
        json_.key(key);
        json_.text(value);
    }
    void index_or_null(std::string_view key, std::uint32_t value) {
        json_.key(key);
        if (value == no_index)
            json_.Null();
        else
            json_.Uint(value);
    }

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

    void write_object(const Sample& sample, const Selected& part) {
        const Object& object = sample.objects()[part.object];
        json_.StartObject();
        unsigned_number("index", object.title_index);
        json_.key("name");
        json_.title(object.name);
        unsigned_number("help_index", object.help_index);
        write_help(object.help);
        unsigned_number("detail_level", object.detail_level);
        string("kind", kind_name(object.kind));
        unsigned_number("code_page", object.code_page);
        number("perf_time", object.clock.time);
        number("perf_freq", object.clock.frequency);
        json_.key("counters");
        json_.StartArray();
        for (const std::uint32_t position : part.columns) write_counter(object.columns[position], part);
        json_.EndArray();
        json_.key("instances");
        json_.StartArray();
        for (const std::uint32_t row : part.rows) write_instance(sample, object, row, part);
        json_.EndArray();
        json_.EndObject();
    }

    void write_help(const std::optional<Titles::Answer>& help) {
        if (!options_.help_text) return;
        json_.key("help");
        json_.title(help);
    }

    void write_counter(const Column& column, const Selected& part) {
        json_.StartObject();
        unsigned_number("index", column.title_index);
        json_.key("name");
        json_.title(column.name);
        unsigned_number("help_index", column.help_index);
        write_help(column.help);
        unsigned_number("type", column.type);
        json_.key("type_name");
        const std::string_view name = counter_type_name(column.type);
        json_.text_or_null(name.empty() ? std::nullopt : std::optional(name));
        unsigned_number("size", column.size);
        unsigned_number("offset", column.offset);
        number("scale", column.scale);
        unsigned_number("detail_level", column.detail_level);
        json_.key("base");
        const auto wanted = static_cast<std::uint32_t>(column.base);
        const auto base = std::ranges::lower_bound(part.columns, wanted);
        if (column.base < 0 || base == part.columns.end() || *base != wanted)
            json_.Null();
        else
            json_.Int64(base - part.columns.begin());
        json_.EndObject();
    }

    void write_instance(const Sample& sample, const Object& object, std::uint32_t row, const Selected& part) {
        const Instance& instance = object.instances[row];
        json_.StartObject();
        json_.key("name");
        json_.text_or_null(instance.name);
        json_.key("unique_id");
        if (instance.unique_id)
            json_.Int(*instance.unique_id);
        else
            json_.Null();
        json_.key("parent");
        write_parent(sample, instance);
        json_.key("values");
        json_.StartArray();
        for (const std::uint32_t position : part.columns) json_.value(object, object.columns[position], row);
        json_.EndArray();
        if (cooker_ != nullptr) write_cooked(row, part);
        json_.EndObject();
    }

    void write_cooked(std::uint32_t row, const Selected& part) {
        json_.key("cooked");
        json_.StartArray();
        for (const std::uint32_t position : part.columns)
            json_.number_or_null(cooker_->column(part.object, position)[row].value);
        json_.EndArray();
        json_.key("reasons");
        json_.StartArray();
        for (const std::uint32_t position : part.columns)
            json_.reason(cooker_->column(part.object, position)[row].reason);
        json_.EndArray();
    }

    /// The parent, and its own parent inside it, as far as the sample has them.
    void write_parent(const Sample& sample, const Instance& instance) {
        if (instance.parent_object == 0) {
            json_.Null();
            return;
        }
        const auto chain = ancestors(sample, instance, Limits{}.parents);
        const Instance* at = &instance;
        for (std::size_t level = 0; at->parent_object != 0; ++level) {
            if (level != 0) json_.key("parent");
            json_.StartObject();
            unsigned_number("object", at->parent_object);
            unsigned_number("ordinal", at->parent_instance);
            json_.key("name");
            if (level == chain.size()) {
                json_.Null();
                close_parents(level + 1);
                return;
            }
            at = &sample.objects()[chain[level].object].instances[chain[level].instance];
            json_.text_or_null(at->name);
        }
        close_parents(chain.size());
    }

    void close_parents(std::size_t levels) {
        for (; levels != 0; --levels) json_.EndObject();
    }

    void write_diagnostic(const Diagnostics& diagnostics, const Diagnostic& diagnostic) {
        const Error& error = diagnostic.error;
        json_.StartObject();
        string("severity", severity_name(diagnostic.severity));
        string("code", code_name(error.code));
        index_or_null("sample", diagnostic.sample);
        json_.key("input");
        if (diagnostic.input < diagnostics.inputs().size())
            path(diagnostics.inputs()[diagnostic.input]);
        else
            json_.Null();
        unsigned_number("offset", error.offset);
        string("structure", error.structure);
        string("field", error.field);
        unsigned_number("need", error.need);
        unsigned_number("have", error.have);
        index_or_null("object", diagnostic.object);
        index_or_null("instance", diagnostic.instance);
        std::string message;
        append_message(message, error);
        string("message", message);
        json_.EndObject();
    }

    Cooker* cooker_ = nullptr;  // of the sample at hand
    WriteOptions options_;
    StringSink sink_;
    JsonStream json_;
};

}  // namespace

std::unique_ptr<Writer> make_json_writer(const WriteOptions& options) { return std::make_unique<JsonWriter>(options); }

}  // namespace hkpd
