// One value a line, for pipelines: JSON Lines and CSV with the same fields.
#include <fmt/format.h>

#include <functional>
#include <iterator>

#include "cells.hpp"
#include "forms.hpp"
#include "hkpd/counter_type.hpp"
#include "json_stream.hpp"
#include "labels.hpp"

namespace hkpd {
namespace {

/// What all values of an object's counter, instance and sample have in common, worked out once for each.
struct Line {
    const Sample& sample;
    const Object& object;
    const Column& column;
    std::uint32_t row;
    std::string_view time;  // empty: no moment of the calendar
    std::string_view type;  // name, or hexadecimal where it has none; empty: nothing tells it
    std::optional<std::string_view> object_name;
    std::optional<std::string_view> counterset;
    std::optional<std::string_view> parent;
    std::uint32_t instance_index;
    std::optional<CookedValue> cooked;
};

class ValueWriter : public Writer {
  public:
    explicit ValueWriter(const WriteOptions& options) : cooked_(options.cooked), drain_(options.drain) {}

    void sample(const Sample& sample, std::span<const Selected> selected, Cooker* cooker, std::string& out) override {
        time_.clear();
        if (sample.system_time) append_time(time_, *sample.system_time);
        for (const Selected& part : selected) {
            const Object& object = sample.objects()[part.object];
            number_instances(sample, object, indices_);
            name_types(object, part);
            const auto object_name = name_object(sample, object);
            const auto counterset = counterset_text(object);
            for (const std::uint32_t row : part.rows) {
                std::optional<std::string_view> parent;
                if (const auto found = sample.parent(object.instances[row]))
                    parent = sample.objects()[found->object].instances[found->instance].name;
                for (std::size_t c = 0; c < part.columns.size(); ++c) {
                    const std::uint32_t position = part.columns[c];
                    Line shown{sample,        object,     object.columns[position],
                               row,           time_,      types_[c],
                               object_name,   counterset, parent,
                               indices_[row], {}};
                    if (cooked_ && cooker != nullptr) shown.cooked = cooker->column(part.object, position)[row];
                    line(shown, out);
                }
                if (drain_ != nullptr && out.size() >= much_text) drain_(out);
            }
        }
    }

  protected:
    bool cooked() const noexcept { return cooked_; }
    virtual void line(const Line& line, std::string& out) = 0;

  private:
    void name_types(const Object& object, const Selected& part) {
        types_.clear();
        for (const std::uint32_t position : part.columns) {
            const std::uint32_t type = object.columns[position].type;
            types_.push_back(type == no_counter_type ? std::string() : type_text(type));
        }
    }

    /// A result of which nothing tells the counterset has nothing else to be known by.
    std::optional<std::string_view> name_object(const Sample& sample, const Object& object) {
        if (object.name) return object.name->text;
        if (sample.source == SampleSource::v1 || object.counterset) return std::nullopt;
        return object_ = object_label(sample.source, object);
    }

    bool cooked_;
    std::function<void(std::string&)> drain_;
    std::string time_, object_;
    std::vector<std::string> types_;
    std::vector<std::uint32_t> indices_;
};

class JsonLinesWriter final : public ValueWriter {
  public:
    explicit JsonLinesWriter(const WriteOptions& options) : ValueWriter(options), json_(sink_) {}

  private:
    void line(const Line& line, std::string& out) override {
        sink_.attach(out);
        json_.Reset(sink_);
        json_.StartObject();
        json_.key("time");
        json_.text_or_null(line.time.empty() ? std::nullopt : std::optional(line.time));
        json_.key("machine");
        json_.text_or_null(line.sample.machine);
        json_.key("source");
        json_.text(source_name(line.sample.source));
        json_.key("object");
        json_.text_or_null(line.object_name);
        json_.key("object_index");
        json_.uint_or_null(object_number(line.sample.source, line.object));
        json_.key("counterset");
        json_.text_or_null(line.counterset);
        json_.key("parent");
        json_.text_or_null(line.parent);
        json_.key("instance");
        json_.text_or_null(line.object.instances[line.row].name);
        json_.key("instance_index");
        json_.Uint(line.instance_index);
        json_.key("counter");
        json_.title(line.column.name);
        json_.key("counter_index");
        json_.uint_or_null(counter_number(line.sample.source, line.column));
        json_.key("type");
        json_.text_or_null(line.type.empty() ? std::nullopt : std::optional(line.type));
        json_.key("raw");
        json_.value(line.object, line.column, line.row);
        if (line.cooked) {
            json_.key("value");
            json_.number_or_null(line.cooked->value);
            json_.key("reason");
            json_.reason(line.cooked->reason);
        }
        json_.EndObject();
        out += '\n';
    }

    StringSink sink_;
    JsonStream json_;
};

class CsvWriter final : public ValueWriter {
  public:
    using ValueWriter::ValueWriter;

    void begin(std::string& out) override {
        out +=
            "time,machine,source,object,object_index,counterset,parent,instance,instance_index,counter,counter_index,"
            "type,raw";
        out += cooked() ? ",value,reason\n" : "\n";
    }

  private:
    void line(const Line& line, std::string& out) override {
        cell(line.time, out);
        cell(line.sample.machine.value_or(""), out);
        cell(source_name(line.sample.source), out);
        cell(line.object_name.value_or(""), out);
        number(object_number(line.sample.source, line.object), out);
        cell(line.counterset.value_or(""), out);
        cell(line.parent.value_or(""), out);
        cell(line.object.instances[line.row].name.value_or(""), out);
        number(line.instance_index, out);
        cell(line.column.name ? line.column.name->text : "", out);
        number(counter_number(line.sample.source, line.column), out);
        cell(line.type, out);
        raw(line, out);
        if (line.cooked) {
            append_number(out, line.cooked->value);
            out += ',';
            cell(reason_name(line.cooked->reason), out);
        }
        out.back() = '\n';
    }

    static void number(std::optional<std::uint64_t> value, std::string& out) {
        if (value) {
            const fmt::format_int digits(*value);
            out.append(digits.data(), digits.size());
        }
        out += ',';
    }

    static void cell(std::string_view text, std::string& out) { append_csv_cell(out, text); }

    static void raw(const Line& line, std::string& out) {
        if (!line.column.sound(line.row)) {
            out += ',';
        } else if (line.column.storage == Storage::number) {
            number(line.column.values[line.row], out);
        } else if (line.column.storage == Storage::text) {
            cell(line.object.bytes(line.column, line.row), out);
        } else {
            out += "0x";  // alone for a counter of no bytes: an empty cell is a damaged value
            append_hex(out, line.object.bytes(line.column, line.row));
            out += ',';
        }
    }
};

}  // namespace

std::unique_ptr<Writer> make_jsonl_writer(const WriteOptions& options) {
    return std::make_unique<JsonLinesWriter>(options);
}
std::unique_ptr<Writer> make_csv_writer(const WriteOptions& options) { return std::make_unique<CsvWriter>(options); }

}  // namespace hkpd
