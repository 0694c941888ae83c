// The check of title databases: each fault in a database made here, with its place; real databases, which have no
// fault.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "base/fault_table.hpp"
#include "hkpd/check.hpp"
#include "hkpd/diagnostics.hpp"
#include "hkpd/v1.hpp"
#include "support/blob_builder.hpp"
#include "support/processor_time.hpp"
#include "support/registry_text.hpp"
#include "support/shared_dir.hpp"
#include "support/temp_folder.hpp"

namespace hkpd {
namespace title_check_test {

using hkpd_test::ExactBytes;
using hkpd_test::hex;
using hkpd_test::multi_sz;
using hkpd_test::Strings;
using hkpd_test::wide;

/// Returns severity, code, offset, field, need and have of each fault: `warning title_index 12 Counter 4 8|`, ...
std::string faults_of(const Diagnostics& diagnostics) {
    std::string text;
    for (const Diagnostic& found : diagnostics.kept()) {
        const Error& error = found.error;
        text.append(severity_name(found.severity)).append(" ").append(code_name(error.code)).append(" ");
        text.append(std::to_string(error.offset)).append(" ").append(error.field).append(" ");
        text.append(std::to_string(error.expected)).append(" ").append(std::to_string(error.found)).append("|");
    }
    return text;
}

/// Returns the faults of one input.
std::string checked(std::string_view bytes, std::string_view name = "titles", std::uint64_t base = 0) {
    const ExactBytes exact(bytes);
    Diagnostics diagnostics;
    const auto tables = parse_titles(exact.at(base), name, diagnostics);
    EXPECT_TRUE(tables);
    if (!tables) return "not recognised";
    const TitleInput input{*tables, read_perflib_values(exact.at(base), diagnostics)};
    check_titles({&input, 1}, diagnostics);
    return faults_of(diagnostics);
}

/// An export of the Perflib key. Its lists have no line breaks, so that places are easy to compute.
class PerflibExport {
  public:
    PerflibExport& key(std::string_view below = "") {
        text_.append("[HKEY_LOCAL_MACHINE\\SOFTWARE\\Microsoft\\Windows NT\\CurrentVersion\\Perflib");
        text_.append(below).append("]\r\n");
        return *this;
    }
    PerflibExport& number(std::string_view name, std::string_view digits) {
        text_.append("\"").append(name).append("\"=dword:").append(digits).append("\r\n");
        return *this;
    }
    PerflibExport& titles(std::string_view name, const Strings& strings) {
        text_.append("\"").append(name).append("\"=hex(7):");
        const std::string bytes = multi_sz(strings) + std::string(2, '\0');
        for (std::size_t i = 0; i < bytes.size(); ++i) text_.append(i == 0 ? "" : ",").append(hex(bytes.substr(i, 1)));
        text_.append("\r\n");
        return *this;
    }
    const std::string& text() const { return text_; }
    /// Returns the offset of the `n`th string (from 0) of the `table`th list.
    std::uint64_t place(std::size_t table, const Strings& strings, std::size_t n) const {
        std::size_t at = 0;
        for (std::size_t i = 0; i <= table; ++i) at = text_.find("hex(7):", at) + 7;
        std::size_t units = 0;
        for (std::size_t i = 0; i < n; ++i) units += strings[i].size() + 1;
        return at + 6 * units;
    }
    std::string at(std::size_t table, const Strings& strings, std::size_t n) const {
        return std::to_string(place(table, strings, n));
    }

