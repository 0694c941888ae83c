// Malformed blobs that every reader has to survive, and valid ones that many readers mishandle, one row each: the
// damage, the diagnostics and their places, and the values that are still delivered.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "hkpd/names.hpp"
#include "support/blob_builder.hpp"
#include "support/mutation_blobs.hpp"
#include "support/sample_reading.hpp"
#include "support/usual_severity.hpp"

namespace malformed_table_test {

using hkpd::Errc;
using hkpd::Severity;
using hkpd_test::lone_and_listed;
using enum hkpd::Severity;
using namespace blob;

/// One expected fault: exactly this at exactly this place.
struct Finding {
    Severity severity;
    Errc code;
    std::uint64_t offset;
};

/// A blob and everything that a reader returns for it.
struct Case {
    Blob blob;
    std::vector<Finding> findings;
    std::string delivered;  ///< in the form of `delivered_text`
};

struct Row {
    std::string_view name;
    std::function<Case()> make;
    friend void PrintTo(const Row& row, std::ostream* out) { *out << row.name; }
};

/// Returns `2(7 8) 4(a 1 2|b 3 4)`: objects by title index, each with its instances, their names and values; `-` is a
/// damaged value, `?` a damaged name. Empty if there is no sample.
std::string delivered_text(const hkpd_test::Samples& samples) {
    std::string text;
    for (const hkpd::Sample& sample : samples.all)
        for (const hkpd::Object& object : sample.objects()) {
            text.append(text.empty() ? "" : " ").append(std::to_string(object.title_index)).append("(");
            for (std::size_t row = 0; row < object.instances.size(); ++row) {
                std::string line(object.instances[row].name.value_or("?"));
                for (const hkpd::Column& column : object.columns)
                    line.append(line.empty() ? "" : " ").append(hkpd_test::value_text(object, column, row));
                text.append(row == 0 ? "" : "|").append(line);
            }
            text += ')';
        }
    return text;
}

std::string text_of(Severity severity, Errc code, std::uint64_t offset) {
    std::string text(severity_name(severity));
    return text.append(" ").append(code_name(code)).append(" at ").append(std::to_string(offset)).append("\n");
}

std::string text_of(const hkpd::Diagnostics& diagnostics) {
    std::string text;
    for (const hkpd::Diagnostic& found : diagnostics.kept())
        text += text_of(found.severity, found.error.code, found.error.offset);
    return text;
}

// --- The valid blob that each row breaks ---

constexpr std::string_view everything = "2(7 8) 4(a 1 2|b 3 4|c 5 6) 6(9)";

/// Returns the place of a field in the valid blob.
using Place = std::function<std::size_t(const Blob&)>;

Place header(std::size_t field) {
    return [=](const Blob&) { return field; };
}
Place object(std::size_t k, std::size_t field) {
    return [=](const Blob& blob) { return blob.object(k) + field; };
}
Place counter(std::size_t k, std::size_t c, std::size_t field) {
    return [=](const Blob& blob) { return blob.counter(k, c) + field; };
}
Place instance(std::size_t k, std::size_t i, std::size_t field) {
    return [=](const Blob& blob) { return blob.instance(k, i) + field; };
}
Place block_of(std::size_t k, std::size_t i = 0) {
    return [=](const Blob& blob) { return blob.counter_block(k, i); };
}

struct Fault {
    Severity severity;
    Errc code;
    Place place;  ///< where it is reported; empty for the broken field
};

/// Returns the valid blob with one field set to a value.
Row broken(std::string_view name, const Place& field, std::uint32_t value, const std::vector<Fault>& faults,
           std::string_view delivered) {
    return {name, [=] {
                Case result{build(lone_and_listed()), {}, std::string(delivered)};
                result.blob.put32(field(result.blob), value);
                for (const Fault& fault : faults)
                    result.findings.push_back(
                        {fault.severity, fault.code, (fault.place ? fault.place : field)(result.blob)});
                return result;
            }};
}

// --- Unusual blobs ---

/// Returns instances of one list with these parents.
Block family(const std::vector<std::uint32_t>& parents) {
    Object list{.title = 4, .kind = Kind::multi, .counters = {{.title = 20}}, .instances = {}};
    for (const std::uint32_t parent : parents) list.instances.push_back({u"p", {list.instances.size()}, 4, parent});
    return {.objects = {list}};
}

Case self_parent() {
    Case result{build(family({0})), {}, "4(p 0)"};
    result.findings = {
        {warning, Errc::parent_cycle, result.blob.instance(0, 0) + instance_definition::ParentObjectInstance}};
    return result;
}

/// Reported once, at the first instance of the cycle.
Case parent_cycle() {
    Case result{build(family({1, 2, 0})), {}, "4(p 0|p 1|p 2)"};
    result.findings = {
        {warning, Errc::parent_cycle, result.blob.instance(0, 0) + instance_definition::ParentObjectInstance}};
    return result;
}

Case thousand_objects_of_no_length() {
    Block block;
    block.objects.assign(1000, {.title = 2, .counters = {{.title = 10}}, .values = {7}});
    Case result{build(block), {}, "2(7)"};
    for (std::size_t k = 0; k < 1000; ++k) result.blob.put32(result.blob.object(k), 0);
    result.findings = {{error, Errc::object_length, result.blob.object(0)},
                       {error, Errc::object_count, data_block::NumObjectTypes},
                       {warning, Errc::leftover_bytes, result.blob.object_end(0)}};
    return result;
}

/// 40,000 values in 200 × 4 bytes: legal, as offsets may be shared.
Case overlapping_counters() {
    Object list{.title = 4, .kind = Kind::multi, .instances = {}};
    std::string one = "a", delivered;
    for (std::uint32_t c = 0; c < 200; ++c) {
        list.counters.push_back({.title = 2 * c + 20, .offset = 4});
        one += " 5";
    }
    for (int i = 0; i < 200; ++i) {
        list.instances.push_back({u"a", {5}});
        list.instances.back().values.assign(200, 5);
        delivered.append(i == 0 ? "" : "|").append(one);
    }
    return {build({.objects = {list}}), {}, "4(" + delivered + ")"};
}

Case object_reaches_over_the_next() {
    Case result{build(lone_and_listed()), {}, std::string(everything)};
    result.blob.add32(result.blob.object(0), 8);
    result.findings = {{error, Errc::object_length, result.blob.object(0)}};
    return result;
}

Case last_object_has_none_now() {
    Block block = lone_and_listed();
    block.objects.push_back({.title = 8, .kind = Kind::multi, .counters = {{.title = 40}}});
    return {build(block), {}, std::string(everything) + " 8()"};
}

Case definitions_only(Kind kind) {
    Block block = lone_and_listed();
    block.objects.insert(block.objects.begin() + 1, {.title = 8, .kind = kind, .counters = {{.title = 40}}});
    return {build(block), {}, "2(7 8) 8() 4(a 1 2|b 3 4|c 5 6) 6(9)"};
}

Case no_machine_name() {
    Block block = lone_and_listed();
    block.machine.clear();
    return {build(block), {}, std::string(everything)};
}

Case name_without_nul() {
    Block block = lone_and_listed();
    for (Instance& one : block.objects[1].instances) one.nul = false;
    return {build(block), {}, std::string(everything)};
}

Case no_objects() { return {build({}), {}, ""}; }

Case object_without_clock() {
    Block block = lone_and_listed();
    for (Object& one : block.objects) one.perf_time = one.perf_freq = 0;
    return {build(block), {}, std::string(everything)};
}

Case minimal() {
    const Block block{.objects = {{.title = 2,
                                   .counters = {{.title = 10, .type = counter_type::bulk_count, .size = 8}},
                                   .values = {0x0102'0304'0506'0708}}},
                      .machine = u""};
    Case result{build(block), {}, "2(72623859790382856)"};
    EXPECT_EQ(result.blob.size(), 88U + 64 + 40 + 16);
    return result;
}

std::vector<Row> malformed() {
    namespace ob = object_type;
    namespace co = counter_definition;
    namespace in = instance_definition;
    constexpr std::uint32_t two_30 = 1U << 30, two_31 = 1U << 31, two_20 = 1U << 20;
    const std::string_view all = everything;
    return {
        broken("Signature", header(data_block::Signature), 0x0045'0051, {{error, Errc::not_performance_data, {}}}, ""),
        broken("HeaderLength0", header(data_block::HeaderLength), 0, {{error, Errc::header_length, {}}}, all),
        broken("NumObjectTypes2e31", header(data_block::NumObjectTypes), two_31, {{warning, Errc::object_count, {}}},
               all),
        broken("TotalByteLength0", header(data_block::TotalByteLength), 0, {{error, Errc::block_length, {}}}, all),
        broken("TotalByteLengthBeyondTheInput", header(data_block::TotalByteLength), two_20,
               {{warning, Errc::block_length, {}}}, all),
        broken("NumCounters2e30", object(1, ob::NumCounters), two_30, {{error, Errc::counter_count, {}}}, all),
        broken("NumInstances2e30", object(1, ob::NumInstances), two_30, {{error, Errc::instance_count, {}}}, all),
        broken("ObjectTotalByteLength0", object(1, ob::TotalByteLength), 0, {{error, Errc::object_length, {}}}, all),
        broken("ObjectTotalByteLengthBeyondTheInput", object(1, ob::TotalByteLength), two_20,
               {{error, Errc::object_length, {}}}, all),
        {"ObjectReachesOverTheNext", object_reaches_over_the_next},
        broken("DefinitionLength0", object(1, ob::DefinitionLength), 0, {{error, Errc::length_corrected, {}}}, all),
        broken("ObjectHeaderLength0", object(1, ob::HeaderLength), 0, {{error, Errc::length_corrected, {}}}, all),
        broken("CounterByteLength0", counter(1, 0, co::ByteLength), 0, {{error, Errc::counter_definition_length, {}}},
               "2(7 8) 4(a 2|b 4|c 6) 6(9)"),
        broken("CounterSize0", counter(1, 0, co::CounterSize), 0, {{warning, Errc::counter_size, {}}},
               "2(7 8) 4(a <> 2|b <> 4|c <> 6) 6(9)"),
        broken("CounterOffset0", counter(1, 0, co::CounterOffset), 0, {{error, Errc::counter_overlaps_length, {}}},
               "2(7 8) 4(a - 2|b - 4|c - 6) 6(9)"),
        broken("CounterOffset2e31", counter(1, 0, co::CounterOffset), two_31,
               {{error, Errc::counter_outside_block, {}}}, "2(7 8) 4(a - 2|b - 4|c - 6) 6(9)"),
        broken("CounterOffset2e20", counter(1, 1, co::CounterOffset), two_20,
               {{error, Errc::counter_outside_block, {}}}, "2(7 8) 4(a 1 -|b 3 -|c 5 -) 6(9)"),
        broken("InstanceByteLength0", instance(1, 1, in::ByteLength), 0, {{error, Errc::length_corrected, {}}}, all),
        broken("NameLength2e31", instance(1, 1, in::NameLength), two_31, {{error, Errc::instance_name, {}}},
               "2(7 8) 4(a 1 2|? 3 4|c 5 6) 6(9)"),
        broken("NameLengthOdd", instance(1, 1, in::NameLength), 3, {{warning, Errc::instance_name, {}}}, all),
        broken("CounterBlockLength0", block_of(1, 1), 0, {{error, Errc::length_corrected, {}}}, all),
        broken("LoneCounterBlockLength0", block_of(0), 0, {{error, Errc::counter_block_length, {}}},
               "2() 4(a 1 2|b 3 4|c 5 6) 6(9)"),
        {"SelfParent", self_parent},
        {"ParentCycle", parent_cycle},
        {"ThousandObjectsOfNoLength", thousand_objects_of_no_length},
    };
}

std::vector<Row> valid() {
    return {
        {"NothingBroken", [] { return Case{build(lone_and_listed()), {}, std::string(everything)}; }},
        broken("NameLength0", instance(1, 1, instance_definition::NameLength), 0, {}, "2(7 8) 4(a 1 2|3 4|c 5 6) 6(9)"),
        {"NumInstances0InTheLastObject", last_object_has_none_now},
        {"NumInstancesMinus2", [] { return definitions_only(Kind::metadata_multi); }},
        {"NumInstancesMinus3", [] { return definitions_only(Kind::metadata_single); }},
        {"SystemNameLength0", no_machine_name},
        {"NameLengthWithoutNul", name_without_nul},
        {"NumObjectTypes0", no_objects},
        {"ObjectClock0", object_without_clock},
        {"OverlappingCounters200x200", overlapping_counters},
        {"Minimal", minimal},
    };
}

class Malformed : public testing::TestWithParam<Row> {};

TEST_P(Malformed, IsReportedAndContained) {
    const Case expected = GetParam().make();
    std::string findings;
    for (const Finding& finding : expected.findings)
        findings += text_of(finding.severity, finding.code, finding.offset);
    const auto samples = hkpd_test::read_blobs({expected.blob});
    EXPECT_EQ(text_of(samples->diagnostics), findings);
    EXPECT_EQ(delivered_text(*samples), expected.delivered);
    for (const hkpd::Diagnostic& found : samples->diagnostics.kept()) hkpd_test::expect_usual_severity(found);
}

std::string row_name(const testing::TestParamInfo<Row>& row) { return std::string(row.param.name); }
INSTANTIATE_TEST_SUITE_P(Broken, Malformed, testing::ValuesIn(malformed()), row_name);
INSTANTIATE_TEST_SUITE_P(Valid, Malformed, testing::ValuesIn(valid()), row_name);

TEST(MalformedTable, OverlappingCountersStopAtTheLimit) {
    hkpd::Limits limits;
    limits.values = 10'000;
    const Case asked = overlapping_counters();
    const auto samples = hkpd_test::read_blobs({asked.blob}, nullptr, limits);
    ASSERT_EQ(samples->all.size(), 1U);
    EXPECT_EQ(text_of(samples->diagnostics), text_of(error, Errc::value_limit, asked.blob.instance(0, 50)));
    ASSERT_EQ(samples->all[0].objects().size(), 1U);
    EXPECT_EQ(samples->object(0, 0).instances.size(), 50U);
}

TEST(MalformedTable, TitlesThatEndInAnOddByte) {
    using namespace std::string_literals;
    const std::string bytes = utf16(u"1\0001847\0002\0System\0004\0"s) + "\x41";
    hkpd::Diagnostics diagnostics;
    const auto tables = hkpd::parse_titles(hkpd::Bytes(std::as_bytes(std::span(bytes))), "Counter 009", diagnostics);
    ASSERT_TRUE(tables);
    ASSERT_EQ(tables->size(), 1U);
    EXPECT_EQ(tables->at(0).find(2), "System");
    EXPECT_FALSE(tables->at(0).find(4));
    EXPECT_FALSE(tables->at(0).find(1)) << "the highest index is no title";
    EXPECT_EQ(text_of(diagnostics), text_of(warning, Errc::title_unpaired, bytes.size() - 5) +
                                        text_of(warning, Errc::title_odd_byte, bytes.size() - 1));
}

}  // namespace malformed_table_test
