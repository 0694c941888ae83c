#include "hkpd/compare.hpp"
#include "hkpd/counter_type.hpp"
#include "hkpd/write.hpp"
#include "write/json/json_stream.hpp"

namespace hkpd {
namespace {

void write_numbers(JsonStream& json, const Comparison& comparison) {
    json.member("v1_samples", comparison.v1_samples);
    json.member("v2_samples", comparison.v2_samples);
    json.member("pairs", comparison.pairs);
    json.member("v1_alone", comparison.v1_alone);
    json.member("v2_alone", comparison.v2_alone);
    json.member("forgotten", comparison.evicted);
    json.member("rates_apart", comparison.rates_apart);
    json.member("largest_gap_ns", comparison.largest_gap);
    json.member("v1_bytes", comparison.v1_bytes);
    json.member("v2_bytes", comparison.v2_bytes);
    json.member("equal", comparison.count(Verdict::equal));
    json.member("differ", comparison.count(Verdict::differs));
    json.member("only_v1", comparison.count(Verdict::only_v1));
    json.member("only_v2", comparison.count(Verdict::only_v2));
    json.member("unlisted", comparison.unlisted);
    json.member("unlisted_differ", comparison.unlisted_differ);
}

void write_cost(JsonStream& json, std::string_view key, const CollectionCost::Interface& api) {
    json.object(key, [&] {
        json.member("samples", api.samples);
        json.member("bytes", api.bytes);
        json.member("nanoseconds", api.nanoseconds);
    });
}

/// What counters, instances and objects have.
template <class Found>
void write_found(JsonStream& json, const Found& found) {
    json.member("verdict", verdict_name(found.verdict));
    json.member("machine", found.machine);
    json.member("object", found.object);
}

template <class Found>
void write_identity(JsonStream& json, const Found& found) {
    json.member("object_index", found.object_index);
    json.member("counterset", found.counterset.transform(guid_text));
}

void write_example(JsonStream& json, const ComparedCounter::Example& example) {
    json.member("instance", example.instance);
    json.member("pair", example.pair);
    json.member("time", example.time);
    json.member("v1_raw", example.v1_raw);
    json.member("v2_raw", example.v2_raw);
    json.member("v1_cooked", example.v1_cooked);
    json.member("v2_cooked", example.v2_cooked);
    json.member("v1_reason", example.v1_reason);
    json.member("v2_reason", example.v2_reason);
}

void write_counter(JsonStream& json, const ComparedCounter& counter) {
    // A type that nothing tells is null.
    const auto type = [](const std::optional<std::uint32_t>& of) { return of == no_counter_type ? std::nullopt : of; };
    write_found(json, counter);
    write_identity(json, counter);
    json.member("counter", counter.counter);
    json.member("counter_index", counter.counter_index);
    json.member("counter_id", counter.counter_id);
    json.member("v1_type", type(counter.v1_type));
    json.member("v2_type", type(counter.v2_type));
    json.member("type_differs", counter.type_differs);
    json.member("v1_scale", counter.v1_scale);
    json.member("v2_scale", counter.v2_scale);
    json.member("scale_differs", counter.scale_differs);
    json.member("values", counter.values);
    json.member("raw_differ", counter.raw_differ);
    json.member("cooked", counter.cooked);
    json.member("cooked_differ", counter.cooked_differ);
    if (counter.first)
        json.object("first", [&] { write_example(json, *counter.first); });
    else
        json.member("first", std::nullopt);
}

}  // namespace

void append_comparison_json(std::string& out, const Comparison& comparison, std::span<const CollectionCost> costs) {
    JsonStream json(out);
    json.StartObject();
    json.member("agrees", comparison.agrees());
    write_numbers(json, comparison);
    json.objects("collection", costs, [&](const CollectionCost& cost) {
        json.member("machine", cost.machine);
        write_cost(json, "v1", cost.v1);
        write_cost(json, "v2", cost.v2);
    });
    json.objects("counters", comparison.counters, [&](const ComparedCounter& found) { write_counter(json, found); });
    json.objects("instances", comparison.instances, [&](const ComparedInstance& found) {
        write_found(json, found);
        json.member("instance", found.instance);
        json.member("samples", found.samples);
        json.member("differs", found.differs);
    });
    json.objects("objects", comparison.objects, [&](const ComparedObject& found) {
        write_found(json, found);
        write_identity(json, found);
        json.member("counters", found.counters);
        json.member("samples", found.samples);
    });
    json.EndObject();
    out += '\n';
}

}  // namespace hkpd
