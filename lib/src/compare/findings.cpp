#include "compare/findings.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "sample/display_name.hpp"

namespace hkpd {
namespace {

std::string shown_name(const KeptObject& object) {
    return object.name.empty() ? object_label(object.source, object.index, object.counterset)
                               : std::string(object.name);
}

std::string shown_name(const KeptObject* v1, const KeptColumn* a, const KeptColumn* b) {
    if (a != nullptr && !a->name.empty()) return std::string(a->name);
    if (b != nullptr && !b->name.empty()) return std::string(b->name);
    return a != nullptr ? counter_label(v1->source, a->index) : counter_label(SampleSource::v2, b->index);
}

std::vector<std::vector<bool>> none_found(std::span<const KeptObject* const> parts, bool columns) {
    std::vector<std::vector<bool>> found;
    for (const KeptObject* part : parts) found.emplace_back(columns ? part->columns.size() : part->rows.size());
    return found;
}

void judge(ComparedCounter& counter) noexcept {
    const bool differs =
        counter.type_differs || counter.scale_differs || counter.raw_differ != 0 || counter.cooked_differ != 0;
    counter.verdict = differs ? Verdict::differs : Verdict::equal;
}

}  // namespace

void ComparedFindings::add(const KeptSample& v1, const KeptSample& v2, bool neighbours,
                           const Countersets& countersets) {
    machine_name_ = v1.machine.empty() ? v2.machine : v1.machine;
    machine_ = machines_.try_emplace(machine_name_, static_cast<std::uint32_t>(machines_.size())).first->second;
    const std::int64_t a = v1.moment.value_or(0), b = v2.moment.value_or(0);  // samples of pairs have one
    const std::int64_t gap = std::max(a, b) - std::min(a, b);
    same_moment_ = gap == 0;
    moment_ = {comparison_.pairs++, v2.system_time, neighbours, options_.tolerance};
    comparison_.largest_gap = std::max(comparison_.largest_gap, gap);
    comparison_.rates_apart += neighbours ? 0 : 1;
    comparison_.v1_bytes += v1.bytes;
    comparison_.v2_bytes += v2.bytes;
    const MatchedObjects matched = match_objects(v1, v2, countersets);
    for (const MatchedObject& object : matched.both) add_object(object);
    add_lone_objects(matched.only_v1, Verdict::only_v1);
    add_lone_objects(matched.only_v2, Verdict::only_v2);
}

void ComparedFindings::add_object(const MatchedObject& object) {
    auto v1_columns = none_found(object.v1, true), v2_columns = none_found(object.v2, true);
    auto v1_rows = none_found(object.v1, false), v2_rows = none_found(object.v2, false);
    for (std::size_t i = 0; i < object.v1.size(); ++i) {
        for (std::size_t j = 0; j < object.v2.size(); ++j) {
            const KeptObject &v1 = *object.v1[i], &v2 = *object.v2[j];
            const PlacePairs columns = match_columns(v1, v2), rows = same_names(v1.row_names, v2.row_names);
            add_columns(v1, v2, columns, rows);
            for (const auto& [a, b] : columns) v1_columns[i][a] = v2_columns[j][b] = true;
            for (const auto& [a, b] : rows) v1_rows[i][a] = v2_rows[j][b] = true;
        }
    }
    add_lone_columns(object.v1, v1_columns, Verdict::only_v1);
    add_lone_columns(object.v2, v2_columns, Verdict::only_v2);
    const std::string name = shown_name(*object.v1.front());
    add_lone_rows(object.v1, v1_rows, Verdict::only_v1, name);
    add_lone_rows(object.v2, v2_rows, Verdict::only_v2, name);
}

void ComparedFindings::add_columns(const KeptObject& v1, const KeptObject& v2, const PlacePairs& columns,
                                   const PlacePairs& rows) {
    for (const auto& [a, b] : columns) add_column(v1, v1.columns[a], v2, v2.columns[b], rows);
}

void ComparedFindings::add_column(const KeptObject& v1, const KeptColumn& a, const KeptObject& v2, const KeptColumn& b,
                                  const PlacePairs& rows) {
    const CounterKey key = key_of(&v1, &a, &v2, &b);
    const auto known = counters_.find(key);
    ComparedCounter fresh;
    if (known == counters_.end()) fresh = describe(&v1, &a, &v2, &b);
    ComparedCounter& counter = known == counters_.end() ? fresh : comparison_.counters[known->second];
    if (!counter.type_differs) {
        counter.v1_type = a.type;
        counter.v2_type = b.type;
        counter.type_differs = a.type != b.type;
    }
    if (!counter.scale_differs) {
        counter.v1_scale = a.scale;
        counter.v2_scale = b.scale;
        counter.scale_differs = a.scale != b.scale;
    }
    compare_values(counter, v1, a, v2, b, rows, moment_);
    judge(counter);
    if (known != counters_.end()) return;
    if (!has_room(sizeof fresh + fresh.machine.size() + fresh.object.size() + fresh.counter.size(),
                  fresh.verdict == Verdict::differs))
        return;
    counters_.emplace(key, comparison_.counters.size());
    comparison_.counters.push_back(std::move(fresh));
}

void ComparedFindings::add_lone_columns(std::span<const KeptObject* const> parts,
                                        const std::vector<std::vector<bool>>& found, Verdict verdict) {
    const bool is_v1 = verdict == Verdict::only_v1;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        for (std::size_t c = 0; c < found[i].size(); ++c) {
            if (found[i][c]) continue;
            const KeptObject* object = parts[i];
            const KeptColumn* column = &object->columns[c];
            const KeptObject *v1 = is_v1 ? object : nullptr, *v2 = is_v1 ? nullptr : object;
            const KeptColumn *a = is_v1 ? column : nullptr, *b = is_v1 ? nullptr : column;
            const CounterKey key = key_of(v1, a, v2, b);
            if (counters_.contains(key)) continue;
            ComparedCounter counter = describe(v1, a, v2, b);
            counter.verdict = verdict;
            (is_v1 ? counter.v1_type : counter.v2_type) = column->type;
            (is_v1 ? counter.v1_scale : counter.v2_scale) = column->scale;
            if (!has_room(sizeof counter + counter.machine.size() + counter.object.size() + counter.counter.size(),
                          false))
                continue;
            counters_.emplace(key, comparison_.counters.size());
            comparison_.counters.push_back(std::move(counter));
        }
    }
}

