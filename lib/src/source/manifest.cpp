#include "source/manifest.hpp"

#include <rapidjson/memorystream.h>
#include <rapidjson/reader.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <set>
#include <utility>

#include "base/file_stream.hpp"
#include "base/json_allocator.hpp"
#include "base/path.hpp"
#include "base/stream_window.hpp"
#include "hkpd/diagnostics.hpp"
#include "hkpd/limits.hpp"

namespace hkpd {
namespace {

using RecordKind = Record::Kind;
using ManifestBuffer = rapidjson::GenericStringBuffer<rapidjson::UTF8<>, JsonAllocator>;
using ManifestJson = rapidjson::Writer<ManifestBuffer, rapidjson::UTF8<>, rapidjson::UTF8<>, JsonAllocator>;

constexpr std::array<std::pair<RecordKind, std::string_view>, 10> kind_names{{
    {RecordKind::v1_block, "v1-block"},
    {RecordKind::titles, "titles"},
    {RecordKind::provenance, "provenance"},
    {RecordKind::v2_block, "v2-block"},
    {RecordKind::v2_identifiers, "v2-identifiers"},
    {RecordKind::v2_registration, "v2-registration"},
    {RecordKind::log_header, "log-header"},
    {RecordKind::log_catalogue, "log-catalogue"},
    {RecordKind::log_row, "log-row"},
    {RecordKind::log_trailer, "log-trailer"},
}};
constexpr std::string_view copy_kind = "copy";

void put(ManifestJson& json, std::string_view key, std::string_view text) {
    json.Key(key.data(), static_cast<rapidjson::SizeType>(key.size()));
    json.String(text.data(), static_cast<rapidjson::SizeType>(text.size()));
}
void put(ManifestJson& json, std::string_view key, std::uint64_t number) {
    json.Key(key.data(), static_cast<rapidjson::SizeType>(key.size()));
    json.Uint64(number);
}

/// A handler that stores the members of the JSON object in a manifest line. RapidJSON calls the handler's functions. If
/// one of these functions returns false, RapidJSON stops with an error.
// NOLINTBEGIN(readability-identifier-naming): the names are RapidJSON's.
class EntryHandler : public rapidjson::BaseReaderHandler<rapidjson::UTF8<>, EntryHandler> {
  public:
    explicit EntryHandler(ManifestSource::Entry& entry) : entry_(entry) {}

    bool StartObject() {
        if (depth_ == 1 && key_ != "entries") return false;
        return ++depth_ <= 2;
    }
    bool EndObject(rapidjson::SizeType) { return depth_-- != 0; }
    bool StartArray() { return false; }
    bool Key(const char* text, rapidjson::SizeType size, bool) {
        (depth_ == 2 ? inner_key_ : key_).assign(text, size);
        return true;
    }
    bool String(const char* text, rapidjson::SizeType size, bool) {
        const std::string_view value(text, size);
        if (depth_ == 2)
            entry_.entries.insert_or_assign(inner_key_, value);
        else if (key_ == "kind")
            return take_kind(value);
        else if (key_ == "counterset" || key_ == "log")
            return take_guid(value);
        else if (const auto at = std::ranges::find(texts, key_, &decltype(texts)::value_type::first); at != texts.end())
            entry_.*at->second = value;
        return true;
    }
    bool Uint(unsigned number) { return Uint64(number); }
    bool Uint64(std::uint64_t number) {
        Record& record = entry_.record;
        const auto small = static_cast<std::uint32_t>(number);
        if (key_ == "time")
            record.time = number;
        else if (key_ == "cost")
            record.cost = number;
        else if (small != number)
            return false;
        else if (key_ == "request")
            record.request = small;
        else if (key_ == "title_index")
            record.title_index = small;
        else if (key_ == "sequence")
            record.sequence = small;
        return true;
    }
    /// Returns whether the line is complete: it states a known kind and, for every kind except provenance, a file. A
    /// line for provenance must state no file.
    bool complete() const noexcept {
        return known_ && entry_.file.empty() == (entry_.record.kind == RecordKind::provenance);
    }

  private:
    bool take_kind(std::string_view text) {
        entry_.copy = text == copy_kind;
        const auto found = std::ranges::find(kind_names, text, &decltype(kind_names)::value_type::second);
        if (found != kind_names.end()) entry_.record.kind = found->first;
        return known_ = entry_.copy || found != kind_names.end();
    }
    bool take_guid(std::string_view text) {
        const auto guid = parse_guid(text);
        if (guid) (key_ == "log" ? entry_.record.log : entry_.record.counterset) = *guid;
        return guid.has_value();
    }

