// The identifiers of a V2 query: the fields of valid ones, and one broken field at a time.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "hkpd/v2.hpp"
#include "support/v2_builder.hpp"
#include "support/v2_walk.hpp"

namespace v2_identifier_test {

using enum hkpd::Errc;
using enum hkpd::Severity;
using hkpd_test::clean_v2;
using hkpd_test::reports_v2;
namespace field = v2_blob::counter_identifier;

const hkpd::Guid first_set = v2_blob::guid(1), second_set = v2_blob::guid(2, 3, 4, {5, 6, 7, 8, 9, 10, 11, 12});

std::vector<v2_blob::Identifier> three() {
    return {{.guid = first_set, .index = 2},
            {.guid = second_set, .name = u"inst?nce*", .counter = 17, .instance = 5, .index = 0},
            {.guid = second_set, .name = u"*", .index = 1, .status = 87}};
}

struct Read {
    explicit Read(const v2_blob::Chain& chain, std::uint64_t offset = 0) : copy(chain.bytes()) {
        identifiers.open(copy.bytes(offset), diagnostics);
        for (const hkpd::Diagnostic& found : diagnostics.kept()) {
            EXPECT_GE(found.error.offset, offset);
            EXPECT_LE(found.error.offset, offset + chain.size());
        }
    }
    std::size_t count() const { return identifiers.all().size(); }