void ComparedFindings::add_lone_rows(std::span<const KeptObject* const> parts,
                                     const std::vector<std::vector<bool>>& found, Verdict verdict,
                                     const std::string& name) {
    const bool differs = same_moment_ && options_.tolerance == 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        for (std::size_t row = 0; row < found[i].size(); ++row) {
            if (found[i][row]) continue;
            std::string label = instance_label(*parts[i], row);
            const std::tuple key(machine_, verdict, parts[i]->index, label);
            auto known = instances_.find(key);
            if (known == instances_.end()) {
                if (!has_room(sizeof(ComparedInstance) + machine_name_.size() + name.size() + 2 * label.size(),
                              differs))
                    continue;
                known = instances_.emplace(key, comparison_.instances.size()).first;
                comparison_.instances.push_back({verdict, machine_name_, name, std::move(label)});
            }
            ComparedInstance& instance = comparison_.instances[known->second];
            ++instance.samples;
            instance.differs = instance.differs || differs;
        }
    }
}

void ComparedFindings::add_lone_objects(std::span<const KeptObject* const> parts, Verdict verdict) {
    std::set<std::uint32_t> counted;  // one that a filter has cut into parts is one
    for (const KeptObject* object : parts) {
        if (!counted.insert(object->index).second) continue;
        const std::tuple key(machine_, verdict, object->index);
        auto known = objects_.find(key);
        if (known == objects_.end()) {
            std::string label = shown_name(*object);
            if (!has_room(sizeof(ComparedObject) + machine_name_.size() + label.size(), false)) continue;
            known = objects_.emplace(key, comparison_.objects.size()).first;
            ComparedObject& added = comparison_.objects.emplace_back();
            added.verdict = verdict;
            added.machine = machine_name_;
            added.object = std::move(label);
            added.counterset = object->counterset;
            added.object_index = object_number(object->source, object->index);
        }
        ComparedObject& found = comparison_.objects[known->second];
        found.counters = std::max<std::uint64_t>(found.counters, object->columns.size());
        ++found.samples;
    }
}

ComparedCounter ComparedFindings::describe(const KeptObject* v1, const KeptColumn* a, const KeptObject* v2,
                                           const KeptColumn* b) const {
    ComparedCounter counter;
    counter.machine = machine_name_;
    counter.object = shown_name(v1 != nullptr ? *v1 : *v2);
    counter.counter = shown_name(v1, a, b);
    if (v1 != nullptr) {
        counter.object_index = object_number(v1->source, v1->index);
        counter.counter_index = counter_number(v1->source, a->index);
    }
    if (v2 != nullptr) {
        counter.counterset = v2->counterset;
        counter.counter_id = counter_number(v2->source, b->index);
    }
    return counter;
}

/// Whether one more fits the list; else it is counted.
bool ComparedFindings::has_room(std::uint64_t size, bool differs) {
    constexpr std::uint64_t of_maps = 128;
    if (size + of_maps <= options_.buffer - listed_) {
        listed_ += size + of_maps;
        return true;
    }
    ++comparison_.unlisted;
    comparison_.unlisted_differ += differs ? 1 : 0;
    return false;
}

ComparedFindings::CounterKey ComparedFindings::key_of(const KeptObject* v1, const KeptColumn* a, const KeptObject* v2,
                                                      const KeptColumn* b) const {
    CounterKey key{machine_, no_index, no_index, no_index, no_index, no_index, no_index};
    if (v1 != nullptr) {
        key[1] = v1->index;
        key[2] = a->index;
        key[3] = a->ordinal;
    }
    if (v2 != nullptr) {
        key[4] = v2->index;
        key[5] = b->index;
        key[6] = b->ordinal;
    }
    return key;
}

}  // namespace hkpd
