// Samples: the blobs they are made of, and the content of their columns.
#include "hkpd/sample.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "source/sample_reader.hpp"
#include "support/blob_builder.hpp"
#include "support/blob_quirks.hpp"
#include "support/sample_reading.hpp"

namespace hkpd_test {
namespace sample_test {

using blob::Endian;
using hkpd::Kind;
using hkpd::Storage;
using hkpd::ValueStatus;
namespace type = blob::counter_type;

constexpr std::uint64_t all_ones = std::numeric_limits<std::uint64_t>::max();

/// Returns a block of objects with one counter each, at a time.
blob::Blob moment(std::vector<std::uint32_t> titles, std::int64_t time, std::u16string machine = u"DEMO",
                  std::int64_t time_100ns = 5) {
    blob::Block block{.machine = std::move(machine), .perf_time = time, .perf_time_100ns = time_100ns};
    for (const std::uint32_t title : titles)
        block.objects.push_back({.title = title, .counters = {{.title = title + 2}}, .values = {title}});
    return blob::build(block);
}

/// Returns the objects of each sample: `2,4|2|`.
std::string grouping(std::vector<blob::Blob> blobs) {
    std::string text;
    const auto samples = read_blobs(std::move(blobs));
    EXPECT_EQ(faults(samples->diagnostics), "");
    for (const hkpd::Sample& sample : samples->all) text.append(object_indices(sample)).append("|");
    return text;
}

TEST(SampleReader, ConsecutiveBlocksOfOneTimeAreOneSample) {
    EXPECT_EQ(grouping({}), "");
    EXPECT_EQ(grouping({moment({2}, 1)}), "2|");
    EXPECT_EQ(grouping({moment({2, 4}, 1), moment({238}, 1), moment({230, 510}, 1)}), "2,4,238,230,510|");
    EXPECT_EQ(grouping({moment({2}, 1), moment({4}, 1), moment({2}, 2), moment({4}, 2)}), "2,4|2,4|");
}

TEST(SampleReader, BothClocksAndTheMachineCount) {
    EXPECT_EQ(grouping({moment({2}, 1), moment({4}, 2)}), "2|4|");
    EXPECT_EQ(grouping({moment({2}, 1, u"DEMO", 5), moment({4}, 1, u"DEMO", 6)}), "2|4|");
    EXPECT_EQ(grouping({moment({2}, 1, u"A"), moment({4}, 1, u"B"), moment({238}, 1, u"B")}), "2|4,238|");
    EXPECT_EQ(grouping({moment({2}, 1, u"A"), moment({4}, 1, u"")}), "2|4|");
}

TEST(SampleReader, OnlyConsecutiveBlocksAreOneSample) {
    EXPECT_EQ(grouping({moment({2}, 1), moment({4}, 2), moment({238}, 1)}), "2|4|238|");
}

TEST(SampleReader, ARepeatedObjectStartsASample) {
    EXPECT_EQ(grouping({moment({2}, 1), moment({2}, 1)}), "2|2|");
    EXPECT_EQ(grouping({moment({2, 4}, 1), moment({238}, 1), moment({510, 4}, 1), moment({2}, 1)}), "2,4,238|510,4,2|");
}

TEST(SampleReader, BlocksWithoutObjectsAreSamples) {
    EXPECT_EQ(grouping({moment({}, 1)}), "|");
    EXPECT_EQ(grouping({moment({}, 1), moment({2}, 1), moment({}, 1), moment({4}, 1)}), "2,4|");
}

TEST(SampleReader, AnInvalidBlockSplitsNoSample) {
    blob::Blob ruined = moment({238}, 1);
    ruined.put8(0, 'X');
    const auto samples = read_blobs({moment({2}, 1), ruined, moment({4}, 1)});
    ASSERT_EQ(samples->all.size(), 1U);
    EXPECT_EQ(object_indices(samples->all[0]), "2,4");
    EXPECT_EQ(faults(samples->diagnostics), "error not_performance_data|");
    EXPECT_EQ(samples->diagnostics.kept()[0].error.offset, moment({2}, 1).size());
}

TEST(SampleReader, FaultsHaveTheirSampleAndInput) {
    blob::Blob lost = moment({2}, 2);
    lost.put32(lost.counter(0, 0) + blob::counter_definition::CounterOffset, 1U << 20U);
    blob::Blob version = moment({4}, 3);
    version.put32(blob::data_block::Version, 7);
    blob::Blob no_block = moment({}, 9);
    no_block.put8(0, 0);
    const auto samples = read_blobs({moment({2}, 1), moment({4}, 1), lost, version, no_block});
    ASSERT_EQ(samples->all.size(), 3U);
    EXPECT_EQ(faults(samples->diagnostics), "error counter_outside_block|warning version|error not_performance_data|");
    const auto found = samples->diagnostics.kept();
    EXPECT_EQ(found[0].place.sample, 1U);
    EXPECT_EQ(found[0].object, 2U);
    EXPECT_EQ(found[1].place.sample, 2U);
    EXPECT_EQ(found[2].place.sample, hkpd::no_index);
    for (const hkpd::Diagnostic& diagnostic : found) EXPECT_EQ(diagnostic.place.input, 0U);
}

TEST(Sample, HasItsTime) {
    const auto samples = read_block({.machine = u"ZÜRICH-\U0001F680",
                                     .perf_time = -1,
                                     .perf_freq = 3'579'545,
                                     .perf_time_100ns = 132'444'736'001'230'000,
                                     .default_object = -1});
    const hkpd::Sample& sample = samples->all.at(0);
    EXPECT_EQ(sample.machine, "ZÜRICH-🚀");
    EXPECT_EQ(sample.perf.time, -1);
    EXPECT_EQ(sample.perf.frequency, 3'579'545);
    EXPECT_EQ(sample.perf_time_100ns, 132'444'736'001'230'000);
    EXPECT_EQ(sample.default_object, -1);
    ASSERT_TRUE(sample.system_time);
    EXPECT_EQ(sample.system_time->year, 2020);
    EXPECT_EQ(sample.system_time->milliseconds, 123);
    EXPECT_TRUE(sample.objects().empty());
    EXPECT_FALSE(sample.find(2));

    const auto odd = read_block({.machine = u"", .system_time = {.month = 13}});
    EXPECT_EQ(odd->all.at(0).machine.value_or(""), "");
    EXPECT_FALSE(odd->all.at(0).system_time);
    EXPECT_EQ(odd->diagnostics.count(hkpd::Severity::error), 0U);
}

TEST(Sample, ColumnsHaveTheValuesOfTheBlock) {
    for (const Endian endian : {Endian::little, Endian::big}) {
        const auto samples = read_block(
            {.objects = {{.title = 238,
                          .kind = blob::Kind::multi,
                          .counters = {{.title = 6, .type = type::timer_100ns, .size = 8, .scale = -5},
                                       {.title = 8, .type = type::counter, .size = 4, .detail = 200, .help = 77},
                                       {.title = 10, .type = type::large_rawcount, .size = 8, .offset = 20},
                                       {.title = 12, .offset = 16}},
                          .instances = {{.name = u"0", .values = {1, 2, all_ones, 2}},
                                        {.name = u"_Total", .values = {0x0102030405060708, 0xFFFFFFFF, 0, 0xFFFFFFFF}}},
                          .perf_time = 11,
                          .perf_freq = 12,
                          .detail = 300}},
             .endian = endian});
        EXPECT_EQ(samples->diagnostics.count(hkpd::Severity::warning), 0U);
        EXPECT_EQ(samples->diagnostics.count(hkpd::Severity::error), 0U);
        const hkpd::Object& object = samples->object(0, 0);
        EXPECT_EQ(object.title_index, 238U);
        EXPECT_EQ(object.help_index, 239U);
        EXPECT_EQ(object.detail_level, 300U);
        EXPECT_EQ(object.kind, Kind::multi);
        EXPECT_EQ(object.clock.time, 11);
        EXPECT_EQ(object.clock.frequency, 12);
        EXPECT_EQ(instance_names(object), "0,_Total");
        EXPECT_FALSE(object.instances[0].unique_id);
        ASSERT_EQ(object.columns.size(), 4U);
        EXPECT_EQ(object.columns[0].scale, -5);
        EXPECT_EQ(object.columns[1].help_index, 77U);
        EXPECT_EQ(object.columns[1].detail_level, 200U);
        EXPECT_EQ(object.columns[1].type, type::counter);
        EXPECT_EQ(object.columns[2].offset, 20U);
        EXPECT_FALSE(object.columns[2].logged());
        EXPECT_TRUE(object.columns[2].status.empty());
        EXPECT_TRUE(object.columns[2].second.empty());
        EXPECT_EQ(column_text(object, 0), "1 72623859790382856");
        EXPECT_EQ(column_text(object, 1), "2 4294967295");
        EXPECT_EQ(column_text(object, 2), "18446744073709551615 0");
        EXPECT_EQ(column_text(object, 3), "2 4294967295");
    }
}

TEST(Sample, OtherSizesAreBytes) {
    const auto samples = read_block(
        {.objects = {{.title = 2,
                      .counters = {{.title = 10, .size = 1},
                                   {.title = 12, .size = 2},
                                   {.title = 14, .size = 3},
                                   {.title = 16, .size = 16},
                                   {.title = 18, .type = type::nodata, .size = 0}},
                      .values = {0xAB, 0x1234, std::string("\1\2\3"), std::string("0123456789abcdef"), 0}}}});
    EXPECT_EQ(samples->diagnostics.count(hkpd::Severity::error), 0U);
    const hkpd::Object& object = samples->object(0, 0);
    ASSERT_EQ(object.columns.size(), 5U);
    for (const hkpd::Column& column : object.columns) EXPECT_EQ(column.storage, Storage::bytes);
    EXPECT_EQ(column_text(object, 0), "<ab>");
    EXPECT_EQ(column_text(object, 1), "<3412>");
    EXPECT_EQ(column_text(object, 2), "<010203>");
    EXPECT_EQ(column_text(object, 3), "<30313233343536373839616263646566>");
    EXPECT_EQ(column_text(object, 4), "<>");
}

TEST(Sample, TextValues) {
    for (const Endian endian : {Endian::little, Endian::big}) {
        const auto wide = [endian](std::u16string_view text) { return blob::utf16(text, endian); };
        const auto samples =
            read_block({.objects = {{.title = 2,
                                     .counters = {{.title = 10, .type = type::text_unicode, .size = 32},
                                                  {.title = 12, .type = type::text_unicode, .size = 8},
                                                  {.title = 14, .type = type::text_ascii, .size = 16},
                                                  {.title = 16, .type = type::text_unicode, .size = 4}},
                                     .values = {wide(u"grün 🚀"), wide(u"full"), std::string("caf\xE9\0junk", 9), 0}}},
                        .endian = endian});
        EXPECT_EQ(samples->diagnostics.count(hkpd::Severity::error), 0U);
        const hkpd::Object& object = samples->object(0, 0);
        for (const hkpd::Column& column : object.columns) EXPECT_EQ(column.storage, Storage::text);
        EXPECT_EQ(column_text(object, 0), "\"grün 🚀\"");
        EXPECT_EQ(column_text(object, 1), "\"full\"");
        EXPECT_EQ(column_text(object, 2), "\"café\"");
        EXPECT_EQ(column_text(object, 3), "\"\"");
    }
}

TEST(Sample, TextInTheObjectsCodePage) {
    const auto samples = read_block({.objects = {{.title = 2,
                                                  .kind = blob::Kind::multi,
                                                  .counters = {{.title = 10, .type = type::text_ascii, .size = 8}},
                                                  .instances = {{.name = std::string("\xC4\xE0"),  // Да
                                                                 .values = {std::string("\xCD\xE5\xF2")}}},
                                                  .code_page = 1251}}});
    EXPECT_EQ(faults(samples->diagnostics), "");
    EXPECT_EQ(instance_names(samples->object(0, 0)), "Да");
    EXPECT_EQ(column_text(samples->object(0, 0), 0), "\"Нет\"");
    EXPECT_EQ(samples->object(0, 0).code_page, 1251U);
}

TEST(Sample, DamagedTextIsShownAsFarAsPossible) {
    const auto samples = read_block(
        {.objects = {{.title = 2,
                      .kind = blob::Kind::multi,
                      .counters = {{.title = 10, .type = type::text_unicode, .size = 8}},
                      .instances = {{.name = std::u16string{u'a', u'\xD800', u'b'},
                                     .values = {blob::utf16(std::u16string{u'x', u'\xDC00', u'y', u'z'})}}}}}});
    EXPECT_EQ(samples->diagnostics.count(hkpd::Severity::warning), 2U);
    EXPECT_EQ(samples->diagnostics.count(hkpd::Severity::error), 0U);
    EXPECT_EQ(instance_names(samples->object(0, 0)), "a\uFFFDb");
    EXPECT_EQ(column_text(samples->object(0, 0), 0), "\"x\uFFFDyz\"");
}

TEST(Sample, TextOfAnUnknownCodePageKeepsItsAscii) {
    const auto samples =
        read_block({.objects = {{.title = 2,
                                 .kind = blob::Kind::multi,
                                 .instances = {{.name = std::string("pl\xE4in")}, {.name = std::string("ascii")}},
                                 .code_page = 54321}}});
    EXPECT_EQ(instance_names(samples->object(0, 0)), "pl\uFFFDin,ascii");
    ASSERT_EQ(samples->diagnostics.count(hkpd::Severity::error), 1U);
    EXPECT_EQ(faults(samples->diagnostics), "error code_page|");
    EXPECT_EQ(samples->diagnostics.kept()[0].error.found, 54321U);
}

TEST(Sample, DamagedValuesAreMarkedAndTheOthersKept) {
    const blob::Block block{.objects = {{.title = 2,
                                         .kind = blob::Kind::multi,
                                         .counters = {{.title = 10, .size = 4},
                                                      {.title = 12, .type = type::large_rawcount, .size = 8},
                                                      {.title = 14, .type = type::text_unicode, .size = 8}},
                                         .instances = {{.name = u"a", .values = {1, 2, blob::utf16(u"text")}},
                                                       {.name = u"b", .values = {3}, .block_length = 8},
                                                       {.name = u"c", .values = {5, 6, blob::utf16(u"more")}}}}}};
    const auto samples = read_block(block);
    const hkpd::Object& object = samples->object(0, 0);
    EXPECT_EQ(instance_names(object), "a,b,c");
    EXPECT_EQ(column_text(object, 0), "1 3 5");
    EXPECT_EQ(column_text(object, 1), "2 - 6");
    EXPECT_EQ(column_text(object, 2), "\"text\" - \"more\"");
    EXPECT_TRUE(object.columns[0].status.empty());
    ASSERT_EQ(object.columns[1].status.size(), 3U);
    EXPECT_EQ(object.columns[1].status[0], ValueStatus::valid);
    EXPECT_EQ(object.columns[1].status[1], ValueStatus::damaged);
    EXPECT_EQ(object.bytes(object.columns[2], 1), "");
    EXPECT_EQ(faults(samples->diagnostics), "error counter_outside_block|error counter_outside_block|");
    EXPECT_EQ(samples->diagnostics.kept()[0].instance, 1U);
}

TEST(Sample, ACounterOutsideTheBlocksHasNoValues) {
    for (const std::uint32_t offset : {1U << 31U, 1U << 20U, 0xFFFFFFFFU}) {
        blob::Blob blob = blob::build(
            {.objects = {{.title = 2,
                          .kind = blob::Kind::multi,
                          .counters = {{.title = 10}, {.title = 12}},
                          .instances = {{.name = u"a", .values = {1, 2}}, {.name = u"b", .values = {3, 4}}}}}});
        blob.put32(blob.counter(0, 1) + blob::counter_definition::CounterOffset, offset);
        const auto samples = read_blobs({blob});
        EXPECT_EQ(column_text(samples->object(0, 0), 0), "1 3");
        EXPECT_EQ(column_text(samples->object(0, 0), 1), "- -");
        EXPECT_NE(samples->diagnostics.count(hkpd::Severity::error), 0U);
    }
}

TEST(Sample, ValuesAfterTheLastBlockAreReturned) {
    const auto samples = read_blobs({blob::xp_like(
        {.objects = {{.title = 238,
                      .kind = blob::Kind::multi,
                      .counters = {{.title = 6}, {.title = 8}, {.title = 10}},
                      .instances = {{.name = u"0", .values = {1, 2, 3}}, {.name = u"_Total", .values = {4, 5, 6}}}}}},
        0, 1, 8)});
    EXPECT_EQ(column_text(samples->object(0, 0), 0), "1 4");
    EXPECT_EQ(column_text(samples->object(0, 0), 1), "2 5");
    EXPECT_EQ(column_text(samples->object(0, 0), 2), "3 6");
    EXPECT_EQ(samples->diagnostics.count(hkpd::Severity::error), 0U);
    EXPECT_NE(samples->diagnostics.count(hkpd::Severity::warning), 0U);
}

TEST(Sample, BasesAreTheNextDefinitions) {
    const auto samples =
        read_block({.objects = {{.title = 2,
                                 .counters = {{.title = 10},
                                              {.title = 12, .type = type::raw_fraction},
                                              {.title = 0, .type = type::raw_base, .offset = 40},
                                              {.title = 14, .type = type::average_bulk, .size = 8},
                                              {.title = 14, .type = type::average_base},
                                              {.title = 16, .type = type::precision_100ns_timer, .size = 8},
                                              {.title = 16, .type = type::precision_timestamp, .size = 8},
                                              {.title = 18}}}}});
    std::string bases;
    for (const hkpd::Column& column : samples->object(0, 0).columns) bases += std::to_string(column.base) + " ";
    EXPECT_EQ(bases, "-1 2 -1 4 -1 6 -1 -1 ");
}

TEST(Sample, Kinds) {
    const std::vector<blob::Counter> counters{{.title = 10}, {.title = 12}};
    const auto samples =
        read_block({.objects = {{.title = 2, .counters = counters, .values = {1, 2}},
                                {.title = 4, .kind = blob::Kind::multi, .counters = counters},
                                {.title = 6, .kind = blob::Kind::metadata_single, .counters = counters},
                                {.title = 8, .kind = blob::Kind::metadata_multi, .counters = counters},
                                {.title = 20, .kind = blob::Kind::multi, .instances = {{.name = u"x", .unique_id = 7}}},
                                {.title = 22, .kind = blob::Kind::multi, .counters = counters}}});
    EXPECT_EQ(faults(samples->diagnostics), "");
    const Kind kinds[] = {Kind::single,         Kind::multi, Kind::metadata_single,
                          Kind::metadata_multi, Kind::multi, Kind::multi};
    const std::size_t rows[] = {1, 0, 0, 0, 1, 0}, columns[] = {2, 2, 2, 2, 0, 2};
    ASSERT_EQ(samples->all.at(0).objects().size(), 6U);
    for (std::size_t i = 0; i < 6; ++i) {
        const hkpd::Object& object = samples->object(0, i);
        EXPECT_EQ(object.kind, kinds[i]) << i;
        EXPECT_EQ(object.instances.size(), rows[i]) << i;
        EXPECT_EQ(object.columns.size(), columns[i]) << i;
        for (const hkpd::Column& column : object.columns) EXPECT_EQ(column.values.size(), rows[i]) << i;
    }
    EXPECT_EQ(samples->object(0, 0).instances[0].name, "");
    EXPECT_EQ(samples->object(0, 4).instances[0].unique_id, 7);
    EXPECT_EQ(samples->all[0].find(8), 3U);
    EXPECT_FALSE(samples->all[0].find(9));
}

TEST(Sample, NamesStayValid) {
    blob::Block block;
    for (std::uint32_t i = 0; i < 100; ++i)
        block.objects.push_back({.title = 2 + 2 * i,
                                 .kind = blob::Kind::multi,
                                 .instances = {{.name = u"a" + std::u16string(i % 20, u'b')}}});
    const auto samples = read_block(block);
    for (std::uint32_t i = 0; i < 100; ++i)
        EXPECT_EQ(instance_names(samples->object(0, i)), "a" + std::string(i % 20, 'b')) << i;
}

}  // namespace sample_test
}  // namespace hkpd_test
