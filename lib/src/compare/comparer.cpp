#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <set>
#include <tuple>
#include <utility>

#include "base/text/parse_number.hpp"
#include "compare/pairing.hpp"
#include "compare/snapshot.hpp"
#include "hkpd/compare.hpp"
#include "hkpd/v2.hpp"
#include "identity/instance_name.hpp"
#include "sample/display_name.hpp"

namespace hkpd {

std::string_view verdict_name(Verdict verdict) noexcept {
    constexpr std::array<std::string_view, 4> names{"equal", "differs", "only_v1", "only_v2"};
    return names[static_cast<std::size_t>(verdict)];
}

std::uint64_t Comparison::count(Verdict verdict) const noexcept {
    return static_cast<std::uint64_t>(std::ranges::count(counters, verdict, &ComparedCounter::verdict));
}

bool Comparison::agrees() const noexcept {
    return count(Verdict::equal) != 0 && count(Verdict::differs) == 0 && unlisted_differ == 0 &&
           std::ranges::none_of(instances, &ComparedInstance::differs);
}

CollectionCost read_collection_cost(const std::map<std::string, std::string>& entries) {
    const auto number = [&entries](const char* key) {
        const auto found = entries.find(key);
        return found == entries.end() ? 0 : parse_number<std::uint64_t>(found->second).value_or(0);
    };
    const auto machine = entries.find("machine");
    return {.machine = machine == entries.end() ? "" : machine->second,
            .v1 = {number("v1_samples"), number("v1_bytes"), number("v1_nanoseconds")},
            .v2 = {number("v2_samples"), number("v2_bytes"), number("v2_nanoseconds")}};
}

namespace {

/// A counter in the sample of one interface. The members are null if this sample does not have the counter.
struct ComparedSide {
    const KeptObject* object = nullptr;
    const KeptColumn* column = nullptr;

    std::optional<std::uint64_t> raw(std::size_t row) const noexcept {
        if (column->storage != Storage::number || !column->is_valid(row)) return std::nullopt;
        return column->values[row];
    }
    std::optional<double> cooked(std::size_t row) const noexcept {
        return std::isnan(column->cooked[row]) ? std::nullopt : std::optional(column->cooked[row]);
    }
};

std::string shown_name(const KeptObject& object) {
    return object.name.empty() ? object_label(object.source, object.index, object.counterset)
                               : std::string(object.name);
}

std::string shown_name(const ComparedSide& v1, const ComparedSide& v2) {
    for (const KeptColumn* column : {v1.column, v2.column})
        if (column != nullptr && !column->name.empty()) return std::string(column->name);
    return v1.column != nullptr ? counter_label(v1.object->source, v1.column->index)
                                : counter_label(SampleSource::v2, v2.column->index);
}

/// Returns the name of an instance. Appends `#1` if one earlier instance has the same name, `#2` if two earlier
/// instances have it, and so on.
std::string instance_label(const KeptObject& object, std::size_t row) {
    std::string label;
    append_place(label, std::nullopt, object.rows[row], object.row_ordinals[row]);
    return label;
}

/// Returns whether the raw value of row `i` in V1 equals the raw value of row `j` in V2. If `tolerance` is above 0, all
/// valid numbers count as equal, because counters advance between the two queries. A damaged value equals no value, not
/// even another damaged value, because its content is unknown.
bool same_raw(const ComparedSide& v1, std::size_t i, const ComparedSide& v2, std::size_t j, double tolerance) noexcept {
    const KeptColumn &a = *v1.column, &b = *v2.column;
    if (!a.is_valid(i) || !b.is_valid(j) || (a.storage == Storage::number) != (b.storage == Storage::number))
        return false;
    if (a.storage != Storage::number) return v1.object->bytes(a, i) == v2.object->bytes(b, j);
    return tolerance > 0 || a.values[i] == b.values[j];
}

bool same_cooked(double a, Reason a_reason, double b, Reason b_reason, double tolerance) noexcept {
    const bool both = !std::isnan(a) && !std::isnan(b);
    if (tolerance > 0 && both) {
        constexpr double percent = 0.01;
        return a == b || std::abs(a - b) <= tolerance * percent * std::max(std::abs(a), std::abs(b));
    }
    if (a_reason != b_reason) return false;
    return both ? std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b) : std::isnan(a) == std::isnan(b);
}

/// Flags for the columns and rows of one `KeptObject`: true if the sample of the other interface has the column or row,
/// too.
struct FoundParts {
    std::vector<bool> columns, rows;
};

std::vector<FoundParts> none_found(std::span<const KeptObject* const> parts) {
    std::vector<FoundParts> found;
    for (const KeptObject* part : parts)
        found.push_back({std::vector<bool>(part->columns.size()), std::vector<bool>(part->rows.size())});
    return found;
}

}  // namespace

