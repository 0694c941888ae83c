// Two real performance logs, event by event: the values at the offsets of FORMAT.md, spelled out.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "blg/blg.hpp"
#include "support/log_reading.hpp"
#include "support/shared_dir.hpp"

namespace hkpd_test {
namespace blg_real_test {

using hkpd::Record;
using testing::ElementsAre;
using testing::SizeIs;
namespace blg = hkpd::blg;
namespace lf = log_file;

class WindowsLogs : public WindowsData {
  protected:
    std::unique_ptr<LogRecords> read(const std::string& name) const { return read_log({path("data/blg/" + name)}); }
    std::unique_ptr<LogRecords> vista() const { return read("vista-2007-wildcards.blg"); }
    std::unique_ptr<LogRecords> win10() const { return read("win10-14393-counters.blg"); }
};

TEST_F(WindowsLogs, Headers) {
    const auto vista = open_header(this->vista()->only(Record::Kind::log_header));
    ASSERT_TRUE(vista);
    EXPECT_EQ(vista->buffer_size, 65536U);
    EXPECT_EQ(vista->mode, 0x0100'0001U);
    EXPECT_EQ(vista->buffers, 7U);
    EXPECT_EQ(vista->events_lost + vista->buffers_lost, 0U);
    EXPECT_EQ(vista->end_time, 128'315'946'395'997'126);
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
    EXPECT_EQ(win10->mode, 0x3002'0801U);
    EXPECT_EQ(win10->buffers, 2U);
    EXPECT_TRUE(win10->closed());
    EXPECT_EQ(win10->end_time, 131'246'708'917'952'900);
    const hkpd::TimeZone winter = win10->zone.at(131'246'415'908'740'000);
    EXPECT_EQ(winter.name, "Pacific Standard Time");
    EXPECT_EQ(winter.bias, 480);
}

TEST_F(WindowsLogs, RecordsOfVista) {
    const auto records = vista();
    std::string kinds;
    for (const Kept& kept : records->all) kinds += std::to_string(static_cast<int>(kept.kind)) + " ";
    const auto several = [](int times, const std::string& text) {
        std::string all;
        for (int i = 0; i < times; ++i) all += text;
        return all;
    };
    EXPECT_EQ(kinds, "6 1 7 " + several(11, "8 ") + "9 ");  // the titles of 14 events form one database
    for (const Kept& kept : records->all)                   // titles belong to a machine, whichever log they come from
        EXPECT_EQ(hkpd::guid_text(kept.log),
                  kept.kind == Record::Kind::titles ? hkpd::guid_text({}) : "{11389721-1d66-485b-834f-07f5542e7ecf}");
    EXPECT_EQ(placed_faults(records->diagnostics), "");
}

TEST_F(WindowsLogs, CatalogueOfVista) {
    const OpenedCatalogue opened(vista()->only(Record::Kind::log_catalogue));
    EXPECT_THAT(opened.entries(),
                ElementsAre("block 0 0 ZACH-PC LogicalDisk * - *", "block 0 0 ZACH-PC TCPv4 * - *",
                            "block 0 0 ZACH-PC Memory - - *", "block 0 0 ZACH-PC Network Interface * - *",
                            "block 0 0 ZACH-PC PhysicalDisk * - *", "block 0 0 ZACH-PC Process * - *",
                            "block 0 0 ZACH-PC Processor * - *", "block 0 0 ZACH-PC System - - *"));
    EXPECT_TRUE(opened.catalogue.whole());
    EXPECT_EQ(placed_faults(opened.diagnostics), "");
}

TEST_F(WindowsLogs, CatalogueOfWindows10) {
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

TEST_F(WindowsLogs, RowsOfVistaEqualItsBlobs) {
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

TEST_F(WindowsLogs, TheFirstRowOfWindows10) {
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

TEST_F(WindowsLogs, TheTrailerOfVista) {
    const auto rows = blg::read_trailer_rows(ExactBytes(vista()->only(Record::Kind::log_trailer)).at());
    ASSERT_TRUE(rows);
    EXPECT_EQ(*rows, 11U);
    EXPECT_TRUE(win10()->of(Record::Kind::log_trailer).empty());
}

TEST_F(WindowsLogs, NamesOfVistaAreTheTitlesOfItsMachine) {
    const auto records = vista();
    const auto found = records->of(Record::Kind::titles);
    ASSERT_THAT(found, SizeIs(1));
    EXPECT_EQ(found[0]->machine, "ZACH-PC");
    EXPECT_TRUE(found[0]->bytes == read_file(folder_ / "data/titles/vista-2007-counter-009.multisz"));
}

}  // namespace blg_real_test
}  // namespace hkpd_test
