// Counts, machines and zones are the same in all subcommands.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "run_command.hpp"
#include "support/shared_dir.hpp"
#include "support/temp_folder.hpp"

namespace hkpd_test {
namespace quantity_cli_test {

using testing::HasSubstr;

using WindowsQuantity = WindowsData;

TEST_F(WindowsQuantity, SamplesAreTheMomentsOfTheMachineInAllSubcommands) {
    const std::string log = path("data/blg/win10-14393-counters.blg");
    EXPECT_THAT(run({"info", log}).out, HasSubstr("\nsamples      25, every 3.005 s\n"));
    EXPECT_THAT(run({"check", log}).out, HasSubstr("checked: 25 samples\n"));
    EXPECT_THAT(run({"top", log}).out, HasSubstr("machine charlieparker, 25 samples, "));
    EXPECT_THAT(run({"compare", log, log}).out, HasSubstr("before: machine charlieparker, 25 samples, "));
    EXPECT_THAT(run({"relog", log, "-q"}).out + run({"relog", log}).out, HasSubstr("Samples:  25\n"));
    const std::string page = run({"report", log, "-o", "-"}).out;
    EXPECT_THAT(page, HasSubstr("Samples</dt><dd><data value=\"25\">25</data>"));
}

TEST_F(WindowsQuantity, TheZoneHasTheNameOfTheDate) {
    const std::string log = path("data/blg/vista-2007-wildcards.blg"), summer = "Eastern Daylight Time (UTC-04:00)";
    EXPECT_THAT(run({"info", log}).out, HasSubstr("\nzone         " + summer + "\n"));
    EXPECT_THAT(run({"top", log}).out, HasSubstr(" - 2007-08-14 15:50:38 " + summer + "\n"));
    EXPECT_THAT(run({"report", log, "-o", "-"}).out, HasSubstr("<dt>Time zone</dt><dd>" + summer + "</dd>"));
}

TEST(QuantityCli, TopNamesAllMachines) {
    const TempFolder folder;
    const auto log = [&](const std::string& machine, const std::string& value) {
        return folder.write(machine + ".csv", "\"(PDH-CSV 4.0) (UTC)(0)\",\"\\\\" + machine +
                                                  "\\Process(a)\\% Processor Time\"\n\"05/14/2024 09:30:02.500\",\"" +
                                                  value + "\"\n");
    };
    const std::vector<std::string> arguments{"top", log("PC1", "12.5"), log("PC2", "0.5"), "--top", "1"};
    const std::string out = run(arguments).out;
    EXPECT_THAT(out, HasSubstr("2 machines (PC1, PC2), 2 samples, "));
    EXPECT_THAT(lines(out).back(), testing::EndsWith("  PC1")) << "also if all rows are of one machine";
}

}  // namespace quantity_cli_test
}  // namespace hkpd_test
