// The map of an input: as text, and as JSON.
#include "hkpd/map.hpp"

#include <fmt/format.h>

#include <iterator>
#include <string>
#include <tuple>
#include <utility>

#include "hkpd/bytes.hpp"
#include "hkpd/diagnostics.hpp"
#include "hkpd/write.hpp"
#include "write/cells.hpp"
#include "write/json/json_stream.hpp"
#include "write/text/grid.hpp"

namespace hkpd {

void MapWriter::begin(std::string&) {}
void MapWriter::end(const Diagnostics&, std::string&) {}

namespace {

constexpr std::size_t bytes_of_line = 8, longest_run = 32, hex_width = bytes_of_line * 3 - 1, label_width = 24;
/// Maximum length in bytes of a name or text in the output. Longer text is cut off, because help texts can be long.
constexpr std::size_t longest_text = 120;

bool is_field(MapKind kind) noexcept { return kind < MapKind::padding; }

void append_hex_line(std::string& out, Bytes bytes) {
    const std::size_t begin = out.size();
    for (const std::byte b : bytes.span())
        fmt::format_to(std::back_inserter(out), "{}{:02x}", out.size() == begin ? "" : " ", static_cast<unsigned>(b));
}

/// Returns the text with control characters escaped. Cuts off text after `longest_text` bytes and appends `...` to it.
std::string shown(std::string_view text) {
    constexpr std::size_t longest_character = 4;  // in bytes; a character is kept or removed as a whole
    std::string out;
    append_printable(out, text.substr(0, longest_text + longest_character));
    if (out.size() <= longest_text) return out;
    std::size_t end = longest_text;
    while (end > 0 && (static_cast<unsigned char>(out[end]) & 0xC0U) == 0x80U) --end;
    return out.substr(0, end) + "...";
}

/// Returns the label of an entry. If the entry is a field with a name, the label is this name. If the entry is the
/// value of a counter, the label is the counter's name; without a name, it contains the counter's number. If the bytes
/// of the entry belong to no field, the label is their kind in parentheses.
std::string label_of(const MapEntry& entry) {
    if (!is_field(entry.kind) && entry.field.empty()) return fmt::format("({})", map_kind_name(entry.kind));
    if (!entry.field.empty()) return std::string(entry.field);
    return entry.counter_name.empty() ? fmt::format("counter {}", entry.counter) : shown(entry.counter_name);
}

/// Returns the value of an entry and the meaning of the value: `9  to 0x120` (value 9, a length up to offset 0x120), or
/// `"_Total"` (a value without a meaning). If the entry shares bytes with an earlier field, appends in brackets the
/// number of these bytes and the name of that field.
std::string words_of(const MapEntry& entry) {
    const bool quoted = !entry.is_number && (entry.kind == MapKind::name || entry.kind == MapKind::value);
    std::string out;
    if (!entry.value.empty()) out = quoted ? fmt::format("\"{}\"", shown(entry.value)) : shown(entry.value);
    if (!entry.meaning.empty()) out.append(out.empty() ? "" : "  ").append(shown(entry.meaning));
    if (!entry.overlaps.empty())
        out += fmt::format("{}[shares {} bytes with {}]", out.empty() ? "" : "  ", entry.shared_bytes(),
                           shown(entry.overlaps));
    return out;
}

/// Returns the object of an entry: `object 238 Processor`. For V2 data, this is `result 0`; for the identifiers of a
/// query, `identifier 0`.
std::string object_of(MapForm form, const MapEntry& entry) {
    const std::string_view word = form == MapForm::v1            ? "object"
                                  : form == MapForm::identifiers ? "identifier"
                                                                 : "result";
    return fmt::format("{} {}{}{}", word, entry.object, entry.object_name.empty() ? "" : " ", shown(entry.object_name));
}

std::string instance_of(const MapEntry& entry) {
    const std::string name = entry.instance_name.empty() ? "" : fmt::format(" \"{}\"", shown(entry.instance_name));
    return fmt::format("instance {}{}", entry.instance, name);
}

std::string counter_of(const MapEntry& entry) {
    return fmt::format("counter {}{}{}", entry.counter, entry.counter_name.empty() ? "" : " ",
                       shown(entry.counter_name));
}

/// Returns whether the entry's structure describes one counter, not all counters of an instance.
bool is_of_counter(const MapEntry& entry) {
    return entry.kind == MapKind::definition && entry.counter != no_index && entry.structure != "PERF_MULTI_COUNTERS";
}

std::string heading_of(MapForm form, const MapEntry& entry) {
    std::string out(entry.structure);
    if (entry.object != no_index) out.append(", ").append(object_of(form, entry));
    if (entry.instance != no_index) out.append(", ").append(instance_of(entry));
    if (is_of_counter(entry)) out.append(", ").append(counter_of(entry));
    return out;
}

/// Identifies a heading: structure, block, object, instance and counter. All but the structure are numbers, so that the
/// names of objects, instances and counters need not be compared.
using Headed = std::tuple<std::string, std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>;

Headed headed_of(const MapEntry& entry) {
    return {std::string(entry.structure), entry.block, entry.object, entry.instance,
            is_of_counter(entry) ? entry.counter : no_index};
}

class MapListing final : public MapWriter {
  public:
    explicit MapListing(bool all) : all_(all) {}

