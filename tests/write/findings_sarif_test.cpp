// Locations in a SARIF log: file names as URIs, and faults that are in no file.
#include <gtest/gtest.h>
#include <rapidjson/document.h>

#include <filesystem>
#include <string>
#include <string_view>

#include "cli/json_text.hpp"
#include "hkpd/check.hpp"
#include "hkpd/diagnostics.hpp"
#include "hkpd/names.hpp"
#include "hkpd/write.hpp"

namespace hkpd_test {
namespace findings_sarif_test {

/// Returns the locations of the first result in a log about one fault at byte 2 of an input, or its keys if it has
/// none.
std::string result_of(std::string_view input) {
    hkpd::Diagnostics diagnostics;
    if (!input.empty()) diagnostics.add_input(input);
    diagnostics.add(hkpd::Severity::error, {hkpd::Errc::version, 2, "PERF_DATA_BLOCK", "Version", 1, 7});
    hkpd::Findings findings(diagnostics, nullptr);
    findings.end_input({});
    std::string text;
    append_findings_sarif(text, findings, "1");
    rapidjson::Document document;
    document.Parse(text.c_str());
    EXPECT_FALSE(document.HasParseError()) << text;
    const rapidjson::Value& result = at(document, "runs", 0, "results", 0);
    return result.HasMember("locations") ? json_text(at(result, "locations")) : keys(result);
}

std::string uri_of(std::string_view input) {
    const std::string locations = result_of(input);
    const std::string before = R"([{"physicalLocation":{"artifactLocation":{"uri":")";
    const std::string after = R"("},"region":{"byteOffset":2,"byteLength":0}}}])";
    EXPECT_TRUE(locations.starts_with(before) && locations.ends_with(after)) << locations;
    return locations.substr(before.size(), locations.size() - before.size() - after.size());
}

TEST(FindingsSarif, FileNamesAreUris) {
    EXPECT_EQ(uri_of("blobs/a b%#?.bin"), "blobs/a%20b%25%23%3F.bin");
    EXPECT_EQ(uri_of("Größe.bin"), "Gr%C3%B6%C3%9Fe.bin");
    EXPECT_EQ(uri_of("a:b.bin"), "a%3Ab.bin") << "no scheme";
    EXPECT_EQ(uri_of("/blobs/x.bin"), "file:///blobs/x.bin");
    EXPECT_EQ(uri_of(R"(C:\blobs\x.bin)"), "file:///C:/blobs/x.bin");
    EXPECT_EQ(uri_of("C:/blobs/x.bin"), "file:///C:/blobs/x.bin");
    EXPECT_EQ(uri_of(R"(\\host\share\x.bin)"), "file://host/share/x.bin");
    const bool on_windows = std::filesystem::path::preferred_separator == '\\';
    EXPECT_EQ(uri_of(R"(blobs\x.bin)"), on_windows ? "blobs/x.bin" : "blobs%5Cx.bin") << "part of a name elsewhere";
}

TEST(FindingsSarif, StandardInputIsNoFile) {
    EXPECT_EQ(result_of("-"), "ruleId,ruleIndex,level,message,properties");
    EXPECT_EQ(result_of(""), "ruleId,ruleIndex,level,message,properties");
}

}  // namespace findings_sarif_test
}  // namespace hkpd_test