  private:
    std::string text_ = "Windows Registry Editor Version 5.00\r\n\r\n";
};

const Strings names{"1", "1847", "2", "System", "4", "Memory", "6", "% Processor Time", "8", "Mine"};
const Strings helps{"3", "of 2", "5", "of 4", "7", "of 6", "9", "of 8"};

TEST(PerflibValues, FromAnExport) {
    PerflibExport file;
    file.number("Last Counter", "00000001").key().number("last counter", "00002374").number("Base Index", "00000737");
    file.key("\\009").number("Last Help", "00000002").key().number("Last Help", "00002375");
    file.number("Last Counter", "00000003");
    for (const std::string& bytes : {file.text(), "\xFF\xFE" + wide(file.text())}) {
        const ExactBytes exact(bytes);
        Diagnostics diagnostics;
        const PerflibValues values = read_perflib_values(exact.at(1000), diagnostics);
        EXPECT_EQ(faults_of(diagnostics), "");
        ASSERT_TRUE(values.last_counter && values.last_help && values.base_index);
        EXPECT_EQ(values.last_counter->value, 0x2374U);
        EXPECT_EQ(values.last_help->value, 0x2375U);
        EXPECT_EQ(values.base_index->value, 1847U);
        const std::size_t place = file.text().find("dword:00002374");
        EXPECT_EQ(values.last_counter->offset, 1000 + (bytes == file.text() ? place : 2 + 2 * place));
    }
    PerflibExport bad;
    bad.key().number("Last Counter", "x");
    Diagnostics diagnostics;
    const ExactBytes exact(bad.text()), list("2\nSystem\n");
    EXPECT_FALSE(read_perflib_values(exact.at(), diagnostics).last_counter);
    EXPECT_EQ(faults_of(diagnostics),
              "error title_registry_value " + std::to_string(bad.text().find("dword")) + " Last Counter 0 0|");
    EXPECT_FALSE(read_perflib_values(list.at(), diagnostics).last_counter);
    EXPECT_EQ(diagnostics.kept().size(), 1U);
}

PerflibExport valid(const Strings& english_names, const Strings& english_helps) {
    PerflibExport file;
    file.key().number("Last Counter", "00000008").number("Last Help", "00000009").number("Base Index", "00000737");
    file.key("\\009").titles("Counter", english_names).titles("Help", english_helps);
    return file;
}

TEST(TitleCheck, AValidDatabase) {
    EXPECT_EQ(checked(valid(names, helps).text()), "");
    EXPECT_EQ(checked("\xFF\xFE" + wide(valid(names, helps).text())), "");
    EXPECT_EQ(checked(multi_sz(names), "counter 009"), "");
    Diagnostics diagnostics;
    check_titles({}, diagnostics);
    EXPECT_EQ(faults_of(diagnostics), "");
}

TEST(TitleCheck, LastIndices) {
    const Strings short_names(names.begin(), names.end() - 2), short_helps(helps.begin(), helps.end() - 2);
    const PerflibExport missing = valid(short_names, short_helps);
    EXPECT_EQ(checked(missing.text()), "error title_last_index " + missing.at(0, short_names, 6) +
                                           " Last Counter 6 8|error title_last_index " + missing.at(1, helps, 4) +
                                           " Last Help 7 9|");
    Strings long_names = names, long_helps = helps;
    long_names.insert(long_names.end(), {"10", "more"});
    long_helps.insert(long_helps.end(), {"11", "of 10"});
    const PerflibExport extra = valid(long_names, long_helps);
    EXPECT_EQ(checked(extra.text()), "warning title_last_index " + extra.at(0, long_names, 10) +
                                         " Last Counter 10 8|warning title_last_index " + extra.at(1, long_helps, 8) +
                                         " Last Help 11 9|");
    // The highest index counts, wherever it is in the list.
    const Strings turned{"8", "Mine", "6", "x", "4", "x", "2", "x"};
    const std::string order = checked(valid(turned, helps).text());
    EXPECT_EQ(std::ranges::count(order, '|'), 3);
    EXPECT_TRUE(order.starts_with("warning title_order ")) << order;
    // A list outside an export has no value to compare the last index with.
    EXPECT_EQ(checked(multi_sz(short_names)), "");
}

TEST(TitleCheck, BaseIndex) {
    Strings other = names;
    other[1] = "1846";
    const PerflibExport file = valid(other, helps);
    EXPECT_EQ(checked(file.text()), "warning title_last_index " + file.at(0, other, 0) + " Base Index 1846 1847|");
}

TEST(TitleCheck, EmptyAndUnpairedIndices) {
    Strings empty = names;
    empty[4] = "";
    const PerflibExport lost = valid(empty, helps);
    EXPECT_EQ(checked(lost.text()), "warning title_index_empty " + lost.at(0, empty, 4) +
                                        " index 0 0|warning title_index " + lost.at(0, empty, 5) + " index 0 0|");
    const Strings unpaired(names.begin(), names.end() - 1);
    const PerflibExport tail = valid(unpaired, helps);
    EXPECT_EQ(checked(tail.text()), "warning title_unpaired " + tail.at(0, unpaired, 8) +
                                        " index 0 8|error title_last_index " + tail.at(0, unpaired, 6) +
                                        " Last Counter 6 8|");
}

TEST(TitleCheck, NamesWithoutHelp) {
    const Strings sparse{"5", "of 4", "9", "of 8"};
    const PerflibExport file = valid(names, sparse);
    EXPECT_EQ(checked(file.text()), "note title_no_help " + file.at(0, names, 2) + " Help 2 2|note title_no_help " +
                                        file.at(0, names, 6) + " Help 6 6|");
    const Strings first{"9", "of 8"}, last{"3", "of 2"};
    EXPECT_EQ(checked(multi_sz(names) + multi_sz(first)), "note title_no_help 14 Help 2 6|");
    EXPECT_EQ(checked(multi_sz(names) + multi_sz(last)), "note title_no_help 32 Help 4 8|");
    // Help without a name is not a fault.
    EXPECT_EQ(checked(multi_sz({"2", "System", "3", "of 2", "5", "of none"})), "");
}

TEST(TitleCheck, LanguagesThatDisagree) {
    const Strings german{"1", "1847", "4", "Arbeitsspeicher", "6", "Prozessorzeit"};
    const Strings french{"2", "a", "4", "b", "8", "c", "10", "d", "12", "e"};
    PerflibExport file;
    file.key("\\009").titles("Counter", names).titles("Help", helps);
    file.key("\\007").titles("Counter", german).key("\\00C").titles("Counter", french);
    const std::string code = "warning title_languages ";
    EXPECT_EQ(checked(file.text()), code + file.at(2, german, 2) + " Counter 2 2|" + code + file.at(2, german, 4) +
                                        " Counter 8 12|" + code + file.at(0, names, 8) + " Counter 10 12|" + code +
                                        file.at(3, french, 2) + " Counter 6 6|");
    std::string message;
    append_message(message, {Errc::title_languages, 0, "title table", "Counter", 8, 12});
    EXPECT_TRUE(message.ends_with("the language of this entry; index: 8 to 12")) << message;
}

TEST(TitleCheck, SeveralInputs) {
    const std::string english = multi_sz(names), german = multi_sz({"2", "System", "4", "Speicher"});
    const ExactBytes inputs[] = {ExactBytes(english), ExactBytes(german)};
    Diagnostics diagnostics;
    const auto first = parse_titles(inputs[0].at(), "counter 009", diagnostics);
    const auto second = parse_titles(inputs[1].at(), "counter 007", diagnostics);
    ASSERT_TRUE(first && second);
    const TitleInput both[] = {{*first, {}, {.input = 3}}, {*second, {}, {.input = 5, .record = 7}}};
    check_titles(both, diagnostics);
    EXPECT_EQ(faults_of(diagnostics), "warning title_languages 18 Counter 6 8|");
    EXPECT_EQ(diagnostics.kept()[0].place.input, 5U);
    EXPECT_EQ(diagnostics.kept()[0].place.record, 7U);
}

/// Returns the built-in titles, `changed` of them in another language.
std::string own_titles(std::size_t changed, std::size_t size = builtin_titles().size()) {
    std::string text = "1\n1847\n";
    for (std::size_t i = 0; i < size; ++i) {
        const auto [index, title, offset] = builtin_titles()[i];
        text.append(std::to_string(index)).append("\n").append(i < changed ? "\xD0\x9F" : title).append("\n");
    }
    return text;
}

TEST(TitleCheck, OverwrittenEnglishTitles) {
    // The offset of index 2, the first that differs.
    const std::string reported = "error title_overwritten 7 Counter 0 2|";
    EXPECT_EQ(checked(own_titles(669), "counter 009"), reported);
    EXPECT_EQ(checked(own_titles(669), "perfc009.dat"), reported);
    EXPECT_EQ(checked(own_titles(669), "counter 409"), reported);
    EXPECT_EQ(checked(own_titles(34), "counter 009"), reported);
    const std::string six = checked(own_titles(6), "counter 009");
    EXPECT_TRUE(six.starts_with("warning title_differs 7 Counter 0 2|")) << six;
    EXPECT_EQ(std::ranges::count(six, '|'), 6);
    EXPECT_EQ(std::ranges::count(checked(own_titles(33), "counter 009"), '|'), 33);
    EXPECT_EQ(checked(own_titles(0), "counter 009"), "");
    EXPECT_EQ(checked(own_titles(669), "counter 019"), "");
    EXPECT_EQ(checked(own_titles(669), "counter"), "");
    // A database with few of the built-in titles is not from Windows, and has not been overwritten.
    EXPECT_EQ(checked(own_titles(60, 60), "counter 009"), "");
    EXPECT_EQ(checked(own_titles(333, 333), "counter 009"), "error title_base 2282 Counter 732 1846|");
    EXPECT_EQ(checked(own_titles(334, 334), "counter 009"), "error title_base 2289 Counter 734 1846|" + reported);
}

TEST(TitleCheck, ManyLanguagesAndTitlesAreFast) {
    std::vector<TitleTable> tables(4000, TitleTable("", "many"));
    for (std::uint32_t i = 0; i < tables.size(); ++i) {
        tables[i].set_language("x" + std::to_string(i));
        for (std::uint32_t j = 0; j < 50; ++j) tables[i].add(2 + 2 * (i + j * 4000), "t");
    }
    const TitleInput input{tables};
    Diagnostics diagnostics;
    const hkpd_test::ProcessorTime used;
    check_titles({&input, 1}, diagnostics);
    EXPECT_EQ(diagnostics.count(Severity::warning), 4000U * 51 - 2);
    // Far more than it takes under a sanitizer, far less than a pass over all titles for each language would take.
    EXPECT_LT(used.seconds(), 60);
}

std::string unnamed(const blob::Blob& blob, const Titles& titles) {
    Diagnostics diagnostics;
    v1::Block block;
    EXPECT_TRUE(block.open(Bytes(blob.bytes(), 1000), diagnostics));
    check_named(block, titles, diagnostics);
    for (const Diagnostic& found : diagnostics.kept()) EXPECT_EQ(found.error.code, Errc::title_unnamed);
    return faults_of(diagnostics);
}

TEST(TitleCheck, Unnamed) {
    const blob::Blob blob = blob::build({.objects = {
                                             {.title = 2, .counters = {{.title = 6}, {.title = 5000}, {.title = 0}}},
                                             {.title = 9000, .counters = {{.title = 9002}, {.title = 9002}}},
                                         }});
    // The built-in titles are not used: they would hide what is missing in the machine's own.
    Titles titles, system;
    system.add(builtin_titles());
    EXPECT_NE(unnamed(blob, system).find("ObjectNameTitleIndex 0 2|"), std::string::npos);
    TitleTable own("009", "own");
    for (const std::uint32_t index : {2U, 6U}) own.add(index, "named");
    titles.add(own);
    const auto place = [&](std::size_t at, std::size_t field) { return std::to_string(1000 + at + field) + " "; };
    EXPECT_EQ(unnamed(blob, titles),
              "warning title_unnamed " + place(blob.counter(0, 1), 4) + "CounterNameTitleIndex 0 5000|" +
                  "warning title_unnamed " + place(blob.object(1), 12) + "ObjectNameTitleIndex 0 9000|" +
                  "warning title_unnamed " + place(blob.counter(1, 0), 4) + "CounterNameTitleIndex 0 9002|");
    TitleTable more("009", "more");
    for (const std::uint32_t index : {5000U, 9000U, 9002U}) more.add(index, "named");
    TitleTable elsewhere = more;
    elsewhere.set_machine("ANOTHER");
    Titles of_another;
    of_another.add(own);
    of_another.add(elsewhere);
    EXPECT_EQ(unnamed(blob, of_another), unnamed(blob, titles));
    titles.add(more);
    EXPECT_EQ(unnamed(blob, titles), "");
}

TEST(TitleRepair, EveryFaultOfADatabaseHasARepair) {
    for (const FaultRow& row : fault_rows()) {
        const bool of_database = row.name.starts_with("title_") || row.name.starts_with("service_");
        // Codes of a file that is no database, and of hkpd's own limit.
        const bool of_file = row.code == Errc::title_not_text || row.code == Errc::title_tables;
        EXPECT_EQ(!row.repair.empty(), of_database && !of_file) << row.name;
    }
    EXPECT_NE(repair_of(Errc::title_index_empty).find("lodctr /R"), std::string_view::npos);
    EXPECT_NE(repair_of(Errc::title_registry_value).find("lodctr /R"), std::string_view::npos);
    EXPECT_NE(repair_of(Errc::title_no_help).find("`lodctr FILE.ini`"), std::string_view::npos);
    EXPECT_NE(repair_of(Errc::title_no_object).find("query Global"), std::string_view::npos);
    EXPECT_NE(repair_of(Errc::service_disabled).find("lodctr /e:"), std::string_view::npos);
    EXPECT_NE(repair_of(Errc::title_unnamed).find("lodctr /m:"), std::string_view::npos);
    const auto unnamed = [](std::uint64_t index) { return Error{Errc::title_unnamed, 0, "", "", 0, index}; };
    EXPECT_NE(repair_of(unnamed(6)).find("lodctr /R"), std::string_view::npos);
    EXPECT_NE(repair_of(unnamed(60'000)).find("lodctr /m:"), std::string_view::npos);
    EXPECT_EQ(english_title(unnamed(6)), "% Processor Time");
    EXPECT_FALSE(english_title(unnamed(60'000)));
}

/// Databases of real machines, which have no faults.
class RealTitleCheck : public hkpd_test::SharedDir {
  protected:
    std::string check(const std::string& name) const {
        return checked(hkpd_test::read_file(folder_ / name), std::filesystem::path(name).filename().string());
    }
};

TEST_F(RealTitleCheck, AreValid) {
    EXPECT_EQ(check("data/titles/vista-2007-counter-009.multisz"), "");
    EXPECT_EQ(check("data/titles/counter-009.txt"), "");
    EXPECT_EQ(check("live/blobs/samba-counter009.bin"), "");
    EXPECT_EQ(check("live/blobs/samba-explain009.bin"), "");
    EXPECT_EQ(check("live/blobs/wine64-counter009.bin"), "");
    EXPECT_EQ(check("live/blobs/wine64-help009.bin"), "");
}

class WindowsTitleCheck : public hkpd_test::WindowsData {};

TEST_F(WindowsTitleCheck, VistaNamesAllItsObjects) {
    Titles titles;
    Diagnostics diagnostics;
    const ExactBytes table(hkpd_test::read_file(folder_ / "data/titles/vista-2007-counter-009.multisz"));
    auto tables = parse_titles(table.at(), "counter-009", diagnostics);
    ASSERT_TRUE(tables);
    titles.add(std::move(tables->at(0)));
    for (const char* const object : {"2", "4", "230", "234", "236", "238", "510", "638"}) {
        const ExactBytes blob(
            hkpd_test::read_file(folder_ / ("data/v1/vista-2007/s00-obj" + std::string(object) + ".bin")));
        v1::Block block;
        Diagnostics of_block;
        ASSERT_TRUE(block.open(blob.at(), of_block)) << object;
        check_named(block, titles, diagnostics);
    }
    EXPECT_EQ(faults_of(diagnostics), "");
}

}  // namespace title_check_test
}  // namespace hkpd
