// The map of an input: as text, and as JSON.
#include "hkpd/map.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <string>
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

/// Appends bytes in hexadecimal, separated by blanks.
void append_hex_line(std::string& out, Bytes bytes) {
    std::string_view blank;
    for (const std::byte b : bytes.span()) {
        const char character = static_cast<char>(b);
        append_hex(out += std::exchange(blank, " "), {&character, 1});
    }
}

/// Appends the text with control characters escaped. Cuts off text after `longest_text` bytes and appends `...` to it.
void append_shown(std::string& out, std::string_view text) {
    constexpr std::size_t longest_character = 4;  // in bytes; a character is kept or removed as a whole
    const std::size_t begin = out.size();
    append_printable(out, text.substr(0, longest_text + longest_character));
    if (out.size() - begin <= longest_text) return;
    std::size_t end = begin + longest_text;
    while (end > begin && (static_cast<unsigned char>(out[end]) & 0xC0U) == 0x80U) --end;
    out.resize(end);
    out += "...";
}

/// Appends ` NAME`, or nothing if the name is empty.
std::string& append_name(std::string& out, std::string_view name) {
    if (!name.empty()) append_shown(out += ' ', name);
    return out;
}

/// Appends the label of an entry. If the entry is a field with a name, the label is this name. If the entry is the
/// value of a counter, the label is the counter's name; without a name, it contains the counter's number. If the bytes
/// of the entry belong to no field, the label is their kind in parentheses.
void append_label_of(std::string& out, const MapEntry& entry) {
    if (!entry.field.empty())
        out += entry.field;
    else if (!is_field(entry.kind))
        out.append("(").append(map_kind_name(entry.kind)).append(")");
    else if (!entry.counter_name.empty())
        append_shown(out, entry.counter_name);
    else
        append_digits(out += "counter ", entry.counter);
}

/// Appends the value of an entry and the meaning of the value, such as `288  to 0x120` (a length in bytes, and the
/// offset at which these bytes end) or `"_Total"` (a value without a meaning). If the entry shares bytes with an
/// earlier field, also appends in brackets the number of shared bytes and the name of that field.
void append_words(std::string& out, const MapEntry& entry) {
    std::string_view blanks;
    if (!entry.value.empty()) {
        const bool quoted = !entry.is_number && (entry.kind == MapKind::name || entry.kind == MapKind::value);
        const std::string_view quote = quoted ? "\"" : "";
        append_shown(out += quote, entry.value);
        out += quote;
        blanks = "  ";
    }
    if (!entry.meaning.empty()) append_shown(out += std::exchange(blanks, "  "), entry.meaning);
    if (entry.overlaps.empty()) return;
    append_digits(out.append(blanks).append("[shares "), entry.shared_bytes());
    append_shown(out += " bytes with ", entry.overlaps);
    out += ']';
}

/// Appends the object of an entry: `object 238 Processor`. For V2 data, this is `result 0`; for the identifiers of a
/// query, `identifier 0`.
std::string& append_object(std::string& out, MapForm form, const MapEntry& entry) {
    const std::string_view word = form == MapForm::v1            ? "object "
                                  : form == MapForm::identifiers ? "identifier "
                                                                 : "result ";
    append_digits(out += word, entry.object);
    return append_name(out, entry.object_name);
}

std::string& append_instance(std::string& out, const MapEntry& entry) {
    append_digits(out += "instance ", entry.instance);
    if (entry.instance_name.empty()) return out;
    append_shown(out += " \"", entry.instance_name);
    return out += '"';
}

std::string& append_counter(std::string& out, const MapEntry& entry) {
    append_digits(out += "counter ", entry.counter);
    return append_name(out, entry.counter_name);
}

/// Returns whether the entry's structure describes a single counter. PERF_MULTI_COUNTERS does not: it lists the ids of
/// all counters of a result.
bool is_of_counter(const MapEntry& entry) {
    return entry.kind == MapKind::definition && entry.counter != no_index && entry.structure != "PERF_MULTI_COUNTERS";
}

