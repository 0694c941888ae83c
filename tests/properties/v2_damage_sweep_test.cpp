// V2 on damaged input: a data block, identifiers, registrations and strings truncated to every length and with every
// byte changed, on the whole path to sample, cooked values and JSON, as views, and as maps. Everything before the
// damage is delivered unchanged.
#include <gtest/gtest.h>
#include <rapidjson/reader.h>

#include <array>
#include <cstdint>
#include <expected>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "hkpd/cook.hpp"
#include "hkpd/select.hpp"
#include "hkpd/write.hpp"
#include "sample/fill/v2_builder.hpp"
#include "support/blob_fields.hpp"
#include "support/damage_sweep.hpp"
#include "support/map_reading.hpp"
#include "support/sample_reading.hpp"
#include "support/v2_builder.hpp"
#include "support/v2_walk.hpp"

namespace hkpd_test {
namespace v2_damage_sweep_test {

using hkpd::Bytes;
namespace type = blob::counter_type;

const hkpd::Guid list_guid = v2_blob::guid(0xB4FC'721A, 0x0378, 0x476F, {1, 2, 3, 4, 5, 6, 7, 8}),
                 lone_guid = v2_blob::guid(5);

v2_blob::Blob five_types(std::uint64_t second) {
    using v2_blob::u32;
    return v2_blob::build({
        .results = {{.ids = {28, 27, 0},
                     .instances = {{u"0,0", 0, {28 * second, u32(27), 5}}, {u"größer", 7, {29 * second, u32(28), 6}}}},
                    {.type = v2_blob::error_return, .status = 4201},
                    {.type = v2_blob::multiple_counters, .ids = {1, 2}, .values = {40 * second, u32(2)}},
                    {.type = v2_blob::multiple_instances,
                     .instances = {{u"0,0", 0, {u32(8)}}, {u"größer", 7, {u32(9)}}}},
                    {.type = v2_blob::single_counter, .values = {1000 + second}}},
        .perf_time = static_cast<std::int64_t>(10'000'000 * second),
    });
}

v2_blob::Chain five_identifiers() {
    return v2_blob::build_identifiers({{.guid = list_guid, .name = u"*", .index = 0},
                                       {.guid = list_guid, .name = u"x", .counter = 0, .index = 1},
                                       {.guid = lone_guid, .index = 2},
                                       {.guid = list_guid, .name = u"*", .counter = 7, .index = 3},
                                       {.guid = lone_guid, .counter = 3, .index = 4}});
}

v2_blob::Chain three_strings() {
    return v2_blob::build_strings({{28, u"Größe"}, {27, std::nullopt}, {0, u"% Time 日\xD83D\xDE00"}});
}

/// PerfLib's results, each of which can be damaged.
enum Part : std::uint8_t { data, query, list_registration, lone_registration, list_names, set_name, part_count };
using Parts = std::array<blob::ByteBuffer, part_count>;

Parts good_parts() {
    Parts parts;
    parts[data] = five_types(2);
    parts[query] = five_identifiers();
    parts[list_registration] =
        v2_blob::build_registration({.guid = list_guid,
                                     .instance_type = 6,
                                     .counters = {{.id = 28, .type = type::average_bulk, .base = 27},
                                                  {.id = 27, .type = type::average_base},
                                                  {.id = 0, .type = 0x2151'0500, .scale = -1},
                                                  {.id = 7, .type = type::rawcount, .attributes = 16}}});
    parts[lone_registration] = v2_blob::build_registration(
        {.guid = lone_guid,
         .instance_type = 0,
         .counters = {{.id = 1, .type = type::bulk_count, .time = 3, .frequency = 2, .multi = 1},
                      {.id = 2, .type = type::rawcount},
                      {.id = 3, .type = type::large_rawcount}}});
    parts[list_names] = three_strings();
    parts[set_name] = v2_blob::build_string(u"Processors");
    return parts;
}

/// Builds samples from the parts, repeatedly in the same memory.
class Pipeline {
  public:
    static constexpr std::uint64_t limit = 60;  // values of a sample; the valid one has 16

    explicit Pipeline(const Parts& parts) : parts_(parts), builder_(countersets_, {.values = limit}) {
        using enum hkpd::v2::RegistrationRequest;
        add(list_guid, counterset_struct, list_registration);
        add(lone_guid, counterset_struct, lone_registration);
        add(list_guid, counter_names, list_names);
        add(list_guid, counterset_name, set_name);
    }

    /// Builds a sample. The bytes are freed at the end.
    void build(hkpd::Sample& sample, const blob::ByteBuffer& bytes) {
        const ExactCopy copy(bytes.bytes()), query_copy(parts_[query].bytes());
        identifiers_.open(query_copy.bytes(), diagnostics);
        if (block_.open(copy.bytes(), diagnostics))
            builder_.build(sample, block_, &identifiers_, "M", diagnostics);
        else
            sample = hkpd::Sample();
        std::size_t values = 0;
        for (const hkpd::Object& object : sample.objects()) values += object.columns.size() * object.instances.size();
        EXPECT_LE(values, limit);
    }

    /// Returns all output for two samples as JSON.
    std::string json(const hkpd::Sample& before, const hkpd::Sample& now) {
        std::string text;
        const auto writer = hkpd::make_writer(hkpd::Format::json, {.cooked = true});
        std::vector<hkpd::Selected> selected;
        hkpd::Filter filter;
        hkpd::Cooker cooker({});
        writer->begin(text);
        for (const hkpd::Sample* sample : {&before, &now}) {
            cooker.begin(sample == &now ? &before : nullptr, *sample);
            filter.select(*sample, selected);
            writer->sample(*sample, selected, &cooker, text);
        }
        writer->end(diagnostics, text);
        return text;
    }

    hkpd::Diagnostics diagnostics{50};

  private:
    void add(const hkpd::Guid& guid, hkpd::v2::RegistrationRequest request, Part part) {
        const ExactCopy copy(parts_[part].bytes());
        countersets_.add({.guid = guid, .request = request, .language = "009", .bytes = copy.bytes()},
                         {.values = limit}, diagnostics);
    }

    const Parts& parts_;
    hkpd::Countersets countersets_;
    hkpd::CountersetSampleBuilder builder_;
    hkpd::v2::DataBlock block_;
    hkpd::v2::Identifiers identifiers_;
};

/// A valid sample, then one with a damaged part, then a valid one: JSON is valid and identical on a second run, and
/// nothing of the damaged sample remains.
class Answer final : public Walker {
  public:
    explicit Answer(Part damaged) : damaged_(damaged) {}

    std::string complaint(Bytes input, const Damage& damage) override {
        parts_[damaged_] = blob::ByteBuffer();
        parts_[damaged_].append({input.data(), input.size()});
        std::uint64_t faults = 0, faults_again = 0;
        const std::string text = run(faults, true), again = run(faults_again, false);
        if (text != again || faults != faults_again) return "another result the second time";
        rapidjson::Reader reader;
        rapidjson::BaseReaderHandler<> nothing;
        rapidjson::StringStream json(text.c_str());
        if (reader.Parse<rapidjson::kParseValidateEncodingFlag>(json, nothing).IsError()) return "no JSON: " + text;
        if (damage.kind != Damage::Kind::none) return {};
        for (const char* expected : {"Größe", "% Time", "Processors", "größer", "1002"})
            if (!text.contains(expected)) return std::string("without ") + expected;
        return faults == 0 ? "" : "not good to begin with";
    }

  private:
    std::string run(std::uint64_t& faults, bool check_rest) {
        Pipeline pipeline(parts_);
        hkpd::Sample before, now;
        pipeline.build(before, first_);
        pipeline.build(now, parts_[data]);
        std::string text = pipeline.json(before, now);
        pipeline.build(now, first_);
        if (check_rest && describe(now) != describe(before)) ADD_FAILURE() << "something of a damaged sample remains";
        faults =
            pipeline.diagnostics.count(hkpd::Severity::error) + pipeline.diagnostics.count(hkpd::Severity::warning);
        std::size_t most = first_.size();
        for (const blob::ByteBuffer& part : parts_) most = std::max(most, part.size());
        for (const hkpd::Diagnostic& found : pipeline.diagnostics.kept()) EXPECT_LE(found.error.offset, most);
        return text;
    }

    const Part damaged_;
    Parts parts_ = good_parts();
    const v2_blob::Blob first_ = five_types(1);
};

/// The results of a block before the damage are unchanged, and also those after it, unless the damage is in a result's
/// header.
class Results final : public Walker {
  public:
    std::string complaint(Bytes input, const Damage& damage) override {
        std::map<std::uint32_t, std::string> texts;
        for (const V2Result& result : walk_v2(input).results)
            if (!result.failure) texts.emplace(result.entry.ordinal, text_of(result));
        if (damage.kind == Damage::Kind::none) {
            whole_ = texts;
            return texts.size() == places_.result_count() ? "" : "not good to begin with";
        }
        if (damage.begin < v2_blob::data_header::size) return {};
        bool follow = false;  // whether the results after the damage are found
        for (std::uint32_t k = 0; k < places_.result_count(); ++k) {
            const std::size_t begin = places_.result(k), end = places_.result_end(k);
            if (damage.touches(begin, end)) follow = damage.begin >= begin + v2_blob::counter_header::size;
            if (damage.touches(begin, end) || (end > damage.begin && !follow)) continue;
            const auto found = texts.find(k);
            if (found == texts.end()) return "result " + std::to_string(k) + " is lost";
            if (found->second != whole_.at(k)) return "result " + std::to_string(k) + " is not as it was";
        }
        return {};
    }

  private:
    static std::string text_of(const V2Result& walked) {
        std::string text;
        const auto add = [&text](auto... numbers) { (text.append(" ").append(std::to_string(numbers)), ...); };
        add(static_cast<unsigned>(walked.result.type()), walked.result.status());
        for (const std::uint32_t id : walked.result.ids()) add(id);
        for (const V2Instance& instance : walked.instances) {
            add(instance.ordinal, instance.offset, instance.id);
            text += instance.name.value_or("(damaged)");
            for (const std::string& value : instance.bytes) text.append("|").append(value);
            for (const auto& number : instance.numbers) add(number.value_or(0));
        }
        return text;
    }

    const v2_blob::Blob places_ = five_types(2);
    std::map<std::uint32_t, std::string> whole_;
};

/// Returns what is wrong with the result of opening a structure whose header has `header` bytes.
std::string complaint_of_opening(const std::expected<void, hkpd::Error>& opened, const hkpd::Diagnostics& found,
                                 Bytes input, std::size_t header) {
    if (opened.has_value() != (input.size() >= header)) return "opened without its header, or not with it";
    const bool inside = (opened || offset_is_inside(opened.error(), input)) && offsets_are_inside(found, input);
    return inside ? "" : "an offset outside of the input";
}

/// Requires of truncated identifiers those whose fixed part is complete, and no fault only if the input ends between
/// two.
std::string complaint_of_identifiers(Bytes input, const Damage& damage) {
    static const v2_blob::Chain places = five_identifiers();
    hkpd::Diagnostics found;
    hkpd::v2::Identifiers identifiers;
    identifiers.open(input, found);
    if (!offsets_are_inside(found, input)) return "an offset outside of the input";
    if (damage.kind == Damage::Kind::bytes) return {};
    std::size_t there = 0;
    bool at_end = damage.kind == Damage::Kind::none;
    for (std::size_t k = 0; k < 5; ++k) {
        there += places.at(k) + v2_blob::counter_identifier::size <= input.size() ? 1U : 0U;
        at_end = at_end || input.size() == places.at(k);
    }
    if (identifiers.all().size() != there) return "another number of identifiers";
    return found.any_fault() == !at_end ? "" : "a fault where one ends, or none where one is cut";
}

/// Requires the complete counters of a truncated registration.
std::string complaint_of_counters(Bytes input, const Damage& damage) {
    using v2_blob::counterset_reg_info::size;
    hkpd::Diagnostics found;
    hkpd::v2::RegistrationInfo info;
    const auto opened = info.open(input, found);
    std::string fault = complaint_of_opening(opened, found, input, size);
    if (!fault.empty() || !opened || damage.kind == Damage::Kind::bytes) return fault;
    if (damage.kind == Damage::Kind::cut && found.count(hkpd::Severity::error) == 0) return "cut, and no error";
    return info.counters().size() == (input.size() - size) / 48 ? "" : "another number of counters";
}

/// Requires the complete strings of truncated ones.
std::string complaint_of_strings(Bytes input, const Damage& damage) {
    static const v2_blob::Chain places = three_strings();
    using namespace v2_blob;
    hkpd::Diagnostics found;
    hkpd::v2::StringBuffer buffer;
    const auto opened = buffer.open(input, found);
    std::string fault = complaint_of_opening(opened, found, input, string_buffer_header::size);
    if (!fault.empty() || !opened || damage.kind == Damage::Kind::bytes) return fault;
    if (damage.kind == Damage::Kind::cut && !found.any_fault()) return "cut, and no fault";
    const auto entries = buffer.entries();
    const bool first = !entries.empty() && entries[0].text, last = entries.size() > 2 && entries[2].text;
    if (last != (damage.kind == Damage::Kind::none)) return "the last string is there although it is truncated";
    if (input.size() < places.get32(places.at(2) + string_counter_header::dwOffset)) return {};
    return first && to_string(entries[0].text->bytes) == blob::utf16(u"Größe") ? "" : "the first string is lost";
}

/// Requires that maps of every form have every byte once.
std::string complaint_of_maps(Bytes input, const Damage& /*damage*/) {
    using enum hkpd::MapForm;
    for (const hkpd::MapForm form : {v1, v2_data, identifiers, registration, strings, counter, text, guid}) {
        MapCheck check(input);
        hkpd::Diagnostics found;
        const hkpd::MapTotals totals =
            visit_map(input, form, {}, [&](const hkpd::MapEntry& entry) { check.entry(entry); }, found);
        const char* const fault = check.fault(totals);
        if (fault != nullptr) return std::string(hkpd::map_form_name(form)) + ": " + fault;
        if (!offsets_are_inside(found, input)) return "an offset of a map outside of the input";
    }
    return {};
}

std::vector<SweepRow> rows() {
    const auto input = [](Part part) {
        return [part] {
            const Parts parts = good_parts();
            return std::vector(parts.at(part).bytes().begin(), parts.at(part).bytes().end());
        };
    };
    std::vector<SweepRow> rows{
        {"ResultsOfData", input(data), make_walker<Results>},
        {"IdentifiersOfQuery", input(query), make_walker<PlainWalker<complaint_of_identifiers>>},
        {"CountersOfListRegistration", input(list_registration), make_walker<PlainWalker<complaint_of_counters>>},
        {"CountersOfLoneRegistration", input(lone_registration), make_walker<PlainWalker<complaint_of_counters>>},
        {"StringsOfListNames", input(list_names), make_walker<PlainWalker<complaint_of_strings>>}};
    constexpr std::array<const char*, part_count> names{"Data",      "Query",  "ListRegistration", "LoneRegistration",
                                                        "ListNames", "SetName"};
    for (std::uint8_t k = 0; k < part_count; ++k) {
        const auto part = static_cast<Part>(k);
        rows.push_back(
            {std::string("Answer") + names.at(k), input(part), [part] { return std::make_unique<Answer>(part); }});
        rows.push_back({std::string("MapsOf") + names.at(k), input(part), make_walker<PlainWalker<complaint_of_maps>>});
    }
    return rows;
}

class V2DamageSweep : public testing::TestWithParam<SweepRow> {};

TEST_P(V2DamageSweep, FindsNoFault) { DamageSweep(GetParam()).run(); }

INSTANTIATE_TEST_SUITE_P(Inputs, V2DamageSweep, testing::ValuesIn(rows()),
                         [](const auto& row) { return row.param.name; });

}  // namespace v2_damage_sweep_test
}  // namespace hkpd_test