    hkpd_test::ExactCopy copy;
    hkpd::Diagnostics diagnostics;
    hkpd::v2::Identifiers identifiers;
};

TEST(V2Identifiers, EveryField) {
    const v2_blob::Chain chain = v2_blob::build_identifiers(three());
    ASSERT_EQ(chain.at(1), 40U) << "one without a name has exactly 40 bytes";
    const Read read(chain, 1000);
    ASSERT_TRUE(clean_v2(read.diagnostics));
    ASSERT_EQ(read.count(), 3U);
    const auto all = read.identifiers.all();
    EXPECT_EQ(all[0].CounterSetGuid, first_set);
    EXPECT_EQ(all[0].Status, 0U);
    EXPECT_EQ(all[0].Size, 40U);
    EXPECT_EQ(all[0].CounterId, hkpd::v2::wildcard_counter);
    EXPECT_EQ(all[0].InstanceId, hkpd::v2::any_instance);
    EXPECT_EQ(all[0].Index, 2U);
    ASSERT_TRUE(all[0].name);
    EXPECT_TRUE(all[0].name->bytes.empty());
    EXPECT_EQ(all[1].CounterSetGuid, second_set);
    EXPECT_EQ(all[1].Size, 64U);
    EXPECT_EQ(all[1].CounterId, 17U);
    EXPECT_EQ(all[1].InstanceId, 5U);
    EXPECT_EQ(all[1].Index, 0U);
    EXPECT_EQ(hkpd_test::to_string(all[1].name.value().bytes), blob::utf16(u"inst?nce*"));
    EXPECT_EQ(all[1].bytes.offset(), 1000 + chain.at(1));
    EXPECT_EQ(all[1].bytes.size(), 64U);
    EXPECT_EQ(all[2].Status, 87U);
    EXPECT_EQ(hkpd_test::to_string(all[2].name.value().bytes), blob::utf16(u"*"));
}

TEST(V2Identifiers, FoundByIndex) {
    const Read read(v2_blob::build_identifiers(three()));
    const auto all = read.identifiers.all();
    EXPECT_EQ(read.identifiers.find(0), &all[1]);
    EXPECT_EQ(read.identifiers.find(1), &all[2]);
    EXPECT_EQ(read.identifiers.find(2), &all[0]);
    EXPECT_EQ(read.identifiers.find(3), nullptr);
    EXPECT_EQ(read.identifiers.find(0xFFFF'FFFF), nullptr);
}

TEST(V2Identifiers, EmptyInput) {
    const Read read(v2_blob::Chain{});
    EXPECT_TRUE(clean_v2(read.diagnostics));
    EXPECT_EQ(read.count(), 0U);
    EXPECT_EQ(read.identifiers.find(0), nullptr);
}

TEST(V2Identifiers, OpensAgainInTheSameMemory) {
    Read read(v2_blob::build_identifiers(three()));
    const v2_blob::Chain one = v2_blob::build_identifiers({{.guid = second_set, .index = 9}});
    read.identifiers.open(hkpd::Bytes(one.bytes()), read.diagnostics);
    ASSERT_EQ(read.count(), 1U);
    EXPECT_EQ(read.identifiers.all()[0].CounterSetGuid, second_set);
    EXPECT_EQ(read.identifiers.find(0), nullptr);
    EXPECT_NE(read.identifiers.find(9), nullptr);
}

TEST(V2Identifiers, LengthOutOfRangeLosesAtMostItsNameAndTheNextOnes) {
    for (const std::uint32_t length : {0U, 1U, 8U, 39U, 0x1000U, 0x8000'0000U, 0xFFFF'FFF8U, 0xFFFF'FFFFU}) {
        v2_blob::Chain chain = v2_blob::build_identifiers(three());
        chain.put32(chain.at(1) + field::Size, length);
        const Read read(chain, 500);
        EXPECT_TRUE(reports_v2(read.diagnostics, error, identifier_length, {500 + chain.at(1) + field::Size}))
            << length;
        ASSERT_EQ(read.count(), 2U) << length;
        EXPECT_EQ(read.identifiers.all()[0].CounterSetGuid, first_set);
        EXPECT_EQ(read.identifiers.all()[1].CounterId, 17U);
        const auto& name = read.identifiers.all()[1].name;
        if (length < field::size) {
            EXPECT_FALSE(name) << length;
        } else if (name) {
            EXPECT_EQ(hkpd_test::to_string(name->bytes), blob::utf16(u"inst?nce*")) << length;
        }
    }
}

TEST(V2Identifiers, LengthThatIsNoMultipleOf8) {
    v2_blob::Chain chain = v2_blob::build_identifiers(three());
    chain.put32(chain.at(1) + field::Size, 61);
    const Read read(chain);
    EXPECT_TRUE(reports_v2(read.diagnostics, warning, length_uneven, {chain.at(1) + field::Size}));
    EXPECT_GE(read.count(), 1U);
}

TEST(V2Identifiers, NameWithoutNul) {
    std::vector<v2_blob::Identifier> four = three();
    four[1].name = u"xyz";
    v2_blob::Chain chain = v2_blob::build_identifiers(four);
    chain.put16(chain.at(1) + field::size + 6, u'!');
    const Read read(chain);
    ASSERT_EQ(read.count(), 3U);
    const auto& name = read.identifiers.all()[1].name;
    EXPECT_TRUE(reports_v2(read.diagnostics, name ? warning : error, string_unterminated,
                           {chain.at(1), chain.at(1) + field::size}));
    EXPECT_EQ(hkpd_test::to_string(read.identifiers.all()[2].name.value().bytes), blob::utf16(u"*"));
}

TEST(V2Identifiers, BytesAfterTheLast) {
    for (std::size_t stray = 1; stray < field::size; ++stray) {
        v2_blob::Chain chain = v2_blob::build_identifiers(three());
        chain.grow(stray);
        const Read read(chain);
        EXPECT_EQ(read.diagnostics.kept().empty(), stray < 8) << stray;  // fewer are padding
        EXPECT_EQ(read.count(), 3U) << stray;
    }
}

TEST(V2Identifiers, TwoWithOneIndex) {
    std::vector<v2_blob::Identifier> twice = three();
    twice[2].index = 0;
    const Read read(v2_blob::build_identifiers(twice));
    ASSERT_EQ(read.count(), 3U);
    EXPECT_EQ(read.identifiers.find(0), nullptr) << "it is unknown which of them is right";
    EXPECT_EQ(read.identifiers.find(1), nullptr);
    ASSERT_NE(read.identifiers.find(2), nullptr);
}

}  // namespace v2_identifier_test
