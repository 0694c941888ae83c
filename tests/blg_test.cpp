// The events of performance logs: header, catalogue, rows, raw counters, trailer. Made here byte by byte, and from two
// real logs in the shared folder.
#include "hkpd/blg.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "log_reading.hpp"
#include "shared_dir.hpp"

namespace hkpd_test {
namespace {

using hkpd::Errc;
using hkpd::Record;
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

std::expected<blg::Header, hkpd::Error> open_header(const std::string& event, std::uint64_t offset = 0) {
    return blg::read_header(ExactBytes(event).at(offset));
}

std::string patched(std::string bytes, std::size_t at, std::uint64_t value, std::size_t width = 4) {
    for (std::size_t i = 0; i < width; ++i) bytes.at(at + i) = static_cast<char>(value >> (8 * i) & 0xFF);
    return bytes;
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
        EXPECT_EQ(header->build, 6000U);
        EXPECT_EQ(header->mode, 0x0002'0002U);
        EXPECT_EQ(header->buffers, 77U);
        EXPECT_EQ(header->events_lost, 5U);
        EXPECT_EQ(header->buffers_lost, 6U);
        EXPECT_EQ(header->start_time, 128'000'000'000'000'000);
        EXPECT_EQ(header->end_time, 128'000'000'600'000'000);
        EXPECT_EQ(header->file, "D:\\Leistung\\größer 🚀.blg");
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
                EXPECT_EQ(header->build, 14393U) << size;
                EXPECT_EQ(header->zone.bias, 480) << size;
                EXPECT_EQ(header->file, size == whole.size() ? "C:\\PerfLogs\\test.blg" : "") << size;
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

TEST(BlgCatalogue, OpenedAgainItForgets) {
    OpenedCatalogue opened(lf::catalogue(mixed_entries()).text());
    const ExactBytes other(lf::catalogue({{.counter = u"alone"}}).text()), none("");
    ASSERT_TRUE(opened.catalogue.open(other.at(), {}, opened.diagnostics));
    EXPECT_THAT(opened.entries(), ElementsAre("raw 00010000 10000000 0 PC object - - alone"));
    EXPECT_FALSE(opened.catalogue.open(none.at(), {}, opened.diagnostics));
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
    for (std::size_t at = data.part(0) + lf::catalogue_entry::size + 22; at < data.part(1); ++at) bytes[at] = 'x';
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
        const bool at_end = size == data.part(complete);  // then nothing tells that more would follow
        EXPECT_EQ(opened.catalogue.whole(), at_end) << size;
        EXPECT_THAT(
            opened.entries(),
            testing::ElementsAreArray(mixed_texts.begin(), mixed_texts.begin() + static_cast<std::ptrdiff_t>(complete)))
            << size;
        EXPECT_EQ(fault_codes(opened.diagnostics), at_end ? "" : "log_catalogue|") << size;
    }
}

const std::vector<lf::RowRecord> mixed_records{lf::raw({.first = 5, .second = 6}),
                                               {lf::block_type, "twelve bytes"},
                                               lf::instances({.instances = {{u"a", 1, 2}, {u"bc", 3, 4}}}),
                                               lf::raw({.first = 7, .status = 0xC000'0BC6})};
const std::string mixed_forms = "raw 40,block 12,instances 88,raw 40";

TEST(BlgRow, RecordsOfAllForms) {
    const OpenedRow opened(lf::row(mixed_records).text());
    ASSERT_TRUE(opened.opened);
    EXPECT_EQ(opened.forms(), mixed_forms);
    EXPECT_TRUE(opened.row.whole());
    EXPECT_EQ(placed_faults(opened.diagnostics), "");
    EXPECT_EQ(opened.row.bytes().size(), lf::row(mixed_records).size());
    EXPECT_EQ(raw_text(*blg::read_raw(opened.row.records()[3].body)), "3221228486 0 7 0 1");
}

TEST(BlgRow, BodiesSayWhereTheyStand) {
    const lf::Data data = lf::row(mixed_records);
    const OpenedRow opened(data.text(), 900);
    ASSERT_THAT(opened.row.records(), SizeIs(4));
    for (std::size_t k = 0; k < 4; ++k)
        EXPECT_EQ(opened.row.records()[k].body.offset(), 900 + data.part(k) + lf::record_header::size);
}

TEST(BlgRow, WhatIsNone) {
    const std::string row = lf::row(mixed_records).text();
    for (const std::string& event : {std::string(), row.substr(0, 7), patched(row, 0, 'X', 1), patched(row, 1, 'l', 1),
                                     patched(row, 2, 0x0103, 2), patched(row, 2, 0, 2)}) {
        const OpenedRow opened(event);
        ASSERT_FALSE(opened.opened) << event.size();
        EXPECT_EQ(opened.opened.error().code, Errc::log_record);
        EXPECT_THAT(opened.row.records(), SizeIs(0));
    }
}

TEST(BlgRow, AnUnknownRecordIsPassedOver) {
    const lf::Data data = lf::row(mixed_records);
    for (const std::uint32_t type : {0x0003U, 0x0403U, 0x0303U, 0x0703U, 0xFFFFU}) {
        const OpenedRow opened(patched(data.text(), data.part(1) + lf::record_header::Type, type, 2), 40);
        ASSERT_TRUE(opened.opened) << type;
        EXPECT_EQ(opened.forms(), "raw 40,instances 88,raw 40") << type;
        EXPECT_EQ(fault_codes(opened.diagnostics), "log_unknown|") << type;
        EXPECT_EQ(opened.diagnostics.kept()[0].error.have, type);
        EXPECT_GE(opened.diagnostics.kept()[0].error.offset, 40 + data.part(1));
        EXPECT_LT(opened.diagnostics.kept()[0].error.offset, 40 + data.part(1) + lf::record_header::size);
    }
}

TEST(BlgRow, AWrongLengthEndsIt) {
    const lf::Data data = lf::row(mixed_records);
    for (const std::uint32_t length : {0U, 7U, 0xFFFFU, 0xFFFF'FFFFU, 0x8000'0000U}) {
        const OpenedRow opened(patched(data.text(), data.part(2) + lf::record_header::Length, length), 40);
        ASSERT_TRUE(opened.opened) << length;
        EXPECT_FALSE(opened.row.whole()) << length;
        EXPECT_EQ(opened.forms(), "raw 40,block 12") << length;
        EXPECT_EQ(fault_codes(opened.diagnostics), "log_record|") << length;
    }
    const OpenedRow no_letters(patched(data.text(), data.part(2), 0, 2));
    EXPECT_FALSE(no_letters.row.whole());
    EXPECT_EQ(no_letters.forms(), "raw 40,block 12");
    EXPECT_EQ(fault_codes(no_letters.diagnostics), "log_record|");
}

TEST(BlgRow, ALengthOfItsOwnThatLiesCostsNoSoundRecord) {
    const lf::Data data = lf::row(mixed_records);
    for (const std::uint32_t length : {0xFFFF'FFFFU, static_cast<std::uint32_t>(data.size() + 1)}) {
        const OpenedRow opened(patched(data.text(), lf::record_header::Length, length));
        ASSERT_TRUE(opened.opened) << length;
        EXPECT_EQ(opened.forms(), mixed_forms) << length;
        EXPECT_EQ(fault_codes(opened.diagnostics), "log_record|") << length;
    }
}

TEST(BlgRow, CutAnywhereItHasTheRecordsInFront) {
    const lf::Data data = lf::row(mixed_records);
    const std::vector<std::string> forms{"", "raw 40", "raw 40,block 12", "raw 40,block 12,instances 88"};
    for (std::size_t size = 8; size < data.size(); ++size) {
        const OpenedRow opened(data.text().substr(0, size));
        ASSERT_TRUE(opened.opened) << size;
        std::size_t complete = 0;
        while (complete + 1 < 4 && data.part(complete + 1) <= size) ++complete;
        EXPECT_EQ(opened.forms(), forms[complete]) << size;
        EXPECT_FALSE(opened.row.whole()) << size;
        EXPECT_NE(placed_faults(opened.diagnostics).find("log_record"), std::string::npos) << size;
    }
}

TEST(BlgRaw, Fields) {
    const lf::RowRecord record = lf::raw({.first = -5,
                                          .second = std::int64_t{1} << 62U,
                                          .time = 131'246'415'908'740'000,
                                          .status = 0x8000'07D5,
                                          .multi_count = 0xFFFF'FFFF});
    const auto raw = blg::read_raw(ExactBytes(record.body).at());
    ASSERT_TRUE(raw);
    EXPECT_EQ(raw_text(*raw), "2147485653 131246415908740000 -5 4611686018427387904 4294967295");
    for (std::size_t size = 0; size < 36; ++size) {
        const auto cut = blg::read_raw(ExactBytes(record.body.substr(0, size)).at(12));
        ASSERT_FALSE(cut) << size;
        EXPECT_EQ(cut.error().code, Errc::log_record);
        EXPECT_GE(cut.error().offset, 12U);
    }
    EXPECT_TRUE(blg::RawCounter::is_valid(0));
    EXPECT_TRUE(blg::RawCounter::is_valid(1));
    EXPECT_FALSE(blg::RawCounter::is_valid(0xC000'0BC6));
    EXPECT_FALSE(blg::RawCounter::is_valid(0x8000'07D1));
}

/// `name=status time first second multi`, `?` for a name that is lost.
std::vector<std::string> instance_texts(const blg::RawInstances& list) {
    std::vector<std::string> all;
    for (std::size_t i = 0; i < list.size(); ++i) {
        const auto instance = list[i];
        std::string name = instance.name ? "" : "?";
        if (instance.name)
            for (std::size_t at = 0; at < instance.name->bytes.size(); at += 2)
                name += static_cast<char>(*instance.name->bytes.at(at));
        all.push_back(name + "=" + raw_text(instance.counter));
    }
    return all;
}

const lf::RawInstances three{
    .instances = {{u"one", 1, 2}, {u"", 3, -4, 0}, {u"three", 5, 6, 7}}, .time = 1000, .status = 1};

TEST(BlgInstances, Fields) {
    const ExactBytes bytes(lf::instances(three).body);
    blg::RawInstances list;
    ASSERT_TRUE(list.open(bytes.at()));
    EXPECT_EQ(list.status(), 1U);
    EXPECT_EQ(list.time(), 1000);
    EXPECT_THAT(instance_texts(list), ElementsAre("one=1 1000 1 2 1", "=1 1000 3 -4 0", "three=1 1000 5 6 7"));
    const ExactBytes none(lf::instances({.time = 5}).body);
    ASSERT_TRUE(list.open(none.at()));
    EXPECT_EQ(list.size(), 0U);
    EXPECT_EQ(list.status(), 0U);
}

TEST(BlgInstances, ANumberThatDoesNotFit) {
    const std::string body = lf::instances(three).body;
    blg::RawInstances list;
    for (const std::uint32_t count : {6U, 0x0AAA'AAABU, 0xFFFF'FFFFU, 0x8000'0000U}) {
        const ExactBytes bytes(patched(body, lf::raw_instances::Count, count));
        const auto opened = list.open(bytes.at(50));
        ASSERT_FALSE(opened) << count;
        EXPECT_EQ(opened.error().code, Errc::log_record) << count;
        EXPECT_GE(opened.error().offset, 50U);
        EXPECT_EQ(list.size(), 0U);
    }
    for (std::size_t size = 0; size < lf::raw_instances::size + 3 * lf::raw_instance::size; ++size) {
        const ExactBytes cut(body.substr(0, size));
        EXPECT_FALSE(list.open(cut.at())) << size;
    }
}

TEST(BlgInstances, ANameOutsideIsNone) {
    const std::string body = lf::instances(three).body;
    const std::size_t second = lf::raw_instances::size + lf::raw_instance::size;
    for (const std::uint32_t name : {static_cast<std::uint32_t>(body.size()), 0xFFFF'FFFFU, 0xFFFF'FFFEU, 0x8000'0000U,
                                     static_cast<std::uint32_t>(body.size() - 1)}) {
        const ExactBytes bytes(patched(body, second + lf::raw_instance::Name, name));
        blg::RawInstances list;
        ASSERT_TRUE(list.open(bytes.at()));
        EXPECT_THAT(instance_texts(list), ElementsAre("one=1 1000 1 2 1", "?=1 1000 3 -4 0", "three=1 1000 5 6 7"))
            << name;
    }
    // The last name without its NUL
    const lf::RowRecord tight = lf::instances({.instances = {{u"abc", 1, 2}}});
    ASSERT_EQ(tight.body.size() % 8, 0U);
    const ExactBytes bytes(patched(tight.body, tight.body.size() - 2, u'x', 2));
    blg::RawInstances list;
    ASSERT_TRUE(list.open(bytes.at()));
    EXPECT_THAT(instance_texts(list), ElementsAre("?=0 0 1 2 1"));
}

TEST(BlgTrailer, Fields) {
    const std::string event =
        lf::trailer({.first_time = 11, .last_time = -22, .rows = 33, .objects = {"one", "two"}}).text();
    const auto trailer = blg::read_trailer(ExactBytes(event).at());
    ASSERT_TRUE(trailer);
    EXPECT_EQ(trailer->first_time, 11);
    EXPECT_EQ(trailer->last_time, -22);
    EXPECT_EQ(trailer->rows, 33U);
    EXPECT_EQ(trailer->objects, 2U);
    for (std::size_t size = 0; size < 24; ++size)
        EXPECT_FALSE(blg::read_trailer(ExactBytes(event.substr(0, size)).at())) << size;
}

TEST(BlgNames, AreToldByTheMachineInFront) {
    const auto is_names = [](const std::string& event) { return blg::is_names(ExactBytes(event).at()); };
    EXPECT_TRUE(is_names(lf::names(u"\\\\PC", {{u"2", u"System"}, {u"4", u"Memory"}}).text()));
    EXPECT_TRUE(is_names(lf::names(u"\\\\日本語", {{u"2", u"System"}}).text()));
    EXPECT_FALSE(is_names(""));
    EXPECT_FALSE(is_names(lf::row(mixed_records).text()));
    EXPECT_FALSE(is_names(lf::catalogue(mixed_entries()).text()));
    EXPECT_FALSE(is_names(lf::names(u"PC", {{u"2", u"System"}}).text()));
    EXPECT_FALSE(is_names(wide("\\\\")));
}

class RealLogs : public SharedDir {
  protected:
    std::unique_ptr<LogRecords> read(const std::string& name) const { return read_log({path("data/blg/" + name)}); }
    std::unique_ptr<LogRecords> vista() const { return read("vista-2007-wildcards.blg"); }
    std::unique_ptr<LogRecords> win10() const { return read("win10-14393-counters.blg"); }
};

TEST_F(RealLogs, Headers) {
    const auto vista = open_header(this->vista()->only(Record::Kind::log_header));
    ASSERT_TRUE(vista);
    EXPECT_EQ(vista->buffer_size, 65536U);
    EXPECT_EQ(vista->build, 6000U);
    EXPECT_EQ(vista->mode, 0x0100'0001U);
    EXPECT_EQ(vista->buffers, 7U);
    EXPECT_EQ(vista->events_lost + vista->buffers_lost, 0U);
    EXPECT_EQ(vista->start_time, 128'315'940'386'205'996);
    EXPECT_EQ(vista->end_time, 128'315'946'395'997'126);
    EXPECT_EQ(vista->file, "c:\\perflogs\\HealthCheck_SystemOverview_localhost_000001.blg");
    EXPECT_EQ(vista->zone.bias, 300);
    EXPECT_EQ(vista->zone.standard.name, "@tzres.dll,-112");
    EXPECT_EQ(vista->zone.daylight.name, "@tzres.dll,-111");
    EXPECT_EQ(vista->zone.daylight.bias, -60);
    EXPECT_EQ(vista->zone.daylight.begins.month, 3);
    EXPECT_EQ(vista->zone.daylight.begins.day, 2);
    EXPECT_EQ(vista->zone.standard.begins.month, 11);
    const hkpd::TimeZone summer = vista->zone.at(128'315'796'386'590'000);
    EXPECT_EQ(summer.name, "Eastern Daylight Time");
    EXPECT_EQ(summer.bias, 240);

    const auto win10 = open_header(this->win10()->only(Record::Kind::log_header));
    ASSERT_TRUE(win10);
    EXPECT_EQ(win10->build, 14393U);
    EXPECT_EQ(win10->mode, 0x3002'0801U);
    EXPECT_EQ(win10->buffers, 2U);
    EXPECT_TRUE(win10->closed());
    EXPECT_EQ(win10->start_time, 131'246'708'917'896'502);
    EXPECT_EQ(win10->end_time, 131'246'708'917'952'900);
    EXPECT_EQ(win10->file, "C:\\Users\\jeffbi\\CounterSamples.blg");
    const hkpd::TimeZone winter = win10->zone.at(131'246'415'908'740'000);
    EXPECT_EQ(winter.name, "Pacific Standard Time");
    EXPECT_EQ(winter.bias, 480);
}

TEST_F(RealLogs, RecordsOfVista) {
    const auto records = vista();
    std::string kinds;
    for (const Kept& kept : records->all) kinds += std::to_string(static_cast<int>(kept.kind)) + " ";
    const auto several = [](int times, const std::string& text) {
        std::string all;
        for (int i = 0; i < times; ++i) all += text;
        return all;
    };
    EXPECT_EQ(kinds, "6 " + several(14, "1 ") + "7 " + several(11, "8 ") + "9 ");
    for (const Kept& kept : records->all)
        EXPECT_EQ(hkpd::guid_text(kept.log), "{11389721-1d66-485b-834f-07f5542e7ecf}");
    EXPECT_EQ(placed_faults(records->diagnostics), "");
}

TEST_F(RealLogs, CatalogueOfVista) {
    const OpenedCatalogue opened(vista()->only(Record::Kind::log_catalogue));
    EXPECT_THAT(opened.entries(),
                ElementsAre("block 0 0 ZACH-PC LogicalDisk * - *", "block 0 0 ZACH-PC TCPv4 * - *",
                            "block 0 0 ZACH-PC Memory - - *", "block 0 0 ZACH-PC Network Interface * - *",
                            "block 0 0 ZACH-PC PhysicalDisk * - *", "block 0 0 ZACH-PC Process * - *",
                            "block 0 0 ZACH-PC Processor * - *", "block 0 0 ZACH-PC System - - *"));
    EXPECT_TRUE(opened.catalogue.whole());
    EXPECT_EQ(placed_faults(opened.diagnostics), "");
}

TEST_F(RealLogs, CatalogueOfWindows10) {
    const OpenedCatalogue opened(win10()->only(Record::Kind::log_catalogue));
    EXPECT_THAT(opened.entries(),
                ElementsAre("instances 10410500 2630633 -4 charlieparker network interface * - bytes total/sec",
                            "raw 21510500 10000000 0 charlieparker processor _total - % processor time",
                            "raw 20020400 2630633 0 charlieparker memory - - % committed bytes in use",
                            "raw 10410400 2630633 -1 charlieparker memory - - cache faults/sec",
                            "raw 20570500 10000000 0 charlieparker physicaldisk _total - % disk time",
                            "raw 00010000 2630633 1 charlieparker physicaldisk _total - current disk queue length"));
    EXPECT_TRUE(opened.catalogue.whole());
    EXPECT_EQ(placed_faults(opened.diagnostics), "");
}

TEST_F(RealLogs, RowsOfVistaAreItsBlobs) {
    constexpr std::array objects{236, 638, 4, 510, 234, 230, 238, 2};  // in the order of the catalogue
    const auto records = vista();
    const auto rows = records->of(Record::Kind::log_row);
    ASSERT_THAT(rows, SizeIs(11));
    for (std::size_t r = 0; r < rows.size(); ++r) {
        const OpenedRow opened(rows[r]->bytes);
        EXPECT_TRUE(opened.row.whole());
        ASSERT_THAT(opened.row.records(), SizeIs(objects.size()));
        for (std::size_t k = 0; k < objects.size(); ++k) {
            const blg::RowRecord& record = opened.row.records()[k];
            EXPECT_EQ(record.form, blg::Form::block);
            const std::string name =
                "s" + std::to_string(r / 10) + std::to_string(r % 10) + "-obj" + std::to_string(objects[k]) + ".bin";
            EXPECT_TRUE(read_file(folder_ / "data/v1/vista-2007" / name) ==
                        std::string(reinterpret_cast<const char*>(record.body.data()), record.body.size()))
                << name;
        }
    }
}

TEST_F(RealLogs, TheFirstRowOfWindows10) {
    const auto records = win10();
    const auto rows = records->of(Record::Kind::log_row);
    ASSERT_THAT(rows, SizeIs(25));
    for (const Kept* row : rows)
        EXPECT_EQ(OpenedRow(row->bytes).forms(), "instances 488,raw 40,raw 40,raw 40,raw 40,raw 40");
    const OpenedRow first(rows[0]->bytes);
    blg::RawInstances list;
    ASSERT_TRUE(list.open(first.row.records()[0].body));
    const std::string time = "=0 131246415908740000 ", clock = " 2006530743703 1";
    EXPECT_THAT(instance_texts(list), ElementsAre("intel[r] ethernet connection i218-lm" + time + "0" + clock,
                                                  "intel[r] dual band wireless-ac 7260" + time + "3983296633" + clock,
                                                  "isatap.{ea2a01ef-c879-4737-9677-c2fbbc1b5af4}" + time + "0" + clock,
                                                  "isatap.jetsoft.com" + time + "0" + clock,
                                                  "teredo tunneling pseudo-interface" + time + "321872" + clock));
    std::vector<std::string> raw;
    for (const blg::RowRecord& record : first.row.records().subspan(1))
        raw.push_back(raw_text(*blg::read_raw(record.body)));
    EXPECT_THAT(
        raw,
        ElementsAre("0 131246415908740000 4903144765625 131246703908743382 1",
                    "0 131246415908740000 3733930794 4294967295 1", "0 131246415908740000 574088259 2006530743703 1",
                    "0 131246415908740000 554043229430 131246703908743382 1", "0 131246415908740000 0 0 1"));
}

TEST_F(RealLogs, TheTrailerOfVista) {
    const auto trailer = blg::read_trailer(ExactBytes(vista()->only(Record::Kind::log_trailer)).at());
    ASSERT_TRUE(trailer);
    EXPECT_EQ(trailer->first_time, 128'315'796'386'590'000);
    EXPECT_EQ(trailer->last_time, 128'315'802'385'990'000);
    EXPECT_EQ(trailer->rows, 11U);
    EXPECT_EQ(trailer->objects, 8U);
    EXPECT_TRUE(win10()->of(Record::Kind::log_trailer).empty());
}

TEST_F(RealLogs, NamesOfVistaAreTheTitlesOfItsMachine) {
    std::string all;
    const auto records = vista();
    for (const Kept* kept : records->of(Record::Kind::titles)) {
        EXPECT_TRUE(blg::is_names(ExactBytes(kept->bytes).at()));
        const std::string machine = wide("\\\\ZACH-PC") + std::string(2, '\0');
        ASSERT_TRUE(kept->bytes.starts_with(machine));
        all += kept->bytes.substr(machine.size());
        EXPECT_EQ(kept->machine, "ZACH-PC");
    }
    EXPECT_TRUE(all == read_file(folder_ / "data/titles/vista-2007-counter-009.multisz"));
}

}  // namespace
}  // namespace hkpd_test
