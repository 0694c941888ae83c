// A sample is built repeatedly in the same memory, within limits.
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "hkpd/sample.hpp"
#include "sample/fill/v1_builder.hpp"
#include "support/blob_builder.hpp"
#include "support/blob_quirks.hpp"
#include "support/count_allocations.hpp"
#include "support/sample_reading.hpp"

namespace hkpd_test {
namespace sample_reuse_test {

namespace type = blob::counter_type;

hkpd::Titles some_titles() {
    hkpd::TitleTable table("009", "test");
    for (std::uint32_t i = 2; i < 40; i += 2) table.add(i, "title " + std::to_string(i));
    hkpd::Titles titles;
    titles.add(std::move(table));
    titles.add(hkpd::builtin_titles());
    return titles;
}

/// Builds a sample. Returns the code of the fault if the block cannot be opened, otherwise nothing.
std::string build(hkpd::SampleBuilder& builder, hkpd::v1::Block& block, const blob::Blob& blob, hkpd::Sample& sample,
                  hkpd::Diagnostics& diagnostics) {
    if (const auto opened = block.open(hkpd::Bytes(blob.bytes()), diagnostics); !opened)
        return std::string(code_name(opened.error().code));
    builder.begin(sample, block, diagnostics);
    builder.add(sample, block, diagnostics);
    builder.finish(sample, 0, diagnostics);
    return {};
}

/// Blocks of every shape, including damaged ones.
class Shapes {
  public:
    explicit Shapes(std::uint32_t seed) : random_(seed) {}

    blob::Blob next() {
        blob::Block block{.machine = std::u16string(below(30), u'M'),
                          .endian = below(4) == 0 ? blob::Endian::big : blob::Endian::little};
        for (std::uint32_t count = below(6), i = 0; i < count; ++i) block.objects.push_back(object(2 + 2 * i));
        blob::Blob blob = below(4) == 0 ? blob::samba_like(block) : blob::build(block);
        for (std::size_t k = 0; k < blob.object_count(); ++k)
            if (!block.objects[k].counters.empty() && below(4) == 0)
                blob.put32(
                    blob.counter(k, below(block.objects[k].counters.size())) + blob::counter_definition::CounterOffset,
                    below(200));
        return blob;
    }

  private:
    std::uint32_t below(std::size_t bound) { return static_cast<std::uint32_t>(random_() % bound); }

    blob::Object object(std::uint32_t title) {
        blob::Object object{.title = title + 2 * below(3), .kind = static_cast<blob::Kind>(below(4))};
        for (std::uint32_t count = below(6), i = 0; i < count; ++i) {
            constexpr std::uint32_t sizes[] = {4, 8, 4, 8, 3, 16};
            const bool text = below(5) == 0;
            object.counters.push_back({.title = 2 + 2 * below(30),
                                       .type = text ? type::text_unicode : type::large_rawcount,
                                       .size = text ? 12 : sizes[below(6)]});
            text ? object.values.emplace_back(blob::utf16(u"abc"))
                 : object.values.emplace_back(std::string(16, static_cast<char>(below(256))));
        }
        for (std::uint32_t count = below(9), i = 0; i < count; ++i)
            object.instances.push_back({.name = std::u16string(below(12), u'a'),
                                        .values = object.values,
                                        .parent_object = 2 * below(4),
                                        .parent = below(4),
                                        .unique_id = static_cast<std::int32_t>(below(3)) - 1});
        return object;
    }