/// Compares pairs of samples and adds the results to `comparison`. The lists in `comparison` have counters, instances
/// and objects in the order in which they first appeared.
struct Comparer::State {
    State(const Countersets& sets, const CompareOptions& given) : countersets(sets), options(given) {}

    void add(const KeptSample& v1, const KeptSample& v2, bool neighbours) {
        machine_name = v1.machine.empty() ? v2.machine : v1.machine;
        machine = machines.try_emplace(machine_name, static_cast<std::uint32_t>(machines.size())).first->second;
        // `SamplePairs` pairs only samples whose `moment` is known, so the value 0 is never used.
        const std::int64_t a = v1.moment.value_or(0), b = v2.moment.value_or(0);
        const std::int64_t gap = std::max(a, b) - std::min(a, b);
        same_moment = gap == 0;
        is_neighbour = neighbours;
        pair = comparison.pairs++;
        time = v2.system_time;
        comparison.largest_gap = std::max(comparison.largest_gap, gap);
        comparison.rates_apart += neighbours ? 0 : 1;
        comparison.v1_bytes += v1.bytes;
        comparison.v2_bytes += v2.bytes;
        const MatchedObjects matched = match_objects(v1, v2, countersets);
        for (const MatchedObject& object : matched.both) add_object(object);
        add_lone_objects(matched.only_v1, Verdict::only_v1);
        add_lone_objects(matched.only_v2, Verdict::only_v2);
    }

    void add_object(const MatchedObject& object) {
        auto in_v1 = none_found(object.v1), in_v2 = none_found(object.v2);
        for (std::size_t i = 0; i < object.v1.size(); ++i) {
            for (std::size_t j = 0; j < object.v2.size(); ++j) {
                const KeptObject &v1 = *object.v1[i], &v2 = *object.v2[j];
                const PlacePairs rows = same_names(v1.row_names, v2.row_names);
                for (const auto& [a, b] : match_columns(v1, v2)) {
                    add_column({&v1, &v1.columns[a]}, {&v2, &v2.columns[b]}, rows);
                    in_v1[i].columns[a] = in_v2[j].columns[b] = true;
                }
                for (const auto& [a, b] : rows) in_v1[i].rows[a] = in_v2[j].rows[b] = true;
            }
        }
        add_lone_columns(object.v1, in_v1, Verdict::only_v1);
        add_lone_columns(object.v2, in_v2, Verdict::only_v2);
        const std::string name = shown_name(*object.v1.front());
        add_lone_rows(object.v1, in_v1, Verdict::only_v1, name);
        add_lone_rows(object.v2, in_v2, Verdict::only_v2, name);
    }

    void add_column(const ComparedSide& v1, const ComparedSide& v2, const PlacePairs& rows) {
        const CounterKey key = key_of(v1, v2);
        const auto known = counters.find(key);
        ComparedCounter fresh;
        if (known == counters.end()) fresh = describe(v1, v2);
        ComparedCounter& counter = known == counters.end() ? fresh : comparison.counters[known->second];
        if (!counter.type_differs) {
            counter.v1_type = v1.column->type;
            counter.v2_type = v2.column->type;
            counter.type_differs = counter.v1_type != counter.v2_type;
        }
        if (!counter.scale_differs) {
            counter.v1_scale = v1.column->scale;
            counter.v2_scale = v2.column->scale;
            counter.scale_differs = counter.v1_scale != counter.v2_scale;
        }
        compare_values(counter, v1, v2, rows);
        const bool differs =
            counter.type_differs || counter.scale_differs || counter.raw_differ != 0 || counter.cooked_differ != 0;
        counter.verdict = differs ? Verdict::differs : Verdict::equal;
        if (known == counters.end()) list(key, std::move(fresh));
    }

