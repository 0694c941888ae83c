// Rule files: what is read from PAL's files, from our own, and from hostile ones. The expected counts of PAL's files
// are those of an independent reader (expected.json in the same folder).
#include "rules/threshold_file.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/encoding.hpp"
#include "hkpd/rules.hpp"
#include "rules/data.hpp"
#include "support/processor_time.hpp"
#include "support/shared_dir.hpp"
#include "support/temp_folder.hpp"

namespace hkpd::threshold_file_test {

std::expected<Rules, std::string> parse(std::string_view xml) {
    return Rules::parse(std::as_bytes(std::span(xml)), "test.xml");
}

/// Returns an analysis in XML; `more`: further elements of it.
std::string analysis(std::string_view name, std::string_view limit = "80", std::string_view more = "") {
    std::string xml =
        "<ANALYSIS NAME='N' ENABLED='True' CATEGORY='Test' PRIMARYDATASOURCE='p' ID='{N}'>"
        "<DATASOURCE TYPE='CounterLog' NAME='p' EXPRESSIONPATH='\\O(*)\\C' COLLECTIONVARNAME='X'/>"
        "<THRESHOLD NAME='high' CONDITION='Warning'><CODE><![CDATA[StaticThreshold "
        "-CollectionOfCounterInstances $X -Operator 'gt' -Threshold L]]></CODE></THRESHOLD>";
    for (std::size_t at = 0; (at = xml.find("'N'", at)) != xml.npos; at += name.size()) xml.replace(at + 1, 1, name);
    xml.replace(xml.find("{N}") + 1, 1, name);
    xml.replace(xml.find("Threshold L") + 10, 1, limit);
    return xml.append(more).append("</ANALYSIS>");
}

std::string file(const std::string& content) { return "<PAL NAME='Test file'>" + content + "</PAL>"; }

struct Counts {
    std::size_t analyses = 0, enabled = 0, thresholds = 0, sources = 0, generated = 0, excludes = 0, questions = 0;
    std::size_t evaluated = 0;
    bool operator==(const Counts&) const = default;
};

class RealPalFiles : public hkpd_test::SharedDir {
  protected:
    Counts count(const std::string& name) const {
        const std::string xml = hkpd_test::read_file(folder_ / "data/pal" / name);
        const auto content = pal::parse_threshold_file(std::as_bytes(std::span(xml)), name).value();
        Counts counts;
        counts.questions = content.questions.size();
        for (const pal::FileAnalysis& one : content.analyses) {
            ++counts.analyses;
            counts.enabled += one.rule.enabled ? 1U : 0U;
            counts.thresholds += one.thresholds.size();
            for (const pal::FileSource& source : one.sources) {
                ++counts.sources;
                counts.generated += source.is_computed ? 1U : 0U;
                counts.excludes += source.excluded.size();
            }
        }
        const Rules rules = parse(xml).value();
        for (const RuleAnalysis& one : rules.analyses())
            for (const RuleThreshold& threshold : one.thresholds)
                counts.evaluated += threshold.not_evaluated.empty() ? 1U : 0U;
        return counts;
    }

