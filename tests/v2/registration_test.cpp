// Registration info of V2 countersets: the fields of valid structs and strings, and one broken field at a time.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "hkpd/v2.hpp"
#include "support/v2_builder.hpp"
#include "support/v2_walk.hpp"

namespace v2_registration_test {

using enum hkpd::Errc;
using enum hkpd::Severity;
using hkpd_test::clean_v2;
using hkpd_test::ExactCopy;
using hkpd_test::reports_v2;
namespace set_field = v2_blob::counterset_reg_info;
namespace buffer_field = v2_blob::string_buffer_header;
namespace string_field = v2_blob::string_counter_header;

const hkpd::Guid set_guid = v2_blob::guid(0x1234'5678, 0x9ABC, 0xDEF0, {1, 2, 3, 4, 5, 6, 7, 8});

v2_blob::Registration two_counters() {
    return {.guid = set_guid,
            .instance_type = 6,
            .counters = {{.id = 3,
                          .type = 0x2051'0500,
                          .attributes = 0x1'0000'0010,
                          .detail = 200,
                          .scale = -10,
                          .base = 4,
                          .time = 5,
                          .frequency = 6,
                          .multi = 7,
                          .aggregate = 2},
                         {.id = 9, .type = 0x0001'0100}},
            .detail = 300,
            .set_type = 1};
}

struct Registration {
    explicit Registration(const blob::ByteBuffer& bytes, std::uint64_t offset = 0) : copy(bytes.bytes()) {
        opened = info.open(copy.bytes(offset), diagnostics);
        if (!opened) diagnostics.add(error, opened.error());
        for (const hkpd::Diagnostic& found : diagnostics.kept()) EXPECT_LE(found.error.offset, offset + bytes.size());
    }

    ExactCopy copy;
    hkpd::Diagnostics diagnostics;
    hkpd::v2::RegistrationInfo info;
    std::expected<void, hkpd::Error> opened;
};

TEST(V2Registration, EveryField) {
    const v2_blob::Chain chain = v2_blob::build_registration(two_counters());
    ASSERT_EQ(chain.size(), 32U + 2 * 48);
    const Registration read(chain);
    ASSERT_TRUE(clean_v2(read.diagnostics));
    const hkpd::v2::CountersetRegInfo& set = read.info.header();
    EXPECT_EQ(set.CounterSetGuid, set_guid);
    EXPECT_EQ(set.CounterSetType, 1U);
    EXPECT_EQ(set.DetailLevel, 300U);
    EXPECT_EQ(set.NumCounters, 2U);
    EXPECT_EQ(set.InstanceType, hkpd::v2::InstanceType::multi_aggregate);
    ASSERT_EQ(read.info.counters().size(), 2U);
    const hkpd::v2::CounterRegInfo& first = read.info.counters()[0];
    EXPECT_EQ(first.CounterId, 3U);
    EXPECT_EQ(first.Type, 0x2051'0500U);
    EXPECT_EQ(first.Attrib, 0x1'0000'0010U);
    EXPECT_EQ(first.DetailLevel, 200U);
    EXPECT_EQ(first.DefaultScale, -10);
    EXPECT_EQ(first.BaseCounterId, 4U);
    EXPECT_EQ(first.PerfTimeId, 5U);
    EXPECT_EQ(first.PerfFreqId, 6U);
    EXPECT_EQ(first.MultiId, 7U);
    EXPECT_EQ(first.AggregateFunc, hkpd::v2::Aggregate::average);
    EXPECT_EQ(first.Reserved, 0U);
    EXPECT_EQ(read.info.counters()[1].CounterId, 9U);
    EXPECT_EQ(read.info.counters()[1].BaseCounterId, hkpd::v2::no_id);
    EXPECT_EQ(read.info.counters()[1].DefaultScale, 0);
}

TEST(V2Registration, MayHaveNoCounters) {
    const Registration read(v2_blob::build_registration({.guid = set_guid}));
    EXPECT_TRUE(clean_v2(read.diagnostics));
    EXPECT_TRUE(read.info.counters().empty());
}

TEST(V2Registration, InstanceTypes) {
    using hkpd::v2::InstanceType;
    for (const InstanceType type :
         {InstanceType::multi, InstanceType::multi_aggregate, InstanceType::instance_aggregate})
        EXPECT_TRUE(is_multi(type)) << static_cast<int>(type);
    for (const InstanceType type :
         {InstanceType::single, InstanceType::single_aggregate, InstanceType::single_aggregate_history})
        EXPECT_FALSE(is_multi(type)) << static_cast<int>(type);
    EXPECT_FALSE(is_aggregate(InstanceType::single));
    EXPECT_FALSE(is_aggregate(InstanceType::multi));
    EXPECT_TRUE(is_aggregate(InstanceType::single_aggregate));
    EXPECT_TRUE(is_aggregate(InstanceType::multi_aggregate));
    EXPECT_TRUE(is_aggregate(InstanceType::single_aggregate_history));
    EXPECT_TRUE(is_aggregate(InstanceType::instance_aggregate));
}

TEST(V2Registration, HeaderCutShort) {
    for (std::size_t size = 0; size < set_field::size; ++size) {
        v2_blob::Chain chain = v2_blob::build_registration(two_counters());
        chain.truncate(size);
        const Registration read(chain, 70);
        ASSERT_FALSE(read.opened) << size;
        EXPECT_EQ(read.opened.error().offset, 70U);
        EXPECT_EQ(read.opened.error().structure, "PERF_COUNTERSET_REG_INFO");
        EXPECT_EQ(read.opened.error().expected, 32U);
        EXPECT_EQ(read.opened.error().found, size);
    }
}

TEST(V2Registration, CountsMoreCountersThanThereAre) {
    for (const std::uint32_t count : {3U, 0x4000'0000U, 0x8000'0000U, 0xFFFF'FFFFU}) {
        v2_blob::Chain chain = v2_blob::build_registration(two_counters());
        chain.put32(set_field::NumCounters, count);
        const Registration read(chain);
        ASSERT_TRUE(read.opened);
        EXPECT_TRUE(reports_v2(read.diagnostics, error, registration_length, {set_field::NumCounters, chain.size()}))
            << count;
        EXPECT_EQ(read.info.counters().size(), 2U);
    }
}

TEST(V2Registration, CountsFewerCountersThanThereAre) {
    v2_blob::Chain chain = v2_blob::build_registration(two_counters());
    chain.put32(set_field::NumCounters, 1);
    const Registration read(chain);
    EXPECT_NE(read.diagnostics.kept().size(), 0U) << "48 bytes are not used";
    ASSERT_EQ(read.info.counters().size(), 1U);
    EXPECT_EQ(read.info.counters()[0].CounterId, 3U);
}

TEST(V2Registration, OneCounter) {
    blob::ByteBuffer bytes;
    v2_blob::put_counter(bytes, two_counters().counters[0]);
    ASSERT_EQ(bytes.size(), 48U);
    hkpd::Diagnostics diagnostics;
    const auto read = hkpd::v2::read_counter_registration(ExactCopy(bytes.bytes()).bytes(), diagnostics);
    ASSERT_TRUE(read);
    EXPECT_TRUE(clean_v2(diagnostics));
    EXPECT_EQ(read->CounterId, 3U);
    EXPECT_EQ(read->Attrib, 0x1'0000'0010U);
    EXPECT_EQ(read->MultiId, 7U);
    for (std::size_t size = 0; size < 48; ++size) {
        blob::ByteBuffer cut = bytes;
        cut.truncate(size);
        const auto refused = hkpd::v2::read_counter_registration(ExactCopy(cut.bytes()).bytes(9), diagnostics);
        ASSERT_FALSE(refused) << size;
        EXPECT_EQ(refused.error().offset, 9U);
    }
}

// Strings

std::vector<v2_blob::CounterString> three_strings() {
    return {{7, u"% Zeit"}, {8, std::nullopt}, {9, u"größer 日\xD83D\xDE00"}};
}

struct Strings {
    explicit Strings(const blob::ByteBuffer& bytes, std::uint64_t offset = 0) : copy(bytes.bytes()) {
        opened = buffer.open(copy.bytes(offset), diagnostics);
        if (!opened) diagnostics.add(error, opened.error());
        for (const hkpd::Diagnostic& found : diagnostics.kept()) EXPECT_LE(found.error.offset, offset + bytes.size());
    }
    /// Returns the k-th text; `-` if there is none.
    std::string text(std::size_t k) const {
        const auto entries = buffer.entries();
        return k < entries.size() && entries[k].text ? hkpd_test::to_string(entries[k].text->bytes) : "-";
    }

    ExactCopy copy;
    hkpd::Diagnostics diagnostics;
    hkpd::v2::StringBuffer buffer;
    std::expected<void, hkpd::Error> opened;
};

TEST(V2Strings, EveryField) {
    const Strings read(v2_blob::build_strings(three_strings()), 40);
    ASSERT_TRUE(clean_v2(read.diagnostics));
    ASSERT_EQ(read.buffer.entries().size(), 3U);
    EXPECT_EQ(read.buffer.entries()[0].dwCounterId, 7U);
    EXPECT_EQ(read.buffer.entries()[1].dwCounterId, 8U);
    EXPECT_EQ(read.buffer.entries()[2].dwCounterId, 9U);
    EXPECT_EQ(read.text(0), blob::utf16(u"% Zeit"));
    EXPECT_FALSE(read.buffer.entries()[1].text);
    EXPECT_EQ(read.text(2), blob::utf16(u"größer 日\xD83D\xDE00"));
}

TEST(V2Strings, MayBeEmpty) {
    const Strings read(v2_blob::build_strings({}));
    EXPECT_TRUE(clean_v2(read.diagnostics));
    EXPECT_TRUE(read.buffer.entries().empty());
}

TEST(V2Strings, MayShareAnOffset) {
    v2_blob::Chain chain = v2_blob::build_strings(three_strings());
    chain.put32(chain.at(1) + string_field::dwOffset, chain.get32(chain.at(0) + string_field::dwOffset));
    const Strings read(chain);
    EXPECT_EQ(read.diagnostics.count(error), 0U);
    EXPECT_EQ(read.text(0), blob::utf16(u"% Zeit"));
    EXPECT_EQ(read.text(1), blob::utf16(u"% Zeit"));
}

TEST(V2Strings, ManyThatShareALongPlaceAreBounded) {
    constexpr std::size_t count = 60'000, units = 250'000;
    std::vector<v2_blob::CounterString> strings(count);
    for (std::size_t k = 0; k < count; ++k) strings[k].id = static_cast<std::uint32_t>(k);
    strings[0].text = std::u16string(units, u'x');
    v2_blob::Chain chain = v2_blob::build_strings(strings);
    const std::uint32_t place = chain.get32(chain.at(0) + string_field::dwOffset);
    for (std::size_t k = 1; k < count; ++k) chain.put32(chain.at(k) + string_field::dwOffset, place);
    const Strings read(chain);
    ASSERT_EQ(read.buffer.entries().size(), count);
    std::size_t texts = 0, bytes = 0;
    for (const auto& entry : read.buffer.entries()) {
        texts += entry.text ? 1U : 0U;
        bytes += entry.text ? entry.text->bytes.size() : 0;
    }
    EXPECT_GT(texts, 1U);
    EXPECT_LE(bytes, 16 * chain.size());
    EXPECT_EQ(read.diagnostics.count(error), count - texts);
    EXPECT_EQ(read.diagnostics.kept().back().error.code, value_limit);
}

TEST(V2Strings, HeaderCutShort) {
    for (std::size_t size = 0; size < buffer_field::size; ++size) {
        v2_blob::Chain chain = v2_blob::build_strings(three_strings());
        chain.truncate(size);
        const Strings read(chain, 11);
        ASSERT_FALSE(read.opened) << size;
        EXPECT_EQ(read.opened.error().offset, 11U);
        EXPECT_EQ(read.opened.error().structure, "PERF_STRING_BUFFER_HEADER");
    }
}

TEST(V2Strings, OffsetsOutsideLoseOnlyThemselves) {
    const v2_blob::Chain good = v2_blob::build_strings(three_strings());
    for (const std::uint32_t offset : {static_cast<std::uint32_t>(good.size()), 0x1000U, 0x8000'0000U, 0xFFFF'FFFEU}) {
        v2_blob::Chain chain = good;
        chain.put32(chain.at(0) + string_field::dwOffset, offset);
        const Strings read(chain);
        EXPECT_TRUE(reports_v2(read.diagnostics, error, string_buffer, {chain.at(0) + string_field::dwOffset}))
            << offset;
        EXPECT_EQ(read.text(0), "-");
        EXPECT_EQ(read.text(2), blob::utf16(u"größer 日\xD83D\xDE00"));
    }
}

TEST(V2Strings, WithoutNulIsLost) {
    v2_blob::Chain chain = v2_blob::build_strings(three_strings());
    chain.put16(chain.size() - 2, u'!');
    const Strings read(chain);
    EXPECT_NE(read.diagnostics.count(error), 0U);
    EXPECT_EQ(read.text(0), blob::utf16(u"% Zeit"));
    EXPECT_EQ(read.text(2), "-");
}

TEST(V2Strings, OddOffsetsAreRead) {
    v2_blob::Chain chain = v2_blob::build_strings({{7, u"name"}});
    v2_blob::Chain odd = v2_blob::build_strings({{7, std::nullopt}});
    odd.grow(1);
    odd.put32(odd.at(0) + string_field::dwOffset, static_cast<std::uint32_t>(odd.size()));
    odd.append(chain.bytes().subspan(chain.get32(chain.at(0) + string_field::dwOffset)));
    odd.put32(buffer_field::dwSize, static_cast<std::uint32_t>(odd.size()));
    const Strings read(odd);
    EXPECT_EQ(read.text(0), blob::utf16(u"name"));
}

TEST(V2Strings, CountBeyondTheBuffer) {
    for (const std::uint32_t count : {0x1000U, 0x2000'0000U, 0x8000'0000U, 0xFFFF'FFFFU}) {
        v2_blob::Chain chain = v2_blob::build_strings(three_strings());
        chain.put32(buffer_field::dwCounters, count);
        const Strings read(chain);
        EXPECT_NE(read.diagnostics.count(error), 0U) << count;
        EXPECT_LE(read.buffer.entries().size(), chain.size() / 8);
    }
}

TEST(V2Strings, LengthOutOfRange) {
    for (const std::uint32_t length : {0U, 7U, 0x1000U, 0x8000'0000U, 0xFFFF'FFFFU}) {
        v2_blob::Chain chain = v2_blob::build_strings(three_strings());
        chain.put32(buffer_field::dwSize, length);
        const Strings read(chain);
        EXPECT_NE(read.diagnostics.count(error) + read.diagnostics.count(warning), 0U) << length;
    }
}

TEST(V2Strings, LengthThatCutsTheLast) {
    v2_blob::Chain chain = v2_blob::build_strings(three_strings());
    chain.add32(buffer_field::dwSize, 0xFFFF'FFFE);
    const Strings read(chain);
    EXPECT_NE(read.diagnostics.count(error) + read.diagnostics.count(warning), 0U);
    EXPECT_EQ(read.text(0), blob::utf16(u"% Zeit"));
}

TEST(V2String, UpToItsNul) {
    hkpd::Diagnostics diagnostics;
    const auto text = [&](const blob::ByteBuffer& bytes) {
        const ExactCopy copy(bytes.bytes());
        return hkpd_test::to_string(hkpd::v2::read_string(copy.bytes(), diagnostics).bytes);
    };
    EXPECT_EQ(text(v2_blob::build_string(u"größer 日")), blob::utf16(u"größer 日"));
    EXPECT_EQ(text(v2_blob::build_string(u"")), "");
    EXPECT_TRUE(clean_v2(diagnostics));
    blob::ByteBuffer padded = v2_blob::build_string(u"a");
    padded.grow(6);
    EXPECT_EQ(text(padded), blob::utf16(u"a"));
    EXPECT_EQ(diagnostics.count(error) + diagnostics.count(warning), 0U);
}

TEST(V2String, WithoutNul) {
    for (const std::size_t size : {4U, 5U}) {
        blob::ByteBuffer bytes = v2_blob::build_string(u"abc");
        bytes.truncate(size);
        const ExactCopy copy(bytes.bytes());
        hkpd::Diagnostics diagnostics;
        EXPECT_EQ(hkpd_test::to_string(hkpd::v2::read_string(copy.bytes(), diagnostics).bytes), blob::utf16(u"ab"));
        EXPECT_NE(diagnostics.count(warning), 0U) << size;
        EXPECT_EQ(diagnostics.count(error), 0U) << size;
    }
}

TEST(V2String, Empty) {
    hkpd::Diagnostics diagnostics;
    EXPECT_TRUE(hkpd::v2::read_string(hkpd::Bytes(), diagnostics).bytes.empty());
    EXPECT_EQ(diagnostics.count(error), 0U);
}

TEST(V2Guess, RecognisesRegistrationsAndStringBuffers) {
    const auto registration = v2_blob::build_registration(two_counters());
    const auto strings = v2_blob::build_strings(three_strings());
    const auto block = v2_blob::build({.results = {{.type = 1, .values = {1}}}});
    const auto bytes = [](const blob::ByteBuffer& buffer) { return hkpd::Bytes(buffer.bytes()); };
    EXPECT_TRUE(hkpd::v2::is_registration(bytes(registration)));
    EXPECT_FALSE(hkpd::v2::is_registration(bytes(strings)));
    EXPECT_FALSE(hkpd::v2::is_registration(bytes(block)));
    EXPECT_FALSE(hkpd::v2::is_registration(hkpd::Bytes()));
    EXPECT_TRUE(hkpd::v2::is_string_buffer(bytes(strings)));
    EXPECT_FALSE(hkpd::v2::is_string_buffer(bytes(registration)));
    EXPECT_FALSE(hkpd::v2::is_string_buffer(bytes(block)));
    EXPECT_FALSE(hkpd::v2::is_string_buffer(hkpd::Bytes()));
}

TEST(V2Guess, OneDamagedFieldDoesNotPreventRecognition) {
    v2_blob::Chain registration = v2_blob::build_registration(two_counters());
    registration.put32(set_field::InstanceType, 99);
    EXPECT_TRUE(hkpd::v2::is_registration(hkpd::Bytes(registration.bytes())));
    v2_blob::Chain strings = v2_blob::build_strings(three_strings());
    strings.put32(strings.at(0) + string_field::dwOffset, 0x1000'0000);
    EXPECT_TRUE(hkpd::v2::is_string_buffer(hkpd::Bytes(strings.bytes())));
}

}  // namespace v2_registration_test