    void begin_input(const MapInput& input, std::string& out) override {
        form_ = input.form;
        headed_ = {};
        if (!first_) out += '\n';
        first_ = false;
        append_printable(out, input.file);
        if (input.record != no_index) fmt::format_to(std::back_inserter(out), ", record {}", input.record);
        fmt::format_to(std::back_inserter(out), ": {}, {} bytes\n", map_form_name(input.form), input.size);
    }

    void entry(const MapEntry& entry, std::string& out) override {
        if (is_field(entry.kind))
            if (Headed headed = headed_of(entry); headed != headed_) {
                headed_ = std::move(headed);
                fmt::format_to(std::back_inserter(out), "\n{}\n", heading_of(form_, entry));
            }
        append_first_line(out, entry);
        append_rest(out, entry.bytes);
    }

    void end_input(const MapTotals& totals, std::string& out) override {
        const std::uint64_t sum = totals.sum();
        const double all = sum == 0 ? 1 : static_cast<double>(sum);
        const auto to = std::back_inserter(out);
        fmt::format_to(to, "\n  {:<12}{:>12}\n", "", "bytes");
        for (std::size_t i = 0; i < map_kinds; ++i)
            fmt::format_to(to, "  {:<12}{:>12}{:>7.1f} %\n", map_kind_name(static_cast<MapKind>(i)), totals.bytes[i],
                           100 * static_cast<double>(totals.bytes[i]) / all);
        fmt::format_to(to, "  {:<12}{:>12}{:>7.1f} %\n", "total", sum, 100.0);
        if (totals.overlaps != 0)
            fmt::format_to(to, "  overlaps: {} fields share {} bytes with others\n", totals.overlaps,
                           totals.shared_bytes);
        if (totals.nonzero_padding != 0)
            fmt::format_to(to, "  {} padding bytes are not zero\n", totals.nonzero_padding);
    }

  private:
    static void append_first_line(std::string& out, const MapEntry& entry) {
        const Bytes first = entry.bytes.clip(0, bytes_of_line);
        std::string hex = "(the same bytes)";
        if (!first.empty()) append_hex_line(hex = {}, first);
        const std::uint64_t offset = first.empty() ? entry.whole.offset() : first.offset();
        std::string line = fmt::format("  {:08x}  {:<{}}  ", offset, hex, hex_width);
        append_padded(line, label_of(entry), label_width, Grid::Align::left);
        line.append("  ").append(words_of(entry));
        line.erase(line.find_last_not_of(' ') + 1);
        out.append(line).append("\n");
    }

    void append_rest(std::string& out, Bytes bytes) const {
        const std::size_t most = all_ || bytes.size() <= longest_run ? bytes.size() : longest_run - bytes_of_line;
        for (std::size_t at = bytes_of_line; at < most; at += bytes_of_line) {
            fmt::format_to(std::back_inserter(out), "  {:08x}  ", bytes.offset() + at);
            append_hex_line(out, bytes.clip(at, bytes_of_line));
            out += '\n';
        }
        if (most < bytes.size())
            fmt::format_to(std::back_inserter(out), "            ... {} more bytes\n", bytes.size() - most);
    }

    bool all_, first_ = true;
    MapForm form_{};
    Headed headed_;
};

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

    void end(const Diagnostics& diagnostics, std::string& out) override { json_.end_document(diagnostics, out); }

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

std::unique_ptr<MapWriter> make_map_listing(bool all) { return std::make_unique<MapListing>(all); }

void append_map_place(std::string& out, MapForm form, const MapEntry& entry, std::uint64_t offset) {
    const auto to = std::back_inserter(out);
    fmt::format_to(to, "{:#x}: ", offset);
    if (entry.kind != MapKind::leftover) fmt::format_to(to, "block {} > ", entry.block);
    if (entry.object != no_index) out.append(object_of(form, entry)).append(" > ");
    if (entry.instance != no_index) out.append(instance_of(entry)).append(" > ");
    if (entry.counter != no_index) out.append(counter_of(entry)).append(" > ");
    if (!entry.structure.empty()) out.append(entry.structure).append(" > ");
    out += entry.field.empty() ? fmt::format("({})", map_kind_name(entry.kind)) : std::string(entry.field);
    fmt::format_to(to, "\n  byte {} of {}, starting at {:#x}: ", offset - entry.whole.offset(), entry.whole.size(),
                   entry.whole.offset());
    append_hex_line(out, entry.whole.clip(0, longest_run));
    if (entry.whole.size() > longest_run) out += " ...";
    if (const std::string words = words_of(entry); !words.empty()) out.append("\n  ").append(words);
    out += '\n';
}

std::unique_ptr<MapWriter> make_map_json() { return std::make_unique<MapJson>(); }

}  // namespace hkpd