    /// Compares the values of a counter in V1 and V2, for each pair of instances in `rows`. Adds the numbers of
    /// compared and of different values, and the first difference, to `found`.
    void compare_values(ComparedCounter& found, const ComparedSide& v1, const ComparedSide& v2,
                        const PlacePairs& rows) {
        const KeptColumn &v1_column = *v1.column, &v2_column = *v2.column;
        const bool displayable = is_displayable(v1_column.type) || is_displayable(v2_column.type);
        const bool takes_two = needs_two_samples(v1_column.type) || needs_two_samples(v2_column.type);
        // Two attributes of V2 counters change the cooked value. V1 has no attributes. If a V2 counter has one of these
        // attributes, its cooked values are therefore not compared.
        constexpr std::uint64_t changing = v2::attribute::no_displayable | v2::attribute::display_as_real;
        const bool with_cooked = displayable && (v2_column.attributes & changing) == 0 && (is_neighbour || !takes_two);
        for (const auto& [i, j] : rows) {
            const bool raw = same_raw(v1, i, v2, j, options.tolerance);
            const bool cooked =
                !with_cooked || same_cooked(v1_column.cooked[i], v1_column.reasons[i], v2_column.cooked[j],
                                            v2_column.reasons[j], options.tolerance);
            ++found.values;
            found.raw_differ += raw ? 0 : 1;
            found.cooked += with_cooked ? 1 : 0;
            found.cooked_differ += cooked ? 0 : 1;
            if ((raw && cooked) || found.first) continue;
            found.first = {.instance = instance_label(*v1.object, i),
                           .pair = pair,
                           .time = time,
                           .v1_raw = v1.raw(i),
                           .v2_raw = v2.raw(j),
                           .v1_cooked = v1.cooked(i),
                           .v2_cooked = v2.cooked(j),
                           .v1_reason = v1_column.reasons[i],
                           .v2_reason = v2_column.reasons[j]};
        }
    }

    void add_lone_columns(std::span<const KeptObject* const> parts, const std::vector<FoundParts>& found,
                          Verdict verdict) {
        for (std::size_t i = 0; i < parts.size(); ++i) {
            for (std::size_t c = 0; c < parts[i]->columns.size(); ++c) {
                if (found[i].columns[c]) continue;
                ComparedSide v1, v2;
                (verdict == Verdict::only_v1 ? v1 : v2) = ComparedSide{parts[i], &parts[i]->columns[c]};
                const CounterKey key = key_of(v1, v2);
                if (counters.contains(key)) continue;
                ComparedCounter counter = describe(v1, v2);
                counter.verdict = verdict;
                list(key, std::move(counter));
            }
        }
    }

    void add_lone_rows(std::span<const KeptObject* const> parts, const std::vector<FoundParts>& found, Verdict verdict,
                       const std::string& name) {
        const bool differs = same_moment && options.tolerance == 0;
        for (std::size_t i = 0; i < parts.size(); ++i) {
            for (std::size_t row = 0; row < parts[i]->rows.size(); ++row) {
                if (found[i].rows[row]) continue;
                std::string label = instance_label(*parts[i], row);
                const std::tuple key(machine, verdict, parts[i]->index, label);
                auto known = instances.find(key);
                if (known == instances.end()) {
                    if (!reserve(sizeof(ComparedInstance) + machine_name.size() + name.size() + 2 * label.size(),
                                 differs))
                        continue;
                    known = instances.emplace(key, comparison.instances.size()).first;
                    comparison.instances.push_back({verdict, machine_name, name, std::move(label)});
                }
                ComparedInstance& instance = comparison.instances[known->second];
                ++instance.samples;
                instance.differs = instance.differs || differs;
            }
        }
    }

    void add_lone_objects(std::span<const KeptObject* const> parts, Verdict verdict) {
        std::set<std::uint32_t> counted;  // several parts of one object count once
        for (const KeptObject* object : parts) {
            if (!counted.insert(object->index).second) continue;
            const std::tuple key(machine, verdict, object->index);
            auto known = objects.find(key);
            if (known == objects.end()) {
                std::string label = shown_name(*object);
                if (!reserve(sizeof(ComparedObject) + machine_name.size() + label.size(), false)) continue;
                known = objects.emplace(key, comparison.objects.size()).first;
                comparison.objects.push_back({.verdict = verdict,
                                              .machine = machine_name,
                                              .object = std::move(label),
                                              .counterset = object->counterset,
                                              .object_index = object_number(object->source, object->index)});
            }
            ComparedObject& found = comparison.objects[known->second];
            found.counters = std::max<std::uint64_t>(found.counters, object->columns.size());
            ++found.samples;
        }
    }

