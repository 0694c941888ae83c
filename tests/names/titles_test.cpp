// The forms of the title database (FORMAT.md §1.4): made here byte by byte, and from real machines in the shared
// folder.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "hkpd/diagnostics.hpp"
#include "hkpd/limits.hpp"
#include "hkpd/names.hpp"
#include "support/processor_time.hpp"
#include "support/registry_text.hpp"
#include "support/shared_dir.hpp"
#include "support/temp_folder.hpp"
#include "support/v2_builder.hpp"

namespace hkpd {
namespace titles_test {

using namespace std::string_literals;
using namespace std::string_view_literals;

using hkpd_test::ExactBytes;
using hkpd_test::hex;
using hkpd_test::joined;
using hkpd_test::multi_sz;
using hkpd_test::Strings;
using hkpd_test::wide;

const Strings small{"1", "1847", "2", "System", "4", "Memory"};

struct Parsed {
    std::vector<TitleTable> tables;
    Diagnostics diagnostics;
    bool recognised = false;
    Error error;

    std::string all(std::size_t table = 0) const {
        std::string text;
        for (std::size_t i = 0; table < tables.size() && i < tables[table].size(); ++i)
            text.append(std::to_string(tables[table][i].index)).append("=").append(tables[table][i].text).append("|");
        return text;
    }
    /// Returns severity, code and offset of each fault: `warning title_index 12|`, ...
    std::string faults() const {
        std::string text;
        for (const Diagnostic& found : diagnostics.kept()) {
            EXPECT_EQ(found.error.structure, "title table");
            text.append(severity_name(found.severity)).append(" ").append(code_name(found.error.code));
            text.append(" ").append(std::to_string(found.error.offset)).append("|");
        }
        return text;
    }
};

Parsed parse(std::string_view bytes, std::string_view name = "titles", std::uint64_t base = 0) {
    const ExactBytes exact(bytes);
    Parsed parsed;
    auto tables = parse_titles(exact.at(base), name, parsed.diagnostics);
    parsed.recognised = tables.has_value();
    if (tables)
        parsed.tables = std::move(*tables);
    else
        parsed.error = tables.error();
    return parsed;
}

/// Checks that a V2 block is no title list: without results its bytes read as the index "0". Its length identifies it,
/// even if its time is damaged.
TEST(TitleForms, AV2BlockWithADamagedTimeIsNotRecognised) {
    v2_blob::Block block;
    block.system_time.month = 13;
    const v2_blob::Blob blob = v2_blob::build(block);
    const auto bytes = blob.bytes();
    const Parsed parsed = parse({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    EXPECT_FALSE(parsed.recognised);
    EXPECT_EQ(parsed.error.code, Errc::not_recognised);
}

constexpr std::string_view small_pairs = "1=1847|2=System|4=Memory|";

void expect_small(std::string_view bytes, const char* what) {
    const Parsed parsed = parse(bytes);
    ASSERT_EQ(parsed.tables.size(), 1U) << what;
    EXPECT_EQ(parsed.all(), small_pairs) << what;
    EXPECT_EQ(parsed.faults(), "") << what;
    EXPECT_EQ(parsed.tables[0].find(2), "System") << what;
    EXPECT_EQ(parsed.tables[0].find(1), std::nullopt) << what;
    EXPECT_EQ(parsed.tables[0].find(6), std::nullopt) << what;
    EXPECT_EQ(parsed.tables[0].origin(), "titles") << what;
    EXPECT_EQ(parsed.tables[0].language(), "") << what;
}

TEST(TitleForms, MultiString) {
    expect_small(multi_sz(small) + "\0\0"s, "with the NUL that ends the list");
    expect_small(multi_sz(small), "without it");
    expect_small(multi_sz(small).substr(0, multi_sz(small).size() - 2), "without that of the last string either");
    expect_small("\xFF\xFE" + multi_sz(small), "with a byte order mark");
    expect_small(multi_sz(small) + std::string(4096, '\0'), "in a larger buffer");
    expect_small(multi_sz(small, ByteOrder::big) + "\0\0"s, "big endian");
    expect_small("\xFE\xFF" + multi_sz(small, ByteOrder::big), "big endian with a byte order mark");
}

TEST(TitleForms, TextInEveryEncoding) {
    for (const std::string_view newline : {"\n"sv, "\r\n"sv}) {
        const std::string lines = joined(small, newline);
        const std::string tabbed = "1\t1847"s.append(newline).append("2\tSystem").append(newline).append("4\tMemory");
        for (const std::string& text : {lines, lines.substr(0, lines.size() - newline.size()), tabbed}) {
            expect_small(text, "UTF-8");
            expect_small("\xEF\xBB\xBF" + text, "UTF-8 with a byte order mark");
            expect_small(wide(text), "UTF-16");
            expect_small("\xFF\xFE" + wide(text), "UTF-16 with a byte order mark, as Out-File of PowerShell 5.1");
            expect_small(wide(text, ByteOrder::big), "UTF-16 big endian");
            expect_small("\xFE\xFF" + wide(text, ByteOrder::big), "UTF-16 big endian with a byte order mark");
        }
    }
}

TEST(TitleForms, TextBeyondAscii) {
    EXPECT_EQ(parse("2\nSyst\xC3\xA8me\n").all(), "2=Syst\u00E8me|");
    EXPECT_EQ(parse("2\nSyst\xC3\xA8me\n").faults(), "");
    const Parsed ansi = parse("2\nSyst\xE8me\n4\nM\xE9moire\n", "titles", 100);
    EXPECT_EQ(ansi.all(), "2=Syst\u00E8me|4=M\u00E9moire|");
    EXPECT_EQ(ansi.faults(), "note title_not_text 106|");
    const Parsed marked = parse(
        "\xEF\xBB\xBF"
        "2\nSyst\xE8me\n");
    EXPECT_EQ(marked.all(), "2=Syst\uFFFDme|");
    EXPECT_EQ(marked.faults(), "warning bad_text 5|");
    const Parsed surrogate = parse(multi_sz({"2"}) + "\x00\xD8\x00\x00"s);
    EXPECT_EQ(surrogate.all(), "2=\uFFFD|");
    EXPECT_EQ(surrogate.faults(), "warning bad_text 4|");
}

TEST(TitleForms, BlankTitlesKeepThePairing) {
    const std::string expected = "2=System|4=|6=|8=Files|";
    EXPECT_EQ(parse("2\nSystem\n4\n\n6\n\n8\nFiles\n\n\n").all(), expected);
    EXPECT_EQ(parse("2\nSystem\n4\n\n6\n\n8\nFiles\n\n\n").faults(),
              "warning title_unpaired 9|warning title_unpaired 12|");
    EXPECT_EQ(parse("2\tSystem\n4\t\n\n6\t\n8\tFiles\n").all(), expected);
    EXPECT_EQ(parse("2\tSystem\n4\t\n\n6\t\n8\tFiles\n").faults(),
              "warning title_unpaired 9|warning title_unpaired 13|");
    const Parsed strings = parse(multi_sz({"2", "System", "4", "", "6", "", "8", "Files", ""}));
    EXPECT_EQ(strings.all(), expected);
    EXPECT_EQ(strings.faults(), "warning title_unpaired 18|warning title_unpaired 24|");
    EXPECT_EQ(strings.tables[0].find(4), "");
    EXPECT_EQ(parse(multi_sz({"2", "System", "4", "", ""})).all(), "2=System|4=|");
}

TEST(TitleFaults, MultiString) {
    const std::string good = multi_sz(small);  // 50 bytes
    ASSERT_EQ(good.size(), 50U);
    const Parsed odd = parse(good + "\0\0\x41"s, "titles", 1000);
    EXPECT_EQ(odd.all(), small_pairs);
    EXPECT_EQ(odd.faults(), "warning title_odd_byte 1052|");
    const Parsed unpaired = parse(good + multi_sz({"6"}));
    EXPECT_EQ(unpaired.all(), small_pairs);
    EXPECT_EQ(unpaired.faults(), "warning title_unpaired 50|");
    EXPECT_EQ(parse(good + multi_sz({"6", ""})).faults(), "warning title_unpaired 50|");
    // FORMAT.md §5 lists this fault.
    const Parsed both = parse(multi_sz({"1", "1847", "2", "System", "4"}) + "\x41");
    EXPECT_EQ(both.all(), "1=1847|2=System|");
    EXPECT_EQ(both.faults(), "warning title_unpaired 32|warning title_odd_byte 36|");
    const Parsed after = parse(good + multi_sz({"", "", "6", "x"}));
    EXPECT_EQ(after.all(), small_pairs);
    EXPECT_EQ(after.faults(), "warning title_after_end 54|");
    EXPECT_EQ(after.diagnostics.kept()[0].error.found, 8U);
}

TEST(TitleFaults, StrayStringsDoNotShiftTheRest) {
    const std::string expected = "2=System|4=Memory|6=Files|";
    const Parsed strings = parse(multi_sz({"2", "System", "stray", "4", "Memory", "-5", "6", "Files"}));
    EXPECT_EQ(strings.all(), expected);
    EXPECT_EQ(strings.faults(), "warning title_index 18|warning title_index 48|");
    const Parsed lines = parse("2\nSystem\nstray\n4\nMemory\n\n6\nFiles\n");
    EXPECT_EQ(lines.all(), expected);
    EXPECT_EQ(lines.faults(), "warning title_index 9|warning title_index_empty 24|");
    const Parsed tabbed = parse("2\tSystem\nstray\n4\tMemory\nx\ty\n6\tFiles\n8\n");
    EXPECT_EQ(tabbed.all(), expected);
    EXPECT_EQ(tabbed.faults(), "warning title_index 9|warning title_index 24|warning title_unpaired 36|");
    // A missing title loses no other.
    EXPECT_EQ(parse(multi_sz({"2", "4", "Memory", "6", "Files"})).all(), "4=Memory|6=Files|");
    EXPECT_EQ(parse(multi_sz({"2", "4", "Memory", "6", "Files"})).faults(), "warning title_unpaired 0|");
    EXPECT_EQ(parse("2\nSystem\n4").faults(), "warning title_unpaired 9|");
}

// "Cannot load Counter Name data because an invalid index '' was read from the registry": .NET's readers continue after
// the empty string, and so does this one if more of the list follows.
TEST(TitleFaults, AnEmptyIndex) {
    const Parsed lost = parse(multi_sz({"2", "System", "", "4", "Memory", "", "broken", "6", "Files"}) + "\0\0"s);
    EXPECT_EQ(lost.all(), "2=System|4=Memory|6=Files|");
    EXPECT_EQ(lost.faults(), "warning title_index_empty 18|warning title_index_empty 38|warning title_index 40|");
    EXPECT_EQ(lost.diagnostics.kept()[0].error.field, "index");
    // The rest of an older list in the buffer is not part of this one.
    const Parsed older = parse(multi_sz({"2", "System", "4", "Memory", "", "ory", "4", "Memory", "6", "Files"}));
    EXPECT_EQ(older.all(), "2=System|4=Memory|");
    EXPECT_EQ(older.faults(), "warning title_after_end 38|");
    const Parsed tabbed = parse("2\tSystem\n\tlost\n4\tMemory\n");
    EXPECT_EQ(tabbed.all(), "2=System|4=Memory|");
    EXPECT_EQ(tabbed.faults(), "warning title_index_empty 9|");
}

TEST(TitleOffsets, AreThoseOfTheIndices) {
    const auto offsets = [](const Parsed& parsed) {
        std::string text;
        for (std::size_t i = 0; i < parsed.tables.at(0).size(); ++i)
            text.append(std::to_string(parsed.tables[0][i].offset)).append("|");
        return text;
    };
    EXPECT_EQ(offsets(parse(multi_sz(small), "titles", 1000)), "1000|1014|1032|");
    EXPECT_EQ(offsets(parse(joined(small, "\n"))), "0|7|16|");
    EXPECT_EQ(offsets(parse("2\tSystem\n4\tMemory\n", "titles", 5)), "5|14|");
    const std::string start = "REGEDIT4\n[HKEY_PERFORMANCE_DATA]\n\"Counter 009\"=hex(7):";
    EXPECT_EQ(offsets(parse(start + "32,00,61,00,34,00,62,00")),
              std::to_string(start.size()) + "|" + std::to_string(start.size() + 12) + "|");
    // The offset of a title is not part of its value.
    TitleTable one("009", "file"), other("009", "file");
    one.add(2, "System", 10);
    other.add(2, "System", 20);
    EXPECT_EQ(one, other);
    other.add(4, "Memory", 30);
    EXPECT_NE(one, other);
    EXPECT_EQ(TitleTable(other)[1].offset, 30U);
    EXPECT_EQ(builtin_titles()[0].offset, 0U);
}

TEST(TitleFaults, IndicesOutOfRange) {
    const Parsed parsed = parse("4294967295\nlast\n4294967296\n2\nSystem\n99999999999999999999999\n4\nMemory\n");
    EXPECT_EQ(parsed.all(), "4294967295=last|2=System|4=Memory|");
    EXPECT_EQ(parsed.faults(), "warning title_index 16|warning title_index 36|");
    EXPECT_EQ(parsed.tables[0].find(4294967295U), "last");
}

TEST(TitleFaults, RepeatedIndices) {
    const Parsed parsed = parse("2\nSystem\n4\nMemory\n2\nSystem\n4\nStorage\n");
    EXPECT_EQ(parsed.all(), "2=System|4=Memory|2=System|4=Storage|");
    EXPECT_EQ(parsed.faults(), "note title_repeated 18|warning title_repeated 27|");
    EXPECT_EQ(parsed.diagnostics.kept()[1].error.found, 4U);
    EXPECT_EQ(parsed.diagnostics.kept()[1].error.field, "index");
    EXPECT_EQ(parsed.tables[0].find(4), "Storage");
}

TEST(TitleFaults, NotRecognised) {
    std::string binary;
    std::uint32_t state = 1;
    for (int i = 0; i < 4096; ++i) binary += static_cast<char>((state = state * 1664525 + 1013904223) >> 24);
    for (const std::string& bytes :
         {""s, "1"s, "\n"s, "\0"s, "\0\0"s, "1\n"s, "System\nMemory\n"s, wide("PERF") + std::string(100, '\0'),
          wide("PERF", ByteOrder::big) + multi_sz({"", "2", "System"}, ByteOrder::big), "\xFF\xFE"s, "\xFE\xFF"s,
          "\xEF\xBB\xBF"s, binary, multi_sz({""}) + multi_sz(small),
          "a log\nwith\nsome\nlines\n12\nof them a number\n"s, "REGEDIT4\r\n"s,
          "Windows Registry Editor Version 5.00\r\n\r\n[HKEY_CURRENT_USER\\X]\r\n\"Counter\"=\"a\"\r\n"s,
          wide("1\t1847").substr(0, 4)}) {
        const Parsed parsed = parse(bytes, "titles", 77);
        EXPECT_FALSE(parsed.recognised) << bytes;
        EXPECT_EQ(parsed.error.code, Errc::not_recognised);
        EXPECT_EQ(parsed.error.offset, 77U);
        EXPECT_EQ(parsed.faults(), "");
    }
}

TEST(TitleLanguage, FromTheName) {
    const std::pair<std::string_view, std::string_view> names[] = {
        {"Counter 009", "009"},
        {"counter-009.txt", "009"},
        {"perfc007.dat", "007"},
        {"PERFH00A.DAT", "00a"},
        {"help009.bin", "009"},
        {"vista-2007-counter-009.multisz", "009"},
        {"explain_804", "804"},
        {"counter/help 416.txt", "416"},
        {"C:\\dir\\Counter.411.txt", "411"},
        {"counters.txt", ""},
        {"counter0091.txt", ""},
        {"help-bad.txt", ""},
        {"counter009/titles", ""},
        {"counter00", ""},
        {"", ""},
        {"helpers-counter009", "009"},
        {"my counter (00C).txt", "00c"},
        {"009.txt", ""},
    };
    for (const auto& [name, language] : names)
        EXPECT_EQ(parse("2\nSystem\n", name).tables.at(0).language(), language) << name;
}

std::string export_text(std::string_view newline = "\r\n") {
    std::string text = "Windows Registry Editor Version 5.00";
    const auto line = [&](std::string_view more) { text.append(newline).append(more); };
    line("");
    line("[HKEY_LOCAL_MACHINE\\SOFTWARE\\Microsoft\\Windows NT\\CurrentVersion\\Perflib]");
    line("\"Last Counter\"=dword:00000737");
    line("\"Counter\"=\"not in this key\"");
    line("[HKEY_LOCAL_MACHINE\\SOFTWARE\\Microsoft\\Windows NT\\CurrentVersion\\Perflib\\009]");
    line("\"Counter\"=hex(7):" + hex(multi_sz(small) + "\0\0"s, newline));
    line("\"Help\"=hex(7):" + hex(multi_sz({"3", "help of System"}) + "\0\0"s, newline));
    line("");
    line("; a comment");
    line("[HKEY_LOCAL_MACHINE\\SOFTWARE\\Microsoft\\Windows NT\\CurrentVersion\\PERFLIB\\00C]");
    line("\"counter\" = HEX(7):" + hex(multi_sz({"2", "Systeme"}) + "\0\0"s, newline));
    line("[HKEY_PERFORMANCE_DATA]");
    line("\"Counter 411\"=hex(7):" + hex(multi_sz({"2", "sisutemu"}) + "\0\0"s, newline));
    line("\"Help 411\"=hex(7):" + hex("\0\0"s, newline));
    line("");
    return text;
}

void expect_export(std::string_view bytes) {
    const Parsed parsed = parse(bytes, "perflib.reg");
    EXPECT_EQ(parsed.faults(), "");
    ASSERT_EQ(parsed.tables.size(), 4U);
    EXPECT_EQ(parsed.all(0), small_pairs);
    EXPECT_EQ(parsed.all(1), "3=help of System|");
    EXPECT_EQ(parsed.all(2), "2=Systeme|");
    EXPECT_EQ(parsed.all(3), "2=sisutemu|");
    const std::string_view languages[] = {"009", "009", "00c", "411"};
    for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(parsed.tables[i].language(), languages[i]);
    EXPECT_EQ(parsed.tables[0].origin(), "perflib.reg");
    Titles titles;
    for (const TitleTable& table : parsed.tables) titles.add(table);
    EXPECT_EQ(titles.find(2)->text, "System");
    EXPECT_EQ(titles.find(3)->text, "help of System");
}

TEST(TitleRegistryExport, EveryEncoding) {
    expect_export("\xFF\xFE" + wide(export_text()));
    expect_export(wide(export_text()));
    expect_export("\xFE\xFF" + wide(export_text(), ByteOrder::big));
    expect_export(export_text());
    expect_export("\xEF\xBB\xBF" + export_text());
    expect_export(export_text("\n"));
}

TEST(TitleRegistryExport, AnsiBytes) {
    const std::string text = "REGEDIT4\r\n\r\n[HKEY_LOCAL_MACHINE\\X\\Perflib\\007]\r\n\"Counter\"=hex(7):" +
                             hex("2\0Speicherger\xE4t\0\0"sv) + "\r\n[HKEY_LOCAL_MACHINE\\X\\Perflib\\011]\r\n" +
                             "\"Help\"=hex(7):" + hex("3\0\x83\x65\x83\x58\x83\x67\0\0"sv) + "\r\n";
    const Parsed parsed = parse(text);
    ASSERT_EQ(parsed.tables.size(), 2U);
    EXPECT_EQ(parsed.all(0), "2=Speicherger\u00E4t|");
    EXPECT_EQ(parsed.all(1), "3=\u30C6\u30B9\u30C8|");
    EXPECT_EQ(parsed.faults(), "");
}

TEST(TitleRegistryExport, OffsetsAreOffsetsInTheFile) {
    const std::string start =
        "Windows Registry Editor Version 5.00\r\n[HKEY_PERFORMANCE_DATA]\r\n\"Counter 009\"=hex(7):";
    const std::string bytes = multi_sz({"2", "a rather long title", "x", "4", "b", "6"});
    const std::size_t stray = bytes.find("x\0\0\0"sv), last = bytes.find("6\0\0\0"sv);
    const std::string text = start + hex(bytes);
    const auto place = [&](std::size_t at) { return start.size() + 3 * at + at / 25 * 5; };
    EXPECT_EQ(parse(text).faults(), "warning title_index " + std::to_string(place(stray)) + "|warning title_unpaired " +
                                        std::to_string(place(last)) + "|");
    EXPECT_EQ(parse("\xFF\xFE" + wide(text), "titles", 10).faults(),
              "warning title_index " + std::to_string(12 + 2 * place(stray)) + "|warning title_unpaired " +
                  std::to_string(12 + 2 * place(last)) + "|");
}

TEST(TitleRegistryExport, MalformedHexLosesItsCharacter) {
    const std::string start = "Windows Registry Editor Version 5.00\n[HKEY_PERFORMANCE_DATA]\n\"Counter 009\"=hex(7):";
    const std::string good = hex(multi_sz({"2", "System", "4", "Memory"}), "\n");
    const auto faults = [&](std::size_t at) {
        return "error title_registry_value " + std::to_string(start.size() + at) + "|";
    };
    std::string text = good;
    text.replace(12, 2, "g3");  // the low byte of S
    EXPECT_EQ(parse(start + text).all(), "2=\uFFFDystem|4=Memory|");
    EXPECT_EQ(parse(start + text).faults(), faults(12));
    for (const std::string_view token : {"", "5", "530", "5 3"}) {
        text = std::string(good).replace(12, 2, token);
        EXPECT_EQ(parse(start + text).all(), "2=\uFFFDystem|4=Memory|") << token;
        EXPECT_EQ(parse(start + text).faults(), faults(12)) << token;
    }
    text = std::string(good).replace(0, 2, "zz");  // the index: string and title are no indices
    EXPECT_EQ(parse(start + text).all(), "4=Memory|");

    text = good.substr(0, good.find('\\') + 2);  // 25 bytes, and a continuation at the end of the file
    const std::string odd_byte = "warning title_odd_byte " + std::to_string(start.size() + 3 * 24) + "|";
    EXPECT_EQ(parse(start + text).all(), "2=System|4=M|");
    EXPECT_EQ(parse(start + text).faults(), faults(text.size() - 1) + odd_byte);
    EXPECT_EQ(parse(start + text + "[X]\n").all(), "2=System|4=M|");
    text = std::string(good).erase(good.find('\\'), 1);  // only the backslash is missing
    EXPECT_EQ(parse(start + text).all(), "2=System|4=Memory|");
    EXPECT_EQ(parse(start + text).faults(), faults(text.find('\n')));
}

TEST(TitleRegistryExport, OtherTypesAreFaultsAndTheRestIsRead) {
    const std::string text =
        "Windows Registry Editor Version 5.00\n[HKEY_X\\Perflib\\009]\n\"Counter\"=\"text\"\n"
        "\"Help\"=hex(7):" +
        hex(multi_sz({"3", "help"}), "\n");
    const Parsed parsed = parse(text);
    ASSERT_EQ(parsed.tables.size(), 1U);
    EXPECT_EQ(parsed.all(), "3=help|");
    EXPECT_EQ(parsed.faults(), "error title_registry_value " + std::to_string(text.find("\"text\"")) + "|");
    EXPECT_EQ(parsed.diagnostics.kept()[0].error.field, "Counter");
}

TEST(TitleRegistryExport, CopiesOfAKeyAreOneTable) {
    std::string text = "Windows Registry Editor Version 5.00\n";
    for (int i = 0; i < 3; ++i)
        text += "[HKEY_X\\Perflib\\009]\n\"Counter\"=hex(7):" + hex(multi_sz({"2", "System"}), "\n") + "\n";
    const Parsed parsed = parse(text);
    EXPECT_EQ(parsed.tables.size(), 1U);
    EXPECT_EQ(parsed.faults(), "");
    EXPECT_EQ(
        parse(text + "[HKEY_X\\Perflib\\CurrentLanguage]\n\"Counter\"=hex(7):" + hex(multi_sz({"2", "System"}), "\n"))
            .tables.at(1)
            .language(),
        "");
}

TEST(TitleTable, TheLastOfSeveralIsUsedInAnyOrder) {
    for (std::uint32_t size = 1; size <= 40; ++size) {
        for (std::uint32_t modulus = 1; modulus <= size; ++modulus) {
            TitleTable table("009", "test");
            for (std::uint32_t i = 0; i < size; ++i) table.add(2 + (i * 7 % modulus), std::to_string(i));
            EXPECT_EQ(table.size(), size);
            for (std::uint32_t index = 0; index < modulus + 3; ++index) {
                std::optional<std::string> expected;
                for (std::uint32_t i = 0; i < size; ++i)
                    if (2 + (i * 7 % modulus) == index) expected = std::to_string(i);
                EXPECT_EQ(table.find(index), expected) << size << " " << modulus << " " << index;
            }
        }
    }
    EXPECT_EQ(TitleTable().find(2), std::nullopt);
}

TEST(TitleTable, ManyEntriesInAnyOrderAreFast) {
    const hkpd_test::ProcessorTime used;
    TitleTable descending, same;
    for (std::uint32_t i = 900'000; i != 0; --i) descending.add(i + 1, "t");
    for (std::uint32_t i = 0; i < 900'000; ++i) same.add(4, "t");
    EXPECT_EQ(descending.find(2), "t");
    EXPECT_EQ(descending.find(900'001), "t");
    EXPECT_EQ(same.find(4), "t");

    std::string repeated, commas = "REGEDIT4\n[HKEY_X\\Perflib\\009]\n\"Counter\"=hex(7):32,00,53,00,";
    for (int i = 0; i < 300'000; ++i) repeated += "6\nx\n";
    commas += std::string(1'000'000, ',');
    EXPECT_EQ(parse(repeated).tables.at(0).size(), 300'000U);
    EXPECT_EQ(parse(commas).tables.at(0).find(2), "S");
    // Far more than it takes under a sanitizer, far less than a quadratic algorithm would.
    EXPECT_LT(used.seconds(), 60);
}

TEST(TitleTable, BlankTitlesAreBoundedToo) {
    constexpr std::uint32_t count = 1'000'000;
    TitleTable table;
    std::uint32_t added = 0;
    while (added < count && table.add(2 * added + 2, "")) ++added;
    EXPECT_LT(added, count);
    EXPECT_GT(added, count / 2);
    EXPECT_EQ(table.size(), added);
    EXPECT_LE(table.bytes(), Limits{}.title_bytes);
    EXPECT_FALSE(table.add(2, ""));

    std::string blank;  // an entry of an index that was there before needs less memory
    for (std::uint32_t i = 0; i < 3 * count; ++i) blank += "6\n \n";
    const Parsed parsed = parse(blank);
    ASSERT_EQ(parsed.tables.size(), 1U);
    EXPECT_LT(parsed.tables[0].size(), 3 * count);
    EXPECT_LE(parsed.tables[0].bytes(), Limits{}.title_bytes);
    EXPECT_NE(parsed.faults().find("error byte_limit"), std::string::npos) << parsed.faults();
}

/// Checks that tables of machines with equal titles need the memory for them once, and that each machine finds its own.
TEST(Titles, EqualOnesAreSharedAndEachMachineHasItsOwn) {
    Titles titles;
    std::uint64_t bytes = 0, shared = 0;
    for (int number = 0; number < 1000; ++number) {
        const std::string machine = std::to_string(number);
        TitleTable same("009", "same"), own("009", "own");
        for (std::uint32_t i = 1; i <= 100; ++i) same.add(2 * i, "title " + std::to_string(i));
        own.add(1000, "of " + machine);
        own.add(2, "hidden by the first table");
        shared += same.bytes();
        for (TitleTable* table : {&same, &own}) {
            table->set_machine(machine);
            EXPECT_FALSE(titles.contains(*table));
            bytes += table->bytes();
            titles.add(*table);
            EXPECT_TRUE(titles.contains(*table));
        }
    }
    EXPECT_EQ(titles.tables().size(), 2000U);
    EXPECT_EQ(titles.tables()[0].titles_address(), titles.tables()[1998].titles_address());
    EXPECT_NE(titles.tables()[1].titles_address(), titles.tables()[1999].titles_address());
    EXPECT_LT(titles.bytes_with({}), bytes - shared / 2);
    for (const std::string machine : {"0", "500", "999"}) {
        const Titles::Scope scope{.machine = machine};
        EXPECT_EQ(titles.find(1000, scope)->text, "of " + machine);
        EXPECT_EQ(titles.find(2, scope)->text, "title 1");
        EXPECT_EQ(titles.in_scope(scope).find(1000)->table, titles.find(1000, scope)->table);
    }
    EXPECT_EQ(titles.find(1000)->text, "of 0");
    EXPECT_FALSE(titles.find(1000, {.machine = "unknown"}));
    // A copy keeps its titles if the original gets more.
    TitleTable one("009", "one");
    one.add(2, "a");
    const TitleTable copy = one;
    one.add(2, "b");
    EXPECT_EQ(copy.find(2), "a");
    EXPECT_EQ(one.find(2), "b");
}

TEST(Titles, OrderOfPreference) {
    Titles titles;
    EXPECT_TRUE(titles.empty());
    EXPECT_FALSE(titles.find(2));
    const std::pair<std::string_view, std::string_view> tables[] = {{"00c", "a"}, {"007", "b"}, {"", "c"},
                                                                    {"009", "d"}, {"007", "e"}, {"009", "f"}};
    for (const auto& [language, origin] : tables) {
        TitleTable table(language, origin);
        table.add(2, origin);
        titles.add(std::move(table));
    }
    const auto order = [&] {
        std::string origins;
        for (const std::uint32_t position : titles.order()) origins += titles.tables()[position].origin();
        return origins;
    };
    EXPECT_EQ(order(), "dfcabe");
    titles.prefer({"7"});
    EXPECT_EQ(order(), "bedfca");
    EXPECT_EQ(titles.find(2)->text, "b");
    titles.prefer({"011", "00C", "7"});
    EXPECT_EQ(order(), "abedfc");
    TitleTable late("011", "g");
    late.add(4, "only here");
    titles.add(std::move(late));
    EXPECT_EQ(order(), "gabedfc");
    EXPECT_EQ(titles.find(2)->table, 0U);  // tables never move
    EXPECT_EQ(titles.find(4)->text, "only here");
    titles.prefer({});
    EXPECT_EQ(order(), "dfcabeg");
    EXPECT_FALSE(titles.find(1));
}

TEST(BuiltinTitles, KnownIndices) {
    const TitleTable& table = builtin_titles();
    EXPECT_EQ(table.language(), "009");
    EXPECT_EQ(table.origin(), "built-in");
    EXPECT_EQ(&table, &builtin_titles());
    const std::pair<std::uint32_t, std::string_view> known[] = {
        {2, "System"},     {4, "Memory"},      {6, "% Processor Time"}, {44, "Processor Queue Length"},
        {230, "Process"},  {238, "Processor"}, {674, "System Up Time"}, {784, "ID Process"},
        {804, "ID Thread"}};
    for (const auto& [index, title] : known) EXPECT_EQ(table.find(index), title);
    EXPECT_FALSE(table.find(1));
    for (std::size_t i = 0; i < table.size(); ++i) {
        EXPECT_EQ(table[i].index % 2, 0U);
        EXPECT_GE(table[i].index, i == 0 ? 2U : table[i - 1].index + 2);
        EXPECT_LE(table[i].index, 1846U);
        EXPECT_NE(table[i].text, "");
    }
}

/// Checks every prefix of the input, and the input with each byte changed in several ways: nothing crashes, and faults
/// are inside the input.
void sweep(const std::string& good) {
    const auto check = [](const std::string& bytes) {
        const Parsed parsed = parse(bytes, "titles", 500);
        for (const Diagnostic& found : parsed.diagnostics.kept()) {
            EXPECT_GE(found.error.offset, 500U);
            EXPECT_LE(found.error.offset, 500 + bytes.size());
        }
        for (const TitleTable& table : parsed.tables)
            for (std::size_t i = 0; i < table.size(); ++i)
                EXPECT_EQ(table.find(table[i].index).has_value(), table[i].index != 1);
    };
    for (std::size_t size = 0; size <= good.size(); ++size) check(good.substr(0, size));
    for (std::size_t at = 0; at < good.size(); ++at) {
        for (const int value : {0, 1, 9, 10, 13, 32, 34, 44, 48, 57, 91, 92, 103, 0x7F, 0x80, 0xD8, 0xFE, 0xFF}) {
            std::string bytes = good;
            bytes[at] = static_cast<char>(value);
            check(bytes);
        }
        check(std::string(good).erase(at, 1));
    }
}

TEST(TitleSweep, MultiString) { sweep(multi_sz(small) + "\0\0"s); }
TEST(TitleSweep, MultiStringBigEndian) { sweep("\xFE\xFF" + multi_sz(small, ByteOrder::big)); }
TEST(TitleSweep, Lines) { sweep(joined(small, "\r\n") + "6\r\nSyst\xC3\xA8me\r\n"); }
TEST(TitleSweep, Tabbed) { sweep("1\t1847\n2\tSystem\n4\tMemory\n"); }
TEST(TitleSweep, RegistryExport) { sweep(export_text()); }
TEST(TitleSweep, RegistryExportWide) {
    sweep("\xFF\xFE" +
          wide("Windows Registry Editor Version 5.00\r\n\r\n[HKEY_X\\Perflib\\009]\r\n\"Counter\"=hex(7):" +
               hex(multi_sz({"2", "System", "4", "M"})) + "\r\n"));
}

Parsed parse_file(const std::string& path) {
    return parse(hkpd_test::read_file(path), std::filesystem::path(path).filename().string());
}

/// Real files, which are not in the source tree.
class RealTitles : public hkpd_test::SharedDir {
  protected:
    Parsed read(const std::string& name) const { return parse_file(path(name)); }
};
class WindowsTitles : public hkpd_test::WindowsData {};

TEST_F(WindowsTitles, OfVista) {
    const Parsed parsed = parse_file(path("data/titles/vista-2007-counter-009.multisz"));
    ASSERT_EQ(parsed.tables.size(), 1U);
    EXPECT_EQ(parsed.tables[0].size(), 1839U);
    EXPECT_EQ(parsed.tables[0].language(), "009");
    EXPECT_EQ(parsed.tables[0].find(4658), "DMA Buffer Submitted/Sec");
    EXPECT_EQ(parsed.faults(), "");
}

TEST_F(RealTitles, TextFile) {
    const Parsed parsed = read("data/titles/counter-009.txt");
    ASSERT_EQ(parsed.tables.size(), 1U);
    EXPECT_EQ(parsed.tables[0].size(), 10127U);
    EXPECT_EQ(parsed.tables[0].language(), "009");
    EXPECT_EQ(parsed.tables[0].find(16526), "Outgoing HTTP Bytes");
    std::size_t blank = 0;
    for (std::size_t i = 0; i < parsed.tables[0].size(); ++i) blank += parsed.tables[0][i].text == " ";
    EXPECT_EQ(blank, 26U);  // kept as they are
    EXPECT_EQ(parsed.faults(), "");
}

TEST_F(RealTitles, SambaAndWine) {
    const Parsed samba = read("live/blobs/samba-counter009.bin");
    EXPECT_TRUE(samba.all().starts_with("1=11|2=Memory|4=Available KB|")) << samba.all();
    EXPECT_EQ(samba.tables.at(0).find(22), "v");
    EXPECT_EQ(samba.faults(), "");
    const Parsed explain = read("live/blobs/samba-explain009.bin");
    EXPECT_TRUE(explain.all().starts_with("3=Memory help|5=h|")) << explain.all();
    EXPECT_EQ(explain.tables.at(0).language(), "009");
    EXPECT_EQ(explain.faults(), "");
    EXPECT_EQ(read("live/blobs/wine64-counter009.bin").all(), "1=1847|1846=End Marker|");
    EXPECT_EQ(read("live/blobs/wine64-help009.bin").all(), "1847=End Marker|");
    EXPECT_EQ(read("live/blobs/samba-global-ok.bin").error.code, Errc::not_recognised);
    EXPECT_EQ(read("live/blobs/wine64-global-raw.bin").error.code, Errc::not_recognised);
    EXPECT_EQ(read("data/blg/not-a-blg.blg").error.code, Errc::not_recognised);
    EXPECT_EQ(read("data/blg/win10-14393-counters.blg").error.code, Errc::not_recognised);
}

TEST_F(RealTitles, BuiltinTitlesEqualBoth) {
    const TitleTable vista = read("data/titles/vista-2007-counter-009.multisz").tables.at(0);
    const TitleTable later = read("data/titles/counter-009.txt").tables.at(0);
    std::size_t in_both = 0;
    for (std::size_t i = 0; i < builtin_titles().size(); ++i) {
        const auto [index, text, offset] = builtin_titles()[i];
        EXPECT_TRUE(vista.find(index) == text || later.find(index) == text) << index;
        in_both += vista.find(index) == later.find(index);
    }
    EXPECT_EQ(in_both, 632U);
    EXPECT_EQ(builtin_titles().size(), 669U);
}

}  // namespace titles_test
}  // namespace hkpd
