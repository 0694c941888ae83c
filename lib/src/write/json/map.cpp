#include "hkpd/map.hpp"

#include "hkpd/diagnostics.hpp"
#include "hkpd/write.hpp"
#include "write/cells.hpp"
#include "write/json/json_stream.hpp"

namespace hkpd {
namespace {

class MapJson final : public MapWriter {
  public:
    void begin(std::string& out) override {
        json_.attach(out);
        json_.StartObject();
        json_.key("inputs");
        json_.StartArray();
    }

    void begin_input(const MapInput& input, std::string& out) override {
        json_.attach(out);
        v1_ = input.form == MapForm::v1;
        json_.StartObject();
        json_.path("input", input.file);
        json_.index_or_null("record", input.record);
        json_.member("form", map_form_name(input.form));
        json_.member("size", input.size);
        json_.key("entries");
        json_.StartArray();
    }

    void entry(const MapEntry& entry, std::string& out) override {
        json_.attach(out);
        json_.StartObject();
        json_.member("offset", entry.bytes.offset());
        json_.member("size", entry.bytes.size());
        json_.member("kind", map_kind_name(entry.kind));
        json_.member("structure", entry.structure);
        json_.member("field", entry.field);
        write_place(entry);
        write_words(entry);
        hex_.clear();
        append_hex(hex_, {reinterpret_cast<const char*>(entry.bytes.data()), entry.bytes.size()});
        json_.member("bytes", hex_);
        if (!entry.overlaps.empty())
            json_.object("overlaps", [&] {
                json_.member("offset", entry.whole.offset());
                json_.member("bytes", entry.shared_bytes());
                json_.member("with", entry.overlaps);
            });
        json_.EndObject();
    }

    void end_input(const MapTotals& totals, std::string& out) override {
        json_.attach(out);
        json_.EndArray();
        json_.object("totals", [&] {
            for (std::size_t i = 0; i < map_kinds; ++i)
                json_.member(map_kind_name(static_cast<MapKind>(i)), totals.bytes[i]);
            json_.member("sum", totals.sum());
            json_.member("blocks", totals.blocks);
            json_.member("overlaps", totals.overlaps);
            json_.member("shared_bytes", totals.shared_bytes);
            json_.member("nonzero_padding", totals.nonzero_padding);
        });
        json_.EndObject();
    }

    void end(const Diagnostics& diagnostics, std::string& out) override {
        json_.attach(out);
        json_.EndArray();
        json_.diagnostics(diagnostics);
        json_.EndObject();
        out += '\n';
    }

  private:
    void write_place(const MapEntry& entry) {
        const auto place = [this](std::string_view key, std::uint32_t number, std::string_view name_key,
                                  std::string_view name) {
            if (number != no_index) json_.member(key, number);
            if (!name.empty()) json_.member(name_key, name);
        };
        if (entry.kind != MapKind::leftover) json_.member("block", entry.block);
        place(v1_ ? "object" : "result", entry.object, "object_name", entry.object_name);
        place("instance", entry.instance, "instance_name", entry.instance_name);
        place("counter", entry.counter, "counter_name", entry.counter_name);
    }

    void write_words(const MapEntry& entry) {
        json_.key("value");
        if (entry.is_number)
            json_.RawValue(entry.value.data(), entry.value.size(), rapidjson::kNumberType);
        else if (entry.value.empty() && entry.kind != MapKind::name)
            json_.Null();
        else
            json_.value(entry.value);
        json_.member("meaning", entry.meaning);
    }

    bool v1_ = true;
    std::string hex_;
    JsonStream json_;
};

}  // namespace

std::unique_ptr<MapWriter> make_map_json() { return std::make_unique<MapJson>(); }

}  // namespace hkpd
