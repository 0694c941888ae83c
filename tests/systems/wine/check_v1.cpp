#include "check_v1.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <utility>

namespace live {
namespace {

/// Returns the number of the provider's collection for a part of a sample, from the first counter of an object with
/// instances; 0 if there is none.
std::uint64_t collection_of(const V1Part& part, std::span<const hkpd::Object> objects) {
    for (const hkpd::Object& object : objects)
        if (!object.columns.empty() && !object.columns[0].values.empty())
            return (object.columns[0].values[0] - part.provider->salt) & 0xFFFF'FFFF;
    return 0;
}

}  // namespace

V1Check::V1Check(std::vector<V1Part> parts, Findings& findings)
    : parts_(std::move(parts)), collections_(parts_.size()), findings_(findings) {}

void V1Check::add(const hkpd::Sample& sample, std::uint32_t number) {
    const std::string place = fmt::format("sample {}", number);
    std::span<const hkpd::Object> objects = sample.objects();
    for (std::size_t i = 0; i < parts_.size(); ++i) {
        const V1Part& part = parts_[i];
        findings_.enter(place);
        if (objects.size() < part.objects.size())
            return findings_.add("{} has {} objects, not {}", part.provider->service, objects.size(),
                                 part.objects.size());
        const auto own = objects.first(part.objects.size());
        const std::uint64_t collection = collection_of(part, own);
        if (collection <= collections_[i])
            findings_.add("collection {} of {} comes after {}", collection, part.provider->service, collections_[i]);
        collections_[i] = collection;
        for (std::size_t k = 0; k < own.size(); ++k) {
            findings_.enter(fmt::format("{}, object {}", place, own[k].title_index));
            check_object(part, *part.objects[k], own[k], collection);
        }
        objects = objects.subspan(own.size());
    }
    findings_.enter(place);
    findings_.equal("the number of further objects", 0, objects.size());
}

void V1Check::check_object(const V1Part& part, const V1Object& expected, const hkpd::Object& object,
                           std::uint64_t collection) {
    const std::uint32_t title = part.provider->first_title + expected.title;
    findings_.equal("the title", title, object.title_index);
    findings_.equal("the help's title", title + 1, object.help_index);
    findings_.equal("the detail level", expected.detail_level, object.detail_level);
    findings_.equal("the kind", std::to_underlying(expected.list ? hkpd::Kind::multi : hkpd::Kind::single),
                    std::to_underlying(object.kind));
    findings_.equal("PerfTime", expected.clock.at(0, collection, 8), static_cast<std::uint64_t>(object.clock.time));
    findings_.equal("PerfFreq", expected.frequency, object.clock.frequency);
    if (!findings_.equal("the number of counters", expected.counters.size(), object.columns.size())) return;
    if (!findings_.equal("the number of instances", rows(expected), object.instances.size())) return;
    for (std::size_t i = 0; i < object.columns.size(); ++i) check_column(part, expected.counters[i], object.columns[i]);
    if (expected.list) check_instances(part, expected, object);
    check_values(part, expected, object, collection);
}

void V1Check::check_column(const V1Part& part, const V1Counter& expected, const hkpd::Column& column) {
    const std::uint32_t title = part.provider->first_title + expected.title;
    findings_.equal("a counter's title", title, column.title_index);
    findings_.equal("a counter's help title", title + 1, column.help_index);
    findings_.equal("a counter's type", expected.type, column.type);
    findings_.equal("a counter's size", expected.size, column.size);
    findings_.equal("a counter's scale", expected.scale, column.scale);
    findings_.equal("a counter's detail level", expected.detail_level, column.detail_level);
}

void V1Check::check_instances(const V1Part& part, const V1Object& expected, const hkpd::Object& object) {
    std::string kept;
    for (std::uint32_t row = 0; row < rows(expected); ++row) {
        const V1Instance wanted = instance_at(expected, row, kept);
        const hkpd::Instance& instance = object.instances[row];
        findings_.equal("an instance's name", wanted.name, instance.name.value_or("(damaged)"));
        findings_.equal("an instance's UniqueID", wanted.unique_id, instance.unique_id.value_or(no_unique_id));
        const bool child = wanted.parent_title != no_parent;
        findings_.equal("a parent's title", child ? part.provider->first_title + wanted.parent_title : 0,
                        instance.parent_object);
        findings_.equal("a parent's place", wanted.parent_row, instance.parent_instance);
    }
}

void V1Check::check_values(const V1Part& part, const V1Object& expected, const hkpd::Object& object,
                           std::uint64_t collection) {
    for (std::size_t i = 0; i < object.columns.size(); ++i) {
        const V1Counter& counter = expected.counters[i];
        const hkpd::Column& column = object.columns[i];
        const std::string what = fmt::format("counter {}", column.title_index);
        for (std::uint32_t row = 0; row < rows(expected); ++row) {
            if (!column.is_valid(row))
                findings_.add("{} is damaged in row {}", what, row);
            else if (is_text(counter))
                findings_.equal(what, text_at(counter, collection), object.bytes(column, row));
            else if (column.storage == hkpd::Storage::bytes)
                findings_.equal(what, bytes_at(counter, row, collection), object.bytes(column, row));
            else
                findings_.equal(what, number_at(*part.provider, counter, row, collection), column.values[row]);
        }
    }
}

}  // namespace live
