// Who an instance is, and the text for it, is known to one module: no other code of the library and the command writes
// or reads `name#n`, knows the names of totals and idle instances, or the counters that have ids.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

#include "support/places.hpp"

namespace identity_alone_test {

namespace fs = std::filesystem;

const fs::path root = fs::path(hkpd_test::testdata_folder).parent_path();

/// A line that may have what is looked for: the beginning of its file, a part of it, and why.
struct Allowed {
    std::string_view file, text, reason;
};

/// Searches the code of lib/ and tools/, without comments and the module itself, for an expression. Returns the lines
/// with a match that are not allowed: `lib/src/x.cpp:7: text`.
std::vector<std::string> lines_with(const std::regex& forbidden, const std::vector<Allowed>& allowed) {
    std::vector<std::string> found;
    std::size_t files = 0;
    for (const char* const folder : {"lib/include", "lib/src", "tools"})
        for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
            const std::string extension = entry.path().extension().string();
            if (extension != ".hpp" && extension != ".cpp" && extension != ".h") continue;
            const std::string name = fs::relative(entry.path(), root).generic_string();
            if (name.starts_with("lib/src/identity/")) continue;
            ++files;
            std::ifstream in(entry.path());
            std::size_t number = 0;
            for (std::string line; std::getline(in, line);) {
                ++number;
                line.resize(std::min(line.find("//"), line.size()));
                const auto allows = [&](const Allowed& one) {
                    return name.starts_with(one.file) && line.find(one.text) != std::string::npos;
                };
                if (std::regex_search(line, forbidden) && std::ranges::none_of(allowed, allows))
                    found.push_back(name + ":" + std::to_string(number) + ": " + line);
            }
        }
    EXPECT_GT(files, 300U);
    return found;
}

const std::vector<std::string> none;

TEST(IdentityAlone, WritesAndReadsPlaces) {
    const std::vector<Allowed> allowed{
        {"lib/src/sample/display_name.cpp", "IdKind::title", "the number of an object or counter without a name: #238"},
        {"lib/src/write/pdh/text_log.cpp", "\"id \"", "the same, removed"},
        {"lib/src/rules/description.cpp", "starts_with('#')", "references to characters in HTML: &#38;"},
        {"lib/src/rules/tokens.cpp", "c == '#'", "comments of PowerShell"},
        {"lib/src/text_log/text_number.cpp", "1.#", "not a number, as Windows writes it: 1.#QNAN"},
        {"lib/src/text_log/not_recorded.cpp", "'#'", "the same, and #NV"},
        {"lib/src/text_log/not_recorded.cpp", "1.#", "the same"},
        {"lib/src/source/get_counter_text.cpp", "starts_with('#')", "comments of Export-Csv: #TYPE"},
        {"lib/src/base/time_zone.cpp", ";#", "comments in the Windows registry's zones"},
        {"lib/src/redact/instance_name.cpp", "'#', ':'", "the marks that may end a name whose pseudonym is looked up"},
        {"lib/src/write/sqlite/", "'#' ||", "SQL, which cannot call it"},
        {"lib/src/sample/fill/log_schema.cpp", "entry.index",
         "a log has name and number apart; the name of a sample's "
         "instance is made below this module"},
    };
    // '#', "#", and a text that ends in `#` in front of a number: "#{}", "#%u".
    EXPECT_EQ(lines_with(std::regex(R"re('#'|"[^"]*#(\{[^}]*\}|%[a-z]+|\*)?")re"), allowed), none);
}

TEST(IdentityAlone, KnowsTotalsAndIdleInstances) {
    const std::vector<Allowed> allowed{
        {"lib/src/write/metrics/", "_total", "the end of the names of counters in OpenMetrics"},
        {"lib/src/provider/contract.hpp", "total_name", "the name of the instance that a provider's library computes"},
        {"lib/src/simulate/", "_Total", "names of the simulated machine's instances"},
        {"tools/hkpd/commands/man_page.cpp", "\"_Total\", \"the instance", "an explanation of the word"},
        {"lib/src/simulate/v1_process_objects.cpp", "idle.name", "the same"},
        {"lib/src/redact/instance_name.cpp", "", "names that are kept where others are replaced"},
    };
    EXPECT_EQ(lines_with(std::regex(R"re("([^"]*,)?_?(_total|idle)")re", std::regex::icase), allowed), none);
}

TEST(IdentityAlone, KnowsTheCountersWithIds) {
    const std::vector<Allowed> allowed{
        {"lib/src/simulate/v1_counters.hpp", "{784, 785", "counters of the simulated machine"},
        {"lib/src/simulate/v1_counters.hpp", "{804, 805", "the same"},
        {"lib/src/simulate/v1_process_objects.cpp", "of_one[]", "those that sums leave out"},
        {"lib/src/names/builtin_titles.cpp", "{784, {\"ID Process\"", "a table of titles"},
        {"lib/src/names/builtin_titles.cpp", "\"ID Thread\"", "the same"},
        {"lib/src/quantity/unit.cpp", "Unit::identifier", "counters whose values are no quantities"},
        {"lib/src/compare/changes.cpp", "ids{", "counters that are not compared"},
        {"lib/src/names/parse_titles.cpp", "\"804\"", "a language"},
    };
    EXPECT_EQ(lines_with(std::regex(R"re(\b(784|804)U?\b|"(ID Process|ID Thread|Process ID)")re", std::regex::icase),
                         allowed),
              none);
}

}  // namespace identity_alone_test
