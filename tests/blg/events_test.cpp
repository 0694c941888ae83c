// The header and the catalogue of performance logs, made byte by byte.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "blg/blg.hpp"
#include "support/log_reading.hpp"

namespace hkpd_test {
namespace blg_test {

using hkpd::Errc;
using testing::ElementsAre;
using testing::SizeIs;
namespace blg = hkpd::blg;
namespace lf = log_file;

/// The header's event of a log that was built: a record `log_header`.
std::string header_event(const lf::Log& log) {
    const std::string file = lf::build(log).text();
    const auto size = static_cast<unsigned char>(file[lf::buffer_header::size + lf::system_header::Size]) +
                      256 * static_cast<unsigned char>(file[lf::buffer_header::size + lf::system_header::Size + 1]);
    return file.substr(lf::buffer_header::size + lf::system_header::size,
                       static_cast<std::size_t>(size) - lf::system_header::size);
}

TEST(BlgHeader, FieldsWithPointersOfEitherSize) {
    for (const std::uint32_t pointer_size : {4U, 8U}) {
        lf::Header made{.build = 6000,
                        .mode = 0x0002'0002,
                        .start_buffers = 3,
                        .events_lost = 5,
                        .buffers_lost = 6,
                        .pointer_size = pointer_size,
                        .start_time = 128'000'000'000'000'000,
                        .end_time = 128'000'000'600'000'000,
                        .buffers_written = 77};
        made.zone = {
            -60, {u"Mitteleuropäische Zeit", {0, 10, 0, 5, 3, 0, 0, 0}, 0}, {u"", {0, 3, 0, 5, 2, 0, 0, 0}, -60}};
        made.file = u"D:\\Leistung\\größer 🚀.blg";
        const auto header = open_header(header_event({.header = made, .buffer_size = 4096}));
        ASSERT_TRUE(header) << pointer_size;
        EXPECT_EQ(header->buffer_size, 4096U);
        EXPECT_EQ(header->mode, 0x0002'0002U);
        EXPECT_EQ(header->buffers, 77U);
        EXPECT_EQ(header->start_buffers, 3U);
        EXPECT_EQ(header->events_lost, 5U);
        EXPECT_EQ(header->buffers_lost, 6U);
        EXPECT_EQ(header->end_time, 128'000'000'600'000'000);
        EXPECT_EQ(header->zone.bias, -60);
        EXPECT_EQ(header->zone.standard.name, "Mitteleuropäische Zeit");
        EXPECT_EQ(header->zone.standard.begins.month, 10);
        EXPECT_EQ(header->zone.standard.begins.day, 5);
        EXPECT_EQ(header->zone.standard.begins.hour, 3);
        EXPECT_EQ(header->zone.daylight.name, "");
        EXPECT_EQ(header->zone.daylight.begins.month, 3);
        EXPECT_EQ(header->zone.daylight.bias, -60);
        EXPECT_TRUE(header->closed());
    }
}

TEST(BlgHeader, OfALogThatIsBeingWritten) {
    const auto header = open_header(header_event({.header = {.closed = false}}));
    ASSERT_TRUE(header);
    EXPECT_EQ(header->end_time, 0);
    EXPECT_EQ(header->buffers, 0U);
    EXPECT_FALSE(header->closed());
}

TEST(BlgHeader, CutAnywhereIsAnErrorOrTheHeader) {
    for (const std::uint32_t pointer_size : {4U, 8U}) {
        const std::string whole = header_event({.header = {.pointer_size = pointer_size}});
        const std::size_t fixed = lf::logfile_header::start_time(pointer_size) + 16;  // two u32 behind StartTime
        for (std::size_t size = 0; size <= whole.size(); ++size) {
            const auto header = open_header(whole.substr(0, size), 1000);
            ASSERT_EQ(header.has_value(), size >= fixed) << size << " of pointers of " << pointer_size;
            if (header) {
                EXPECT_EQ(header->zone.bias, 480) << size;
            } else {
                EXPECT_EQ(header.error().code, Errc::log_header) << size;
                EXPECT_GE(header.error().offset, 1000U) << size;
            }
        }
    }
}

TEST(BlgHeader, FieldsThatCannotBe) {
    const std::string whole = header_event({});
    for (const std::uint32_t pointers : {0U, 1U, 16U, 0xFFFF'FFFFU}) {
        const auto header = open_header(patched(whole, lf::logfile_header::PointerSize, pointers));
        ASSERT_FALSE(header) << pointers;
        EXPECT_EQ(header.error().code, Errc::log_header);
    }
    const std::size_t zone = lf::logfile_header::zone(8);
    for (const std::size_t bias : {lf::time_zone::Bias, lf::time_zone::StandardBias, lf::time_zone::DaylightBias})
        for (const std::uint32_t minutes : {1441U, 0x8000'0000U, 0xFFFF'FA5FU}) {  // the last one is -1441
            const auto header = open_header(patched(whole, zone + bias, minutes));
            ASSERT_FALSE(header) << bias << " " << minutes;
            EXPECT_EQ(header.error().code, Errc::log_header);
        }
    // A name without its NUL ends where its field does.
    std::string named = whole;
    for (std::size_t unit = 0; unit < 32; ++unit)
        named = patched(named, zone + lf::time_zone::StandardName + 2 * unit, u'x', 2);
    const auto header = open_header(named);
    ASSERT_TRUE(header);
    EXPECT_EQ(header->zone.standard.name, std::string(32, 'x'));
    EXPECT_EQ(header->zone.daylight.name, "@tzres.dll,-211");
}

/// A catalogue of all three forms: several machines, instances and parents.
std::vector<lf::Entry> mixed_entries() {
    return {{.type = 0x1041'0400, .time_base = 2'630'633, .scale = -1, .object = u"memory", .counter = u"faults/sec"},
            {.form = lf::Form::instances,
             .type = 0x2051'0500,
             .object = u"process",
             .instance = u"*",
             .counter = u"% time"},
            lf::block_entry(u"System"),
            {.machine = u"\\\\ÖSTERREICH",
             .object = u"thread",
             .instance = u"0",
             .parent = u"svchost",
             .counter = u"日本語"}};
}
const std::vector<std::string> mixed_texts{
    "raw 10410400 2630633 -1 PC memory - - faults/sec", "instances 20510500 10000000 0 PC process * - % time",
    "block 0 0 PC System * - *", "raw 00010000 10000000 0 ÖSTERREICH thread 0 svchost 日本語"};

TEST(BlgCatalogue, EntriesOfAllForms) {
    for (const bool end : {false, true}) {
        const OpenedCatalogue opened(lf::catalogue(mixed_entries(), end).text());
        ASSERT_TRUE(opened.opened);
        EXPECT_EQ(opened.entries(), mixed_texts);
        EXPECT_TRUE(opened.catalogue.whole());
        EXPECT_EQ(placed_faults(opened.diagnostics), "");
    }
}

TEST(BlgCatalogue, EntriesSayWhereTheyStand) {
    const lf::Data data = lf::catalogue(mixed_entries());
    const OpenedCatalogue opened(data.text(), 5000);
    ASSERT_THAT(opened.catalogue.entries(), SizeIs(4));
    for (std::size_t k = 0; k < 4; ++k) EXPECT_EQ(opened.catalogue.entries()[k].offset, 5000 + data.part(k));
}

TEST(BlgCatalogue, IndicesOfInstancesOfOneName) {
    const OpenedCatalogue opened(lf::catalogue({{.instance = u"a"}, {.instance = u"a", .index = 7}}).text());
    ASSERT_THAT(opened.catalogue.entries(), SizeIs(2));
    EXPECT_EQ(opened.catalogue.entries()[0].index, 0U);
    EXPECT_EQ(opened.catalogue.entries()[1].index, 7U);
}

TEST(BlgCatalogue, OpenedAgainItForgets) {
    OpenedCatalogue opened(lf::catalogue(mixed_entries()).text());
    const ExactBytes other(lf::catalogue({{.counter = u"alone"}}).text()), none("");
    ASSERT_TRUE(opened.catalogue.open(other.at(), opened.diagnostics));
    EXPECT_THAT(opened.entries(), ElementsAre("raw 00010000 10000000 0 PC object - - alone"));
    EXPECT_FALSE(opened.catalogue.open(none.at(), opened.diagnostics));
    EXPECT_THAT(opened.catalogue.entries(), SizeIs(0));
    EXPECT_FALSE(opened.catalogue.whole());
}

TEST(BlgCatalogue, WithoutEntries) {
    const OpenedCatalogue opened(lf::catalogue({}).text());
    ASSERT_TRUE(opened.opened);
    EXPECT_THAT(opened.catalogue.entries(), SizeIs(0));
    EXPECT_TRUE(opened.catalogue.whole());
    for (std::size_t size = 0; size < 8; ++size) {
        const OpenedCatalogue cut(lf::catalogue({}).text().substr(0, size));
        ASSERT_FALSE(cut.opened) << size;
        EXPECT_EQ(cut.opened.error().code, Errc::log_catalogue) << size;
    }
}

TEST(BlgCatalogue, ADamagedOffsetCostsTheNamesOfItsEntry) {
    const lf::Data data = lf::catalogue(mixed_entries());
    for (const std::size_t field :
         {lf::catalogue_entry::Machine, lf::catalogue_entry::Object, lf::catalogue_entry::Instance,
          lf::catalogue_entry::Parent, lf::catalogue_entry::Counter})
        for (const std::uint32_t offset : {0x7FFF'FFFFU, 0x8000'0000U, 0xFFFF'FFFEU, 0x200U}) {
            const OpenedCatalogue opened(patched(data.text(), data.part(1) + field, offset), 300);
            ASSERT_TRUE(opened.opened);
            EXPECT_TRUE(opened.catalogue.whole()) << field << " " << offset;
            ASSERT_THAT(opened.catalogue.entries(), SizeIs(4));
            EXPECT_EQ(fault_codes(opened.diagnostics), "log_catalogue|") << field << " " << offset;
            ASSERT_THAT(opened.diagnostics.kept(), SizeIs(1));
            const std::uint64_t place = opened.diagnostics.kept()[0].error.offset;
            EXPECT_GE(place, 300 + data.part(1)) << field;
            EXPECT_LT(place, 300 + data.part(2)) << field;
            const auto& lost = opened.catalogue.entries()[1];
            EXPECT_EQ(lost.form, blg::Form::instances);
            EXPECT_EQ(lost.object, "") << field;
            EXPECT_EQ(lost.counter, "") << field;
            for (const std::size_t k : {0U, 2U, 3U}) EXPECT_EQ(opened.entries()[k], mixed_texts[k]) << field;
        }
}

TEST(BlgCatalogue, AStringWithoutItsNulIsDamaged) {
    const lf::Data data = lf::catalogue({{.counter = u"abc"}, {.counter = u"b"}});  // the first fills its length
    ASSERT_EQ((data.part(1) - data.part(0)) % 8, 0U);
    std::string bytes = data.text();
    for (std::size_t at = data.part(0) + lf::catalogue_entry::size + 30; at < data.part(1); ++at) bytes[at] = 'x';
    const OpenedCatalogue opened(bytes);
    ASSERT_TRUE(opened.opened);
    ASSERT_THAT(opened.catalogue.entries(), SizeIs(2));
    EXPECT_EQ(opened.catalogue.entries()[0].counter, "");
    EXPECT_EQ(opened.entries()[1], "raw 00010000 10000000 0 PC object - - b");
    EXPECT_EQ(fault_codes(opened.diagnostics), "log_catalogue|");
}

TEST(BlgCatalogue, ALostLengthCostsWhatIsBehindIt) {
    const lf::Data data = lf::catalogue(mixed_entries());
    for (const std::uint32_t length : {1U, 51U, 0xFFFFU, 0xFFFF'FFFFU, 0x8000'0000U}) {
        const OpenedCatalogue opened(patched(data.text(), data.part(1), length), 70);
        ASSERT_TRUE(opened.opened) << length;
        EXPECT_FALSE(opened.catalogue.whole()) << length;
        EXPECT_THAT(opened.entries(), ElementsAre(mixed_texts[0])) << length;
        EXPECT_EQ(placed_faults(opened.diagnostics), "error log_catalogue@" + std::to_string(70 + data.part(1)) + "|")
            << length;
    }
}

TEST(BlgCatalogue, CutAnywhereItHasTheEntriesInFront) {
    const lf::Data data = lf::catalogue(mixed_entries());
    for (std::size_t size = 8; size < data.size(); ++size) {
        const OpenedCatalogue opened(data.text().substr(0, size));
        ASSERT_TRUE(opened.opened) << size;
        std::size_t complete = 0;
        while (complete + 1 < 4 && data.part(complete + 1) <= size) ++complete;
        const bool at_end = size < data.part(complete) + 4;  // then nothing tells that more would follow
        EXPECT_EQ(opened.catalogue.whole(), at_end) << size;
        EXPECT_THAT(
            opened.entries(),
            testing::ElementsAreArray(mixed_texts.begin(), mixed_texts.begin() + static_cast<std::ptrdiff_t>(complete)))
            << size;
        EXPECT_EQ(fault_codes(opened.diagnostics), at_end ? "" : "log_catalogue|") << size;
    }
}

}  // namespace blg_test
}  // namespace hkpd_test
