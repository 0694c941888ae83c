// Writes the result of a comparison of V1 (the registry interface) and V2 (PerfLib), as text or as JSON.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>
#include <utility>

#include "hkpd/compare.hpp"
#include "hkpd/cook.hpp"
#include "hkpd/counter_type.hpp"
#include "hkpd/write.hpp"
#include "write/cells.hpp"
#include "write/json/json_stream.hpp"

namespace hkpd {
namespace {

class ComparisonTable {
  public:
    ComparisonTable(std::string& out, const Comparison& comparison) : out_(out), comparison_(comparison) {
        for (const ComparedCounter& counter : comparison.counters) note_machine(counter.machine);
        for (const ComparedObject& object : comparison.objects) note_machine(object.machine);
    }

    void write(std::span<const CollectionCost> costs, bool all) {
        write_pairs();
        write_counters(Verdict::differs);
        write_instances();
        if (all)
            for (const Verdict verdict : {Verdict::equal, Verdict::only_v1, Verdict::only_v2}) write_counters(verdict);
        write_counts();
        write_lone(Verdict::only_v1);
        write_lone(Verdict::only_v2);
        write_sizes();
        for (const CollectionCost& cost : costs) write_cost(cost);
    }

  private:
    template <class... Values>
    void line(fmt::format_string<Values...> format, Values&&... values) {
        fmt::format_to(std::back_inserter(out_), format, std::forward<Values>(values)...);
        out_ += '\n';
    }
    void note_machine(const std::string& machine) {
        if (machines_.empty()) machines_ = machine;
        several_ = several_ || machines_ != machine;
    }
    /// Returns the object's name, preceded by the machine's name if there are several machines.
    std::string place(const std::string& machine, const std::string& object) const {
        return printable(several_ ? "\\\\" + machine + "\\" + object : object);
    }

    void write_pairs() {
        constexpr double second = 1e9;
        const Comparison& c = comparison_;
        const std::string machine = several_ || machines_.empty() ? "" : " of " + printable(machines_);
        const std::string gap = c.largest_gap == 0
                                    ? "taken at the same times"
                                    : fmt::format("up to {:.7g} s apart", static_cast<double>(c.largest_gap) / second);
        line("{} of V1 and V2 samples{}, {}", count_of(c.pairs, "pair"), machine, gap);
        if (c.v1_alone != 0 || c.v2_alone != 0)
            line("unpaired samples: {} from V1, {} from V2", c.v1_alone, c.v2_alone);
        if (c.evicted != 0) line("{} of them were evicted before a match arrived, to limit memory", c.evicted);
        if (c.rates_apart != 0)
            line("{} pairs have different previous samples in V1 and V2: values of two samples were not compared",
                 c.rates_apart);
    }

    void write_counters(Verdict verdict) {
        for (const ComparedCounter& counter : comparison_.counters) {
            if (counter.verdict != verdict) continue;
            fmt::format_to(std::back_inserter(out_), "{:<8}  {}\\{}", verdict_word(verdict),
                           place(counter.machine, counter.object), printable(counter.counter));
            if (verdict == Verdict::differs)
                out_ += ": " + differences(counter);
            else if (verdict == Verdict::equal)
                out_ += fmt::format(": {} values, {} cooked", counter.values, counter.cooked);
            out_ += '\n';
        }
    }

    static std::string_view verdict_word(Verdict verdict) noexcept {
        constexpr std::array<std::string_view, 4> words{"agrees", "differs", "only V1", "only V2"};
        return words[static_cast<std::size_t>(verdict)];
    }

