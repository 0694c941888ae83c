// The table of fault codes: each code has one row, and the texts have the form that messages and reports need.
#include "base/fault_table.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "hkpd/check.hpp"
#include "hkpd/diagnostics.hpp"
#include "support/places.hpp"

namespace hkpd {
namespace fault_table_test {

/// Returns the codes of the enumeration, as error.hpp lists them.
std::vector<std::string> codes_of_the_header() {
    std::ifstream header(std::string(hkpd_test::testdata_folder) + "/../lib/include/hkpd/error.hpp");
    std::vector<std::string> codes;
    bool inside = false;
    for (std::string line; std::getline(header, line);) {
        if (line.starts_with("enum class Errc")) inside = true;
        if (line == "};" && inside) break;
        const std::size_t begin = line.find_first_not_of(' ');
        if (inside && line.ends_with(',') && line.compare(begin, 2, "//") != 0)
            codes.push_back(line.substr(begin, line.size() - begin - 1));
    }
    return codes;
}

TEST(FaultTable, HasOneRowForEachCode) {
    std::vector<std::string> names;
    for (const FaultRow& row : fault_rows()) names.emplace_back(row.name);
    EXPECT_EQ(names, codes_of_the_header());
    EXPECT_EQ(std::set(names.begin(), names.end()).size(), names.size());
}

TEST(FaultTable, FunctionsReturnTheRow) {
    for (const FaultRow& row : fault_rows()) {
        EXPECT_EQ(&fault_row(row.code), &row);
        EXPECT_EQ(code_name(row.code), row.name);
        EXPECT_EQ(usual_severity(row.code), row.severity);
        EXPECT_EQ(rule_of(row.code), row.rule);
        EXPECT_EQ(repair_of(row.code), row.repair);
    }
}

TEST(FaultTable, SentencesAreInsideMessagesAndRulesStandAlone) {
    for (const FaultRow& row : fault_rows()) {
        EXPECT_FALSE(row.sentence.empty()) << row.name;
        EXPECT_NE(row.sentence.back(), '.') << row.name;
        EXPECT_TRUE(row.rule.empty() || row.rule.back() == '.') << row.name;
        EXPECT_TRUE(row.repair.empty() || row.repair.back() != '.') << row.name;
    }
}

TEST(FaultTable, ASinkAddsTheUsualSeverity) {
    Diagnostics list;
    for (const FaultRow& row : fault_rows()) {
        FaultSink(list).add({row.code, 7, "", "", 0, 0}, 1, 2);
        list.add({row.code, 7, "", "", 0, 0}, 1, 2);
    }
    ASSERT_EQ(list.kept().size(), 2 * fault_rows().size());
    for (std::size_t i = 0; i < list.kept().size(); ++i) {
        const Diagnostic& found = list.kept()[i];
        EXPECT_EQ(found.severity, fault_rows()[i / 2].severity);
        EXPECT_EQ(found.error.code, fault_rows()[i / 2].code);
        EXPECT_EQ(found.object, 1U);
        EXPECT_EQ(found.instance, 2U);
    }
}

}  // namespace fault_table_test
}  // namespace hkpd
