// Samples of both interfaces in one run: how a reader separates them, and which of them replay treats as consecutive.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "hkpd/names.hpp"
#include "source/replay.hpp"
#include "source/sample_reader.hpp"
#include "support/record_source.hpp"
#include "support/sample_reading.hpp"

namespace hkpd_test {
namespace replay_v2_test {

using hkpd::SampleSource;
using hkpd::Severity;
using Kind = hkpd::Record::Kind;

/// Returns two and a half seconds of a machine: V1, V2, V1, V2, V2.
std::vector<Kept> both_interfaces() {
    return {v2_registration(1, waves_struct(), "DEMO"),
            v1_block(1, 5),
            v2_query("DEMO"),
            v2_block(1, 50, "DEMO"),
            v1_block(2, 6),
            v2_block(2, 60, "DEMO"),
            v2_block(3, 70, "DEMO")};
}

struct Read {
    std::string text;
    hkpd::Diagnostics diagnostics;
    std::uint32_t count = 0;
};

/// Reads number, source and values of each sample.
void read(std::vector<Kept> records, std::optional<SampleSource> only, Read& result) {
    RecordSource source(std::move(records));
    hkpd::SampleReader reader(source, nullptr, {});
    if (only) reader.take_only(*only);
    hkpd::Sample sample;
    while (reader.next(sample, result.diagnostics))
        result.text += std::to_string(reader.count() - 1) + "=" + sources(sample) + " ";
    result.count = reader.count();
}

TEST(SampleReaderV2, SamplesInTheOrderOfTheirBlocks) {
    Read all;
    read(both_interfaces(), {}, all);
    EXPECT_EQ(all.text, "0=v1:5 1=v2:50 2=v1:6 3=v2:60 4=v2:70 ");
    EXPECT_EQ(faults(all.diagnostics), "");
}

TEST(SampleReaderV2, AV2BlockSeparatesV1BlocksOfOneTime) {
    Read read_apart, read_together;
    read({v1_block(1, 5, 2), v1_block(1, 6, 4), v2_block(1, 50), v1_block(1, 7, 6), v1_block(1, 8, 8)}, {}, read_apart);
    EXPECT_EQ(read_apart.text, "0=v1:5:6 1=v2:50 2=v1:7:8 ");
    // A query alone, or a registration, ends no sample.
    read({v1_block(1, 5, 2), v2_query(), v2_registration(1, waves_struct()), v1_block(1, 6, 4)}, {}, read_together);
    EXPECT_EQ(read_together.text, "0=v1:5:6 ");
}

TEST(SampleReaderV2, OnlyOneInterface) {
    for (const SampleSource source : {SampleSource::v1, SampleSource::v2}) {
        Read one;
        read(both_interfaces(), source, one);
        EXPECT_EQ(one.text, source == SampleSource::v1 ? "0=v1:5 2=v1:6 " : "1=v2:50 3=v2:60 4=v2:70 ");
        EXPECT_EQ(one.count, 5U);
    }
    Read grouped;
    read({v1_block(1, 5, 2), v1_block(1, 6, 4), v1_block(2, 7), v2_block(1, 50), v1_block(3, 8)}, SampleSource::v2,
         grouped);
    EXPECT_EQ(grouped.text, "2=v2:50 ");
    EXPECT_EQ(grouped.count, 4U);
}

TEST(SampleReaderV2, FaultsOfTheOtherInterfaceAreNotReported) {
    Kept bad_v1 = v1_block(1, 5), bad_v2 = v2_block(1, 50), cut_v2 = v2_block(1, 50), bad_query = v2_query();
    bad_v1.bytes.resize(bad_v1.bytes.size() - 1);
    bad_v2.bytes.resize(bad_v2.bytes.size() - 8);
    cut_v2.bytes.resize(20);
    bad_query.bytes.resize(30);
    const std::vector<Kept> records{bad_v1, bad_query, bad_v2, cut_v2};
    Read first, second, both;
    read(records, SampleSource::v1, first);
    read(records, SampleSource::v2, second);
    read(records, {}, both);
    const auto errors = [](const Read& read) { return read.diagnostics.count(Severity::error); };
    EXPECT_EQ(errors(first) + errors(second), errors(both));
    EXPECT_GT(errors(first), 0U);
    EXPECT_GT(errors(second), 2U);
    for (const Read* read : {&first, &second, &both}) EXPECT_EQ(read->count, 2U);
}

TEST(SampleReaderV2, FaultsBelongToTheirSample) {
    Kept bad_query = v2_query(), bad_block = v2_block(2, 60), bad_v1 = v1_block(3, 7);
    bad_query.bytes.resize(30);
    bad_block.bytes.resize(bad_block.bytes.size() - 8);
    bad_v1.bytes.resize(bad_v1.bytes.size() - 1);
    Read result;
    read({v1_block(1, 5), v1_block(2, 6), bad_query, v2_block(1, 50), bad_query, bad_block, bad_v1}, {}, result);
    std::string samples;
    for (const hkpd::Diagnostic& fault : result.diagnostics.kept())
        if (fault.severity == Severity::error) samples += std::to_string(fault.place.sample);
    // The third sample has one query, which occurs twice. Then come the truncated blocks.
    EXPECT_TRUE(samples.starts_with("23")) << samples;
    EXPECT_TRUE(samples.ends_with("4")) << samples;
    EXPECT_EQ(samples.find_first_not_of("234"), std::string::npos) << samples;
}

TEST(SampleReaderV2, QueriesBelongToTheirMachine) {
    RecordSource source({v2_query("A"),
                         v2_query("B", v2_blob::guid(9)),
                         v2_block(1, 1, "A"),
                         v2_block(1, 2, "B"),
                         v2_block(1, 3, "C"),
                         {Kind::v2_identifiers, "", "A"},
                         v2_block(2, 4, "A")});
    hkpd::SampleReader reader(source, nullptr, {});
    hkpd::Sample sample;
    hkpd::Diagnostics diagnostics;
    std::string text;
    while (reader.next(sample, diagnostics)) {
        const auto& guid = sample.objects()[0].counterset;
        text += *sample.machine + ":" + (guid ? guid_text(*guid).substr(1, 8) : "?") + " ";
    }
    EXPECT_EQ(text, "A:11223344 B:00000009 C:? A:? ");
}

TEST(SampleReaderV2, RegistrationsOfTheCaller) {
    hkpd::Countersets mine;
    RecordSource source(both_interfaces());
    hkpd::SampleReader reader(source, nullptr, {});
    EXPECT_NE(&reader.countersets(), &mine);
    reader.take_countersets(mine);
    EXPECT_EQ(&reader.countersets(), &mine);
    hkpd::Sample sample;
    hkpd::Diagnostics diagnostics;
    while (reader.next(sample, diagnostics)) {
    }
    ASSERT_EQ(mine.all().size(), 1U);
    EXPECT_EQ(mine.all()[0].guid, waves);
    EXPECT_EQ(mine.all()[0].machine, "DEMO");
}

/// Reads number and source of each sample, and `+` if there is a sample before.
void replay(std::vector<Kept> records, const hkpd::ReplayOptions& options, Read& result) {
    RecordSource source(std::move(records));
    hkpd::SampleReader reader(source, nullptr, {});
    hkpd::Replay replay(reader, options);
    while (replay.next(result.diagnostics)) {
        const bool has_before = replay.cooker().before() != nullptr;
        result.text += std::to_string(replay.number()) + "=" + sources(replay.sample()) + (has_before ? "+ " : " ");
    }
}

TEST(ReplayV2, EachInterfaceIsAStream) {
    Read result;
    replay(both_interfaces(), {}, result);
    EXPECT_EQ(result.text, "0=v1:5 1=v2:50 2=v1:6+ 3=v2:60+ 4=v2:70+ ");
    EXPECT_EQ(faults(result.diagnostics), "");
}

TEST(ReplayV2, EveryCountsPerStream) {
    Read result;
    replay(both_interfaces(), {.every = 2}, result);
    EXPECT_EQ(result.text, "0=v1:5 1=v2:50 4=v2:70+ ");
}

TEST(ReplayV2, TimeOrderIsPerStream) {
    Read apart, backwards;
    // The interfaces may be out of step.
    replay({v1_block(5, 1), v2_block(1, 2, "DEMO"), v1_block(6, 3), v2_block(2, 4, "DEMO")}, {}, apart);
    EXPECT_EQ(faults(apart.diagnostics).find("time_order"), std::string::npos);
    replay({v2_query("DEMO"), v1_block(5, 1), v2_block(2, 2, "DEMO"), v2_block(1, 3, "DEMO")}, {}, backwards);
    ASSERT_EQ(faults(backwards.diagnostics), "warning time_order|");
    const hkpd::Diagnostic& fault = backwards.diagnostics.kept()[0];
    EXPECT_EQ(fault.place.sample, 2U);
    EXPECT_EQ(fault.error.structure, "PERF_DATA_HEADER");
    EXPECT_EQ(fault.error.offset, v2_blob::data_header::SystemTime);
}

TEST(ReplayV2, MachinesAndInterfaces) {
    Read result;
    replay({v2_query("DEMO"), v2_query("B"), v2_query(), v2_block(1, 1, "DEMO"), v1_block(1, 2), v2_block(1, 3),
            v2_block(1, 4, "B"), v2_block(2, 5, "B"), v1_block(2, 6), v2_block(2, 7)},
           {}, result);
    EXPECT_EQ(result.text, "0=v2:1 1=v1:2 2=v2:3 3=v2:4 4=v2:5+ 5=v1:6+ 6=v2:7+ ");
    ASSERT_EQ(faults(result.diagnostics), "warning machine_changed|");
    EXPECT_EQ(result.diagnostics.kept()[0].place.sample, 3U);
    EXPECT_EQ(result.diagnostics.kept()[0].error.structure, "PERF_DATA_HEADER");
    Read unknown_first;
    replay({v2_query(), v2_block(1, 3), v1_block(1, 2)}, {}, unknown_first);
    EXPECT_EQ(faults(unknown_first.diagnostics), "");
}

TEST(ReplayV2, OneSource) {
    Read first_v1, first_v2, machines;
    replay(both_interfaces(), {.one_source = true}, first_v1);
    EXPECT_EQ(first_v1.text, "0=v1:5 2=v1:6+ ");
    ASSERT_EQ(faults(first_v1.diagnostics), "note other_source|");
    EXPECT_EQ(first_v1.diagnostics.kept()[0].error.found, 3U);
    hkpd::Range from_second;
    from_second.first = 1;
    replay(both_interfaces(), {.range = from_second, .one_source = true}, first_v2);
    EXPECT_EQ(first_v2.text, "1=v2:50 3=v2:60+ 4=v2:70+ ");
    EXPECT_EQ(first_v2.diagnostics.kept()[0].error.found, 1U);
    replay({v2_query("B"), v2_query("DEMO"), v1_block(1, 1), v2_block(1, 2, "B"), v2_block(1, 3, "DEMO"),
            v2_block(2, 4, "B")},
           {.one_source = true}, machines);
    EXPECT_EQ(machines.text, "0=v1:1 1=v2:2 3=v2:4+ ");
    Read only_one;
    replay({v1_block(1, 1), v1_block(2, 2)}, {.one_source = true}, only_one);
    EXPECT_EQ(faults(only_one.diagnostics), "");
}

TEST(ReplayV2, OneSourceReportsTheOtherOnceAndAtTheEnd) {
    RecordSource source(both_interfaces());
    hkpd::SampleReader reader(source, nullptr, {});
    hkpd::ReplayOptions options;
    options.one_source = true;
    options.range.last = 2;
    hkpd::Replay replay(reader, options);
    hkpd::Diagnostics diagnostics;
    EXPECT_TRUE(replay.next(diagnostics));
    EXPECT_TRUE(replay.next(diagnostics));
    EXPECT_EQ(faults(diagnostics), "");
    EXPECT_FALSE(replay.next(diagnostics));
    EXPECT_FALSE(replay.next(diagnostics));
    EXPECT_EQ(faults(diagnostics), "note other_source|");
}

}  // namespace replay_v2_test
}  // namespace hkpd_test
