#include "hkpd/compare.hpp"
#include "hkpd/counter_type.hpp"
#include "hkpd/write.hpp"
#include "write/json/json_stream.hpp"

namespace hkpd {
namespace {

class ComparisonJson {
  public:
    explicit ComparisonJson(std::string& out) : json_(sink_) { sink_.attach(out); }

    void write(const Comparison& comparison, std::span<const CollectionCost> costs) {
        json_.StartObject();
        json_.key("agrees");
        json_.Bool(comparison.agrees());
        write_numbers(comparison);
        write_list("collection", costs, [this](const CollectionCost& cost) { write_cost(cost); });
        write_list("counters", comparison.counters, [this](const ComparedCounter& counter) { write_counter(counter); });
        write_list("instances", comparison.instances, [this](const ComparedInstance& found) {
            json_.string("verdict", verdict_name(found.verdict));
            json_.string("machine", found.machine);
            json_.string("object", found.object);
            json_.string("instance", found.instance);
            json_.unsigned_number("samples", found.samples);
            flag("differs", found.differs);
        });
        write_list("objects", comparison.objects, [this](const ComparedObject& found) {
            json_.string("verdict", verdict_name(found.verdict));
            json_.string("machine", found.machine);
            json_.string("object", found.object);
            write_identity(found.object_index, found.counterset);
            json_.unsigned_number("counters", found.counters);
            json_.unsigned_number("samples", found.samples);
        });
        json_.EndObject();
    }

  private:
    void flag(std::string_view key, bool value) {
        json_.key(key);
        json_.Bool(value);
    }
    void uint_or_null(std::string_view key, const std::optional<std::uint32_t>& value) {
        json_.key(key);
        json_.uint_or_null(value);
    }
    template <class List, class Write>
    void write_list(std::string_view key, const List& list, const Write& write) {
        json_.key(key);
        json_.StartArray();
        for (const auto& item : list) {
            json_.StartObject();
            write(item);
            json_.EndObject();
        }
        json_.EndArray();
    }

    void write_numbers(const Comparison& comparison) {
        json_.unsigned_number("v1_samples", comparison.v1_samples);
        json_.unsigned_number("v2_samples", comparison.v2_samples);
        json_.unsigned_number("pairs", comparison.pairs);
        json_.unsigned_number("v1_alone", comparison.v1_alone);
        json_.unsigned_number("v2_alone", comparison.v2_alone);
        json_.unsigned_number("forgotten", comparison.forgotten);
        json_.unsigned_number("rates_apart", comparison.rates_apart);
        json_.number("largest_gap_ns", comparison.largest_gap);
        json_.unsigned_number("v1_bytes", comparison.v1_bytes);
        json_.unsigned_number("v2_bytes", comparison.v2_bytes);
        json_.unsigned_number("equal", comparison.count(Verdict::equal));
        json_.unsigned_number("differ", comparison.count(Verdict::differs));
        json_.unsigned_number("only_v1", comparison.count(Verdict::only_v1));
        json_.unsigned_number("only_v2", comparison.count(Verdict::only_v2));
        json_.unsigned_number("unlisted", comparison.unlisted);
        json_.unsigned_number("unlisted_differ", comparison.unlisted_differ);
    }

    void write_cost(const CollectionCost& cost) {
        const auto write_door = [this](std::string_view key, const CollectionCost::Door& door) {
            json_.key(key);
            json_.StartObject();
            json_.unsigned_number("samples", door.samples);
            json_.unsigned_number("bytes", door.bytes);
            json_.unsigned_number("nanoseconds", door.nanoseconds);
            json_.EndObject();
        };
        json_.string("machine", cost.machine);
        write_door("v1", cost.v1);
        write_door("v2", cost.v2);
    }

    void write_identity(const std::optional<std::uint32_t>& object_index, const std::optional<Guid>& counterset) {
        uint_or_null("object_index", object_index);
        json_.key("counterset");
        if (counterset)
            json_.text(guid_text(*counterset));
        else
            json_.Null();
    }

    void write_counter(const ComparedCounter& counter) {
        json_.string("verdict", verdict_name(counter.verdict));
        json_.string("machine", counter.machine);
        json_.string("object", counter.object);
        write_identity(counter.object_index, counter.counterset);
        json_.string("counter", counter.counter);
        uint_or_null("counter_index", counter.counter_index);
        uint_or_null("counter_id", counter.counter_id);
        write_type("v1_type", counter.v1_type);
        write_type("v2_type", counter.v2_type);
        flag("type_differs", counter.type_differs);
        write_scale("v1_scale", counter.v1_scale);
        write_scale("v2_scale", counter.v2_scale);
        flag("scale_differs", counter.scale_differs);
        json_.unsigned_number("values", counter.values);
        json_.unsigned_number("raw_differ", counter.raw_differ);
        json_.unsigned_number("cooked", counter.cooked);
        json_.unsigned_number("cooked_differ", counter.cooked_differ);
        json_.key("first");
        write_example(counter.first);
    }

    /// A type that nothing tells is null.
    void write_type(std::string_view key, const std::optional<std::uint32_t>& type) {
        uint_or_null(key, type == no_counter_type ? std::nullopt : type);
    }
    void write_scale(std::string_view key, const std::optional<std::int32_t>& scale) {
        json_.key(key);
        if (scale)
            json_.Int(*scale);
        else
            json_.Null();
    }

    void write_example(const std::optional<ComparedCounter::Example>& example) {
        if (!example) {
            json_.Null();
            return;
        }
        const auto raw = [this](std::string_view key, const std::optional<std::uint64_t>& value) {
            json_.key(key);
            if (value)
                json_.Uint64(*value);
            else
                json_.Null();
        };
        const auto cooked = [this](std::string_view key, const std::optional<double>& value) {
            json_.key(key);
            if (value)
                json_.number_or_null(*value);
            else
                json_.Null();
        };
        json_.StartObject();
        json_.string("instance", example->instance);
        json_.unsigned_number("pair", example->pair);
        json_.time("time", example->time);
        raw("v1_raw", example->v1_raw);
        raw("v2_raw", example->v2_raw);
        cooked("v1_cooked", example->v1_cooked);
        cooked("v2_cooked", example->v2_cooked);
        json_.key("v1_reason");
        json_.reason(example->v1_reason);
        json_.key("v2_reason");
        json_.reason(example->v2_reason);
        json_.EndObject();
    }

    StringSink sink_;
    JsonStream json_;
};

}  // namespace

void append_comparison_json(std::string& out, const Comparison& comparison, std::span<const CollectionCost> costs) {
    ComparisonJson(out).write(comparison, costs);
    out += '\n';
}

}  // namespace hkpd
