// hkpd's JSON document: samples and diagnostics.
#include <algorithm>
#include <array>
#include <functional>
#include <utility>

#include "base/time.hpp"
#include "hkpd/counter_type.hpp"
#include "hkpd/diagnostics.hpp"
#include "hkpd/identity.hpp"
#include "hkpd/select.hpp"
#include "hkpd/v2.hpp"
#include "sample/display_name.hpp"
#include "sample/real_value.hpp"
#include "write/cells.hpp"
#include "write/json/json_stream.hpp"
#include "write/writers.hpp"

namespace hkpd {
namespace {

std::string_view kind_name(Kind kind) noexcept {
    constexpr std::array<std::string_view, 4> names{"single", "multi", "metadata_single", "metadata_multi"};
    return names[static_cast<std::size_t>(kind)];
}

constexpr auto attribute_names = std::to_array<std::pair<std::uint64_t, std::string_view>>({
    {v2::attribute::by_reference, "by_reference"},
    {v2::attribute::no_displayable, "no_displayable"},
    {v2::attribute::no_group_separator, "no_group_separator"},
    {v2::attribute::display_as_real, "display_as_real"},
    {v2::attribute::display_as_hex, "display_as_hex"},
});

/// Returns the time of a value as text, such as `2016-11-26T21:46:30.8740000Z`. Returns none if the time is unknown, or
/// equals the sample's time to the millisecond.
std::optional<std::string> time_taken(const Sample& sample, const Column& column, std::size_t row) {
    constexpr std::int64_t millisecond = 1'000'000;
    if (column.taken.empty()) return std::nullopt;
    const auto taken = unix_nanoseconds(static_cast<std::int64_t>(column.taken[row])), whole = unix_time(sample);
    if (!taken || (whole && *taken / millisecond == *whole / millisecond)) return std::nullopt;
    std::string text;
    append_filetime(text, column.taken[row]);
    return text;
}

/// Writes one object of a sample. Members that the sample's source (V1, V2 or a log) does not have are omitted. If an
/// object or counter has a name but no index, its index is null. If a log stores the raw values of a counter, the
/// counter also has the member `time_base`.
///
/// The instances of an object whose raw values are stored in a log have up to four more arrays. Each array has one item
/// for each item of `values`:
///
/// - `second`: the second raw value.
/// - `multi_count`: the count that the log stores with a value. The item is null if the count is 1 and the counter is
///   not a multi timer.
/// - `status`: the PDH status of a missing value.
/// - `taken`: the time of a value, if this time differs from the sample's time.
///
/// The arrays `multi_count`, `status` and `taken` are omitted if all their items are null. The array `second` is always
/// written.
class JsonObject {
  public:
    /// Keeps references. If `cooker` is null, only raw values are written. Calls `drain` after each counter and
    /// instance, as all of them together can have names of any size.
    JsonObject(JsonStream& json, const Sample& sample, const Selected& part, Cooker* cooker, bool help_text,
               const std::function<void()>& drain)
        : json_(json),
          sample_(sample),
          part_(part),
          object_(sample.objects()[part.object]),
          run_(*RunInstances::of(sample)),
          instances_(run_.instances(sample, part.object)),
          known_(id_kind(sample.source, object_)),
          cooker_(cooker),
          help_text_(help_text),
          drain_(drain) {}

    void write() {
        json_.StartObject();
        write_identity();
        json_.member("kind", kind_name(object_.kind));
        if (is_v1()) {
            json_.member("code_page", object_.code_page);
            json_.member("perf_time", object_.clock.time);
            json_.member("perf_freq", object_.clock.frequency);
        }
        json_.objects("counters", part_.columns, [this](std::uint32_t position) {
            write_counter(object_.columns[position]);
            drain_();
        });
        json_.objects("instances", part_.rows, [this](std::uint32_t row) {
            write_instance(row);
            drain_();
        });
        json_.EndObject();
    }

  private:
    bool is_v1() const noexcept { return known_ == IdKind::title; }
    bool is_v2() const noexcept { return known_ == IdKind::counterset; }

    void write_identity() {
        if (!is_v2()) {
            json_.member("index", object_number(sample_.source, object_));
        } else {
            json_.member("counterset", counterset_text(object_));
            // A result without a known counterset differs from other such results only in its position in the block.
            if (const auto place = unknown_result(object_.title_index); place && !object_.counterset)
                json_.member("result", *place);
        }
        json_.member("name", object_.name);
        if (is_v1()) json_.member("help_index", object_.help_index);
        if (help_text_) json_.member("help", object_.help);
        // 0 means that the object has no detail level: the lowest level in Windows is 100.
        if (is_v1() || object_.detail_level != 0) json_.member("detail_level", object_.detail_level);
    }