    std::mt19937 random_;
};

TEST(SampleReuse, AReusedSampleEqualsANewOne) {
    const hkpd::Titles titles = some_titles();
    Shapes shapes(1);
    hkpd::SampleBuilder builder(&titles, {});
    hkpd::v1::Block block;
    hkpd::Sample used;
    int built = 0;
    for (int i = 0; i < 1000; ++i) {
        const blob::Blob blob = shapes.next();
        hkpd::Diagnostics of_used, of_fresh;
        const std::string failed = build(builder, block, blob, used, of_used);

        hkpd::SampleBuilder fresh_builder(&titles, {});
        hkpd::v1::Block fresh_block;
        hkpd::Sample fresh;
        ASSERT_EQ(build(fresh_builder, fresh_block, blob, fresh, of_fresh), failed) << i;
        if (!failed.empty()) continue;
        ++built;
        ASSERT_EQ(describe(used), describe(fresh)) << i;
        ASSERT_EQ(faults(of_used), faults(of_fresh)) << i;
    }
    EXPECT_GT(built, 900);
}

TEST(SampleReuse, OtherTitlesGiveOtherNames) {
    const hkpd::Titles titles = some_titles();
    const blob::Blob blob = blob::build({.objects = {{.title = 2, .counters = {{.title = 4}}}}});
    hkpd::Sample sample;
    hkpd::Diagnostics diagnostics;
    hkpd::v1::Block block;
    const auto name = [&](const hkpd::Titles* given) {
        hkpd::SampleBuilder builder(given, {});
        EXPECT_EQ(build(builder, block, blob, sample, diagnostics), "");
        const auto& answer = sample.objects()[0].columns[0].name;
        return answer ? std::string(answer->text) : "none";
    };
    EXPECT_EQ(name(&titles), "title 4");
    EXPECT_EQ(name(nullptr), "none");
    EXPECT_EQ(name(&titles), "title 4");
}

/// Returns instances with long names, all children of the first instance of another object.
std::vector<blob::Instance> many(std::size_t count) {
    std::vector<blob::Instance> instances;
    for (std::size_t i = 0; i < count; ++i)
        instances.push_back(
            {.name = std::u16string(40, u'n'), .values = {i, i, blob::utf16(u"some text")}, .parent_object = 4});
    return instances;
}

/// Returns the number of allocations when a block is built for the third time.
std::size_t steady_allocations(const blob::Block& shape) {
    const blob::Blob blob = blob::build(shape);
    const hkpd::Titles titles = some_titles();
    hkpd::SampleBuilder builder(&titles, {});
    hkpd::v1::Block block;
    hkpd::Sample sample;
    hkpd::Diagnostics diagnostics;
    std::size_t count = 0;
    for (int i = 0; i < 3; ++i) {
        const std::size_t before = allocations();
        EXPECT_EQ(build(builder, block, blob, sample, diagnostics), "");
        count = allocations() - before;
        EXPECT_TRUE(i != 0 || count != 0);
    }
    EXPECT_FALSE(diagnostics.any_fault()) << faults(diagnostics);
    return count;
}

TEST(SampleReuse, TheZoneOfALogIsReset) {
    hkpd::SampleBuilder builder(nullptr, {});
    hkpd::v1::Block block;
    hkpd::Diagnostics diagnostics;
    hkpd::Sample sample;
    sample.zone.emplace();  // left by a row of a log
    ASSERT_EQ(build(builder, block, blob::build({}), sample, diagnostics), "");
    EXPECT_FALSE(sample.zone);
}

TEST(SampleReuse, SteadyStateAllocatesNothing) {
#ifdef HKPD_SANITIZED
    GTEST_SKIP() << "a sanitizer has its own operator new";
#endif
    const std::vector<blob::Counter> counters{{.title = 10},
                                              {.title = 12, .type = type::large_rawcount, .size = 8},
                                              {.title = 14, .type = type::text_unicode, .size = 24}};
    EXPECT_EQ(steady_allocations(
                  {.objects = {{.title = 2, .kind = blob::Kind::multi, .counters = counters, .instances = many(500)},
                               {.title = 4, .kind = blob::Kind::multi, .instances = {{.name = u"parent"}}},
                               {.title = 6, .counters = counters, .values = {1, 2}}}}),
              0U);
    EXPECT_EQ(steady_allocations({.machine = u"A-MACHINE-WITH-A-LONG-NAME"}), 0U);
    EXPECT_EQ(
        steady_allocations({.objects = {{.title = 8,
                                         .kind = blob::Kind::multi,
                                         .counters = {{.title = 10, .type = type::text_ascii, .size = 8}},
                                         .instances = {{.name = std::string("ansi"), .values = {std::string("text")}}},
                                         .code_page = 1252}}}),
        0U);
}

TEST(SampleLimits, ValuesOfABlock) {
    const auto object = [](std::uint32_t title) {
        blob::Object made{.title = title, .kind = blob::Kind::multi, .counters = {{.title = 10}, {.title = 12}}};
        for (int i = 0; i < 10; ++i) made.instances.push_back({.name = u"i", .values = {i, i}});
        return made;
    };
    const blob::Block block{.objects = {object(2), object(4), object(6)}};
    const auto values_with = [&](std::uint64_t limit, std::string_view expected) {
        const auto samples = read_block(block, nullptr, {.values = limit});
        EXPECT_EQ(faults(samples->diagnostics).find("value_limit") != std::string::npos, limit < 60) << limit;
        EXPECT_EQ(samples->diagnostics.count(hkpd::Severity::error) != 0, limit < 60) << limit;
        std::string rows;
        std::size_t values = 0;
        for (const hkpd::Object& found : samples->all.at(0).objects()) {
            rows += std::to_string(found.instances.size()) + " ";
            values += found.instances.size() * found.columns.size();
        }
        EXPECT_LE(values, limit);
        EXPECT_EQ(rows, expected) << limit;
    };
    values_with(60, "10 10 10 ");
    values_with(59, "10 10 9 ");
    values_with(33, "10 6 0 ");
    values_with(1, "0 0 0 ");
}

TEST(SampleLimits, OverlappingCountersAreLimited) {
    blob::Object object{.title = 2, .kind = blob::Kind::multi};
    for (std::uint32_t i = 0; i < 2000; ++i) object.counters.push_back({.title = 10 + 2 * i, .offset = 4});
    for (int i = 0; i < 2000; ++i) object.instances.push_back({.name = u"", .values = {7}, .nul = false});
    const auto samples = read_block({.objects = {object}});
    EXPECT_NE(faults(samples->diagnostics).find("error value_limit|"), std::string::npos)
        << faults(samples->diagnostics);
    const hkpd::Object& found = samples->object(0, 0);
    EXPECT_EQ(found.columns.size(), 2000U);
    EXPECT_EQ(found.instances.size(), 500U);  // of a million values
    EXPECT_EQ(found.columns.back().values.back(), 7U);
}

TEST(SampleLimits, OverlappingCountersAreLegal) {
    blob::Object object{.title = 2, .kind = blob::Kind::multi};
    for (std::uint32_t i = 0; i < 200; ++i) object.counters.push_back({.title = 10 + 2 * i, .offset = 4});
    for (int i = 0; i < 200; ++i) object.instances.push_back({.name = u"i", .values = {7}});
    const auto samples = read_block({.objects = {object}});
    EXPECT_EQ(faults(samples->diagnostics), "");
    EXPECT_EQ(samples->object(0, 0).instances.size(), 200U);
}

}  // namespace sample_reuse_test
}  // namespace hkpd_test