void append_heading(std::string& out, MapForm form, const MapEntry& entry) {
    out.append("\n").append(entry.structure);
    if (entry.object != no_index) append_object(out += ", ", form, entry);
    if (entry.instance != no_index) append_instance(out += ", ", entry);
    if (is_of_counter(entry)) append_counter(out += ", ", entry);
    out += '\n';
}

/// The structure in the most recent heading, identified by its name and by the numbers of its block, object, instance
/// and counter. With these numbers, the names of objects, instances and counters need not be compared.
struct Headed {
    std::string structure;
    std::array<std::uint32_t, 4> place{};  // block, object, instance and counter

    /// Sets the structure to that of `entry`. Returns whether this has changed the structure.
    bool change(const MapEntry& entry) {
        const std::array now{entry.block, entry.object, entry.instance,
                             is_of_counter(entry) ? entry.counter : no_index};
        if (now == place && structure == entry.structure) return false;
        structure = entry.structure;
        place = now;
        return true;
    }
};

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
        if (is_field(entry.kind) && headed_.change(entry)) append_heading(out, form_, entry);
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
    void append_first_line(std::string& out, const MapEntry& entry) {
        const Bytes first = entry.bytes.clip(0, bytes_of_line);
        append_offset(out, first.empty() ? entry.whole.offset() : first.offset());
        const std::size_t hex = out.size();
        if (first.empty())
            out += "(the same bytes)";
        else
            append_hex_line(out, first);
        out.append(hex + hex_width + 2 - out.size(), ' ');
        label_.clear();
        append_label_of(label_, entry);
        append_padded(out, label_, label_width, Grid::Align::left);
        append_words(out += "  ", entry);
        out.erase(out.find_last_not_of(' ') + 1);
        out += '\n';
    }

    /// Appends an offset, and the blanks around it.
    static void append_offset(std::string& out, std::uint64_t offset) {
        constexpr std::size_t least = 8;
        constexpr int base = 16;
        std::array<char, 2 * least> digits;  // enough for 64 bits
        const auto end = std::to_chars(digits.data(), std::next(digits.data(), digits.size()), offset, base).ptr;
        const auto count = static_cast<std::size_t>(end - digits.data());
        out.append("  ").append(least - std::min(least, count), '0').append(digits.data(), count).append("  ");
    }

    void append_rest(std::string& out, Bytes bytes) const {
        const std::size_t most = all_ || bytes.size() <= longest_run ? bytes.size() : longest_run - bytes_of_line;
        for (std::size_t at = bytes_of_line; at < most; at += bytes_of_line) {
            append_offset(out, bytes.offset() + at);
            append_hex_line(out, bytes.clip(at, bytes_of_line));
            out += '\n';
        }
        if (most < bytes.size())
            fmt::format_to(std::back_inserter(out), "            ... {} more bytes\n", bytes.size() - most);
    }

    bool all_, first_ = true;
    MapForm form_{};
    Headed headed_;
    std::string label_;  // of the current line
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
        json_.word("kind", map_kind_name(entry.kind));
        json_.word("structure", entry.structure);
        json_.word("field", entry.field);
        write_place(entry);
        write_words(entry);
        hex_.clear();
        append_hex(hex_, {reinterpret_cast<const char*>(entry.bytes.data()), entry.bytes.size()});
        json_.word("bytes", hex_);
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
            json_.number(entry.value);
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
    if (entry.object != no_index) append_object(out, form, entry) += " > ";
    if (entry.instance != no_index) append_instance(out, entry) += " > ";
    if (entry.counter != no_index) append_counter(out, entry) += " > ";
    if (!entry.structure.empty()) out.append(entry.structure).append(" > ");
    out += entry.field.empty() ? fmt::format("({})", map_kind_name(entry.kind)) : std::string(entry.field);
    fmt::format_to(to, "\n  byte {} of {}, starting at {:#x}: ", offset - entry.whole.offset(), entry.whole.size(),
                   entry.whole.offset());
    append_hex_line(out, entry.whole.clip(0, longest_run));
    if (entry.whole.size() > longest_run) out += " ...";
    const std::size_t end = out.size();
    append_words(out += "\n  ", entry);
    if (out.size() == end + 3) out.resize(end);
    out += '\n';
}

std::unique_ptr<MapWriter> make_map_json() { return std::make_unique<MapJson>(); }

}  // namespace hkpd