    static std::string differences(const ComparedCounter& counter) {
        std::string text;
        const auto add = [&text](std::string_view what) { text.append(text.empty() ? "" : ", ").append(what); };
        if (counter.type_differs)
            add(fmt::format("type {} | {}", type_text(counter.v1_type.value_or(no_counter_type)),
                            type_text(counter.v2_type.value_or(no_counter_type))));
        if (counter.scale_differs)
            add(fmt::format("scale {} | {}", counter.v1_scale.value_or(0), counter.v2_scale.value_or(0)));
        if (counter.raw_differ != 0) add(fmt::format("raw in {} of {} values", counter.raw_differ, counter.values));
        if (counter.cooked_differ != 0) add(fmt::format("cooked in {} of {}", counter.cooked_differ, counter.cooked));
        if (counter.first) text += "; first " + example(*counter.first);
        return text;
    }

    static std::string example(const ComparedCounter::Example& first) {
        std::string text;
        if (first.time)
            append_time(text, *first.time);
        else
            text += fmt::format("in pair {}", first.pair);
        if (!first.instance.empty()) text += " instance " + printable(first.instance);
        const auto raw = [](const std::optional<std::uint64_t>& value) {
            return value ? std::to_string(*value) : "not a number";
        };
        const auto cooked = [](const std::optional<double>& value, Reason reason) {
            std::string digits(value ? std::string_view{} : reason_name(reason));
            if (value) append_number(digits, *value);  // all digits: two values can differ in the last digit only
            return digits;
        };
        return text + fmt::format(": raw {} | {}, cooked {} | {}", raw(first.v1_raw), raw(first.v2_raw),
                                  cooked(first.v1_cooked, first.v1_reason), cooked(first.v2_cooked, first.v2_reason));
    }

    void write_instances() {
        for (const ComparedInstance& instance : comparison_.instances)
            line("{:<8}  {}({}) in {} samples{}", verdict_word(instance.verdict),
                 place(instance.machine, instance.object), printable(instance.instance), instance.samples,
                 instance.differs ? ": differs" : "");
    }

    void write_counts() {
        const Comparison& c = comparison_;
        const std::uint64_t differ = c.count(Verdict::differs);
        const auto instances = std::ranges::count(c.instances, true, &ComparedInstance::differs);
        line("{} counters agree, {} differ{}, {} only V1, {} only V2 in the objects of both", c.count(Verdict::equal),
             differ, differ == 1 ? "s" : "", c.count(Verdict::only_v1), c.count(Verdict::only_v2));
        if (instances != 0)
            line("{} of their instances are in one interface only, which counts as a difference", instances);
        if (c.unlisted != 0)
            line("{} more findings are not listed, {} of them differences", c.unlisted, c.unlisted_differ);
    }

    void write_lone(Verdict verdict) {
        std::string text;
        for (const ComparedObject& object : comparison_.objects)
            if (object.verdict == verdict)
                text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", place(object.machine, object.object),
                                    object.counters);
        if (!text.empty())
            line("objects only {} (number of counters): {}", verdict == Verdict::only_v1 ? "V1" : "V2", text);
    }

    void write_sizes() {
        const Comparison& c = comparison_;
        if (c.pairs != 0)
            line("bytes per sample, including objects of one interface: {} V1, {} V2", c.v1_bytes / c.pairs,
                 c.v2_bytes / c.pairs);
    }

    void write_cost(const CollectionCost& cost) {
        constexpr double microsecond = 1e3;
        const auto each = [](const CollectionCost::Interface& api) {
            if (api.samples == 0) return std::string("unknown");
            return fmt::format("{:.1f}",
                               static_cast<double>(api.nanoseconds) / microsecond / static_cast<double>(api.samples));
        };
        line("microseconds to collect a sample{}{}: {} V1, {} V2", cost.machine.empty() ? "" : " of ",
             printable(cost.machine), each(cost.v1), each(cost.v2));
    }

    std::string& out_;
    const Comparison& comparison_;
    std::string machines_;  // name of the first machine
    bool several_ = false;
};

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

/// Writes the JSON members that compared counters, instances and objects have in common.
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
    // An unknown type is written as null.
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

void append_comparison(std::string& out, const Comparison& comparison, std::span<const CollectionCost> costs,
                       bool all) {
    ComparisonTable(out, comparison).write(costs, all);
}

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
