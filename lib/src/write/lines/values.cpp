// One value a line, for pipelines: JSON Lines and CSV with the same fields.
#include <functional>

#include "hkpd/counter_type.hpp"
#include "hkpd/select.hpp"
#include "sample/display_name.hpp"
#include "write/append_number.hpp"
#include "write/cells.hpp"
#include "write/json/json_stream.hpp"
#include "write/logged_counter.hpp"
#include "write/row_tiles.hpp"
#include "write/writers.hpp"

namespace hkpd {
namespace {

/// What all values of an object have in common.
struct ObjectFields {
    std::string_view time;  // empty: no moment of the calendar
    std::optional<std::string_view> machine;
    SampleSource source;
    std::optional<std::string_view> name;
    std::optional<std::uint32_t> index;
    std::optional<std::string_view> counterset;
};

/// What all values of an instance have in common besides.
struct InstanceFields {
    std::optional<std::string_view> parent, name;
    std::uint32_t index;
};

/// What all values of a column have in common besides.
struct CounterFields {
    std::optional<std::string_view> name;
    std::optional<std::uint32_t> index;
    std::uint32_t type;
};

struct JsonLines {
    static constexpr std::string_view end = "}\n";

    static void begin(bool /*cooked*/, std::string& /*out*/) {}

    static void object(const ObjectFields& fields, std::string& out) {
        text(R"({"time":)", fields.time.empty() ? std::nullopt : std::optional(fields.time), out);
        text(R"(,"machine":)", fields.machine, out);
        text(R"(,"source":)", source_name(fields.source), out);
        text(R"(,"object":)", fields.name, out);
        number(R"(,"object_index":)", fields.index, out);
        text(R"(,"counterset":)", fields.counterset, out);
    }

    static void instance(const InstanceFields& fields, std::string& out) {
        text(R"(,"parent":)", fields.parent, out);
        text(R"(,"instance":)", fields.name, out);
        number(R"(,"instance_index":)", fields.index, out);
    }

    static void counter(const CounterFields& fields, std::string& out) {
        text(R"(,"counter":)", fields.name, out);
        number(R"(,"counter_index":)", fields.index, out);
        out += R"(,"type":)";
        if (fields.type == no_counter_type) {
            out += "null";
        } else {
            out += '"';
            append_type(out, fields.type);
            out += '"';
        }
        out += R"(,"raw":)";
    }

    /// `raw` is a number or null, so that a column of a table can take it: what is none has a key of its own behind it.
    static void other_value(const Object& object, const Column& column, std::uint32_t row, std::string& out) {
        out += "null";
        if (!column.sound(row)) {
            // Nothing else can have a status: it is there only where it says more than that there is no value.
            if (column.status[row] != ValueStatus::damaged)
                out.append(R"(,"status":")").append(status_number(column.status[row])) += '"';
        } else if (column.storage == Storage::text) {
            text(R"(,"text":)", object.bytes(column, row), out);
        } else {
            out += R"(,"hex":")";
            append_hex(out, object.bytes(column, row));
            out += '"';
        }
    }