    static constexpr std::array<std::pair<std::string_view, std::string ManifestSource::Entry::*>, 4> texts{{
        {"file", &ManifestSource::Entry::file},
        {"machine", &ManifestSource::Entry::machine},
        {"name", &ManifestSource::Entry::name},
        {"language", &ManifestSource::Entry::language},
    }};
    ManifestSource::Entry& entry_;
    std::string key_, inner_key_;
    int depth_ = 0;
    bool known_ = false;
};
// NOLINTEND(readability-identifier-naming)

/// Returns whether a name is that of a file in the manifest's own directory.
bool is_plain_name(std::string_view name) noexcept {
    return name.find_first_of("/\\:") == std::string_view::npos && name != "." && name != ".." &&
           name.find('\0') == std::string_view::npos;
}

/// Returns whether a line is valid; if so, stores the content of the line in `entry`.
bool parse_line(std::string_view line, ManifestSource::Entry& entry) {
    entry = {};
    EntryHandler handler(entry);
    rapidjson::MemoryStream stream(line.data(), line.size());
    rapidjson::GenericReader<rapidjson::UTF8<>, rapidjson::UTF8<>, JsonAllocator> reader;
    return !reader.Parse<rapidjson::kParseIterativeFlag>(stream, handler).IsError() && handler.complete() &&
           is_plain_name(entry.file);
}

}  // namespace

std::string manifest_line(const Record& record, std::string_view file) {
    ManifestBuffer buffer;
    ManifestJson json(buffer);
    json.StartObject();
    if (!file.empty()) put(json, "file", file);
    put(json, "kind", std::ranges::find(kind_names, record.kind, &decltype(kind_names)::value_type::first)->second);
    for (const auto& [key, text] :
         {std::pair("machine", record.machine), std::pair("name", record.name), std::pair("language", record.language)})
        if (!text.empty()) put(json, key, text);
    if (record.entries != nullptr) {
        json.Key("entries");
        json.StartObject();
        for (const auto& [key, value] : *record.entries) put(json, key, value);
        json.EndObject();
    }
    if (record.kind == RecordKind::v2_registration) {
        put(json, "counterset", guid_text(record.counterset));
        put(json, "request", record.request);
        if (record.title_index) put(json, "title_index", *record.title_index);
    }
    if (record.log != Guid{}) put(json, "log", guid_text(record.log));
    if (record.time) put(json, "time", *record.time);
    if (record.sequence) put(json, "sequence", *record.sequence);
    if (record.cost) put(json, "cost", *record.cost);
    json.EndObject();
    return std::string(buffer.GetString(), buffer.GetSize()) + '\n';
}

std::string manifest_line_of_copy(std::string_view file) {
    ManifestBuffer buffer;
    ManifestJson json(buffer);
    json.StartObject();
    put(json, "file", file);
    put(json, "kind", copy_kind);
    json.EndObject();
    return std::string(buffer.GetString(), buffer.GetSize()) + '\n';
}

bool is_manifest(const std::string& path) {
    if (path_of(path).filename() != manifest_name) return false;
    FileStream file(path);
    std::string first(manifest_begin.size(), '\0');
    return file.read(first.data(), static_cast<std::streamsize>(first.size())) && first == manifest_begin;
}

std::unique_ptr<ManifestSource> ManifestSource::open(std::vector<std::string>& members, const Limits& limits,
                                                     Diagnostics& diagnostics) {
    const auto found = std::ranges::find_if(members, is_manifest);
    if (found == members.end()) return nullptr;
    const std::string front = found->substr(0, found->size() - manifest_name.size());
    FileStream file(*found);
    StreamWindow window(file);
    const auto bytes = window.peek(limits.title_bytes + 1).span();
    std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    const std::uint32_t input = diagnostics.add_input(*found);
    if (const auto failure = read_failure(file)) diagnostics.add(*failure);
    members.erase(found);
    if (text.size() > limits.title_bytes) {
        diagnostics.add({Errc::byte_limit, 0, "", "", limits.title_bytes, text.size()});
        text.resize(text.rfind('\n', static_cast<std::size_t>(limits.title_bytes)) + 1);
    }
    std::unique_ptr<ManifestSource> source(new ManifestSource(front, std::move(text), input, limits));
    std::set<std::string, std::less<>> listed;
    source->rewind();
    while (const auto line = source->next_line())
        if (parse_line(*line, source->entry_)) listed.insert(front + source->entry_.file);
    std::erase_if(members, [&listed](const std::string& member) { return listed.contains(member); });
    source->rewind();
    return source;
}

std::optional<std::string_view> ManifestSource::next_line() noexcept {
    if (at_ >= text_.size()) return std::nullopt;
    const std::string_view rest = std::string_view(text_).substr(at_), line = rest.substr(0, rest.find('\n'));
    at_ += line.size() + 1;
    ++line_;
    return line;
}

std::optional<Record> ManifestSource::next(Diagnostics& diagnostics) {
    while (const auto line = next_line()) {
        if (!parse_line(*line, entry_)) {
            FaultSink(diagnostics, {.input = input_}).add({Errc::manifest_line, 0, "", "", 0, line_});
            continue;
        }
        if (entry_.copy) continue;
        Record record = entry_.record;
        record.place = {.input = input_};
        record.machine = entry_.machine;
        record.name = entry_.name;
        record.language = entry_.language;
        if (record.kind == RecordKind::provenance) {
            record.entries = &entry_.entries;
            return record;
        }
        record.place.input = diagnostics.add_input(front_ + entry_.file);
        if (!read_file(diagnostics)) continue;
        record.bytes = Bytes(content_);
        return record;
    }
    return std::nullopt;
}

/// Reads the file of the current entry; returns false after reporting an error.
bool ManifestSource::read_file(Diagnostics& diagnostics) {
    FileStream file(front_ + entry_.file);
    StreamWindow window(file);
    const auto bytes = window.peek(limits_.bytes + 1).span();
    if (const auto failure = file.is_open() ? read_failure(file) : read_error(errno))
        diagnostics.add(*failure);
    else if (bytes.size() > limits_.bytes)
        diagnostics.add({Errc::byte_limit, 0, "", "", limits_.bytes, bytes.size()});
    else {
        content_.assign(bytes.begin(), bytes.end());
        return true;
    }
    return false;
}

}  // namespace hkpd
