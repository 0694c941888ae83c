// The whole way of V2 on damaged input: block, identifiers and registrations to sample, cooked values and JSON, with
// every truncation and every byte changed of each of them. What lies before the damage still comes out as it was.
#include <gtest/gtest.h>
#include <rapidjson/document.h>

#include <array>
#include <cstdint>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "support/blob_fields.hpp"
#include "hkpd/cook.hpp"
#include "sample/build/v2_builder.hpp"
#include "hkpd/select.hpp"
#include "hkpd/write.hpp"
#include "support/sample_reading.hpp"
#include "support/v2_builder.hpp"
#include "support/v2_walk.hpp"

namespace hkpd_test {
namespace {

namespace type = blob::counter_type;
constexpr std::array<unsigned, 5> values_of_a_byte{0x00, 0x01, 0x7F, 0x80, 0xFF};

const hkpd::Guid list_guid = v2_blob::guid(0xB4FC'721A, 0x0378, 0x476F, {1, 2, 3, 4, 5, 6, 7, 8}),
                 lone_guid = v2_blob::guid(5);

/// What PerfLib answers, all of it damageable.
enum Part : std::uint8_t { data, query, list_registration, lone_registration, list_names, set_name, part_count };
using Parts = std::array<blob::ByteBuffer, part_count>;

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

Parts good_parts() {
    Parts parts;
    parts[data] = five_types(2);
    parts[query] = v2_blob::build_identifiers({{.guid = list_guid, .name = u"*", .index = 0},
                                               {.guid = list_guid, .name = u"x", .counter = 0, .index = 1},
                                               {.guid = lone_guid, .index = 2},
                                               {.guid = list_guid, .name = u"*", .counter = 7, .index = 3},
                                               {.guid = lone_guid, .counter = 3, .index = 4}});
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
    parts[list_names] = v2_blob::build_strings({{28, u"Größe"}, {27, std::nullopt}, {0, u"% Time"}});
    parts[set_name] = v2_blob::build_string(u"Processors");
    return parts;
}

/// Takes the registrations in.
void register_sets(hkpd::Countersets& countersets, const Parts& parts, const hkpd::Limits& limits,
                   hkpd::Diagnostics& diagnostics) {
    using enum hkpd::v2::RegistrationRequest;
    const auto add = [&](const hkpd::Guid& guid, hkpd::v2::RegistrationRequest request, Part part) {
        const ExactCopy copy(parts[part].bytes());
        countersets.add({.guid = guid, .request = request, .language = "009", .bytes = copy.bytes()}, limits,
                        diagnostics);
    };
    add(list_guid, counterset_struct, list_registration);
    add(lone_guid, counterset_struct, lone_registration);
    add(list_guid, counter_names, list_names);
    add(list_guid, counterset_name, set_name);
}

std::size_t count_values(const hkpd::Sample& sample) {
    std::size_t count = 0;
    for (const hkpd::Object& object : sample.objects()) count += object.columns.size() * object.instances.size();
    return count;
}

/// Builds samples from answers, again and again in the same memory.
class Pipeline {
  public:
    static constexpr std::uint64_t limit = 60;  // values of a sample; the good one has 16

    explicit Pipeline(const Parts& parts) : parts_(parts), builder_(countersets_, {.values = limit}) {
        register_sets(countersets_, parts, {.values = limit}, diagnostics);
    }

    void build(hkpd::Sample& sample, const blob::ByteBuffer& bytes) {
        const ExactCopy copy(bytes.bytes()), query_copy(parts_[query].bytes());
        identifiers_.open(query_copy.bytes(), diagnostics);
        if (block_.open(copy.bytes(), diagnostics))
            builder_.build(sample, block_, &identifiers_, "M", diagnostics);
        else
            sample = hkpd::Sample();
        EXPECT_LE(count_values(sample), limit);
    }

    /// Everything that comes out, in words.
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
    const Parts& parts_;
    hkpd::Countersets countersets_;
    hkpd::CountersetSampleBuilder builder_;
    hkpd::v2::DataBlock block_;
    hkpd::v2::Identifiers identifiers_;
};

std::size_t largest(const Parts& parts) {
    std::size_t size = 0;
    for (const blob::ByteBuffer& part : parts) size = std::max(size, part.size());
    return size;
}

/// A good sample, then the damaged one, then a good one: as text.
std::string run(const Parts& parts, std::uint64_t& faults) {
    static const v2_blob::Blob first = five_types(1);
    Pipeline pipeline(parts);
    hkpd::Sample before, now;
    pipeline.build(before, first);
    pipeline.build(now, parts[data]);
    std::string text = pipeline.json(before, now);
    pipeline.build(now, first);
    EXPECT_EQ(describe(now), describe(before)) << "something of a damaged sample remains";
    faults = pipeline.diagnostics.count(hkpd::Severity::error) + pipeline.diagnostics.count(hkpd::Severity::warning);
    const std::size_t most = std::max(first.size(), largest(parts));
    for (const hkpd::Diagnostic& found : pipeline.diagnostics.kept()) EXPECT_LE(found.error.offset, most);
    return text;
}

void expect_runs(const Parts& parts) {
    std::uint64_t faults = 0, faults_again = 0;
    const std::string text = run(parts, faults);
    rapidjson::Document document;
    document.Parse<rapidjson::kParseValidateEncodingFlag>(text.data(), text.size());
    EXPECT_FALSE(document.HasParseError()) << text;
    EXPECT_EQ(run(parts, faults_again), text) << "another result the second time";
    EXPECT_EQ(faults, faults_again);
}

/// A result as it lies in the block.
std::string text_of(const V2Result& walked) {
    std::ostringstream out;
    out << static_cast<unsigned>(walked.result.type()) << ' ' << walked.result.status();
    for (const std::uint32_t id : walked.ids()) out << ' ' << id;
    for (const V2Instance& instance : walked.instances) {
        out << '\n'
            << instance.ordinal << ' ' << instance.offset << ' ' << instance.id << ' '
            << instance.name.value_or("(damaged)");
        for (const std::string& value : instance.bytes) out << '|' << value;
    }
    return out.str();
}

std::map<std::uint32_t, std::string> walk_texts(const blob::ByteBuffer& bytes) {
    const ExactCopy copy(bytes.bytes());
    std::map<std::uint32_t, std::string> texts;
    for (const V2Result& result : walk_v2(copy.bytes()).results)
        if (!result.failure) texts.emplace(result.entry.ordinal, text_of(result));
    return texts;
}

class V2Mutation : public testing::TestWithParam<Part> {
  protected:
    /// Results that end at or before `at`, and where `behind` those that begin after it.
    void expect_untouched(const blob::ByteBuffer& damaged, std::size_t at) const {
        const auto delivered = walk_texts(damaged);
        for (std::uint32_t k = 0; k < block.result_count(); ++k) {
            if (block.result_end(k) > at) continue;
            const auto found = delivered.find(k);
            ASSERT_NE(found, delivered.end()) << "result " << k << " is lost";
            EXPECT_EQ(found->second, whole.at(k));
        }
    }
    /// Of a byte of a result that is not in its header, the results behind it as well.
    void expect_behind(const blob::ByteBuffer& damaged, std::size_t at) const {
        const auto delivered = walk_texts(damaged);
        for (std::uint32_t k = 0; k + 1 < block.result_count(); ++k) {
            if (at < block.result(k) + v2_blob::counter_header::size || at >= block.result_end(k)) continue;
            for (std::uint32_t behind = k + 1; behind < block.result_count(); ++behind) {
                const auto found = delivered.find(behind);
                ASSERT_NE(found, delivered.end()) << "result " << behind << " is lost";
                EXPECT_EQ(found->second, whole.at(behind));
            }
        }
    }

    Parts parts = good_parts();
    const v2_blob::Blob block = five_types(2);
    const std::map<std::uint32_t, std::string> whole = walk_texts(block);
};

TEST_P(V2Mutation, TheGoodOnesAreGood) {
    std::uint64_t faults = 0;
    const std::string text = run(parts, faults);
    EXPECT_EQ(faults, 0U) << text;
    EXPECT_EQ(whole.size(), 5U);
    for (const char* expected : {"Größe", "% Time", "Processors", "größer", "1002"})
        EXPECT_NE(text.find(expected), std::string::npos) << expected << text;
}

TEST_P(V2Mutation, EveryTruncation) {
    const blob::ByteBuffer good = parts[GetParam()];
    for (std::size_t size = 0; size < good.size() && !HasFailure(); ++size) {
        SCOPED_TRACE("cut to " + std::to_string(size) + " bytes");
        parts[GetParam()] = good;
        parts[GetParam()].truncate(size);
        expect_runs(parts);
        if (GetParam() == data) expect_untouched(parts[data], size);
    }
}

TEST_P(V2Mutation, EveryByte) {
    const blob::ByteBuffer good = parts[GetParam()];
    for (std::size_t at = 0; at < good.size(); ++at) {
        for (const unsigned value : values_of_a_byte) {
            if (HasFailure() || good.bytes()[at] == static_cast<std::byte>(value)) continue;
            SCOPED_TRACE("byte " + std::to_string(at) + " is " + std::to_string(value));
            parts[GetParam()] = good;
            parts[GetParam()].put8(at, static_cast<std::uint8_t>(value));
            expect_runs(parts);
            if (GetParam() != data || at < v2_blob::data_header::size) continue;
            expect_untouched(parts[data], at);
            expect_behind(parts[data], at);
        }
    }
}

std::string part_name(const testing::TestParamInfo<Part>& info) {
    constexpr std::array<const char*, part_count> names{"Data",      "Query",  "ListRegistration", "LoneRegistration",
                                                        "ListNames", "SetName"};
    return names.at(info.param);
}

INSTANTIATE_TEST_SUITE_P(Answers, V2Mutation,
                         testing::Values(data, query, list_registration, lone_registration, list_names, set_name),
                         part_name);

}  // namespace
}  // namespace hkpd_test
