// Seeds that users and Windows write as text: title databases in each form, counter paths, text logs, also packed,
// and samples of Get-Counter; and choices for providers.
#include <random>
#include <string>
#include <string_view>

#include "corpus.hpp"
#include "support/byte_buffer.hpp"
#include "support/packed_bytes.hpp"

namespace hkpd_fuzz {
namespace {

using namespace std::string_literals;
using namespace std::string_view_literals;
namespace packed = hkpd_test::packed;

/// Returns a value of a `.reg` file.
std::string hex(std::string_view bytes) {
    static constexpr std::string_view digits = "0123456789abcdef";
    std::string out = "hex(7):";
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        if (i != 0) out += i % 24 == 0 ? ",\\\r\n  " : ",";
        out += digits[static_cast<unsigned char>(bytes[i]) / 16];
        out += digits[static_cast<unsigned char>(bytes[i]) % 16];
    }
    return out + "\r\n";
}

/// Returns `1`, its title, `2`, its title: every string with its NUL.
std::u16string multi_string(std::initializer_list<std::u16string_view> strings) {
    std::u16string out;
    for (const std::u16string_view text : strings) out.append(text).push_back(u'\0');
    return out + u'\0';
}

bool write_titles(const std::filesystem::path& folder) {
    const std::u16string list = multi_string(
        {u"1", u"2000", u"2", u"System", u"4", u"Memory", u"6", u"größer 日本 \U0001F600", u"4", u"Twice"});
    const std::string little = blob::utf16(list), big = blob::utf16(list, blob::Endian::big);
    const std::string ansi = "1\0002000\0002\0System\0004\0Gr\xF6\xDF\0\0"s;
    const std::string lines = "1\n2000\n2\nSystem\n4\nMemory\n", tabbed = "2\tSystem\n4\tMemory\n\n238\tProzessor\n";
    const std::string key = "[HKEY_LOCAL_MACHINE\\SOFTWARE\\Microsoft\\Windows NT\\CurrentVersion\\Perflib\\009]\r\n";
    const std::string exported = "Windows Registry Editor Version 5.00\r\n\r\n" + key + "\"Counter\"=" + hex(little) +
                                 "\"Help\"=" + hex(blob::utf16(multi_string({u"3", u"Helps", u"5", u""}))) +
                                 "\"Counter 007\"=" + hex(little);
    const std::u16string wide(exported.begin(), exported.end());
    return write(folder / "multi-sz", little) && write(folder / "multi-sz-big-endian", big) &&
           write(folder / "multi-sz-mark", "\xFF\xFE" + little) && write(folder / "multi-sz-odd", little + "x") &&
           write(folder / "lines", lines) &&
           write(folder / "lines-crlf-mark",
                 "\xEF\xBB\xBF"
                 "2\r\nSystem\r\n\r\n4\r\n") &&
           write(folder / "lines-windows-1252", "2\nGr\xF6\xDF\n4\n\x80\n") &&
           write(folder / "lines-utf-16", blob::utf16(u"\uFEFF2\nSystem\n4\nMemory\n")) &&
           write(folder / "tab", tabbed) && write(folder / "tab-utf-16", blob::utf16(u"2\tSystem\r\n4\tMemory\r\n")) &&
           write(folder / "export.reg", exported) &&
           write(folder / "export-utf-16.reg", "\xFF\xFE" + blob::utf16(wide)) &&
           write(folder / "export-regedit4.reg", "REGEDIT4\r\n\r\n" + key + "\"Counter\"=" + hex(ansi));
}

bool write_paths(const std::filesystem::path& folder) {
    const std::string paths = R"("\Processor(_Total)\% Processor Time"
\\SIMULATED\Processor Information(0,0)\% Processor Utility
\Process(svchost*#1)\ID Process
\Thread(System/0)\*
\238(0)\6

\Network Interface(*)\Bytes Total/sec
\{b4fc721a-0378-476f-89ba-a5a79f810b36}(*)\26
\Geometric Waves(Small ????)\Sine Wave)";
    std::string many, wildcards;
    for (int i = 0; i < 60; ++i) {
        many += R"(\Thread(System/)" + std::to_string(i % 4) + ")\\" + std::to_string(680 + 2 * i) + "\n";
        wildcards += "*" + std::string(1, static_cast<char>('a' + i % 26)) + "?*\n";
    }
    return write(folder / "many-paths", many) && write(folder / "many-wildcards", wildcards) &&
           write(folder / "paths", paths) && write(folder / "paths-utf-16", "\xFF\xFE" + blob::utf16(u"\\2\\10\r\n")) &&
           write(folder / "wildcards", "a*b?c**\n*\n?\nPro*s*r*\n") &&
           write(folder / "brackets", "\\a(b(c)/d)#2)\\e\n\\(()\\)\n\\\\\\\n\\a()\\b\n\\a(#1)\\b\n");
}

/// Writes Perflib's key with its own values, and services; the byte in front of each states which it is.
bool write_checks(const std::filesystem::path& folder) {
    const std::string perflib = "[HKEY_LOCAL_MACHINE\\SOFTWARE\\Microsoft\\Windows NT\\CurrentVersion\\Perflib";
    const std::string names = hex(blob::utf16(multi_string({u"1", u"4", u"2", u"System", u"4", u"Memory", u"", u"x"})));
    const std::string german = hex(blob::utf16(multi_string({u"2", u"System", u"6", u"Zeit", u"8"})));
    const std::string signature = "Windows Registry Editor Version 5.00\r\n\r\n";
    const std::string database = signature + perflib +
                                 "]\r\n\"Last Counter\"=dword:00000008\r\n\"Last Help\"=dword:00000005\r\n"
                                 "\"Base Index\"=dword:00000737\r\n\r\n" +
                                 perflib + "\\009]\r\n\"Counter\"=" + names + "\"Help\"=" + german + "\r\n" + perflib +
                                 "\\007]\r\n\"Counter\"=" + german;
    const std::string key = "[HKEY_LOCAL_MACHINE\\SYSTEM\\CurrentControlSet\\Services\\";
    const std::string services =
        signature + key +
        "A\\Performance]\r\n\"Library\"=\"a\\\\\\\"b.dll\"\r\n\"First Counter\"=dword:00001388\r\n"
        "\"Last Counter\"=dword:0000138c\r\n\"Object List\"=\"5000 5004 x\"\r\n"
        "\"Disable Performance Counters\"=dword:00000001\r\n\r\n" +
        key +
        "B\\Performance]\r\n\"Library\"=hex(2):61,00,00,00\r\n\"First Counter\"=dword:0000138a\r\n"
        "\"Last Counter\"=\"5010\"\r\n\"First Help\"=hex:8b,13,00,00\r\n";
    return write(folder / "perflib", '\0' + database) && write(folder / "services", '\1' + services) &&
           write(folder / "perflib-lines", "\0002\nSystem\n\nMemory\n6\n"s);
}

bool write_choices(const std::filesystem::path& folder) {
    bool written = true;
    for (unsigned seed = 0; seed < 8; ++seed) {
        std::minstd_rand random(seed);
        std::string bytes;
        for (int i = 0; i < 1500; ++i) bytes += static_cast<char>(random() >> 8U & (seed % 2 == 0 ? 0xFFU : 0x07U));
        written = write(folder / ("random-" + std::to_string(seed)), bytes) && written;
    }
    return written;
}

/// Returns a text log as PDH writes it. Names have the characters that are special in paths and in cells.
std::string text_log() {
    return R"x("(PDH-CSV 4.0) (Pacific Standard Time)(480)","\\PC\Processor(_Total)\% Processor Time","\\PC\Net(Intel(R) ""1""#2)\Bytes/sec","\\B\Memory\Available Bytes"
"11/26/2016 13:46:30.874"," ","0.33300142472592542","12"
"11/26/2016 13:46:31.874","0.5","1e300","13"
"11/26/2016 13:46:32.874","nan","-1","x"
"11/26/2016 13:46:33.874","0,25"
)x";
}

bool write_text_logs(const std::filesystem::path& folder) {
    const std::string log = text_log();
    std::string tabs = log, semicolons = log, bare, crlf;
    for (std::size_t at = 0; (at = tabs.find("\",\"", at)) != std::string::npos;) tabs[at + 1] = '\t';
    for (std::size_t at = 0; (at = semicolons.find("\",\"", at)) != std::string::npos;) semicolons[at + 1] = ';';
    for (const char c : log) {
        if (c != '"') bare += c;
        crlf += c == '\n' ? "\r\n"s : std::string(1, c);
    }
    const std::u16string wide(log.begin(), log.end());
    const std::string typeperf =
        "\r\n\"(PDH-CSV 4.0)\",\"\\\\PC\\A\\B\",\"comment\"\r\n\"05/14/2024 "
        "09:30:02.500\",\"1\",\"\"\r\nExiting...\r\n";
    return write(folder / "csv", log) && write(folder / "tsv", tabs) && write(folder / "semicolons", semicolons) &&
           write(folder / "bare", bare) && write(folder / "crlf-mark", "\xEF\xBB\xBF" + crlf) &&
           write(folder / "utf-16", "\xFF\xFE" + blob::utf16(wide)) &&
           write(folder / "utf-16-big-endian", "\xFE\xFF" + blob::utf16(wide, blob::Endian::big)) &&
           write(folder / "two-logs", log + "\"(Zeit)(-60)\",\"\\A\\B\"\n" + log) &&
           write(folder / "typeperf", typeperf) &&
           write(folder / "windows-1252", "\"(PDH-CSV 4.0)\",\"\\Gr\xF6\xDF(\x80)\\e\"\n\"5/14/2024 9:30:02\",\"1\"\n");
}

/// Writes what PowerShell shows of two sets of samples, and what its cmdlets make of them.
bool write_get_counter(const std::filesystem::path& folder) {
    const std::string shown = R"(
Timestamp                 CounterSamples
---------                 --------------
12/1/2026 10:00:00 AM     \\pc\processor(_total)\% processor time :
                          12.5

                          \\pc\memory\available bytes :
                          8589934592

12/13/2026 10:00:01 AM    \\pc\processor(_total)\% processor time :
                          0,25
)";
    const std::string list = R"(
Timestamp : 2026-12-01 10:00:00
Readings  : \\pc\processor(_total)\% processor time :
            12.5

Path             : \\pc\memory\available bytes
InstanceName     :
CookedValue      : 8589934592
RawValue         : 8589934592
Timestamp        : 01.12.2026 10:00:01
Status           : 0

Path             : \\pc\memory\pages/sec
CookedValue      : 0
Timestamp        : 01.12.2026 10:00:02
Status           : 3221228474
)";
    const std::string exported =
        "#TYPE Microsoft.PowerShell.Commands.GetCounter.PerformanceCounterSample\r\n"
        R"("Path","InstanceName","CookedValue","Timestamp","Status"
