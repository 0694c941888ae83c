#include "live/v1_source.hpp"

#include <algorithm>
#include <utility>

#include "base/time.hpp"
#include "base/win32.hpp"
#include "hkpd/diagnostics.hpp"
#include "hkpd/select.hpp"
#include "names/language.hpp"
#include "sample/grouping.hpp"

namespace hkpd {
namespace {

/// A query with more indices would not be shorter than what it asks for.
constexpr std::size_t most_indices = 500;

/// The names that an object may be asked for by: of `\Processor(_Total)` in a counter path, all that stands before a
/// parenthesis.
std::vector<Pattern> patterns_of(const std::string& object) {
    std::vector<Pattern> patterns{Pattern(object)};
    for (std::size_t at = object.find('('); at != std::string::npos; at = object.find('(', at + 1))
        patterns.emplace_back(std::string_view(object).substr(0, at));
    return patterns;
}

}  // namespace

LiveV1::LiveV1(PerformanceRegistry& registry, const LiveQuery& query, const RegistryPolicy& policy)
    : registry_(registry),
      reader_(registry, policy),
      query_(query),
      languages_(wanted_languages(query.languages, registry.ui_language())) {}

void LiveV1::begin(std::vector<Record>& out) {
    read_titles();
    append_titles(out);
    find_objects();
}

/// False where they are what they were.
bool LiveV1::read_titles() {
    std::vector<TitleValue> values;
    for (const std::string& language : languages_) {
        for (const auto& [what, file] : {std::pair("Counter", "counter-"), std::pair("Help", "help-")}) {
            auto bytes = read_title_value(language, what);
            const std::string name = file + language;
            if (bytes.empty()) bytes = kept_value(name);
            if (!bytes.empty()) values.push_back({name, language, std::move(bytes)});
        }
    }
    if (values == values_) return false;
    values_ = std::move(values);
    titles_ = Titles();
    const FaultSink discarded;  // what is wrong with titles is for whoever shows names
    for (const TitleValue& value : values_)
        if (auto tables = parse_titles(Bytes(value.bytes), value.name, discarded))
            for (TitleTable& table : *tables) titles_.add(std::move(table));
    return true;
}

/// What was read before, for one that cannot be read now.
std::vector<std::byte> LiveV1::kept_value(std::string_view name) const {
    const auto kept = std::ranges::find(values_, name, &TitleValue::name);
    return kept == values_.end() ? std::vector<std::byte>{} : kept->bytes;
}

/// English and the language of the user interface have keys of their own; Samba keeps help under another name.
std::vector<std::byte> LiveV1::read_title_value(std::string_view language, std::string_view what) {
    std::vector<std::byte> bytes;
    const auto ask = [&](PerformanceKey key, const std::string& name) {
        // A value name that Windows does not know is a query for no objects.
        if (reader_.query_titles(key, name, bytes) == win32::success && !v1::has_signature(Bytes(bytes)))
            return !bytes.empty();
        bytes.clear();
        return false;
    };
    const std::string name(what), of_language = name + ' ' + std::string(language);
    if (language == english_language && ask(PerformanceKey::text, name)) return bytes;
    if (language == perflib_language(registry_.ui_language()) && ask(PerformanceKey::nls_text, name)) return bytes;
    if (ask(PerformanceKey::data, of_language)) return bytes;
    if (what == "Help") ask(PerformanceKey::data, "Explain " + std::string(language));
    return bytes;
}

void LiveV1::append_titles(std::vector<Record>& out) const {
    for (const TitleValue& value : values_)
        out.push_back({.kind = Record::Kind::titles,
                       .bytes = Bytes(value.bytes),
                       .name = value.name,
                       .language = value.language});
}

/// What has no title may be anywhere: then all is asked for.
void LiveV1::find_objects() {
    for (const std::string& object : query_.objects)
        if (!find_object(object)) return objects_.clear();
}

bool LiveV1::find_object(const std::string& object) {
    bool found = false;
    for (const Pattern& pattern : patterns_of(object)) {
        if (const auto index = pattern.index()) {
            objects_.insert(*index);
            found = true;
        }
        for (const TitleTable& table : titles_.tables()) {
            if (!table.origin().starts_with("counter-")) continue;
            for (std::size_t i = 0; i < table.size(); ++i) {
                if (table[i].index == 1 || !pattern.matches(table[i].text)) continue;
                objects_.insert(table[i].index);
                found = true;
            }
        }
    }
    return found;
}

std::string LiveV1::value_name() const {
    if (!query_.value.empty()) return query_.value;
    if (objects_.empty() || objects_.size() > most_indices) return "Global";
    std::string name;
    for (const std::uint32_t index : objects_) name += (name.empty() ? "" : " ") + std::to_string(index);
    return name;
}

std::uint32_t LiveV1::collect(std::vector<Record>& out, const FaultSink& faults) {
    // Of the first sample the parents' objects may have to be asked for too.
    for (int attempt = 0; attempt < 2; ++attempt) {
        const std::string name = value_name();
        const Stopwatch watch;
        const std::uint32_t status = reader_.query(name);
        const std::uint64_t cost = watch.nanoseconds();
        if (status != win32::success) {
            faults.add(Severity::error, {Errc::query_failed, 0, "RegQueryValueEx", "", 0, status});
            return status;
        }
        if (look_at_block() && attempt == 0 && value_name() != name) continue;
        if (std::exchange(has_unknown_, false) && read_titles()) append_titles(out);
        out.push_back({.kind = Record::Kind::v1_block, .bytes = reader_.block(), .whole_sample = true, .cost = cost});
        break;
    }
    return win32::success;
}

std::string LiveV1::machine_name() const {
    std::string name;
    assign_machine(name, block_);
    return name;
}

/// Notes what the block holds that was not there before; whether more objects are to be asked for.
bool LiveV1::look_at_block() {
    const FaultSink discarded;
    has_new_ = false;
    if (!block_.open(reader_.block(), discarded)) return false;
    for (const v1::ObjectEntry& entry : block_.objects()) look_at(entry);
    return has_new_;
}

void LiveV1::look_at(const v1::ObjectEntry& entry) {
    const FaultSink discarded;
    if (!object_.open(block_, entry, discarded)) return;
    note_index(entry.title_index);
    for (const v1::Counter& counter : object_.counters()) note_index(counter.definition.CounterNameTitleIndex);
    if (objects_.empty()) return;
    std::uint64_t values_left = Limits{}.values_for(entry.bytes.size());
    v1::InstanceReader instances(object_, values_left, discarded);
    v1::Instance first;
    if (object_.kind() != v1::Kind::multi || !instances.next(first)) return;
    const std::uint32_t parent = first.definition().ParentObjectTitleIndex;
    if (parent == 0 || objects_.size() >= most_indices) return;
    has_new_ = objects_.insert(parent).second || has_new_;
}

void LiveV1::note_index(std::uint32_t index) {
    constexpr std::size_t most_met = 1'000'000;  // of a producer with ever new ones
    if (met_.size() >= most_met) met_.clear();
    // Bases have no name.
    if (index == 0 || !met_.insert(index).second) return;
    has_unknown_ = has_unknown_ || !titles_.find(index);
}

}  // namespace hkpd
