// Maps of the results of the PerfLib functions.
#include "hkpd/v2.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "hkpd/map.hpp"
#include "support/blob_builder.hpp"
#include "support/blob_fields.hpp"
#include "support/map_reading.hpp"
#include "support/v2_builder.hpp"

namespace hkpd_test {
namespace map_v2_test {

using hkpd::Bytes;
using hkpd::MapForm;
using hkpd::MapKind;
namespace type = blob::counter_type;

const hkpd::Guid guid = v2_blob::guid(0xB4FC'721A, 0x0378, 0x476F, {1, 2, 3, 4, 5, 6, 7, 8});

v2_blob::Blob five_types() {
    using v2_blob::u32;
    return v2_blob::build({.results = {{.ids = {28, 27, 0},
                                        .instances = {{u"0,0", 0, {28, u32(27), 5}}, {u"größer", 7, {29, u32(28), 6}}}},
                                       {.type = v2_blob::error_return, .status = 4201},
                                       {.type = v2_blob::multiple_counters, .ids = {1, 2}, .values = {40, u32(2)}},
                                       {.type = v2_blob::multiple_instances, .instances = {{u"0,0", 0, {u32(8)}}}},
                                       {.type = v2_blob::single_counter, .values = {1000}}}});
}

blob::ByteBuffer identifiers() {
    return v2_blob::build_identifiers(
        {{.guid = guid, .name = u"*", .index = 0}, {.guid = guid, .counter = 3, .index = 1}});
}

blob::ByteBuffer registration() {
    return v2_blob::build_registration({.guid = guid,
                                        .instance_type = 6,
                                        .counters = {{.id = 28, .type = type::average_bulk, .base = 27},
                                                     {.id = 27, .type = type::average_base, .attributes = 2}}});
}

blob::ByteBuffer strings() { return v2_blob::build_strings({{28, u"Größe"}, {27, std::nullopt}, {0, u"% Time"}}); }

TEST(MapV2, EveryPartOfADataBlock) {
    const v2_blob::Blob blob = five_types();
    const DrawnMap map = draw(Bytes(blob.bytes()), MapForm::v2_data);
    EXPECT_FALSE(map.diagnostics.any_fault());
    EXPECT_EQ(map.totals.of(MapKind::gap) + map.totals.of(MapKind::leftover), 0U);
    std::vector<std::string> values, names;
    for (const Mapped& entry : map.entries) {
        if (entry.kind == MapKind::value)
            values.push_back(std::to_string(entry.object) + "/" + entry.instance_name + "/" + entry.counter_name + "=" +
                             entry.value);
        if (entry.kind == MapKind::name) names.push_back(entry.value);
    }
    EXPECT_EQ(values, (std::vector<std::string>{"0/0,0/id 28=28", "0/0,0/id 27=27", "0/0,0/id 0=5", "0/größer/id 28=29",
                                                "0/größer/id 27=28", "0/größer/id 0=6", "2//id 1=40", "2//id 2=2",
                                                "3/0,0/=8", "4//=1000"}));
    EXPECT_EQ(names, (std::vector<std::string>{"0,0", "größer", "0,0"}));
    EXPECT_EQ(map.at(0).meaning, fmt::format("to {:#x}", blob.size()));
    EXPECT_EQ(map.at(48 + 4).meaning, "PERF_COUNTERSET");
    EXPECT_EQ(map.at(48 + 16).structure, "PERF_MULTI_COUNTERS");
    EXPECT_EQ(map.at(48 + 16 + 8).value, "28");
}

TEST(MapV2, IdentifiersRegistrationStrings) {
    const DrawnMap query = draw(Bytes(identifiers().bytes()), MapForm::identifiers);
    EXPECT_EQ(query.at(0).value, hkpd::guid_text(guid));
    EXPECT_EQ(query.at(24).meaning, "PERF_WILDCARD_COUNTER: all");
    EXPECT_EQ(query.at(40).value, "*");
    EXPECT_EQ(query.totals.of(MapKind::gap) + query.totals.of(MapKind::leftover), 0U);

    const DrawnMap registered = draw(Bytes(registration().bytes()), MapForm::registration);
    EXPECT_EQ(registered.at(28).meaning, "PERF_COUNTERSET_MULTI_AGGREGATE");
    EXPECT_EQ(registered.at(32 + 24).meaning, "id of a counter");
    EXPECT_EQ(registered.at(32 + 48 + 8).meaning, "PERF_ATTRIB_NO_DISPLAYABLE");
    EXPECT_EQ(registered.totals.of(MapKind::definition), 32U + 2 * 48);

    const DrawnMap named = draw(Bytes(strings().bytes()), MapForm::strings);
    EXPECT_EQ(named.at(8 + 8 + 4).meaning, "no string");
    EXPECT_EQ(named.at(8 + 3 * 8).value, "Größe");
    EXPECT_EQ(named.at(8 + 3 * 8).counter_name, "id 28");
}

TEST(MapV2, SharedStringsOverlap) {
    blob::ByteBuffer buffer = strings();
    buffer.put32(8 + 2 * 8 + 4, buffer.get32(8 + 4) + 4);  // the third is the end of the first
    const DrawnMap map = draw(Bytes(buffer.bytes()), MapForm::strings);
    EXPECT_EQ(map.totals.overlaps, 1U);
    EXPECT_EQ(map.totals.shared_bytes, 8U);      // "öße" has 3 characters and a NUL
    EXPECT_GT(map.totals.of(MapKind::gap), 0U);  // the bytes that no string uses any more
}

TEST(MapV2, RecognisedByContent) {
    EXPECT_EQ(hkpd::map_form_of(Bytes(five_types().bytes())), MapForm::v2_data);
    EXPECT_EQ(hkpd::map_form_of(Bytes(identifiers().bytes())), MapForm::identifiers);
    EXPECT_EQ(hkpd::map_form_of(Bytes(registration().bytes())), MapForm::registration);
    EXPECT_EQ(hkpd::map_form_of(Bytes(strings().bytes())), MapForm::strings);
    blob::ByteBuffer noise;
    noise.string("neither this nor that, and of some length so that a header would fit in it");
    EXPECT_EQ(hkpd::map_form_of(Bytes(noise.bytes())), std::nullopt);
}

TEST(MapV2, AV1BlockWithADamagedSignatureIsNoIdentifier) {
    for (const blob::Endian endian : {blob::Endian::little, blob::Endian::big}) {
        blob::Blob block =
            blob::build({.objects = {{.title = 2, .counters = {{.title = 10}}, .values = {7}}}, .endian = endian});
        ASSERT_EQ(hkpd::map_form_of(Bytes(block.bytes())), MapForm::v1);
        block.put8(1, 'X');
        block.put8(0, 'X');
        EXPECT_EQ(hkpd::map_form_of(Bytes(block.bytes())), std::nullopt);
        block.put32(12, 2);  // Version
        EXPECT_EQ(hkpd::map_form_of(Bytes(block.bytes())), std::nullopt);
    }
}

TEST(MapV2, IdentifiersAreRecognisedByTheirRequiredFields) {
    constexpr std::size_t reserved = 36, last_data4 = 8, identifier_size = 40;
    blob::ByteBuffer good = identifiers();
    const auto form = [](const blob::ByteBuffer& buffer) { return hkpd::map_form_of(Bytes(buffer.bytes())); };
    blob::ByteBuffer changed = good;
    changed.put32(reserved, 1);
    EXPECT_EQ(form(changed), std::nullopt);
    changed = good;
    changed.put32(last_data4, 1);
    changed.put32(last_data4 + 4, 1);  // LittleEndian, Version
    EXPECT_EQ(form(changed), std::nullopt);
    changed = v2_blob::build_identifiers({{.guid = guid, .name = u"long enough"}});
    EXPECT_EQ(form(changed), MapForm::identifiers);
    changed.put16(identifier_size, 0);  // the name ends at once, far before its length
    EXPECT_EQ(form(changed), std::nullopt);
}

TEST(MapV2, ADamagedValueIsAGap) {
    v2_blob::Blob blob = five_types();
    const DrawnMap whole = draw(Bytes(blob.bytes()), MapForm::v2_data);
    const Mapped& last = *whole.values().back();
    blob.put32(last.offset - 8, 5);  // dwDataSize
    const DrawnMap map = draw(Bytes(blob.bytes()), MapForm::v2_data);
    EXPECT_EQ(map.values().size(), whole.values().size());  // the 5 bytes are mapped, but not as a number
    EXPECT_EQ(map.values().back()->meaning, "5 bytes that are no number");
    blob.put32(last.offset - 8, 500);
    const DrawnMap lost = draw(Bytes(blob.bytes()), MapForm::v2_data);
    EXPECT_EQ(lost.values().size() + 1, whole.values().size());
    EXPECT_EQ(lost.at(last.offset).kind, MapKind::gap);
}

TEST(MapV2, ADamagedValueBeforeAnotherInstanceIsAGapToo) {
    v2_blob::Blob blob = five_types();
    const DrawnMap whole = draw(Bytes(blob.bytes()), MapForm::v2_data);
    const Mapped& third = *whole.values()[2];  // the last value of the first instance
    ASSERT_EQ(third.instance_name, "0,0");
    blob.put32(third.offset - 8, 500);
    const DrawnMap map = draw(Bytes(blob.bytes()), MapForm::v2_data);
    EXPECT_EQ(map.values().size() + 1, whole.values().size());
    EXPECT_EQ(map.at(third.offset).kind, MapKind::gap);
    EXPECT_EQ(map.at(third.offset).size, 16U);
}

}  // namespace map_v2_test
}  // namespace hkpd_test