"\\pc\process(a ""b"")\handle count","a ""b""","17","12/1/2026 3:00:00 PM","0"
"\\pc\process(a ""b"")\handle count","a ""b""","x","12/1/2026 3:00:01 PM","Success"
)";
    const std::string readings = R"("Readings","Timestamp","CounterSamples"
"\\pc\memory\available bytes :
8589934592

","12/1/2026 3:00:00 PM","Microsoft.PowerShell.Commands.GetCounter.PerformanceCounterSample[]"
)";
    const std::string json = R"([{"Timestamp":"\/Date(1796119200000)\/","CounterSamples":[
{"Path":"\\\\pc\\memory\\available bytes","CookedValue":8589934592.5,"Status":0},
{"Path":"\\\\pc\\memory\\pages/sec","CookedValue":null,"Status":3221228474}]},
{"Path":"\\\\pc\\memory\\pages/sec","CookedValue":1e3,"Timestamp":"2026-12-01T10:00:00.5+01:00","Status":0}]
)";
    return write(folder / "shown", shown) && write(folder / "list", list) && write(folder / "csv", exported) &&
           write(folder / "csv-readings", readings) && write(folder / "json", json) &&
           write(folder / "json-damaged", json.substr(0, json.size() / 2)) &&
           write(folder / "json-nested", std::string(300, '[') + json);
}

