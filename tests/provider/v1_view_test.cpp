// The V1 view of countersets: its bytes at the offsets documented in winperf.h, and the order of its parts.

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "hkpd/names.hpp"
#include "hkpd/v1_writer.hpp"
#include "support/provider_kit.hpp"
#include "support/v1_walk.hpp"

namespace v1_view_test {

using enum hkpd::v2::InstanceType;
using provider_kit::counterset;
using provider_kit::Data;
using provider_kit::guid;
using provider_kit::Machine;
using provider_kit::moment;
using provider_kit::text;
using provider_kit::u32;
using provider_kit::u64;
using Numbers = std::vector<std::uint32_t>;
using Buffer = std::vector<std::byte>;
constexpr std::uint32_t first_title = 5000;

Buffer view_of(Machine& machine, std::vector<std::uint32_t> objects = {}) {
    const auto sets = machine.provider.countersets();
    hkpd::V1BlockWriter block(moment(), "ABC");
    append_v1_view(block, sets, hkpd::V1Numbering(first_title, sets), objects);
    return block.finish();
}

/// Returns the fields of the definitions of a lone object, with a header of 96 bytes before it.
Numbers definition_fields(const Buffer& bytes, std::size_t field) {
    Numbers fields;
    for (std::uint32_t i = 0; i < u32(bytes, 96 + 32); ++i) fields.push_back(u32(bytes, 96 + 64 + 40 * i + field));
    return fields;
}

TEST(V1Writer, HasItsFieldsAtTheirOffsets) {
    hkpd::V1BlockWriter writer(moment(), "ABC");
    const hkpd::V1BlockWriter::Counter counters[]{
        {.title_index = 10,
         .help_index = 11,
         .scale = -2,
         .detail_level = 300,
         .type = 0x10410400,
         .size = 4,
         .offset = 4},
        {.title_index = 12, .help_index = 13, .type = 0x10410500, .size = 8, .offset = 8}};
    writer.begin_object({.title_index = 2,
                         .help_index = 3,
                         .detail_level = 200,
                         .default_counter = 10,
                         .is_list = true,
                         .perf_time = 5,
                         .perf_frequency = 6},
                        counters, 13);
    EXPECT_EQ(writer.add_instance("ab"), 0U);
    writer.set(4, 4, 0x1FFFFFFFF);
    writer.set(8, 8, 0x1FFFFFFFF);
    writer.set(12, 8, 1);  // outside the block
    EXPECT_EQ(writer.add_instance("", 7, 230, 3), 1U);
    writer.end_object();
    writer.begin_object({.title_index = 4, .help_index = 5}, {}, 8);
    writer.add_block();
    writer.end_object();
    const Buffer bytes = writer.finish();

    EXPECT_EQ(u64(bytes, 0), 0x0046005200450050U);
    const std::size_t object = 96, instances = object + 64 + 80, lone = instances + 32 + 16 + 24 + 16;
    ASSERT_EQ(bytes.size(), lone + 64 + 8);
    const Numbers header{1, 1, 1, static_cast<std::uint32_t>(bytes.size()), 96, 2, 238};
    for (std::size_t i = 0; i < header.size(); ++i) EXPECT_EQ(u32(bytes, 8 + 4 * i), header[i]) << i;
    EXPECT_EQ(u64(bytes, 36), 2026U | 5ULL << 16 | 4ULL << 32 | 14ULL << 48);
    EXPECT_EQ(u64(bytes, 44), 9U | 30ULL << 16 | 15ULL << 32 | 250ULL << 48);
    EXPECT_EQ(u32(bytes, 52), 0U);
    EXPECT_EQ(u64(bytes, 56), 0x0102030405060708U);
    EXPECT_EQ(u64(bytes, 64), 10'000'000U);
    EXPECT_EQ(u64(bytes, 72), 134'232'246'152'500'000U);
    EXPECT_EQ(u32(bytes, 80), 8U);
    EXPECT_EQ(u32(bytes, 84), 88U);
    EXPECT_EQ(text(bytes, 88), "ABC");

    const Numbers fields{static_cast<std::uint32_t>(lone - object),
                         144,
                         64,
                         2,
                         0,
                         3,
                         0,
                         200,
                         2,
                         10,
                         2,
                         0,
                         5,
                         0,
                         6,
                         0,
                         40,
                         10,
                         0,
                         11,
                         0,
                         0xFFFFFFFE,
                         300,
                         0x10410400,
                         4,
                         4,
                         40,
                         12,
                         0,
                         13,
                         0,
                         0,
                         100,
                         0x10410500,
                         8,
                         8,
                         32,
                         0,
                         0,
                         0xFFFFFFFF,
                         24,
                         6,
                         'a' | 'b' << 16,
                         0,
                         16,
                         0xFFFFFFFF,
                         0xFFFFFFFF,
                         1,
                         24,
                         230,
                         3,
                         7,
                         24,
                         0,
                         16,
                         0,
                         0,
                         0,
                         72,
                         64,
                         64,
                         4,
                         0,
                         5,
                         0,
                         100,
                         0,
                         0xFFFFFFFF,
                         0xFFFFFFFF,
                         0,
                         0,
                         0,
                         0,
                         0,
                         8,
                         0};
    for (std::size_t i = 0; i < fields.size(); ++i) EXPECT_EQ(u32(bytes, object + 4 * i), fields[i]) << i;
}

TEST(V1Writer, AnEmptyMachineNameIsOmitted) {
    hkpd::V1BlockWriter writer(moment(), "");
    const Buffer bytes = writer.finish();
    ASSERT_EQ(bytes.size(), 88U);
    EXPECT_EQ(u32(bytes, 20), 88U);
    EXPECT_EQ(u32(bytes, 24), 88U);
    EXPECT_EQ(u32(bytes, 80), 0U);
}

TEST(V1View, ABaseFollowsEachOfItsUsers) {
    Machine machine;
    auto set = counterset(single);
    auto user = set.counters[2];
    user.id = 6;
    user.name = "Another";
    set.counters.insert(set.counters.begin() + 1, user);  // ids 0, 6, 1, 5, 70; 6 and 5 use 70
    set.counters.push_back(
        {.id = 71, .type = provider_kit::large_base, .name = "", .help = "", .offset = 16});  // used by no counter
    set.counters.push_back({.id = 72,
                            .type = provider_kit::raw_count,
                            .name = "Multi",
                            .help = "",
                            .offset = 8,
                            .size = 4,
                            .multi_id = 1});
    ASSERT_TRUE(machine.provider.add(set));
    auto instance = machine.provider.create_instance(guid(1), "", 0);
    ASSERT_TRUE(instance->set(Data({.ticks = 1, .level = 2, .ratio = 3, .base = 4})));
    const Buffer bytes = view_of(machine);
    // Titles in the order of registration: 0 5002, 6 5004, 1 5006, 5 5008, 70 5010, 71 5012, 72 5014.
    EXPECT_EQ(definition_fields(bytes, 4), (Numbers{5002, 5004, 5010, 5008, 5010, 5012, 5014, 5006}));
    EXPECT_EQ(definition_fields(bytes, 12), (Numbers{5003, 5005, 5011, 5009, 5011, 5013, 5015, 5007}));
    // Values in the order of registration; those of 8 bytes are aligned.
    EXPECT_EQ(definition_fields(bytes, 36), (Numbers{8, 16, 40, 32, 40, 48, 56, 24}));
    EXPECT_EQ(definition_fields(bytes, 32), (Numbers{8, 8, 8, 8, 8, 8, 4, 4}));
    const std::size_t values = 96 + 64 + 8 * 40;
    EXPECT_EQ(u32(bytes, values), 64U);
    EXPECT_EQ(u64(bytes, values + 8), 1U);
    EXPECT_EQ(u64(bytes, values + 16), 3U);
    EXPECT_EQ(u32(bytes, values + 24), 2U);
    EXPECT_EQ(u64(bytes, values + 40), 4U);
    EXPECT_EQ(bytes.size(), values + 64);
}

TEST(V1View, HasEveryCounterOfACycleOfBases) {
    Machine machine;
    auto set = counterset(single);
    set.counters[3].base_id = 5;
    ASSERT_TRUE(machine.provider.add(set));
    const auto instance = machine.provider.create_instance(guid(1), "", 0);
    EXPECT_EQ(definition_fields(view_of(machine), 4), (Numbers{5002, 5004, 5006, 5008, 5008, 5006}));
}

TEST(V1View, ReadsBackAsTheCountersets) {
    Machine machine;
    ASSERT_TRUE(machine.provider.add(counterset(multi_aggregate, 1)));
    ASSERT_TRUE(machine.provider.add(counterset(multi, 2)));
    ASSERT_TRUE(machine.provider.add(counterset(single, 3)));
    const auto a = machine.provider.create_instance(guid(1), "a", 5).value(),
               b = machine.provider.create_instance(guid(1), "Großes b", 6).value();
    hkpd::ProviderInstance(a).set(0, 10).value();
    hkpd::ProviderInstance(b).set(0, 20).value();
    const Buffer bytes = view_of(machine);
    const hkpd_test::Walk walked = hkpd_test::walk(hkpd::Bytes(bytes));
    for (const hkpd::Diagnostic& diagnostic : walked.diagnostics.kept())
        ADD_FAILURE() << hkpd::code_name(diagnostic.error.code) << ' ' << diagnostic.error.field << ' '
                      << diagnostic.error.found;
    EXPECT_EQ(walked.titles(), (Numbers{5000, 5010})) << "the single-instance set has no instance";
    const auto* total = walked.object(5000);
    ASSERT_NE(total, nullptr);
    EXPECT_EQ(total->object.header().PerfTime, moment().perf_time);
    EXPECT_EQ(total->object.header().PerfFreq, moment().perf_frequency);
    EXPECT_EQ(total->object.header().DetailLevel, 200U);
    EXPECT_EQ(total->object.kind(), hkpd::v1::Kind::multi);
    ASSERT_EQ(total->instances.size(), 3U);
    EXPECT_EQ(total->instances[2].values[0], 30U);
    EXPECT_EQ(total->instances[2].instance.definition().UniqueID, -1);
    EXPECT_EQ(walked.object(5010)->instances.size(), 0U);
    EXPECT_EQ(walked.object(5010)->object.header().NumInstances, 0);

    const Buffer one = view_of(machine, {5010, 2});
    EXPECT_EQ(hkpd_test::walk(hkpd::Bytes(one)).titles(), (Numbers{5010}));
}

TEST(V1View, OmitsInstancesThatFailAndCountersWithoutANumber) {
    Machine machine;
    ASSERT_TRUE(machine.provider.add(counterset(multi, 1)));
    const auto numbered = machine.provider.countersets();
    const hkpd::V1Numbering numbering(first_title, numbered);
    EXPECT_EQ(numbering.end(), 5010U);
    EXPECT_EQ(numbering.counter(guid(1), 70), 5008U);
    EXPECT_EQ(numbering.counter(guid(1), 71), 0U);
    EXPECT_EQ(numbering.counter(guid(2), 0), 0U);
    EXPECT_EQ(numbering.object(guid(2)), 0U);
    ASSERT_TRUE(machine.provider.add(counterset(multi, 2)));
    hkpd::V1BlockWriter block(moment(), "");
    append_v1_view(block, machine.provider.countersets(), numbering, {});
    EXPECT_EQ(hkpd_test::walk(hkpd::Bytes(block.finish())).titles(), (Numbers{5000}));

    Machine failing;
    ASSERT_TRUE(failing.provider.add(counterset(multi, 1), [](hkpd::Notification, const hkpd::MaskInformation&,
                                                              hkpd::InstanceSink&) { return 5U; }));
    EXPECT_EQ(u32(view_of(failing), 28), 0U);
}

TEST(V1View, HasTitles) {
    Machine machine;
    ASSERT_TRUE(machine.provider.add(counterset(multi, 1)));
    ASSERT_TRUE(machine.provider.add(counterset(multi, 2)));
    const auto sets = machine.provider.countersets();
    hkpd::TitleTable names, help;
    append_titles(names, help, sets, hkpd::V1Numbering(first_title, sets));
    EXPECT_EQ(names.size(), 8U) << "bases have no name";
    EXPECT_EQ(names.find(5000), "Demo 1");
    EXPECT_EQ(names.find(5002), "Ticks");
    EXPECT_EQ(names.find(5008), std::nullopt);
    EXPECT_EQ(names.find(5010), "Demo 2");
    EXPECT_EQ(help.find(5001), "Helps");
    EXPECT_EQ(help.find(5003), "Counts");
    EXPECT_EQ(help.find(5005), std::nullopt);
    EXPECT_EQ(help.find(5007), "Part");
}

}  // namespace v1_view_test