    void write_counter(const Column& column) {
        const bool registered = column.type != no_counter_type;
        json_.member(is_v2() ? "id" : "index", counter_number(sample_.source, column));
        json_.member("name", column.name);
        if (is_v1()) json_.member("help_index", column.help_index);
        if (help_text_) json_.member("help", column.help);
        json_.member("type", registered ? std::optional(column.type) : std::nullopt);
        json_.text_or_null("type_name", counter_type_name(column.type));
        json_.member("size", column.size);
        if (is_v1()) json_.member("offset", column.offset);
        if (!is_v2() || registered) json_.member("scale", column.scale);
        if (is_v1() || (is_v2() && registered)) json_.member("detail_level", column.detail_level);
        if (is_v2() && registered)
            json_.array("attributes", attribute_names, [&](const auto& attribute) {
                if ((column.attributes & attribute.first) != 0) json_.value(attribute.second);
            });
        if (column.time_base)
            json_.member("time_base", *column.time_base);
        else
            write_serving(column);
    }

    /// Writes references to the counters that supply a column's base, its clock (time and frequency) and its multi
    /// timer count.
    void write_serving(const Column& column) {
        write_reference("base", column.base);
        if (!is_v2() || column.type == no_counter_type) return;
        write_reference("time", column.time);
        write_reference("frequency", column.frequency);
        write_reference("multi", column.multi);
    }

    /// Writes a reference to another counter of the same object. `column` is the position of that counter among all
    /// counters of the object. The reference is the position of that counter among the shown counters, or null if that
    /// counter does not exist or is not shown.
    void write_reference(std::string_view key, std::int32_t column) {
        const auto wanted = static_cast<std::uint32_t>(column);
        const auto found = std::ranges::lower_bound(part_.columns, wanted);
        if (column < 0 || found == part_.columns.end() || *found != wanted)
            json_.member(key, std::nullopt);
        else
            json_.member(key, found - part_.columns.begin());
    }

    void write_instance(std::uint32_t row) {
        const Instance& instance = object_.instances[row];
        json_.member("name", instance.name);
        if (is_v1()) {
            json_.member("unique_id", instance.unique_id);
            json_.key("parent");
            write_parent(instance);
        } else if (is_v2()) {
            json_.member("id", instance.unique_id ? std::optional(static_cast<std::uint32_t>(*instance.unique_id))
                                                  : std::nullopt);
        }
        write_identity(instance, row);
        json_.array("values", part_.columns,
                    [&](std::uint32_t position) { write_raw(object_.columns[position], row); });
        if (known_ == IdKind::name) write_logged(row);
        if (cooker_ == nullptr) return;
        const auto cooked = [&](std::uint32_t position) { return cooker_->column(part_.object, position)[row]; };
        json_.array("cooked", part_.columns, [&](std::uint32_t position) { json_.value(cooked(position).value); });
        json_.array("reasons", part_.columns, [&](std::uint32_t position) { json_.value(cooked(position).reason); });
    }

    /// Writes who the instance is over the run, and what PDH calls it in this sample; null if its name is damaged.
    void write_identity(const Instance& instance, std::uint32_t row) {
        const std::optional<Identity> identity = run_.named(instances_.numbers[row]);
        std::optional<std::string> name, place;
        if (identity) name = identity->instance();
        if (instance.name) append_place(place.emplace(), sample_, instance, instances_.places[row]);
        json_.member("instance", name);
        json_.member("pid", identity ? identity->pid : std::nullopt);
        json_.member("instance_id", identity ? identity->instance_id : std::nullopt);
        json_.member("life", identity ? std::optional(identity->life) : std::nullopt);
        json_.member("pdh_instance", place);
    }

    /// Writes a raw value: a number as an exact unsigned integer, text as a string, and any other bytes as {"hex":"…"}.
    /// Writes null if the value is damaged or missing.
    void write_raw(const Column& column, std::uint32_t row) {
        if (!column.is_valid(row)) return json_.value(std::nullopt);
        if (const auto real = double_value(column, row)) return json_.value(*real);
        if (column.storage == Storage::number) return json_.value(column.values[row]);
        if (column.storage == Storage::text) return json_.value(object_.bytes(column, row));
        std::string hex;
        append_hex(hex, object_.bytes(column, row));
        json_.object([&] { json_.member("hex", hex); });
    }

