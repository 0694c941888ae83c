// One value a line, for pipelines: JSON Lines and CSV with the same fields.
#include <fmt/format.h>

#include <iterator>

#include "cells.hpp"
#include "forms.hpp"
#include "json_stream.hpp"

namespace hkpd {
namespace {

/// What all values of an object's counter, instance and sample have in common, worked out once for each.
struct Line {
    const Sample& sample;
    const Object& object;
    const Column& column;
    std::uint32_t row;
    std::string_view time;  // empty: no moment of the calendar
    std::string_view type;  // name, or hexadecimal where it has none
    std::optional<std::string_view> parent;
    std::uint32_t instance_index;
    std::optional<CookedValue> cooked;
};

class ValueWriter : public Writer {
  public:
    explicit ValueWriter(const WriteOptions& options) : cooked_(options.cooked) {}

    void sample(const Sample& sample, std::span<const Selected> selected, Cooker* cooker, std::string& out) override {
        time_.clear();
        if (sample.system_time) append_time(time_, *sample.system_time);
        for (const Selected& part : selected) {
            const Object& object = sample.objects()[part.object];
            number_instances(sample, object, indices_);
            name_types(object, part);
            for (const std::uint32_t row : part.rows) {
                std::optional<std::string_view> parent;
                if (const auto found = sample.parent(object.instances[row]))
                    parent = sample.objects()[found->object].instances[found->instance].name;
                for (std::size_t c = 0; c < part.columns.size(); ++c) {
                    const std::uint32_t position = part.columns[c];
                    Line shown{sample,        object, object.columns[position], row, time_, types_[c], parent,
                               indices_[row], {}};
                    if (cooked_ && cooker != nullptr) shown.cooked = cooker->column(part.object, position)[row];
                    line(shown, out);
                }
            }
        }
    }

  protected:
    bool cooked() const noexcept { return cooked_; }
    virtual void line(const Line& line, std::string& out) = 0;

  private:
    void name_types(const Object& object, const Selected& part) {
        types_.clear();
        for (const std::uint32_t position : part.columns) types_.push_back(type_text(object.columns[position].type));
    }

    bool cooked_;
    std::string time_;
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
        json_.key("object");
        json_.title(line.object.name);
        json_.key("object_index");
        json_.Uint(line.object.title_index);
        json_.key("parent");
        json_.text_or_null(line.parent);
        json_.key("instance");
        json_.text_or_null(line.object.instances[line.row].name);
        json_.key("instance_index");
        json_.Uint(line.instance_index);
        json_.key("counter");
        json_.title(line.column.name);
        json_.key("counter_index");
        json_.Uint(line.column.title_index);
        json_.key("type");
        json_.text(line.type);
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
        out += "time,machine,object,object_index,parent,instance,instance_index,counter,counter_index,type,raw";
        out += cooked() ? ",value,reason\n" : "\n";
    }

  private:
    void line(const Line& line, std::string& out) override {
        cell(line.time, out);
        cell(line.sample.machine.value_or(""), out);
        cell(line.object.name ? line.object.name->text : "", out);
        number(line.object.title_index, out);
        cell(line.parent.value_or(""), out);
        cell(line.object.instances[line.row].name.value_or(""), out);
        number(line.instance_index, out);
        cell(line.column.name ? line.column.name->text : "", out);
        number(line.column.title_index, out);
        cell(line.type, out);
        raw(line, out);
        if (line.cooked) {
            append_number(out, line.cooked->value);
            out += ',';
            cell(reason_name(line.cooked->reason), out);
        }
        out.back() = '\n';
    }

    static void number(std::uint64_t value, std::string& out) {
        const fmt::format_int digits(value);
        out.append(digits.data(), digits.size());
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
