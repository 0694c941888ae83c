// Names in samples, and the tables that they come from.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "hkpd/names.hpp"
#include "source/sample_reader.hpp"
#include "support/blob_builder.hpp"
#include "support/blob_quirks.hpp"
#include "support/sample_reading.hpp"

namespace hkpd_test {
namespace sample_titles_test {

using Entries = std::vector<std::pair<std::uint32_t, std::string_view>>;

hkpd::TitleTable table(std::string_view language, std::string_view origin, const Entries& entries) {
    hkpd::TitleTable made(language, origin);
    for (const auto& [index, text] : entries) made.add(index, text);
    return made;
}

const blob::Block processor{.objects = {{.title = 238,
                                         .kind = blob::Kind::multi,
                                         .counters = {{.title = 6}, {.title = 144}, {.title = 9998}},
                                         .instances = {{.name = u"0", .values = {1, 2, 3}}}}}};

/// Returns the names of the object and its counters, its help, and the tables they come from.
std::string names(const blob::Blob& blob, const hkpd::Titles* titles) {
    const auto samples = read_blobs({blob}, titles);
    const auto text = [&](const std::optional<hkpd::Titles::Answer>& answer) {
        return answer ? std::string(answer->text) + "@" + titles->tables()[answer->table].origin() + "|" : "?|";
    };
    const hkpd::Object& object = samples->object(0, 0);
    std::string all = text(object.name);
    for (const hkpd::Column& column : object.columns) all += text(column.name);
    all += text(object.help) + text(object.columns[0].help) + "tables";
    for (const std::uint32_t position : samples->all[0].tables()) all += " " + titles->tables()[position].origin();
    return all;
}

TEST(SampleTitles, WithoutTablesThereAreNoNames) {
    EXPECT_EQ(names(blob::build(processor), nullptr), "?|?|?|?|?|?|tables");
    const hkpd::Titles none;
    EXPECT_EQ(names(blob::build(processor), &none), "?|?|?|?|?|?|tables");
}

TEST(SampleTitles, BuiltIn) {
    hkpd::Titles titles;
    titles.add(hkpd::builtin_titles());
    EXPECT_EQ(names(blob::build(processor), &titles),
              "Processor@built-in|% Processor Time@built-in|% Privileged Time@built-in|?|?|?|tables built-in");
}

TEST(SampleTitles, EachIndexFromTheFirstTableThatHasIt) {
    hkpd::Titles titles;
    titles.add(table("007", "german", {{238, "Prozessor"}, {239, "Hilfe"}, {9998, "Eigenes"}, {4, "Speicher"}}));
    titles.add(table("00c", "french", {{6, "% temps processeur"}, {4, "Mémoire"}, {7, "Aide"}}));
    titles.add(table("009", "english", {{144, "% Privileged Time"}, {238, "Processor"}}));
    titles.add(table("00a", "unused", {{238, "Procesador"}, {2, "Sistema"}}));
    EXPECT_EQ(names(blob::build(processor), &titles),
              "Processor@english|% temps processeur@french|% Privileged Time@english|Eigenes@german|Hilfe@german|"
              "Aide@french|tables english german french");
    titles.prefer({"7"});
    EXPECT_EQ(names(blob::build(processor), &titles),
              "Prozessor@german|% temps processeur@french|% Privileged Time@english|Eigenes@german|Hilfe@german|"
              "Aide@french|tables german english french");
    titles.prefer({"00c", "00A"});
    EXPECT_EQ(names(blob::build(processor), &titles),
              "Procesador@unused|% temps processeur@french|% Privileged Time@english|Eigenes@german|Hilfe@german|"
              "Aide@french|tables french unused english german");
}

TEST(SampleTitles, BlankNamesAreNames) {
    hkpd::Titles titles;
    titles.add(table("009", "blanks", {{238, " "}, {6, ""}}));
    EXPECT_EQ(names(blob::build(processor), &titles), " @blanks|@blanks|?|?|?|?|tables blanks");
}

TEST(SampleTitles, BuiltinTitlesAreNotUsedForSambasNumbers) {
    hkpd::Titles titles;
    titles.add(hkpd::builtin_titles());
    EXPECT_EQ(names(blob::samba_like(processor), &titles), "?|?|?|?|?|?|tables");
    titles.add(table("", "samba", {{238, "Prozessor"}, {6, "User"}}));
    EXPECT_EQ(names(blob::samba_like(processor), &titles), "Prozessor@samba|User@samba|?|?|?|?|tables samba");
}

TEST(SampleTitles, BlocksOfOneTimeMayDifferInTheirTitles) {
    hkpd::Titles titles;
    titles.add(hkpd::builtin_titles());
    const blob::Blob samba = blob::samba_like({.objects = {{.title = 2, .counters = {{.title = 10}}}}});
    const auto samples = read_blobs({samba, blob::build(processor)}, &titles);
    ASSERT_EQ(samples->all.size(), 1U);
    EXPECT_FALSE(samples->object(0, 0).name);
    EXPECT_TRUE(samples->object(0, 1).name);
}

/// Checks that blank titles count against the limit: each takes memory, though not for its text.
TEST(SampleTitles, BlankTitlesCountAgainstTheLimit) {
    hkpd::Limits limits;
    limits.title_bytes = 1 << 20U;
    std::string blanks;
    for (int i = 0; i < 24'000; ++i) blanks += blob::utf16(std::u16string_view(u"2\0\0", 3));
    hkpd::Titles titles;
    hkpd::Diagnostics diagnostics;
    for (int language = 0; language < 5; ++language) {
        blanks += blob::utf16(std::u16string_view(u"2\0\0", 3));  // equal tables would be one
        hkpd::Record record{hkpd::Record::Kind::titles, hkpd::Bytes(std::as_bytes(std::span(blanks)))};
        const std::string name = std::to_string(100 + language);
        record.language = name;
        hkpd::add_titles(titles, record, limits, diagnostics);
    }
    EXPECT_EQ(titles.tables().size(), 1U);
    const auto too_large = [](const hkpd::Diagnostic& d) { return d.error.code == hkpd::Errc::byte_limit; };
    EXPECT_EQ(std::ranges::count_if(diagnostics.kept(), too_large), 4);
}

}  // namespace sample_titles_test
}  // namespace hkpd_test