    ComparedCounter describe(const ComparedSide& v1, const ComparedSide& v2) const {
        ComparedCounter counter;
        counter.machine = machine_name;
        counter.object = shown_name(v1.object != nullptr ? *v1.object : *v2.object);
        counter.counter = shown_name(v1, v2);
        if (v1.object != nullptr) {
            counter.object_index = object_number(v1.object->source, v1.object->index);
            counter.counter_index = counter_number(v1.object->source, v1.column->index);
            counter.v1_type = v1.column->type;
            counter.v1_scale = v1.column->scale;
        }
        if (v2.object != nullptr) {
            counter.counterset = v2.object->counterset;
            counter.counter_id = counter_number(v2.object->source, v2.column->index);
            counter.v2_type = v2.column->type;
            counter.v2_scale = v2.column->scale;
        }
        return counter;
    }

    /// Reserves `size` bytes for one more entry in the lists of `comparison`. Returns false if the entry would exceed
    /// `CompareOptions::buffer`; the entry then counts as unlisted. `differs`: whether the entry is a difference.
    bool reserve(std::uint64_t size, bool differs) {
        constexpr std::uint64_t of_maps = 128;
        if (size + of_maps <= options.buffer - listed) {
            listed += size + of_maps;
            return true;
        }
        ++comparison.unlisted;
        comparison.unlisted_differ += differs ? 1 : 0;
        return false;
    }

    /// A key that identifies a counter. The first number is that of the machine. Three numbers for V1 follow, then
    /// three for V2: `KeptObject::index`, `KeptColumn::index` and `KeptColumn::ordinal`. If the sample of an interface
    /// does not have the counter, the three numbers of this interface are `no_index`.
    using CounterKey = std::array<std::uint32_t, 7>;
    CounterKey key_of(const ComparedSide& v1, const ComparedSide& v2) const {
        CounterKey key{machine, no_index, no_index, no_index, no_index, no_index, no_index};
        std::size_t at = 1;
        for (const ComparedSide* side : {&v1, &v2}) {
            if (side->object != nullptr) {
                key[at] = side->object->index;
                key[at + 1] = side->column->index;
                key[at + 2] = side->column->ordinal;
            }
            at += 3;
        }
        return key;
    }

    void list(const CounterKey& key, ComparedCounter&& counter) {
        const std::size_t size =
            sizeof counter + counter.machine.size() + counter.object.size() + counter.counter.size();
        if (!reserve(size, counter.verdict == Verdict::differs)) return;
        counters.emplace(key, comparison.counters.size());
        comparison.counters.push_back(std::move(counter));
    }

    const Countersets& countersets;
    const CompareOptions options;
    Comparison comparison;
    SamplePairs pairs{options, comparison, std::bind_front(&State::add, this)};
    std::uint64_t listed = 0;  // bytes of the entries in the lists of `comparison`
    std::map<std::string, std::uint32_t> machines;
    std::map<CounterKey, std::size_t> counters;
    std::map<std::tuple<std::uint32_t, Verdict, std::uint32_t, std::string>, std::size_t> instances;
    std::map<std::tuple<std::uint32_t, Verdict, std::uint32_t>, std::size_t> objects;
    // The following members describe the pair of samples that is being compared.
    std::uint64_t pair = 0;
    std::optional<SystemTime> time;
    bool is_neighbour = false;  // the argument `neighbours` of SamplePairs::OnPair
    bool same_moment = false;
    std::string machine_name;
    std::uint32_t machine = 0;
};

Comparer::Comparer(const Countersets& countersets, const CompareOptions& options)
    : state_(std::make_unique<State>(countersets, options)) {}
Comparer::~Comparer() = default;

void Comparer::add(const Sample& sample, std::span<const Selected> selected, Cooker& cooker) {
    Comparison& comparison = state_->comparison;
    ++(sample.source != SampleSource::v2 ? comparison.v1_samples : comparison.v2_samples);
    state_->pairs.add(keep(sample, selected, cooker), cooker.before() == nullptr);
}

Comparison Comparer::finish() {
    state_->pairs.finish();
    return std::move(state_->comparison);
}

}  // namespace hkpd
