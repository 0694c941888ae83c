#include "hkpd/map.hpp"

#include "hkpd/diagnostics.hpp"
#include "hkpd/write.hpp"
#include "write/json/diagnostics.hpp"
#include "write/json/json_stream.hpp"

namespace hkpd {
namespace {

class MapJson final : public MapWriter {
  public:
    MapJson() : json_(sink_) {}

    void begin(std::string& out) override {
        sink_.attach(out);
        json_.StartObject();
        json_.key("inputs");
        json_.StartArray();
    }

    void begin_input(const MapInput& input, std::string& out) override {
        sink_.attach(out);
        v1_ = input.form == MapForm::v1;
        json_.StartObject();
        json_.key("input");
        write_path(json_, input.file);
        json_.index_or_null("record", input.record);
        json_.string("form", map_form_name(input.form));
        json_.unsigned_number("size", input.size);
        json_.key("entries");
        json_.StartArray();
    }

    void entry(const MapEntry& entry, std::string& out) override {
        sink_.attach(out);
        json_.StartObject();
        json_.unsigned_number("offset", entry.bytes.offset());
        json_.unsigned_number("size", entry.bytes.size());
        json_.string("kind", map_kind_name(entry.kind));
        json_.string("structure", entry.structure);
        json_.string("field", entry.field);
        write_place(entry);
        write_words(entry);
        hex_.clear();
        append_hex(hex_, {reinterpret_cast<const char*>(entry.bytes.data()), entry.bytes.size()});
        json_.string("bytes", hex_);
        if (!entry.overlaps.empty()) write_overlap(entry);
        json_.EndObject();
    }

    void end_input(const MapTotals& totals, std::string& out) override {
        sink_.attach(out);
        json_.EndArray();
        json_.key("totals");
        json_.StartObject();
        for (std::size_t i = 0; i < map_kinds; ++i)
            json_.unsigned_number(map_kind_name(static_cast<MapKind>(i)), totals.bytes[i]);
        json_.unsigned_number("sum", totals.sum());
        json_.unsigned_number("blocks", totals.blocks);
        json_.unsigned_number("overlaps", totals.overlaps);
        json_.unsigned_number("shared_bytes", totals.shared_bytes);
        json_.unsigned_number("nonzero_padding", totals.nonzero_padding);
        json_.EndObject();
        json_.EndObject();
    }

    void end(const Diagnostics& diagnostics, std::string& out) override {
        sink_.attach(out);
        json_.EndArray();
        write_diagnostics(json_, diagnostics);
        json_.EndObject();
        out += '\n';
    }

  private:
    void write_place(const MapEntry& entry) {
        if (entry.kind != MapKind::leftover) json_.unsigned_number("block", entry.block);
        if (entry.object != no_index) json_.unsigned_number(v1_ ? "object" : "result", entry.object);
        write_name("object_name", entry.object_name);
        if (entry.instance != no_index) json_.unsigned_number("instance", entry.instance);
        write_name("instance_name", entry.instance_name);
        if (entry.counter != no_index) json_.unsigned_number("counter", entry.counter);
        write_name("counter_name", entry.counter_name);
    }

    void write_name(std::string_view key, std::string_view name) {
        if (!name.empty()) json_.string(key, name);
    }

    void write_words(const MapEntry& entry) {
        json_.key("value");
        if (entry.is_number)
            json_.RawValue(entry.value.data(), entry.value.size(), rapidjson::kNumberType);
        else if (entry.value.empty() && entry.kind != MapKind::name)
            json_.Null();
        else
            json_.text(entry.value);
        json_.string("meaning", entry.meaning);
    }

    void write_overlap(const MapEntry& entry) {
        json_.key("overlaps");
        json_.StartObject();
        json_.unsigned_number("offset", entry.whole.offset());
        json_.unsigned_number("bytes", entry.shared_bytes());
        json_.string("with", entry.overlaps);
        json_.EndObject();
    }

    bool v1_ = true;
    std::string hex_;
    StringSink sink_;
    JsonStream json_;
};

}  // namespace

std::unique_ptr<MapWriter> make_map_json() { return std::make_unique<MapJson>(); }

}  // namespace hkpd
