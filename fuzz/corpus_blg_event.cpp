// Seeds that are single events of performance logs, valid and damaged; the byte in front of each states its kind.
#include <string>
#include <utility>

#include "corpus.hpp"
#include "log_parts.hpp"

namespace hkpd_fuzz {
namespace {

using namespace log_file;
using namespace log_parts;
using std::filesystem::path;

enum Kind : char { header, entries, records, end, name_strings };  // values that the target expects

bool write_event(const path& file, Kind kind, const std::string& content) {
    return write(file, std::string(1, kind) + content);
}

bool write_headers(const path& folder) {
    return write_event(folder / "header", header, header_of({})) &&
           write_event(folder / "header-32", header, header_of({.build = 6000, .pointer_size = 4})) &&
           write_event(folder / "header-unclosed", header, header_of({.closed = false})) &&
           write_event(folder / "header-no-daylight", header,
                       header_of({.zone = {.bias = -330, .standard = {u"India Standard Time"}, .daylight = {}}})) &&
           write_event(folder / "header-dates", header,
                       header_of({.zone = {.bias = 60,
                                           .standard = {u"Winter", {2016, 10, 0, 30, 3, 0, 0, 0}, 0},
                                           .daylight = {u"Sommer", {2016, 3, 0, 27, 2, 0, 0, 0}, -60}}})) &&
           write_event(folder / "header-south", header,
                       header_of({.zone = {.bias = -600,
                                           .standard = {u"@tzres.dll,-672", {0, 4, 0, 1, 3, 0, 0, 0}, 0},
                                           .daylight = {u"@tzres.dll,-671", {0, 10, 0, 5, 2, 0, 0, 0}, -60}}})) &&
           write_event(folder / "header-summer-for-good", header,
                       header_of({.zone = {.standard = {u"", {2015, 10, 0, 30, 3, 0, 0, 0}, 0},
                                           .daylight = {u"", {2016, 3, 0, 27, 2, 0, 0, 0}, -60}}})) &&
           write_event(folder / "header-last-summer", header,
                       header_of({.zone = {.standard = {u"", {2016, 10, 0, 30, 3, 0, 0, 0}, 0},
                                           .daylight = {u"", {2015, 3, 0, 27, 2, 0, 0, 0}, -60}}})) &&
           write_event(folder / "header-bias", header, header_of({.zone = {.bias = 1'000'000}})) &&
           write_event(folder / "header-short", header, header_of({}).substr(0, 200));
}

bool write_catalogues(const path& folder) {
    bool written = write_event(folder / "catalogue", entries, catalogue(raw_entries()).text()) &&
                   write_event(folder / "catalogue-ended", entries, catalogue(block_entries, true).text()) &&
                   write_event(folder / "catalogue-none", entries, "x");
    const auto add = [&](const char* name, std::size_t field, std::uint32_t value) {
        Data data = catalogue(list_entries());
        data.put32(data.part(1) + field, value);
        written = write_event(folder / name, entries, data.text()) && written;
    };
    using namespace catalogue_entry;
    add("catalogue-length-short", Length, 8);
    add("catalogue-length-long", Length, 0x1000'0000);
    add("catalogue-counter-outside", Counter, 0x7000'0000);
    add("catalogue-machine-none", Machine, 0xFFFF'FFFF);
    add("catalogue-no-end-of-text", Counter, 40);
    add("catalogue-flags", Flags, 0x11);
    Data bad_text = catalogue(list_entries());
    bad_text.put16(bad_text.part(0) + catalogue_entry::size + 4, 0xD800);
    return write_event(folder / "catalogue-bad-text", entries, bad_text.text()) && written;
}

bool write_rows(const path& folder) {
    bool written = write_event(folder / "row-raw", records, row(raw_records(1)).text()) &&
                   write_event(folder / "row-block", records, row(block_records(1)).text()) &&
                   write_event(folder / "row-empty", records, row({}).text()) &&
                   write_event(folder / "row-none", records, "BL");
    const auto add = [&](const char* name, auto damage) {
        Data data = row(list_records(1));
        damage(data);
        written = write_event(folder / name, records, data.text()) && written;
    };
    using namespace record_header;
    constexpr std::size_t body = record_header::size;
    add("row-instances", [](Data&) {});
    add("row-unknown-type", [](Data& data) { data.put16(data.part(1) + Type, 0x0703); });
    add("row-letters", [](Data& data) { data.put16(data.part(1) + Letters, 0x4242); });
    add("row-length-short", [](Data& data) { data.put32(data.part(1) + Length, 4); });
    add("row-length-long", [](Data& data) { data.put32(data.part(1) + Length, 0x7FFF'FFFF); });
    add("row-own-length", [](Data& data) { data.put32(Length, 1U << 20U); });
    add("row-own-type", [](Data& data) { data.put16(Type, raw_type); });
    add("row-left-over", [](Data& data) { data.grow(24); });
    add("instances-count", [](Data& data) { data.put32(data.part(0) + body + raw_instances::Count, 0x0FFF'FFFF); });
    add("instances-size", [](Data& data) { data.put32(data.part(0) + body + raw_instances::Size, 16); });
    add("instances-name",
        [](Data& data) { data.put32(data.part(0) + body + raw_instances::size + raw_instance::Name, 0x7000'0000); });
    add("instances-name-odd",
        [](Data& data) { data.put32(data.part(0) + body + raw_instances::size + raw_instance::Name, 33); });
    return written;
}

}  // namespace

bool write_log_event_seeds(const path& testdata) {
    const path folder = testdata / "corpus" / "blg_event";
    const Data valid_end = trailer({start, start + second, 2, {trailer_object()}});
    return write_headers(folder) && write_catalogues(folder) && write_rows(folder) &&
           write_event(folder / "trailer", end, valid_end.text()) &&
           write_event(folder / "trailer-short", end, valid_end.text().substr(0, 20)) &&
           write_event(folder / "names", name_strings, names(u"\\\\S", titles).text()) &&
           write_event(folder / "names-of-unknown-machine", name_strings, names(u"S", titles).text());
}

}  // namespace hkpd_fuzz
