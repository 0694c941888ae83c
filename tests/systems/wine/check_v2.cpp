#include "check_v2.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

#include "hkpd/guid.hpp"

namespace live {
namespace {

constexpr std::string_view total_name = "_Total";

bool has_total(const V2Counterset& set) { return hkpd::v2::is_aggregate(set.type) && !set.instances.empty(); }

/// Returns all values of a counter in a collection, with that of `_Total` at the end.
std::vector<std::uint64_t> values_at(const V2Counterset& set, const V2Counter& counter, std::uint64_t collection) {
    std::vector<std::uint64_t> values;
    std::uint64_t sum = 0;
    for (std::size_t row = 0; row < set.instances.size(); ++row) {
        values.push_back(counter.values.at(row, collection, counter.size));
        sum += values.back();
    }
    if (!has_total(set)) return values;
    using enum hkpd::v2::Aggregate;
    switch (counter.aggregate) {
        case average:
            values.push_back(sum / values.size());
            break;
        case minimum:
            values.push_back(std::ranges::min(values));
            break;
        case maximum:
            values.push_back(std::ranges::max(values));
            break;
        default:
            values.push_back(sum);
    }
    return values;
}

std::string_view text_or_none(const std::optional<hkpd::Titles::Answer>& answer) {
    return answer ? answer->text : std::string_view();
}

const V2Counter* find(const V2Counterset& set, std::uint32_t id) {
    const auto found = std::ranges::find(set.counters, id, &V2Counter::id);
    return found == set.counters.end() ? nullptr : &*found;
}

}  // namespace

void V2Check::add(const hkpd::Sample& sample, std::uint32_t number) {
    const std::string place = fmt::format("sample {}", number);
    findings_.enter(place);
    findings_.equal("the number of countersets", std::size(v2_countersets), sample.objects().size());
    for (std::size_t i = 0; i < std::size(v2_countersets); ++i) {
        const V2Counterset& set = v2_countersets[i];
        findings_.enter(fmt::format("{}, {}", place, set.name));
        const auto found = std::ranges::find(sample.objects(), hkpd::parse_guid(set.guid), &hkpd::Object::counterset);
        if (found == sample.objects().end())
            findings_.add("the counterset is missing");
        else
            check_counterset(set, *found, collections_[i]);
    }
}

void V2Check::check_counterset(const V2Counterset& expected, const hkpd::Object& object, std::uint64_t& collection) {
    findings_.equal("the name", expected.name, text_or_none(object.name));
    findings_.equal("the help", expected.help, text_or_none(object.help));
    findings_.equal("the kind", std::to_underlying(is_multi(expected.type) ? hkpd::Kind::multi : hkpd::Kind::single),
                    std::to_underlying(object.kind));
    if (!findings_.equal("the number of counters", expected.counters.size(), object.columns.size())) return;
    if (!findings_.equal("the number of instances", expected.instances.size() + (has_total(expected) ? 1 : 0),
                         object.instances.size()))
        return;
    check_instances(expected, object);
    if (expected.instances.empty()) return;
    const std::uint64_t before = std::exchange(collection, object.columns[0].values[0]);
    if (collection <= before) findings_.add("collection {} comes after {}", collection, before);
    for (const hkpd::Column& column : object.columns) {
        const V2Counter* const counter = find(expected, column.title_index);
        if (counter == nullptr) {
            findings_.add("counter {} is not one of it", column.title_index);
            continue;
        }
        check_column(*counter, object, column);
        const auto values = values_at(expected, *counter, collection);
        for (std::size_t row = 0; row < values.size(); ++row) {
            if (!column.is_valid(row)) findings_.add("counter {} is damaged in row {}", counter->id, row);
            findings_.equal(fmt::format("counter {}", counter->id), values[row], column.values[row]);
        }
    }
}

void V2Check::check_column(const V2Counter& expected, const hkpd::Object& object, const hkpd::Column& column) {
    findings_.equal("a counter's name", expected.name, text_or_none(column.name));
    findings_.equal("a counter's help", expected.help, text_or_none(column.help));
    findings_.equal("a counter's type", expected.type, column.type);
    findings_.equal("a counter's size", expected.size, column.size);
    findings_.equal("a counter's scale", expected.scale, column.scale);
    findings_.equal("a counter's attributes", expected.attributes, column.attributes);
    const bool has_base = column.base >= 0;
    findings_.equal("a counter's base", expected.base_id,
                    has_base ? object.columns[static_cast<std::size_t>(column.base)].title_index : hkpd::v2::no_id);
}

void V2Check::check_instances(const V2Counterset& expected, const hkpd::Object& object) {
    for (std::size_t row = 0; row < object.instances.size(); ++row) {
        const hkpd::Instance& instance = object.instances[row];
        const bool total = row == expected.instances.size();
        findings_.equal("an instance's name", total ? total_name : expected.instances[row].name,
                        instance.name.value_or("(damaged)"));
        if (is_multi(expected.type) && !total)
            findings_.equal("an instance's id", expected.instances[row].id,
                            static_cast<std::uint32_t>(instance.unique_id.value_or(-1)));
    }
}

}  // namespace live
