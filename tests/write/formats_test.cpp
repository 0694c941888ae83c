// The table of output formats: its order, its names, and the page that shows it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <string>
#include <string_view>

#include "hkpd/format.hpp"
#include "hkpd/write.hpp"
#include "support/places.hpp"
#include "support/temp_folder.hpp"

namespace hkpd_test {
namespace formats_test {

using hkpd::Format;
using hkpd::FormatSpec;
using hkpd::output_formats;
using testing::HasSubstr;

TEST(Formats, TheConstantsAreTheRows) {
    const std::string_view names[] = {"text",    "timeline", "json",        "jsonl", "csv",
                                      "pdh-csv", "pdh-tsv",  "openmetrics", "sqlite"};
    for (std::size_t i = 0; i < std::size(names); ++i) {
        EXPECT_EQ(hkpd::spec_of(static_cast<Format>(i)).name, names[i]);
        EXPECT_EQ(hkpd::format_of(names[i]), static_cast<Format>(i));
    }
    EXPECT_EQ(hkpd::spec_of(Format::sqlite).name, "sqlite");
    EXPECT_EQ(hkpd::format_of("table"), Format::table);
    for (const char* none : {"", "xml", "Text", "text "}) EXPECT_EQ(hkpd::format_of(none), std::nullopt) << none;
    EXPECT_EQ(&hkpd::spec_of(static_cast<Format>(output_formats().size())), &output_formats().front());
}

TEST(Formats, EachRowIsComplete) {
    std::set<std::string_view> names;
    for (const FormatSpec& row : output_formats()) {
        EXPECT_TRUE(names.insert(row.name).second) << row.name;
        EXPECT_TRUE(row.other_name.empty() || names.insert(row.other_name).second) << row.name;
        EXPECT_TRUE(row.extension.starts_with('.') && row.extension.size() > 1) << row.name;
        ASSERT_NE(row.make, nullptr) << row.name;
        // Raw values have no interface, no means and no file of their own.
        EXPECT_FALSE(row.has_raw && (row.needs_run || row.needs_file)) << row.name;
        EXPECT_EQ(row.make_buckets != nullptr, row.options.find("bucket") != row.options.npos) << row.name;
        EXPECT_EQ(row.needs_file, row.syntax == FormatSpec::Syntax::binary) << row.name;
        if (row.needs_file) continue;
        EXPECT_NE(hkpd::make_writer(*hkpd::format_of(row.name), {}), nullptr);
    }
}

/// Returns the table of formats as tools/OUTPUTS.md shows it.
std::string page_table() {
    const auto mark = [](bool has) { return has ? "yes |" : " |"; };
    std::string text = "| format | file | samples one by one | `dump` | `--summary`, `top` | `--bucket` | `--jobs` |\n";
    text += "|---|---|---|---|---|---|---|\n";
    for (const FormatSpec& row : output_formats()) {
        text += "| `" + std::string(row.name) + "` | `" + std::string(row.extension) + "` | ";
        text += mark(!row.needs_run);
        text += ' ';
        text += mark(row.has_raw);
        text += ' ';
        text += mark(row.has_summary);
        text += ' ';
        text += mark(row.make_buckets != nullptr);
        text += ' ';
        text += mark(!row.needs_run && row.syntax != FormatSpec::Syntax::json);
        text += '\n';
    }
    return text;
}

TEST(Formats, ThePageShowsTheTable) {
    const std::filesystem::path root = std::filesystem::path(testdata_folder).parent_path();
    EXPECT_THAT(read_file(root / "tools/OUTPUTS.md"), HasSubstr(page_table()));
}

}  // namespace formats_test
}  // namespace hkpd_test
