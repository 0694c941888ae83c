// The cost of hostile logs is bounded by the number of their bytes.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "hkpd/bytes.hpp"
#include "hkpd/diagnostics.hpp"
#include "hkpd/error.hpp"
#include "hkpd/record.hpp"
#include "hkpd/sample.hpp"
#include "sample/fill/log_builder.hpp"
#include "support/log_events.hpp"
#include "support/processor_time.hpp"

namespace log_cost_test {

using namespace hkpd;
using namespace log_file;

std::u16string numbered(char16_t letter, std::size_t number) {
    const std::string digits = std::to_string(number);
    return std::u16string(1, letter).append(digits.begin(), digits.end());
}

/// Returns the number of samples in a row; all of them are built.
std::size_t build_all(const std::vector<Entry>& entries, const std::vector<RowRecord>& records,
                      Diagnostics& diagnostics) {
    LogSampleBuilder builder(nullptr, {});
    const Data catalogue_data = catalogue(entries), row_data = row(records);
    builder.take({.kind = Record::Kind::log_catalogue, .bytes = Bytes(catalogue_data.bytes())}, diagnostics);
    const std::size_t samples =
        builder.open({.kind = Record::Kind::log_row, .bytes = Bytes(row_data.bytes())}, diagnostics);
    Sample sample;
    for (std::size_t i = 0; i < samples; ++i) builder.build(sample, i, 0, diagnostics);
    return samples;
}

/// Bounds the cost of each test: ten times the usual cost, far less than that of a quadratic algorithm.
class LogCost : public testing::Test {
  protected:
    ~LogCost() override { EXPECT_LT(used_.seconds(), 15); }

  private:
    hkpd_test::ProcessorTime used_;
};

TEST_F(LogCost, ListsThatAllDiffer) {
    std::vector<Entry> entries;
    std::vector<RowRecord> records;
    for (std::size_t i = 0; i < 40'000; ++i) {
        entries.push_back({.form = log_file::Form::instances, .instance = u"*", .counter = numbered(u'c', i)});
        records.push_back(instances({.instances = {{numbered(u'i', i), 1}}}));
    }
    Diagnostics diagnostics;
    EXPECT_EQ(build_all(entries, records, diagnostics), 1U);
    ASSERT_FALSE(diagnostics.kept().empty());
    EXPECT_EQ(diagnostics.kept().front().error.code, Errc::value_limit);
}

TEST_F(LogCost, ManyMachinesOfOneCounter) {
    std::vector<Entry> entries;
    std::vector<RowRecord> records;
    for (std::size_t i = 0; i < 60'000; ++i) {
        entries.push_back({.machine = u"\\\\" + numbered(u'm', i)});
        records.push_back(raw({.first = 1}));
    }
    Diagnostics diagnostics;
    EXPECT_EQ(build_all(entries, records, diagnostics), entries.size());
    EXPECT_TRUE(diagnostics.kept().empty());
}

TEST_F(LogCost, ManyObjectsOfOneCounter) {
    std::vector<Entry> entries;
    std::vector<RowRecord> records;
    for (std::size_t i = 0; i < 150'000; ++i) {
        entries.push_back({.object = numbered(u'o', i)});
        records.push_back(raw({.first = 1}));
    }
    Diagnostics diagnostics;
    EXPECT_EQ(build_all(entries, records, diagnostics), 1U);
    EXPECT_TRUE(diagnostics.kept().empty());
}

}  // namespace log_cost_test
