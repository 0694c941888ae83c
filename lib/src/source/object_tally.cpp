#include "source/object_tally.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "base/text/names.hpp"
#include "hkpd/cook.hpp"
#include "hkpd/counter_type.hpp"
#include "hkpd/identity.hpp"
#include "sample/display_name.hpp"

namespace hkpd {
namespace {

/// Approximate bytes of an object, counter or instance without its names.
constexpr std::size_t object_bytes = 400, counter_bytes = 160, instance_bytes = 128;

/// Returns whether two lists have the same title indices in the same order.
bool same_columns(const std::vector<std::uint32_t>& before, const std::vector<Column>& now) noexcept {
    return std::ranges::equal(before, now, {}, {}, &Column::title_index);
}

/// Returns the text of a title index; empty if no table of the input has it. Tables that were read after the samples
/// are searched too. The built-in table is not: it has been asked for each sample.
std::string late_title(const Titles& titles, std::string_view machine, std::optional<std::uint32_t> number) {
    const auto answer = number ? titles.find(*number, {false, machine}) : std::nullopt;
    return answer ? std::string(answer->text) : std::string();
}

}  // namespace

bool ObjectTally::spend(std::size_t bytes) noexcept {
    if (entries_ >= limits_.series || bytes_ + bytes > limits_.names) {
        overflowed_ = true;
        return false;
    }
    ++entries_;
    bytes_ += bytes;
    return true;
}

void ObjectTally::add(const Sample& sample) {
    for (const Object& object : sample.objects()) {
        Found* const found = find(sample, object);
        if (found == nullptr) continue;
        if (found->name.empty() && object.name) found->name = object.name->text;
        found->most_instances = std::max<std::uint64_t>(found->most_instances, object.instances.size());
        add_counters(*found, sample, object);
        if (with_instances_ && found->is_list) add_instances(*found, sample, object);
    }
}

/// Returns the entry of an object, which is added if it is new. Returns null beyond a limit.
ObjectTally::Found* ObjectTally::find(const Sample& sample, const Object& object) {
    std::tuple key{sample.machine.value_or(""), sample.source, object.title_index};
    if (const auto place = places_.find(key); place != places_.end()) return &found_[place->second];
    std::string identity = object_key(sample.source, object);
    if (!spend(object_bytes + 2 * std::get<0>(key).size() + identity.size())) return nullptr;
    Found& added = found_.emplace_back(Found{.machine = std::get<0>(key),
                                             .key = std::move(identity),
                                             .name = {},
                                             .source = sample.source,
                                             .number = object.title_index,
                                             .counterset = object.counterset,
                                             .is_list = object.kind == Kind::multi});
    places_.emplace(std::move(key), found_.size() - 1);
    return &added;
}

void ObjectTally::add_counters(Found& found, const Sample& sample, const Object& object) {
    const bool known = same_columns(found.last_columns, object.columns);
    const bool named =
        std::ranges::none_of(found.counters, [](const Counter& counter) { return counter.name.empty(); });
    if (known && named) return;
    found.last_columns.clear();
    std::map<std::uint32_t, std::uint32_t> repeats;
    for (const Column& column : object.columns) {
        found.last_columns.push_back(column.title_index);
        const std::pair id(column.title_index, repeats[column.title_index]++);
        const auto place = found.counter_places.find(id);
        const std::string_view name = column.name ? column.name->text : std::string_view();
        if (place != found.counter_places.end()) {
            Counter& counter = found.counters[place->second];
            if (counter.name.empty()) counter.name = name;
            continue;
        }
        std::string key = counter_key(sample.source, column);
        if (!spend(counter_bytes + key.size() + name.size())) continue;
        found.counter_places.emplace(id, found.counters.size());
        const bool shown = id.second == 0 && (is_displayable(column) || column.type == no_counter_type);
        found.counters.push_back({column.title_index, shown, std::move(key), std::string(name)});
    }
}

void ObjectTally::add_instances(Found& found, const Sample& sample, const Object& object) {
    const ObjectInstances& instances =
        RunInstances::of(sample)->instances(sample, static_cast<std::size_t>(&object - sample.objects().data()));
    for (std::size_t row = 0; row < object.instances.size(); ++row) {
        if (!object.instances[row].name) continue;  // damaged
        path_.clear();
        append_place(path_, sample, object.instances[row], instances.places[row]);
        if (found.known.contains(path_)) continue;
        if (!spend(instance_bytes + 2 * path_.size())) return;
        found.known.insert(path_);
        found.instances.push_back(path_);
    }
}

std::vector<Overview::Object> ObjectTally::take(const Titles& titles) const {
    std::vector<Overview::Object> objects;
    std::map<std::tuple<std::string_view, SampleSource, std::string>, std::size_t> merged;
    std::vector<std::set<std::string>> counters;  // of each object in `objects`
    for (const Found& found : found_) {
        std::string name = found.name;
        if (name.empty()) name = late_title(titles, found.machine, object_number(found.source, found.number));
        const std::string path_name = name.empty() ? found.key : name;
        if (name.empty()) name = object_label(found.source, found.number, found.counterset);
        const auto [place, added] =
            merged.try_emplace(std::tuple(std::string_view(found.machine), found.source, path_name), objects.size());
        if (added) {
            Overview::Object& object = objects.emplace_back();
            object.machine = found.machine;
            object.name = name;
            object.path_name = path_name;
            object.source = found.source;
            counters.emplace_back();
        }
        Overview::Object& object = objects[place->second];
        object.is_list |= found.is_list;
        object.instances = std::max(object.instances, found.most_instances);
        Overview::Object::Part& part = object.parts.emplace_back();
        for (const Counter& counter : found.counters) {
            std::string text = counter.name;
            if (text.empty()) text = late_title(titles, found.machine, counter_number(found.source, counter.number));
            if (text.empty()) text = counter.key;
            counters[place->second].insert(text);
            if (counter.shown) part.counters.push_back(std::move(text));
        }
        object.counters = object.parts.size() == 1 ? found.counters.size() : counters[place->second].size();
        part.instances = found.instances;
    }
    return objects;
}

}  // namespace hkpd