    void write_logged(std::uint32_t row) {
        // `of` returns the array's item for a column; if it returns none, the item is null. With `sparse`, the array is
        // omitted if all items are null.
        const auto array = [&](std::string_view key, bool sparse, const auto& of) {
            const auto has = [&](std::uint32_t position) { return of(object_.columns[position]).has_value(); };
            if (sparse && std::ranges::none_of(part_.columns, has)) return;
            json_.array(key, part_.columns,
                        [&](std::uint32_t position) { json_.value(of(object_.columns[position])); });
        };
        const auto valid = [row](const Column& column) { return column.logged() && column.is_valid(row); };
        array("second", false, [&](const Column& column) {
            return valid(column) ? std::optional(static_cast<std::int64_t>(column.second[row])) : std::nullopt;
        });
        array("multi_count", true, [&](const Column& column) {
            const bool counts = valid(column) && (CounterType{column.type}.multi() || column.multi_count[row] != 1);
            return counts ? std::optional(column.multi_count[row]) : std::nullopt;
        });
        array("status", true, [&](const Column& column) {
            return column.is_valid(row) ? std::nullopt : std::optional(status_number(column.status[row]));
        });
        array("taken", true, [&](const Column& column) { return time_taken(sample_, column, row); });
    }

    /// Writes the parent of an instance, as the instance states it, and its name if the sample has it.
    void write_parent(const Instance& instance) {
        if (instance.parent_object == 0) return json_.value(std::nullopt);
        const auto parent = sample_.parent(instance);
        json_.object([&] {
            json_.member("object", instance.parent_object);
            json_.member("ordinal", instance.parent_instance);
            json_.member("name",
                         parent ? sample_.objects()[parent->object].instances[parent->instance].name : OptionalName());
        });
    }

    JsonStream& json_;
    const Sample& sample_;
    const Selected& part_;
    const Object& object_;
    RunInstances& run_;
    const ObjectInstances& instances_;
    IdKind known_;
    Cooker* cooker_;
    bool help_text_;
    const std::function<void()>& drain_;
};

class JsonWriter final : public Writer {
  public:
    explicit JsonWriter(WriteOptions options) : options_(std::move(options)) {}

    void begin(std::string& out) override {
        json_.attach(out);
        json_.StartObject();
        json_.key("samples");
        json_.StartArray();
    }

    void sample(const Sample& sample, std::span<const Selected> selected, Cooker* cooker, std::string& out) override {
        if (selected.empty() && !sample.objects().empty()) return;  // all objects of the sample are filtered out
        json_.attach(out);
        json_.StartObject();
        json_.member("machine", sample.machine);
        json_.member("source", source_name(sample.source));
        write_system_time(sample);
        json_.member("perf_time", sample.perf.time);
        json_.member("perf_freq", sample.perf.frequency);
        json_.member("perf_time_100ns", sample.perf_time_100ns);
        if (sample.source == SampleSource::v1) json_.member("default_object", sample.default_object);
        if (sample.source == SampleSource::log) write_zone(sample);
        if (sample.source != SampleSource::v2)
            json_.objects("titles", sample.tables(), [this](std::uint32_t position) {
                const TitleTable& table = options_.titles->tables()[position];
                json_.text_or_null("language", table.language());
                json_.path("source", table.origin());
            });
        const std::function<void()> drain = [&] { drain_much(options_, out); };
        json_.array("objects", selected, [&](const Selected& part) {
            JsonObject(json_, sample, part, options_.cooked ? cooker : nullptr, options_.help_text, drain).write();
            drain();
        });
        json_.EndObject();
    }

    void end(Diagnostics& diagnostics, std::string& out) override { json_.end_document(diagnostics, out); }

  private:
    /// Writes the time of a sample, without `Z` if it is a local time of which no zone is known.
    void write_system_time(const Sample& sample) {
        std::string text;
        if (sample.system_time) append_time(text, *sample.system_time, utc_if_stated(sample.shown_zone(options_.zone)));
        json_.text_or_null("system_time", text);
    }

    void write_zone(const Sample& sample) {
        if (!sample.zone) return json_.member("zone", std::nullopt);
        json_.object("zone", [&] {
            json_.member("name", sample.zone->name);
            json_.member("bias", sample.zone->bias);
        });
    }

    WriteOptions options_;
    JsonStream json_;
};

}  // namespace

std::unique_ptr<Writer> make_json_writer(const WriteOptions& options) { return std::make_unique<JsonWriter>(options); }

}  // namespace hkpd
