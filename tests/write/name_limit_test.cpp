// The limit on the bytes of names that a run writes, for every output format.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "hkpd/diagnostics.hpp"
#include "hkpd/select.hpp"
#include "hkpd/summary.hpp"
#include "hkpd/write.hpp"
#include "source/replay.hpp"
#include "support/blob_builder.hpp"
#include "support/sample_reading.hpp"

namespace hkpd_test {
namespace name_limit_test {

/// Returns a block of an object with `instances` instances, whose names have `length` characters, and two counters.
blob::Blob block_of(std::uint32_t instances, std::size_t length, char16_t letter = u'n') {
    blob::Object object{
        .title = 230, .kind = blob::Kind::multi, .counters = {{.title = 784}, {.title = 952}}, .instances = {}};
    for (std::uint32_t i = 0; i < instances; ++i) {
        const std::string number = std::to_string(i);
        std::u16string name(length, letter);
        name.append(number.begin(), number.end());
        object.instances.push_back({.name = name, .values = {1, 2}});
    }
    return blob::build({.objects = {std::move(object)}, .machine = u"M"});
}

struct Written {
    std::string out, faults;
};

Written written(const std::vector<blob::Blob>& blobs, hkpd::WriteOptions options, hkpd::Format format,
                bool summary = false, const hkpd::Limits& limits = {}) {
    hkpd::Diagnostics diagnostics;
    options.cooked = options.one_pass = true;
    const auto writer = summary ? hkpd::make_summary_writer(format, options, {}) : hkpd::make_writer(format, options);
    Written result;
    writer->begin(result.out);
    MemorySource source(blobs);
    hkpd::SampleReader reader(source, nullptr, limits);
    hkpd::Replay replay(reader, {});
    std::vector<hkpd::Selected> selected;
    while (replay.next(diagnostics)) {
        hkpd::Filter().select(replay.sample(), selected);
        writer->sample(replay.sample(), selected, &replay.cooker(), result.out);
    }
    writer->end(diagnostics, result.out);
    for (const hkpd::Diagnostic& found : diagnostics.kept())
        if (found.severity == hkpd::Severity::error) result.faults += std::string(code_name(found.error.code)) + '|';
    return result;
}

TEST(NameLimit, RowsThatFitAreWritten) {
    const std::vector<blob::Blob> blobs{block_of(100, 1000)};
    const hkpd::WriteOptions unlimited;
    EXPECT_EQ(written(blobs, unlimited, hkpd::Format::csv).faults, "");
    // The names of a row take 2,000 bytes: the limit and 64 bytes for each byte of the block suffice for all.
    hkpd::WriteOptions limited;
    limited.names = 1;
    EXPECT_EQ(written(blobs, limited, hkpd::Format::csv).faults, "");
    // Control characters are counted as they are written: 12,000 bytes a row. The instances of a block have 2,048
    // bytes.
    const std::vector<blob::Blob> escaped{block_of(1, 1000, u'\1'), block_of(100, 6, u'n')};
    EXPECT_EQ(written(escaped, limited, hkpd::Format::csv).faults, "");
}

TEST(NameLimit, OtherRowsAreLeftOutOfEveryFormat) {
    // Ten names of 1,000 bytes for 2,000 counters that overlap: 20 MB, and 1 MB and 64 times the block are allowed.
    blob::Object object{.title = 230, .kind = blob::Kind::multi, .counters = {}, .instances = {}};
    for (std::uint32_t i = 0; i < 2000; ++i) object.counters.push_back({.title = 1000 + 2 * i, .offset = 4});
    object.instances.push_back({.name = u"first", .values = {1}});
    for (char16_t digit = u'0'; digit <= u'9'; ++digit)
        object.instances.push_back({.name = std::u16string(1000, u'n') + digit, .values = {2}});
    object.instances.push_back({.name = u"last", .values = {3}});
    const std::vector<blob::Blob> blobs{blob::build({.objects = {object}, .machine = u"M"})};
    hkpd::WriteOptions limited;
    limited.names = 1'000'000;
    using enum hkpd::Format;
    for (const hkpd::Format format : {table, json, jsonl, csv, pdh_csv, pdh_tsv, openmetrics}) {
        const Written result = written(blobs, limited, format);
        EXPECT_EQ(result.faults, "name_limit|") << static_cast<int>(format);
        EXPECT_TRUE(result.out.contains("nnnn0")) << static_cast<int>(format);
        EXPECT_FALSE(result.out.contains("nnnn9")) << static_cast<int>(format);
        EXPECT_TRUE(result.out.contains("first") && result.out.contains("last")) << static_cast<int>(format);
    }
    for (const hkpd::Format format : {table, json, jsonl, csv}) {
        const Written result = written(blobs, limited, format, true);
        EXPECT_EQ(result.faults, "name_limit|") << static_cast<int>(format);
        EXPECT_TRUE(result.out.contains("first") && !result.out.contains("nnnn9")) << static_cast<int>(format);
    }
}

/// Checks that titles count once even if there are no instances, and that only counters whose titles do not fit are
/// lost.
TEST(NameLimit, LongTitlesAreLeftOut) {
    hkpd::TitleTable names("009", "test");
    names.add(230, "Process");
    names.add(1000, std::string(3'000'000, 't'));
    names.add(1002, "Short");
    hkpd::Titles titles;
    titles.add(names);
    const blob::Object object{.title = 230,
                              .kind = blob::Kind::multi,
                              .counters = {{.title = 1000}, {.title = 1002}},
                              .instances = {{.name = u"first", .values = {1, 2}}}};
    const auto samples = read_block({.objects = {object}, .machine = u"M"}, &titles);
    ASSERT_EQ(samples->all.size(), 1U);
    hkpd::WriteOptions limited;
    limited.titles = &titles;
    limited.names = 1'000'000;
    std::vector<hkpd::Selected> selected;
    hkpd::Filter().select(samples->all[0], selected);
    using enum hkpd::Format;
    for (const hkpd::Format format : {table, json, jsonl, csv}) {
        const auto writer = hkpd::make_writer(format, limited);
        hkpd::Diagnostics diagnostics;
        std::string out;
        writer->begin(out);
        writer->sample(samples->all[0], selected, nullptr, out);
        writer->end(diagnostics, out);
        ASSERT_EQ(diagnostics.kept().size(), 1U);
        EXPECT_EQ(diagnostics.kept()[0].error.code, hkpd::Errc::name_limit);
        EXPECT_TRUE(out.contains("Short") && !out.contains("tttt"));
    }
}

TEST(NameLimit, NamesOfIdentitiesAreThoseThatTheReaderAllows) {
    std::vector<blob::Blob> blobs;
    for (char16_t letter = u'a'; letter <= u'j'; ++letter) blobs.push_back(block_of(10, 1000, letter));
    EXPECT_EQ(written(blobs, {}, hkpd::Format::csv, true).faults, "");
    const Written result = written(blobs, {}, hkpd::Format::csv, true, {.names = 150'000});
    EXPECT_EQ(result.faults, "series_limit|");
    EXPECT_TRUE(result.out.contains("aaaa0"));
    EXPECT_FALSE(result.out.contains("jjjj0"));
}

TEST(NameLimit, AValueForTwoBytesIsAllowedAndAMillionMoreInARun) {
    hkpd::ValueBudget budget({});
    EXPECT_EQ(budget.limit(10), 1'000'000U);
    budget.spend(900'000, 200'000);
    EXPECT_EQ(budget.limit(10), 200'000U);
    budget.spend(300'000, 600'000);
    EXPECT_EQ(budget.limit(10), 200'000U);
    EXPECT_EQ(budget.limit(5'000'000), 2'500'000U);
    budget.spend(5'000'000, 10);
    EXPECT_EQ(budget.limit(10), 5U);
    hkpd::Limits given;
    given.values = 7;
    hkpd::ValueBudget fixed(given);
    fixed.spend(1'000'000'000, 0);
    EXPECT_EQ(fixed.limit(0), 7U);
}

/// Checks that small blobs whose counters overlap share one limit.
TEST(NameLimit, ManySmallSamplesHaveNoMoreValuesThanOne) {
    blob::Object object{.title = 2, .kind = blob::Kind::multi, .counters = {}, .instances = {}};
    for (std::uint32_t c = 0; c < 700; ++c) object.counters.push_back({.title = 4 + 2 * c, .offset = 4});
    object.instances.assign(700, {.name = u"", .values = {7}, .nul = false});
    std::vector<blob::Blob> blobs;
    for (std::int64_t i = 1; i <= 8; ++i)
        blobs.push_back(blob::build({.objects = {object}, .machine = u"M", .perf_time = 1000 * i}));
    const auto samples = read_blobs(blobs);
    std::uint64_t values = 0, bytes = 0;
    for (const blob::Blob& blob : blobs) bytes += blob.size();
    for (const hkpd::Sample& sample : samples->all)
        values += sample.objects()[0].instances.size() * sample.objects()[0].columns.size();
    EXPECT_EQ(samples->all.size(), 8U);
    EXPECT_GT(values, 1'000'000U);
    EXPECT_LE(values, 1'000'000 + bytes / 2);
}

}  // namespace name_limit_test
}  // namespace hkpd_test
