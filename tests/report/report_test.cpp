// A report as a value: the page that the writer makes, and the findings on it.
#include "hkpd/report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "hkpd/reader.hpp"
#include "hkpd/select.hpp"
#include "support/places.hpp"

namespace report_test {

using namespace hkpd;
using testing::HasSubstr;
using testing::StartsWith;

const std::string simulated = std::string(hkpd_test::testdata_folder) + "/captures/simulated.mcap";
const std::string demo = std::string(hkpd_test::testdata_folder) + "/captures/demo.bin";

Reader open(const std::string& path) { return *Reader::open({path}, {.one_source = true}); }

/// A rule that every run exceeds: a processor that is busy at all.
RuleRun any_busy_processor() {
    auto rules = Rules::read(std::string(hkpd_test::testdata_folder) + "/busy.xml");
    EXPECT_TRUE(rules.has_value());
    return *RuleRun::create(*std::move(rules), {});
}

TEST(Report, HasThePageAndItsFindings) {
    Reader reader = open(simulated);
    Filter everything;
    const Report found = report(reader, everything, any_busy_processor(), {.title = "A title"});
    EXPECT_THAT(found.page, StartsWith("<!DOCTYPE html>"));
    EXPECT_THAT(found.page, HasSubstr("<title>A title</title>"));
    EXPECT_GT(found.samples, 1U);
    ASSERT_FALSE(found.findings.empty());
    for (const ReportFinding& finding : found.findings) {
        EXPECT_EQ(finding.analysis, "Busy");
        EXPECT_EQ(finding.threshold, "at all");
        EXPECT_EQ(finding.object, "Processor");
        EXPECT_EQ(finding.counter, "% Processor Time");
        EXPECT_GT(finding.finding.exceeding, 0U);
    }
}

TEST(Report, ComparesWithABaseline) {
    Reader before = open(demo), reader = open(simulated);
    Filter everything;
    const Report found =
        report(reader, everything, *RuleRun::create(Rules::built_in(), {}), {.baseline = "demo.bin"}, &before);
    EXPECT_THAT(found.page, HasSubstr("demo.bin"));
}

}  // namespace report_test
