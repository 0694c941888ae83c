// Sources of the signatures: the documentation of each format; for files of Windows, [MS-EVEN6], the headers of the SDK
// and the output of the commands that are named.
#include "base/foreign_file.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>

#include "base/text/encoding.hpp"
#include "base/text/located_text.hpp"
#include "base/text/names.hpp"

namespace hkpd {
namespace foreign_table {

using enum ForeignFile::Where;
using namespace std::string_view_literals;

constexpr std::string_view picture =
    "this is a picture, not performance data: expected the log from which it was made (.blg, CSV or TSV)";
constexpr std::string_view packed =
    "this archive is of a kind that is not read: unpack it, or pack its files with zip, gzip or zstd";
constexpr std::string_view program =
    "this is a program, not performance data: expected a log (.blg, CSV or TSV), a capture or blobs";
constexpr std::string_view document =
    "this is a document, not performance data: expected the log from which it was made (.blg, CSV or TSV)";
constexpr std::string_view table =
    "this is a database of other programs: expected a log (.blg, CSV or TSV), a capture or blobs; a table of counters "
    "can be exported as CSV with counter paths in its first line";
constexpr std::string_view dump =
    "this is a memory dump, not performance data: a debugger reads it; expected a log (.blg, CSV or TSV)";
constexpr std::string_view packets =
    "these are network packets, not performance data: expected a log (.blg, CSV or TSV)";
constexpr std::string_view json =
    "this is JSON, which hkpd writes and does not read: expected the log from which it was made";
constexpr std::string_view events =
    "these are events, not counters: expected a performance log (.blg), which a data collector set or logman writes; "
    "events of Perflib in it state which provider failed";
constexpr std::string_view no_path =
    "this text has no counter path in its first line: expected a text log (CSV or TSV) with paths such as "
    R"(\\SERVER\Processor(_Total)\% Processor Time in its first line, as typeperf and relog write it)";

/// In the order in which a file is compared with them: what is more special comes first.
constexpr auto kinds = std::to_array<ForeignFile>({
    {empty_file, "the file is empty: the program that should have written it failed, or still has the data"},
    {zero_bytes,
     "the file has zeroes in place of its beginning, or of all: its content was never written, as after a crash or on "
     "a full disk; expected a copy from elsewhere"},
    {unknown_bytes,
     "unrecognised format: expected V1 blobs, a capture, a performance log (.blg), a text log (CSV or TSV), or one of "
     "these packed with zip, gzip or zstd"},
    {empty_directory, "no performance data found: expected logs (.blg, CSV or TSV), captures or blobs"},
    {v2_file, "this is V2 (PerfLib) data: give it with --v2, or look at it with hkpd info, check or map"},
    {title_file, "these are titles, not samples: give them with --titles, or read them with hkpd titles or hkpd check"},
    {no_title_file,
     "there are no titles in it: expected REG_MULTI_SZ data, perfcNNN.dat, text with indices and titles, reg export or "
     "reg "
     "query of the key Perflib, or a capture or log with titles"},
    {no_v2_file,
     "this is no V2 (PerfLib) data: expected what PerfQueryCounterData, PerfQueryCounterInfo or "
     "PerfQueryCounterSetRegistrationInfo returned"},
    // of Windows
    {"Windows event log (.evtx)", events, "ElfFile\0"sv},
    {"Windows event log (.evt)", events, "LfLe", binary, 4},
    {"memory dump", dump, "MDMP"},
    {"memory dump", dump, "PAGEDUMP"},
    {"memory dump", dump, "PAGEDU64"},
    {"registry hive", "this is a registry hive: expected its titles or services as text, made with reg export", "regf"},
    {"shortcut (.lnk)", "this is a link to another file: give that file", "L\0\0\0\1\x14\2\0"sv},
    {"program (PE)", program, "MZ"},
    {"program (ELF)", program,
     "\x7F"
     "ELF"},
    {"program (Mach-O)", program, "\xCF\xFA\xED\xFE"},
    // pictures and documents
    {"PNG picture", picture, "\x89PNG\r\n\x1A\n"},
    {"JPEG picture", picture, "\xFF\xD8\xFF"},
    {"GIF picture", picture, "GIF8"},
    {"WebP picture", picture, "WEBP", binary, 8},
    {"BMP picture", picture, "\0\0\0\0"sv, binary, 6},  // after BM, see `is_kind`
    {"video", picture, "ftyp", binary, 4},
    {"PDF document", document, "%PDF-"},
    {"Office document", document, "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1"},
    {"RTF document", document, "{\\rtf"},
    // archives
    {"7z archive", packed, "7z\xBC\xAF\x27\x1C"},
    {"RAR archive", packed, "Rar!\x1A\x07"},
    {"CAB archive", packed, "MSCF\0\0\0\0"sv},
    {"bzip2 data", packed, "BZh"},
    {"xz data", packed,
     "\xFD"
     "7zXZ\0"sv},
    {"LZ4 data", packed, "\x04\x22\x4D\x18"},
    {"tar archive", packed, "ustar", binary, 257},
    // databases and data of others
    {"SQLite database", table, "SQLite format 3\0"sv},
    {"Parquet file", table, "PAR1"},
    {"Arrow file", table, "ARROW1"},
    {"packet capture", packets, "\xD4\xC3\xB2\xA1"},
    {"packet capture", packets, "\x0A\x0D\x0D\x0A"},
    // texts
    {"registry export",
     "this registry export has neither titles nor services with counters: expected the key Perflib, as of reg export "
     R"("HKLM\SOFTWARE\Microsoft\Windows NT\CurrentVersion\Perflib" FILE, or the key Services for hkpd check --services)",
     "windows registry editor", text_begin},
    {"registry export", "this registry export has no samples: hkpd check --services reads services", "regedit4",
     text_begin},
    {"output of reg query", "these are registry values, not samples: hkpd check reads those of services and Perflib",
     "hkey_local_machine\\", text_begin},
    {"output of lodctr /q", "these are the registered providers, not samples: hkpd check reads them",
     "performance counter id queries [perflib]", text},
    {"output of lodctr", "this is a message of lodctr, not performance data: expected a log (.blg, CSV or TSV)",
     "performance counter setting from system backup store", text},
    {"output of typeperf",
     "typeperf found no counter of its paths, and wrote no sample: typeperf -qx lists those of a machine",
     "error: no valid counters", text},
    {get_counter_output,
     "these samples of Get-Counter state no times: show them with Format-List, or write them to a log with Get-Counter "
     "... | Export-Counter -Path FILE.blg",
     "countersamples", text},
    {"data collector set (XML)",
     "this configures a log and has no samples: expected the .blg that the data collector set writes, see its "
     "OutputLocation",
     "<datacollectorset", text},
    {"rules of PAL (XML)", "these are thresholds, not samples: give them with --rules to hkpd check or report",
     "<analysis ", text},
    {"manifest of a provider (XML)", "this describes a provider and has no samples: lodctr /m:FILE registers it",
     "<instrumentationmanifest", text},
    {"events (XML)", events, "schemas.microsoft.com/win/2004/08/events", text},
    {"page of PAL (HTML)",
     "this is a report of PAL, which has no samples: expected the log from which it was made (.blg, CSV or TSV)",
     "analysis of \"", text},
    {"page of PAL (HTML)",
     "this is a report of PAL, which has no samples: expected the log from which it was made (.blg, CSV or TSV)",
     "performance analysis of logs", text},
    {"HTML page", document, "<!doctype html", text_begin},
    {"HTML page", document, "<html", text},
    {"XML document", "this XML has no samples: expected a log (.blg, CSV or TSV), a capture or blobs", "<?xml",
     text_begin},
    {"initialization file of a provider", "this describes a provider and has no samples: lodctr FILE.ini registers it",
     "drivername=", text},
    {"Prometheus metrics", "these are metrics of Prometheus, which hkpd writes and does not read", "# help ",
     text_begin},
    {"list of counter paths", "these are paths without values: give the file with -cf, as in hkpd replay LOG -cf FILE",
     "\\", text_begin},
    {"JSON document", json, "{", text_begin},
    {"JSON document", json, "[{", text_begin},
    {"JSON document", json, "[\n", text_begin},
    {"JSON document", json, "[\r\n", text_begin},
    {"Markdown document", document, "# ", text_begin},
    {"Markdown document", document, "\n## ", text},
    {"Markdown document", document, "\n```", text},
    {plain_text, no_path},
});

/// Returns the beginning of a text in UTF-8 and in lower case; none if the bytes are no text.
static std::optional<std::string> text_of(Bytes beginning) {
    std::span<const std::byte> bytes = beginning.span();
    while (!bytes.empty() && bytes.back() == std::byte{0}) bytes = bytes.first(bytes.size() - 1);
    const auto zeroes = [&](std::size_t from) {
        std::size_t count = 0;
        for (std::size_t i = from; i < bytes.size(); i += 2) count += bytes[i] == std::byte{0} ? 1U : 0U;
        return count;
    };
    const std::size_t even = zeroes(0), odd = zeroes(1), many = bytes.size() / 4;
    const bool little = starts_with(beginning, "\xFF\xFE") || (even == 0 && odd > many);
    const bool big = starts_with(beginning, "\xFE\xFF") || (odd == 0 && even > many);
    std::string text;
    if (little || big)
        append_utf16(text, beginning.clip(0, bytes.size() + (little ? bytes.size() % 2 : 0)).span(),
                     little ? ByteOrder::little : ByteOrder::big);
    else
        text.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    constexpr std::string_view mark = "\xEF\xBB\xBF", allowed = "\t\r\n\f\v\b\x1B";
    if (text.starts_with(mark)) text.erase(0, mark.size());
    text.erase(0, std::min(text.find_first_not_of(" \t\r\n"), text.size()));
    const auto is_control = [&](char c) {
        return static_cast<unsigned char>(c) < 0x20 && allowed.find(c) == std::string_view::npos;
    };
    if (std::ranges::any_of(text, is_control)) return std::nullopt;
    std::ranges::transform(text, text.begin(), lower_ascii);
    return text;
}

static bool is_kind(const ForeignFile& kind, Bytes beginning, const std::optional<std::string>& text) {
    if (kind.mark.empty()) return false;
    if (kind.where == text_begin) return text && text->starts_with(kind.mark);
    if (kind.where == ForeignFile::Where::text) return text && text->find(kind.mark) != std::string::npos;
    // The marks of programs and pictures that are short words can also begin a text.
    if (text && kind.mark.size() <= 2) return false;
    if (kind.name.starts_with("BMP") && !starts_with(beginning, "BM")) return false;
    return starts_with(beginning.from(kind.offset), kind.mark);
}

static const ForeignFile* named(std::string_view name) noexcept {
    const auto* const found = std::ranges::find(kinds, name, &ForeignFile::name);
    return found == kinds.end() ? nullptr : found;
}

static std::string_view name_of(Bytes beginning) {
    if (beginning.empty()) return empty_file;
    if (std::ranges::all_of(beginning.span(), [](std::byte byte) { return byte == std::byte{0}; })) return zero_bytes;
    const std::optional<std::string> text = text_of(beginning);
    for (const ForeignFile& kind : kinds)
        if (is_kind(kind, beginning, text)) return kind.name;
    return text ? plain_text : unknown_bytes;
}

}  // namespace foreign_table

const ForeignFile& foreign_file(Bytes beginning) { return *foreign_table::named(foreign_table::name_of(beginning)); }

std::optional<Error> foreign_in_place_of(Bytes beginning, std::string_view expected) {
    const std::string_view name = foreign_file(beginning.clip(0, foreign_beginning)).name;
    if (name == unknown_bytes || name == zero_bytes) return std::nullopt;
    if (name != plain_text) return foreign_error(name);
    // Strings of registrations are UTF-16, and damaged bytes may look like text in a code page.
    const std::span<const std::byte> bytes = beginning.clip(0, foreign_beginning / 2).span();
    const bool is_text = std::ranges::count(bytes, std::byte{0}) == 0 && valid_utf8(bytes) + 3 >= bytes.size();
    return is_text ? std::optional(foreign_error(expected)) : std::nullopt;
}

std::string_view foreign_sentence(std::string_view name) noexcept {
    const ForeignFile* const found = foreign_table::named(name);
    return found == nullptr ? std::string_view() : found->sentence;
}

}  // namespace hkpd