    /// Returns how many thresholds are not evaluated, by reason.
    std::map<std::string, int> reasons(const std::string& name) const {
        std::map<std::string, int> all;
        const Rules rules = Rules::read(path("data/pal/" + name)).value();
        for (const RuleAnalysis& one : rules.analyses())
            for (const RuleThreshold& threshold : one.thresholds)
                if (!threshold.not_evaluated.empty()) ++all[threshold.not_evaluated];
        return all;
    }
};

TEST_F(RealPalFiles, AreCountedAsByAnotherReader) {
    // All thresholds are evaluated, but two of SystemOverview.xml that use an answer to a question of the other file.
    EXPECT_EQ(count("QuickSystemOverview.xml"), (Counts{73, 72, 83, 94, 6, 45, 3, 83}));
    EXPECT_EQ(count("SystemOverview.xml"), (Counts{12, 12, 18, 14, 0, 14, 0, 16}));
    EXPECT_EQ(count("SQLServer2012.xml"), (Counts{136, 134, 56, 165, 13, 0, 2, 56}));
}

TEST_F(RealPalFiles, AreReadWithWhatTheyInherit) {
    const Rules rules = Rules::read(path("data/pal/SQLServer2012.xml")).value();
    EXPECT_EQ(rules.name(), "Microsoft SQL Server 2012");
    EXPECT_TRUE(rules.missing_files().empty());
    EXPECT_EQ(rules.analyses().front().file, "QuickSystemOverview.xml");
    EXPECT_EQ(rules.analyses().back().file, "SQLServer2012.xml");
    EXPECT_EQ(rules.questions().size(), 5U);
    EXPECT_EQ(reasons("SQLServer2012.xml"), (std::map<std::string, int>{}));
}

TEST_F(RealPalFiles, PathsOfNamedInstancesAreTranslated) {
    const Rules rules = Rules::read(path("data/pal/SQLServer2012.xml")).value();
    auto run = RuleRun::create(rules, {}).value();
    auto uses = [&run, number = 0U](std::string_view object, std::string_view counter) mutable {
        return run.add_series(number++, {"PC", object, counter, "", "", "", false});
    };
    EXPECT_TRUE(uses("SQLServer:SQL Statistics", "Batch Requests/sec"));
    EXPECT_TRUE(uses("MSSQL$PROD:SQL Statistics", "Batch Requests/sec"));
    EXPECT_TRUE(uses("mssql$prod:sql statistics", "batch requests/SEC"));
    EXPECT_FALSE(uses("XMSSQL$PROD:SQL Statistics", "Batch Requests/sec"));
    EXPECT_FALSE(uses("MSSQL$PROD:SQL Statistics X", "Batch Requests/sec"));
}

TEST_F(RealPalFiles, HaveNoMarkupButThatOfTheList) {
    for (const char* name : {"QuickSystemOverview.xml", "SystemOverview.xml", "SQLServer2012.xml"}) {
        const Rules rules = Rules::read(path(std::string("data/pal/") + name)).value();
        for (const RuleAnalysis& one : rules.analyses()) {
            EXPECT_EQ(one.description_html.find("<a"), std::string::npos);
            for (const char* tag : {"<b", "<B", "<a", "<A", "</", "<u", "<U", "<l", "<L"})
                EXPECT_EQ(one.description.find(tag), std::string::npos) << one.name;
        }
    }
}

TEST(ThresholdFile, BuiltInRulesAreEvaluated) {
    const Rules rules = Rules::built_in();
    EXPECT_GE(rules.analyses().size(), 20U);
    for (const RuleAnalysis& one : rules.analyses()) {
        EXPECT_FALSE(one.thresholds.empty()) << one.name;
        EXPECT_FALSE(one.description.empty()) << one.name;
        for (const RuleThreshold& threshold : one.thresholds)
            EXPECT_EQ(threshold.not_evaluated, "") << one.name << ": " << threshold.name;
    }
}

TEST(ThresholdFile, ReadsAllParts) {
    const auto rules = parse(file(
        "<QUESTION QUESTIONVARNAME='OS' DATATYPE='options' DEFAULTVALUE='Windows' OPTIONS='Windows, Other,'>What\n  "
        "system?</QUESTION><QUESTION QUESTIONVARNAME='Oltp' DATATYPE='boolean' DEFAULTVALUE='True'>?</QUESTION>" +
        analysis("A", "80",
                 "<THRESHOLD NAME=' very\n high' CONDITION='critical' LEASTSECONDS='1.5'><CODE>StaticThreshold "
                 "-CollectionOfCounterInstances $x -Operator 'ge' -Threshold 95 -IsTrendOnly $True</CODE></THRESHOLD>"
                 "<DESCRIPTION><![CDATA[One <b>two</b>]]></DESCRIPTION><CHART/>")));
    ASSERT_TRUE(rules) << rules.error();
    EXPECT_EQ(rules->name(), "Test file");
    ASSERT_EQ(rules->questions().size(), 2U);
    EXPECT_EQ(rules->questions()[0].text, "What system?");
    EXPECT_EQ(rules->questions()[0].options, (std::vector<std::string>{"Windows", "Other"}));
    EXPECT_EQ(rules->questions()[1].options, (std::vector<std::string>{"True", "False"}));
    ASSERT_EQ(rules->analyses().size(), 1U);
    const RuleAnalysis& read = rules->analyses()[0];
    EXPECT_EQ(read.path, R"(\O(*)\C)");
    EXPECT_EQ(read.file, "test.xml");
    EXPECT_EQ(read.description, "One two");
    EXPECT_EQ(read.description_html, "One <b>two</b>");
    ASSERT_EQ(read.thresholds.size(), 2U);
    EXPECT_EQ(read.thresholds[0].condition, "> 80");
    EXPECT_EQ(read.thresholds[1].name, "very high");
    EXPECT_EQ(read.thresholds[1].condition, "slope >= 95 per hour");
    EXPECT_EQ(read.thresholds[1].severity, RuleSeverity::critical);
    EXPECT_TRUE(read.thresholds[1].is_trend);
    EXPECT_EQ(read.thresholds[1].least_time, 1'500'000'000);
}

TEST(ThresholdFile, ReasonsOfAnalyses) {
    const auto reason = [](const std::string& source, const std::string& code) {
        const auto rules = parse(file("<ANALYSIS NAME='A' PRIMARYDATASOURCE='p'>" + source +
                                      "<THRESHOLD NAME='t'><CODE>" + code + "</CODE></THRESHOLD></ANALYSIS>"));
        const RuleAnalysis& one = rules.value().analyses()[0];
        EXPECT_EQ(one.not_evaluated, one.thresholds[0].not_evaluated);
        return one.not_evaluated;
    };
    const std::string call = "StaticThreshold -CollectionOfCounterInstances $X -Operator 'gt' -Threshold ";
    const std::string source = "<DATASOURCE TYPE='CounterLog' EXPRESSIONPATH='\\O\\C' COLLECTIONVARNAME='X'/>";
    EXPECT_EQ(reason(source, call + "1"), "");
    EXPECT_EQ(reason("", call + "1"), "compares $X, which is no data source");
    EXPECT_EQ(reason(source, call + "$Y"), "uses the variable $Y, which has no value");
    EXPECT_EQ(reason(source, call + "($Y.Count)"), "counts $Y, which is no counter");
    EXPECT_EQ(reason("<DATASOURCE TYPE='CounterLog' EXPRESSIONPATH='nothing' COLLECTIONVARNAME='X'/>", call + "1"),
              "its data source has no valid counter path");
    const std::string computed = "<DATASOURCE TYPE='Generated' EXPRESSIONPATH='\\O\\D' COLLECTIONVARNAME='X' ";
    EXPECT_EQ(reason(computed + "><CODE>Remove-Item x</CODE></DATASOURCE>", call + "1"),
              "its data source is computed by a script that uses the script command Remove-Item (line 1)");
    EXPECT_EQ(reason(computed + "EXPRESSION='[Y] * 2'/>", call + "1"),
              "its data source uses $Y, which is no data source");
    EXPECT_EQ(reason(computed + "EXPRESSION='[X] * 2'/>", call + "1"),
              "its data source uses $X, which is computed too");
    EXPECT_EQ(reason(source, "<![CDATA[\nGet-Date]]>"), "uses the script command Get-Date (line 2)");
}

TEST(ThresholdFile, Encodings) {
    const std::string xml = "<?xml version='1.0'?>\n<PAL NAME='Gr\u00F6\u00DFe \u65E5\U0001F600'></PAL>";
    const auto name = [](const std::string& bytes) {
        const auto rules = parse(bytes);
        return rules ? std::string(rules->name()) : rules.error();
    };
    EXPECT_EQ(name(xml), "Gr\u00F6\u00DFe \u65E5\U0001F600");
    EXPECT_EQ(name("\xEF\xBB\xBF" + xml), "Gr\u00F6\u00DFe \u65E5\U0001F600");
    std::string little = "\xFF\xFE", big = "\xFE\xFF";
    for (const char16_t unit : to_utf16(xml)) {
        little += {static_cast<char>(unit & 0xFF), static_cast<char>(unit >> 8)};
        big += {static_cast<char>(unit >> 8), static_cast<char>(unit & 0xFF)};
    }
    EXPECT_EQ(name(little), "Gr\u00F6\u00DFe \u65E5\U0001F600");
    EXPECT_EQ(name(big), "Gr\u00F6\u00DFe \u65E5\U0001F600");
    EXPECT_EQ(name(little.substr(2)), "Gr\u00F6\u00DFe \u65E5\U0001F600");
    EXPECT_EQ(name("<PAL NAME='Gr\xF6\xDF"
                   "e'/>"),
              "Gr\u00F6\u00DFe");  // Windows-1252
    EXPECT_EQ(name("<PAL NAME='a&#xD800;b&#x110000;'/>").find('\xED'), std::string::npos);
}

TEST(ThresholdFile, HostileXml) {
    const auto error = [](const std::string& xml) {
        const auto rules = parse(xml);
        return rules ? "" : rules.error();
    };
    EXPECT_EQ(error(""), "test.xml: line 1: the file is no XML: No document element found");
    EXPECT_EQ(error("<PAL>\n<ANALYSIS>\n</PAL>"), "test.xml: line 3: the file is no XML: Start-end tags mismatch");
    EXPECT_EQ(error("<html/>"), "test.xml: line 1: the root element is <html>; a rule file of PAL has <PAL>");
    EXPECT_EQ(error(file(std::string(pal::FileLimits::bytes, ' '))).substr(0, 23), "test.xml: the file has ");
    std::string many;
    for (std::size_t i = 0; i < pal::FileLimits::nodes; ++i) many += "<a/>";
    EXPECT_NE(error(file(many)).find("elements and attributes"), std::string::npos);
    std::string analyses;
    for (std::size_t i = 0; i <= pal::FileLimits::analyses; ++i) analyses += "<ANALYSIS/>";
    EXPECT_NE(error(file(analyses)).find("more than 10000 analyses"), std::string::npos);
    std::string excluded = "<ANALYSIS><DATASOURCE>";
    for (std::size_t i = 0; i <= pal::FileLimits::parts; ++i) excluded += "<EXCLUDE/>";
    EXPECT_NE(error(file(excluded + "</DATASOURCE></ANALYSIS>")).find("data sources, thresholds"), std::string::npos);
}

TEST(ThresholdFile, NeitherEntitiesNorNestingDoHarm) {
    const hkpd_test::ProcessorTime time;
    std::string laughs = "<!DOCTYPE PAL [<!ENTITY a0 'ha'>";
    for (char i = '1'; i <= '9'; ++i) {
        laughs += std::string("<!ENTITY a") + i + " '";
        for (int k = 0; k < 10; ++k) laughs += std::string("&a") + static_cast<char>(i - 1) + ";";
        laughs += "'>";
    }
    const auto billion = parse(laughs + "]><PAL NAME='&a9;'/>");
    ASSERT_TRUE(billion) << billion.error();
    EXPECT_EQ(billion->name(), "&a9;");
    const auto external = parse("<!DOCTYPE PAL [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><PAL NAME='&x;'/>");
    ASSERT_TRUE(external) << external.error();
    EXPECT_EQ(external->name(), "&x;");
    std::string nested;
    for (int i = 0; i < 400'000; ++i) nested += "<a>";
    EXPECT_FALSE(parse(file(nested)));
    std::string closed = nested;
    for (int i = 0; i < 400'000; ++i) closed += "</a>";
    EXPECT_TRUE(parse(file(closed)));
    const std::string long_text(10'000'000, 'x');
    const auto large = parse(file(analysis("A", "80", "<DESCRIPTION>" + long_text + "</DESCRIPTION>")));
    ASSERT_TRUE(large) << large.error();
    EXPECT_EQ(large->analyses()[0].description.size(), 65536U);
    const auto long_name =
        parse("<PAL NAME='" + long_text + "'>" + analysis(long_text.substr(0, 1'000'000)) + "</PAL>");
    ASSERT_TRUE(long_name) << long_name.error();
    EXPECT_LE(long_name->name().size(), 1100U);
    EXPECT_LE(long_name->analyses()[0].name.size(), 1100U);
    const auto long_code = parse(file(analysis("A", long_text)));
    ASSERT_TRUE(long_code) << long_code.error();
    EXPECT_EQ(long_code->analyses()[0].not_evaluated, "is longer than 64 KiB");
    EXPECT_LT(time.seconds(), 20);
}

// Inheritance

std::string inheriting(const std::string& name, const std::string& content = "") {
    return file("<INHERITANCE FILEPATH='" + name + "'/>" + content);
}

std::string names(const Rules& rules) {
    std::string all;
    for (const RuleAnalysis& one : rules.analyses())
        all += one.name + "/" + one.thresholds[0].condition + "/" + one.file + " ";
    return all;
}

TEST(ThresholdFile, InheritedAnalysesComeFirstAndAreReplaced) {
    const hkpd_test::TempFolder folder;
    folder.write("Base.xml",
                 file(analysis("A", "1") + analysis("B", "1") + "<QUESTION QUESTIONVARNAME='Q' DEFAULTVALUE='1'/>"));
    folder.write("Middle.xml", inheriting("BASE.XML", analysis("C", "2")));
    const std::string top =
        folder.write("Top.xml", inheriting("Middle.xml", analysis("B", "3") + analysis("D", "3") +
                                                             "<QUESTION QUESTIONVARNAME='q' DEFAULTVALUE='2'/>"));
    const auto rules = Rules::read(top);
    ASSERT_TRUE(rules) << rules.error();
    EXPECT_EQ(names(*rules), "A/> 1/Base.xml B/> 3/Top.xml C/> 2/Middle.xml D/> 3/Top.xml ");
    ASSERT_EQ(rules->questions().size(), 1U);
    EXPECT_EQ(rules->questions()[0].default_value, "2");
}

TEST(ThresholdFile, InheritanceStaysInTheFolderAndLosesNoRules) {
    const hkpd_test::TempFolder folder;
    folder.write("Outside.xml", file(analysis("A")));
    for (const std::string name : {"../Outside.xml", "..\\Outside.xml", "..", ".", "C:Outside.xml", "sub/Inside.xml",
                                   "http://x/Outside.xml", "Nothing.xml"}) {
        folder.write("in/sub/Inside.xml", file(analysis("B")));
        const std::string top = folder.write("in/Top.xml", inheriting(name, analysis("C")));
        const auto rules = Rules::read(top);
        ASSERT_FALSE(rules) << name;
        EXPECT_TRUE(rules.error().starts_with(top + ": inherits '" + name + "'")) << rules.error();
        // One that is inherited by an inherited file is missing, too, and the file that inherits it is named.
        const std::string above = folder.write("in/Above.xml", inheriting("Top.xml", analysis("D")));
        EXPECT_EQ(Rules::read(above).error(), rules.error());
    }
}

TEST(ThresholdFile, InMemoryNamesTheFilesThatItInherits) {
    const auto rules = parse(inheriting("Base.xml", analysis("C")));
    ASSERT_TRUE(rules) << rules.error();
    ASSERT_EQ(rules->missing_files().size(), 1U);
    EXPECT_EQ(rules->missing_files()[0], "Base.xml");
}

TEST(ThresholdFile, CyclesAndLongChainsEnd) {
    const hkpd_test::TempFolder folder;
    const std::string self = folder.write("Self.xml", inheriting("self.XML", analysis("A")));
    EXPECT_EQ(names(Rules::read(self).value()), "A/> 80/Self.xml ");
    folder.write("One.xml", inheriting("Two.xml", analysis("A")));
    const std::string two = folder.write("Two.xml", inheriting("One.xml", analysis("B")));
    EXPECT_EQ(names(Rules::read(two).value()), "A/> 80/One.xml B/> 80/Two.xml ");
    for (int i = 0; i < 100; ++i)
        folder.write("Chain" + std::to_string(i) + ".xml", inheriting("Chain" + std::to_string(i + 1) + ".xml"));
    folder.write("Chain100.xml", file(analysis("End")));
    const auto chain = Rules::read(folder.path("Chain0.xml"));
    ASSERT_FALSE(chain);
    EXPECT_NE(chain.error().find("more than 64 files are inherited"), std::string::npos) << chain.error();
    EXPECT_EQ(names(Rules::read(folder.path("Chain50.xml")).value()), "End/> 80/Chain100.xml ");
}

TEST(ThresholdFile, FilesThatCannotBeRead) {
    const hkpd_test::TempFolder folder;
    EXPECT_NE(Rules::read(folder.path("missing.xml")).error().find("cannot be read"), std::string::npos);
    EXPECT_NE(Rules::read(folder.path()).error().find("is a directory"), std::string::npos);
    folder.write("Bad.xml", "<PAL>");
    const auto bad = Rules::read(folder.write("Top.xml", inheriting("Bad.xml")));
    ASSERT_FALSE(bad);
    EXPECT_NE(bad.error().find("Bad.xml: line 1: the file is no XML"), std::string::npos) << bad.error();
}

}  // namespace hkpd::threshold_file_test
