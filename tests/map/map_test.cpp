// Maps of V1 blocks: the meaning of each byte; all bytes are accounted for.
#include "hkpd/map.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

#include "hkpd/names.hpp"
#include "hkpd/v1.hpp"
#include "support/blob_builder.hpp"
#include "support/blob_quirks.hpp"
#include "support/map_reading.hpp"
#include "support/mutation_blobs.hpp"
#include "support/places.hpp"
#include "support/shared_dir.hpp"
#include "support/temp_folder.hpp"

namespace hkpd_test {
namespace map_test {

using hkpd::Bytes;
using hkpd::MapForm;
using hkpd::MapKind;
namespace type = blob::counter_type;

blob::Block processor() {
    return {
        .objects = {{.title = 238,
                     .kind = blob::Kind::multi,
                     .counters = {{.title = 6, .type = 0x2151'0500, .size = 8}, {.title = 148, .type = type::counter}},
                     .instances = {{.name = u"0", .values = {1, 2}}, {.name = u"_Total", .values = {5, 6}}}}}};
}

DrawnMap draw_named(const blob::Blob& blob) {
    hkpd::Titles titles;
    titles.add(hkpd::builtin_titles());
    return draw(Bytes(blob.bytes()), MapForm::v1, {&titles, {}});
}

TEST(Map, NamesFieldsAndShowsTheirMeaning) {
    const blob::Blob blob = blob::build(processor());
    const DrawnMap map = draw_named(blob);
    EXPECT_FALSE(map.diagnostics.any_fault());
    const auto expect = [&](std::size_t at, std::string_view structure, std::string_view field, std::string_view value,
                            std::string_view meaning) {
        const Mapped& entry = map.at(at);
        EXPECT_EQ(entry.offset, at);
        EXPECT_EQ(entry.structure, structure);
        EXPECT_EQ(entry.field, field);
        EXPECT_EQ(entry.value, value);
        EXPECT_EQ(entry.meaning, meaning);
    };
    const std::size_t object = blob.object(0), counter = blob.counter(0, 0), instance = blob.instance(0, 1),
                      block = blob.counter_block(0, 1);
    expect(0, "PERF_DATA_BLOCK", "Signature", "PERF", "");
    expect(8, "PERF_DATA_BLOCK", "LittleEndian", "1", "little endian");
    expect(32, "PERF_DATA_BLOCK", "DefaultObject", "238", "Processor");
    expect(36, "PERF_DATA_BLOCK", "SystemTime", "2020-09-13T12:26:40.123", "");
    expect(72, "PERF_DATA_BLOCK", "PerfTime100nSec", "132444736001230000", "2020-09-13T12:26:40.1230000Z");
    expect(88, "PERF_DATA_BLOCK", "SystemName", "DEMO", "");
    expect(object + 12, "PERF_OBJECT_TYPE", "ObjectNameTitleIndex", "238", "Processor");
    expect(object + 40, "PERF_OBJECT_TYPE", "NumInstances", "2", "");
    expect(counter + 28, "PERF_COUNTER_DEFINITION", "CounterType", "558957824", "0x21510500 PERF_100NSEC_TIMER_INV");
    expect(counter + 36, "PERF_COUNTER_DEFINITION", "CounterOffset", "8", "+0x8 in each counter block");
    expect(instance + 12, "PERF_INSTANCE_DEFINITION", "UniqueID", "-1", "PERF_NO_UNIQUE_ID: identified by its name");
    expect(instance + 24, "PERF_INSTANCE_DEFINITION", "Name", "_Total", "");
    expect(block + 8, "PERF_COUNTER_BLOCK", "", "5", "100 ns");
    expect(block + 16, "PERF_COUNTER_BLOCK", "", "6", "");
}

TEST(Map, TimesAtTheLimitsOfTheirRange) {
    blob::Block block = processor();
    const auto meaning = [&](std::int64_t time) {
        block.perf_time_100ns = time;
        return draw_named(blob::build(block)).at(72).meaning;
    };
    EXPECT_EQ(meaning(1), "1601-01-01T00:00:00.0000001Z");
    EXPECT_EQ(meaning(std::numeric_limits<std::int64_t>::max()), "30828-09-14T02:48:05.4775807Z");
    EXPECT_EQ(meaning(0), "");
    EXPECT_EQ(meaning(-1), "");
}

TEST(Map, ShowsWhereAValueBelongs) {
    const blob::Blob blob = blob::build(processor());
    const Mapped value = draw_named(blob).at(blob.counter_block(0, 1) + 8);
    EXPECT_EQ(value.kind, MapKind::value);
    EXPECT_EQ(value.object, 238U);
    EXPECT_EQ(value.object_name, "Processor");
    EXPECT_EQ(value.instance, 1U);
    EXPECT_EQ(value.instance_name, "_Total");
    EXPECT_EQ(value.counter, 0U);
    EXPECT_EQ(value.counter_name, "% Processor Time");
}

TEST(Map, AValidBlockHasNoGaps) {
    for (const auto make : {single_instances, instances_with_parents, big_endian_text}) {
        const blob::Blob blob = blob::build(make());
        const DrawnMap map = draw(Bytes(blob.bytes()), MapForm::v1);
        EXPECT_EQ(map.totals.of(MapKind::gap), 0U);
        EXPECT_EQ(map.totals.of(MapKind::leftover), 0U);
        EXPECT_EQ(map.totals.nonzero_padding, 0U);
        EXPECT_EQ(map.totals.blocks, 1U);
    }
}

TEST(Map, OverlapsAreReportedAndNotCountedTwice) {
    // 8 bytes at 8; 4 bytes within them; 8 bytes of which the first four are shared.
    const blob::Blob blob =
        blob::build({.objects = {{.title = 2,
                                  .counters = {{.title = 10, .type = type::bulk_count, .size = 8, .offset = 8},
                                               {.title = 12, .offset = 8},
                                               {.title = 14, .type = type::bulk_count, .size = 8, .offset = 12}},
                                  .values = {0, 0, 0x0123'4567'89AB'CDEF}}}});
    const DrawnMap map = draw(Bytes(blob.bytes()), MapForm::v1);
    const auto values = map.values();
    ASSERT_EQ(values.size(), 3U);
    const std::size_t at = blob.counter_block(0);
    EXPECT_EQ(values[0]->size, 8U);
    EXPECT_EQ(values[1]->size, 0U);
    EXPECT_EQ(values[1]->field_offset, at + 8);
    EXPECT_EQ(values[1]->overlaps, "PERF_COUNTER_BLOCK counter 0 at " + fmt::format("{:#x}", at + 8));
    EXPECT_EQ(values[2]->offset, at + 16);
    EXPECT_EQ(values[2]->size, 4U);
    EXPECT_EQ(values[2]->field_offset, at + 12);
    EXPECT_EQ(values[2]->value, std::to_string(0x0123'4567'89AB'CDEF));
    EXPECT_EQ(map.totals.overlaps, 2U);
    EXPECT_EQ(map.totals.shared_bytes, 8U);
}

TEST(Map, ValuesAfterTheEndOfTheBlockAreMapped) {
    const blob::Blob blob = blob::xp_like(processor(), 0, 1, 16);
    const DrawnMap map = draw(Bytes(blob.bytes()), MapForm::v1);
    EXPECT_EQ(map.values().size(), 4U);
    EXPECT_EQ(map.at(blob.counter_block(0, 1) + 16).value, "6");
}

TEST(Map, ProducersQuirks) {
    const DrawnMap wine = draw(Bytes(blob::wine_like(processor()).bytes()), MapForm::v1);
    EXPECT_EQ(wine.totals.of(MapKind::gap), 88U);
    EXPECT_EQ(wine.values().size(), 4U);
    const DrawnMap samba = draw(Bytes(blob::samba_like(processor()).bytes()), MapForm::v1);
    EXPECT_EQ(samba.totals.of(MapKind::gap) + samba.totals.of(MapKind::leftover), 0U);
    EXPECT_EQ(samba.values().size(), 4U);
}

TEST(Map, WinesGapAfterABlockWithoutObjects) {
    const blob::Blob empty = blob::build({});
    const auto with_after = [&](std::size_t size) {
        blob::ByteBuffer bytes;
        bytes.append(empty.bytes());
        bytes.grow(size);
        bytes.append(empty.bytes());
        return draw(Bytes(bytes.bytes()), MapForm::v1);
    };
    const DrawnMap map = with_after(88);
    EXPECT_EQ(map.totals.of(MapKind::gap), 88U);
    EXPECT_EQ(map.totals.of(MapKind::leftover), 0U);
    EXPECT_EQ(map.at(empty.size()).structure, "PERF_DATA_BLOCK");
    EXPECT_EQ(map.at(empty.size()).block, 0U);
    for (const std::size_t size : {80U, 96U}) EXPECT_EQ(with_after(size).totals.of(MapKind::leftover), size);
}

TEST(Map, BytesBetweenBlocksAreLeftOver) {
    const blob::Blob block = blob::build(processor());
    blob::ByteBuffer bytes;
    bytes.string("garbage in front");
    bytes.append(block.bytes());
    bytes.string("and some between them");
    const std::size_t second = bytes.size();
    bytes.append(block.bytes());
    bytes.string("some after");
    ASSERT_EQ(hkpd::map_form_of(Bytes(bytes.bytes())), MapForm::v1);
    const DrawnMap map = draw(Bytes(bytes.bytes()), MapForm::v1);
    EXPECT_EQ(map.totals.blocks, 2U);
    EXPECT_EQ(map.totals.of(MapKind::leftover), 16U + 21U + 10U);
    EXPECT_EQ(map.at(second).block, 1U);
    EXPECT_EQ(map.at(second).field, "Signature");
    EXPECT_EQ(map.at(0).kind, MapKind::leftover);
}

TEST(Map, TheHeaderOfALostObjectIsShown) {
    blob::Blob blob = blob::build(single_instances());
    blob.put32(blob.object(1) + blob::object_type::DefinitionLength, 0x7FFF'FFFF);
    blob.put32(blob.object(1) + blob::object_type::NumCounters, 1);
    const DrawnMap map = draw(Bytes(blob.bytes()), MapForm::v1);
    EXPECT_EQ(map.diagnostics.count(hkpd::Severity::error), 1U);
    EXPECT_EQ(map.at(blob.object(1) + blob::object_type::DefinitionLength).field, "DefinitionLength");
    const Mapped& lost = map.at(blob.object(1) + blob::object_type::size);
    EXPECT_EQ(lost.kind, MapKind::gap);
    EXPECT_EQ(lost.offset + lost.size, blob.object(2));
    EXPECT_EQ(map.at(blob.object(2)).field, "TotalByteLength");
}

TEST(Map, WorkIsLimited) {
    blob::Object object{.title = 50, .kind = blob::Kind::multi};
    object.counters.assign(2'000, {.title = 10, .offset = 4});
    object.instances.assign(4'000, {.name = u"", .values = {7}, .nul = false});
    const blob::Blob blob = blob::build({.objects = {std::move(object)}, .machine = u""});
    std::uint64_t values = 0;
    hkpd::Diagnostics diagnostics;
    const auto totals = visit_map(
        Bytes(blob.bytes()), MapForm::v1, {.limits = {.values = 100'000}},
        [&](const hkpd::MapEntry& entry) {
            values += entry.kind == MapKind::value ? 1 : 0;
            EXPECT_TRUE(entry.kind != MapKind::gap || entry.meaning == "not mapped: beyond the limit on values");
        },
        diagnostics);
    EXPECT_LE(values, 100'000U);
    EXPECT_GT(values, 90'000U);
    EXPECT_GT(totals.of(MapKind::gap), 100'000U);
    EXPECT_EQ(totals.sum(), blob.size());
    ASSERT_EQ(diagnostics.kept().size(), 1U);
    EXPECT_EQ(diagnostics.kept()[0].error.code, hkpd::Errc::value_limit);
}

TEST(Map, ALongNameIsNotRepeatedInFull) {
    const std::u16string name(1'000, u'\u00E4');
    blob::Object object{.title = 50, .kind = blob::Kind::multi, .counters = {{.title = 10}, {.title = 12}}};
    object.instances = {{.name = name, .values = {7, 8}}};
    const blob::Blob blob = blob::build({.objects = {std::move(object)}});
    const DrawnMap map = draw(Bytes(blob.bytes()), MapForm::v1);
    ASSERT_EQ(map.values().size(), 2U);
    for (const Mapped* const value : map.values()) EXPECT_EQ(value->instance_name.size(), 1024U);
    EXPECT_TRUE(std::ranges::any_of(map.entries, [](const Mapped& entry) { return entry.value.size() == 2'000; }))
        << "the name itself is complete";
}

std::vector<std::byte> read_bytes(const std::filesystem::path& path) {
    const std::string text = read_file(path);
    const auto bytes = std::as_bytes(std::span(text));
    return {bytes.begin(), bytes.end()};
}

TEST(Map, EveryByteOfTheCapturesInTestdata) {
    int drawn = 0;
    for (const auto& file : std::filesystem::directory_iterator(std::string(testdata_folder) + "/captures")) {
        if (file.path().extension() != ".bin") continue;
        SCOPED_TRACE(file.path());
        const auto content = read_bytes(file.path());
        ASSERT_EQ(hkpd::map_form_of(Bytes(content)), MapForm::v1);
        EXPECT_GT(draw(Bytes(content), MapForm::v1).totals.of(MapKind::value), 0U);
        ++drawn;
    }
    EXPECT_GE(drawn, 7);
}

/// Draws all files of a folder that are recognised and returns their number.
int draw_all(const std::string& folder) {
    int drawn = 0;
    for (const auto& file : std::filesystem::recursive_directory_iterator(hkpd::path_of(folder))) {
        if (!file.is_regular_file()) continue;
        SCOPED_TRACE(file.path());
        const auto content = read_bytes(file.path());
        const auto form = hkpd::map_form_of(Bytes(content));
        if (!form) continue;
        EXPECT_EQ(draw(Bytes(content), *form).totals.sum(), content.size());
        ++drawn;
    }
    return drawn;
}

class WindowsMap : public WindowsData {};
class RealMap : public SharedDir {};

TEST_F(WindowsMap, EveryByteOfVista) { EXPECT_GE(draw_all(path("data/v1")), 80); }
TEST_F(RealMap, EveryByteOfSambaAndWine) { EXPECT_GE(draw_all(path("live/blobs")), 20); }

}  // namespace map_test
}  // namespace hkpd_test