bool write_packed(const std::filesystem::path& folder) {
    const std::string log = text_log();
    constexpr std::size_t repeats = 300;
    const std::string zeros(1 + 258 * repeats, '\0'), data = packed::deflate_zeros(repeats);
    const packed::ZipFile first{.name = "a.csv", .text = log}, second{.name = "d/\x81.bin", .text = "x", .flags = 0};
    const packed::ZipFile folder_entry{.name = "d/", .text = ""};
    const packed::ZipFile deflated{.name = "zeros", .text = zeros, .method = 8, .data = data};
    const packed::ZipFile wrong{.name = "wrong", .text = log, .checksum = 1};
    const packed::ZipFile encrypted{.name = "encrypted", .text = log, .flags = 1};
    return write(folder / "gzip", packed::gzip(log)) && write(folder / "gzip-zeros", packed::gzip(zeros, data)) &&
           write(folder / "gzip-members",
                 packed::gzip("") + packed::gzip(log) + packed::gzip("x") + std::string(3, '\0')) &&
           write(folder / "zip", packed::zip({second, first, folder_entry})) &&
           write(folder / "zip-comment", packed::zip({deflated, first}, "PK\5\6 comment")) &&
           write(folder / "zip-damaged", packed::zip({wrong, encrypted, first})) &&
           write(folder / "zip-empty", packed::zip({})) &&
           write(folder / "zstd", "\x28\xB5\x2F\xFD\x20\x06\x31\0\0abcabc"s) &&
           write(folder / "zstd-repeated", "\x28\xB5\x2F\xFD\xA0\0\0\1\0\x03\0\x08x"s);
}

}  // namespace

bool write_text_seeds(const std::filesystem::path& testdata) {
    const std::filesystem::path corpus = testdata / "corpus";
    return write_titles(corpus / "titles") && write_paths(corpus / "counter_path") && write_checks(corpus / "check") &&
           write_choices(corpus / "provider") && write_text_logs(corpus / "text_log") &&
           write_get_counter(corpus / "get_counter") && write_packed(corpus / "packed");
}

}  // namespace hkpd_fuzz