    static char* cooked(char* to, CookedValue cooked) {
        to = put(to, R"(,"value":)");
        to = cooked.has_value() ? put_shortest(to, cooked.value) : put(to, "null");
        to = put(to, R"(,"reason":)");
        if (cooked.reason == Reason::none) return put(to, "null");
        return put(put(put(to, R"(")"), reason_name(cooked.reason)), R"(")");
    }

  private:
    static void text(std::string_view key, const std::optional<std::string_view>& value, std::string& out) {
        out += key;
        if (value)
            append_json_string(out, *value);
        else
            out += "null";
    }
    static void number(std::string_view key, const std::optional<std::uint32_t>& value, std::string& out) {
        out += key;
        if (value)
            append_digits(out, *value);
        else
            out += "null";
    }
};

struct Csv {
    static constexpr std::string_view end = "\n";

    static void begin(bool cooked, std::string& out) {
        out +=
            "time,machine,source,object,object_index,counterset,parent,instance,instance_index,counter,counter_index,"
            "type,raw";
        out += cooked ? ",value,reason\n" : "\n";
    }

    static void object(const ObjectFields& fields, std::string& out) {
        append_csv_cell(out, fields.time);
        append_csv_cell(out, fields.machine.value_or(""));
        append_csv_cell(out, source_name(fields.source));
        append_csv_cell(out, fields.name.value_or(""));
        number(fields.index, out);
        append_csv_cell(out, fields.counterset.value_or(""));
    }

    static void instance(const InstanceFields& fields, std::string& out) {
        append_csv_cell(out, fields.parent.value_or(""));
        append_csv_cell(out, fields.name.value_or(""));
        number(fields.index, out);
    }

    static void counter(const CounterFields& fields, std::string& out) {
        append_csv_cell(out, fields.name.value_or(""));
        number(fields.index, out);
        if (fields.type != no_counter_type) append_type(out, fields.type);
        out += ',';
    }

    static void other_value(const Object& object, const Column& column, std::uint32_t row, std::string& out) {
        if (!column.sound(row)) return;
        if (column.storage == Storage::text) {
            append_csv_cell(out, object.bytes(column, row));
            out.pop_back();  // the comma
        } else {
            out += "0x";  // alone for a counter of no bytes: an empty cell is a damaged value
            append_hex(out, object.bytes(column, row));
        }
    }

    static char* cooked(char* to, CookedValue cooked) {
        to = put(to, ",");
        if (cooked.has_value()) to = put_shortest(to, cooked.value);
        return put(put(to, ","), reason_name(cooked.reason));
    }

  private:
    static void number(const std::optional<std::uint32_t>& value, std::string& out) {
        if (value) append_digits(out, *value);
        out += ',';
    }
};

/// A line is what is told of its object, its instance and its counter, each put into text once, and the value.
template <class Form>
class ValueWriter final : public Writer {
  public:
    explicit ValueWriter(const WriteOptions& options) : cooked_(options.cooked), drain_(options.drain) {}

    void begin(std::string& out) override { Form::begin(cooked_, out); }

    void sample(const Sample& sample, std::span<const Selected> selected, Cooker* cooker, std::string& out) override {
        time_.clear();
        if (sample.system_time) append_time(time_, *sample.system_time);
        for (const Selected& part : selected) {
            const Object& object = sample.objects()[part.object];
            begin_object(sample, object, part);
            for_each_tile(part.rows, [&](std::span<const std::uint32_t> tile, std::size_t) {
                if (cooked_ && cooker != nullptr)
                    for (Shown& shown : columns_) shown.cooked = cook_tile(*cooker, part.object, shown.position, tile);
                for (const std::uint32_t row : tile) write_row(sample, object, row, row - tile.front(), out);
            });
        }
    }

  private:
    struct Shown {
        const Column* column;
        std::uint32_t position;
        std::size_t begin, length;  // of its text
        CookedColumn cooked;        // of the tile at hand; empty where there are no cooked values
    };
    /// Text of a value, its cooked one, its reason and the end of the line.
    static constexpr std::size_t most_value = 128;

    void begin_object(const Sample& sample, const Object& object, const Selected& part) {
        numbers_.number(sample, object, indices_);
        start_.clear();
        counterset_.clear();
        if (object.counterset) append_guid(counterset_, *object.counterset);
        Form::object(
            {time_, sample.machine, sample.source, name_object(sample, object), object_number(sample.source, object),
             object.counterset ? std::optional<std::string_view>(counterset_) : std::nullopt},
            start_);
        object_size_ = start_.size();
        counters_.clear();
        columns_.clear();
        for (const std::uint32_t position : part.columns) {
            const Column& column = object.columns[position];
            const std::size_t begin = counters_.size();
            Form::counter({column.name ? std::optional(column.name->text) : std::nullopt,
                           counter_number(sample.source, column), column.type},
                          counters_);
            columns_.push_back({&column, position, begin, counters_.size() - begin, {}});
        }
    }

    /// `place` is that of the row in its tile.
    void write_row(const Sample& sample, const Object& object, std::uint32_t row, std::size_t place, std::string& out) {
        const Instance& instance = object.instances[row];
        std::optional<std::string_view> parent;
        if (const auto found = sample.parent(instance))
            parent = sample.objects()[found->object].instances[found->instance].name;
        start_.resize(object_size_);
        Form::instance({parent, instance.name, indices_[row]}, start_);
        for (const Shown& shown : columns_) {
            write_line(object, shown, row, place, out);
            if (drain_ != nullptr && out.size() >= much_text) drain_(out);
        }
    }

    void write_line(const Object& object, const Shown& shown, std::uint32_t row, std::size_t place, std::string& out) {
        const std::string_view counter = std::string_view(counters_).substr(shown.begin, shown.length);
        const Column& column = *shown.column;
        const auto end = [&](char* to) {
            if (!shown.cooked.values.empty()) to = Form::cooked(to, shown.cooked[place]);
            return put(to, Form::end);
        };
        if (column.storage == Storage::number && column.sound(row)) {
            append_within(out, start_.size() + counter.size() + most_value,
                          [&](char* to) { return end(put(put(put(to, start_), counter), column.values[row])); });
            return;
        }
        out.append(start_).append(counter);
        Form::other_value(object, column, row, out);
        append_within(out, most_value, end);
    }

    /// A result of which nothing tells the counterset has nothing else to be known by.
    std::optional<std::string_view> name_object(const Sample& sample, const Object& object) {
        if (object.name) return object.name->text;
        if (sample.source != SampleSource::v2 || object.counterset) return std::nullopt;
        return object_ = object_label(sample.source, object);
    }

    bool cooked_;
    std::function<void(std::string&)> drain_;
    std::string time_, object_, counterset_;
    InstanceNumbers numbers_;
    std::vector<std::uint32_t> indices_;  // of the current object
    std::string start_;                   // of the lines of the instance at hand
    std::size_t object_size_ = 0;         // how much of it is the object's
    std::string counters_;                // what is told of the object's counters, one behind the other
    std::vector<Shown> columns_;
};

}  // namespace

std::unique_ptr<Writer> make_jsonl_writer(const WriteOptions& options) {
    return std::make_unique<ValueWriter<JsonLines>>(options);
}
std::unique_ptr<Writer> make_csv_writer(const WriteOptions& options) {
    return std::make_unique<ValueWriter<Csv>>(options);
}

}  // namespace hkpd
