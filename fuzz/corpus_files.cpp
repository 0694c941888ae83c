// Seeds of several files in one directory: blobs with titles, results of the PerfLib functions, captures.
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "corpus.hpp"
#include "file_parts.hpp"
#include "mcap_bytes.hpp"
#include "record_bytes.hpp"

namespace hkpd_fuzz {
namespace {

using Parts = std::vector<std::pair<std::string_view, std::string>>;

struct Seed {
    const char* name;
    Parts parts;
    char first = 3, second = 0;  // options, in the form that the target expects
};

const std::string names = "2\nSystem\n4\nMemory\n";
/// Content of a file that stands for an empty one.
const std::string zeros(12, '\0');

std::string utf16_string(std::u16string_view text) { return blob::utf16(std::u16string(text) + u'\0'); }

/// Returns a block whose dwTotalSize is off by `off`.
std::string wrong_length(std::uint16_t second, std::uint32_t off) {
    v2_blob::Blob block = v2_blob::build(waves::block(second, static_cast<std::uint16_t>(40 + second)));
    block.add32(v2_blob::data_header::dwTotalSize, off);
    return bytes_of(block);
}

/// Returns two instances of the same name, and lists whose parents have parents.
std::string twins() {
    const std::vector<blob::Counter> counters{{.title = 4}};
    using blob::Kind;
    return bytes_of(blob::build(
        {.objects = {
             {.title = 6, .kind = Kind::multi, .counters = counters, .instances = {{u"x", {1}, 8, 0}}},
             {.title = 8, .kind = Kind::multi, .counters = counters, .instances = {{u"y", {1}, 10, 0}}},
             {.title = 10, .kind = Kind::multi, .counters = counters, .instances = {{u"z", {1}, 12, 0}}},
             {.title = 12, .kind = Kind::multi, .counters = counters, .instances = {{u"t", {1}}}},
             {.title = 2, .kind = Kind::multi, .counters = counters, .instances = {{u"a", {1}}, {u"a", {2}}}}}}));
}

std::vector<Seed> directories() {
    const std::string one = v1_bytes(1), two = v1_bytes(2), other = v1_bytes(3, u"T"),
                      empty = bytes_of(blob::build({}));
    constexpr std::size_t total_at = 20, gap = 88;  // TotalByteLength; Wine's gap, the size of a header
    const std::string endless = std::string(one).replace(total_at, 4, mcap_bytes::number(1U << 20U, 4));
    return {
        {"empty", {}},
        {"titles-with-blobs",
         {{"000001.bin", one}, {"000002.bin", two}, {"counter-009.txt", names}, {"perfc007.dat", names}}},
        {"titles-of-two-machines",
         {{"000001.bin", one}, {"000002.bin", other}, {"000003.bin", one}, {"counter-009.txt", names}}},
        {"titles-alone", {{"counter-009.txt", names}}},
        {"titles-with-damaged-blob", {{"000001.bin", "PERF"}, {"counter-009.txt", names}}},
        {"other-files", {{"000001.bin", one}, {"000002.bin", "damaged"}, {"plain", "a note"}, {"other.bin", ""}}},
        {"no-blob", {{"plain", "a note"}, {"folder", ""}}},
        {"folders", {{"folder/000001.bin", one}, {"folder", ""}, {"missing", ""}, {"plain", ""}}},
        {"blocks-with-rest", {{"000001.bin", one + two + zeros}, {"plain", one.substr(0, one.size() - 9)}}},
        {"one-file", {{"000001.bin", one + two}}, 0, 1},
        {"twins", {{"000001.bin", twins()}}, 35},
        {"blocks-limit", {{"000001.bin", endless + std::string(1500, '\1')}}, 16},
        {"empty-block-and-gap", {{"000001.bin", empty + std::string(gap, '\1') + one}}},
        {"too-many-titles",
         {{"000001.bin", one}, {"counter-009.txt", names}, {"perfc007.dat", "2\nSystem\n4\nSpeicher\n"}},
         17},
        {"large-titles",
         {{"000001.bin", one}, {"counter-009.txt", names + std::string(3000, '\n')}, {"plain", std::string(1100, 'x')}},
         16}};
}

std::vector<Seed> v2_files() {
    const std::string one = v2_bytes(1), two = v2_bytes(2), query = bytes_of(waves::identifiers()),
                      structure = bytes_of(waves::registration()), strings = bytes_of(waves::counter_names()),
                      provider(16, '\xA5');
    std::string wrong_query = query;
    wrong_query[v2_blob::counter_identifier::Size] = 1;
    return {
        {"v2-blocks", {{"x.v2", one + two + v2_bytes(3)}, {"x.v2-query", query}}},
        {"v2-two-files", {{"x.v2", one + two}, {"y.v2", two}, {"x.v2-query", query}}},
        {"v2-two-queries", {{"x.v2", one + two}, {"y.v2", two}, {"x.v2-query", query}, {"y.v2-query", ""}}},
        {"v2-no-query", {{"x.v2", one}, {"y.v2", two}, {"x.v2-query", wrong_query}, {"missing", ""}}},
        {"v2-padding", {{"x.v2", one + zeros + two + std::string(4096, '\0')}, {"y.v2", zeros}}},
        {"v2-too-long", {{"x.v2", wrong_length(1, 64) + two}, {"y.v2", wrong_length(1, 1U << 30U)}}},
        {"v2-too-short",
         {{"x.v2", wrong_length(1, static_cast<std::uint32_t>(-16)) + two}, {"y.v2", one.substr(0, one.size() - 8)}}},
        {"v2-no-blocks",
         {{"x.v2", one + "A text that is long enough for a header, and is none: 48 bytes are one."},
          {"y.v2", "x"},
          {"plain", ""},
          {"folder", ""},
          {"folder", ""}}},
        {"v2-limit",
         {{"x.v2", wrong_length(1, 1000) + std::string(1000, '\1')},
          {"x.v2-query", query + std::string(1100, '\0')},
          {"1.v2-registration", std::string(1100, '\0')},
          {"folder", ""}},
         16},
        {"registrations-by-content",
         {{"1.v2-registration", structure},
          {"2.v2-registration", strings},
          {"3.v2-registration", utf16_string(u"Waves")},
          {"4.v2-registration", provider},
          {"5.v2-registration", strings},
          {"6.v2-registration", utf16_string(u"Help")},
          {"x.v2", one}}},
        {"registrations-too-many",
         {{"1.v2-registration", structure},
          {"2.v2-registration", strings},
          {"3.v2-registration", strings},
          {"4.v2-registration", strings},
          {"5.v2-registration", utf16_string(u"Waves")},
          {"missing", ""},
          {"x.v2", one}}},
        {"registrations-of-nothing",
         {{"1.v2-registration", strings},
          {"2.v2-registration", structure},
          {"3.v2-registration", "odd"},
          {"4.v2-registration", provider},
          {"x.v2", one}}},
        {"registrations-by-name",
         {{"0a1b2c3d-4e5f-6071-8293-010203040506-01.v2-registration", structure},
          {"0a1b2c3d-4e5f-6071-8293-010203040506-05-009.v2-registration", strings},
          {"0a1b2c3d-4e5f-6071-8293-010203040506-12-407-title6.v2-registration", strings},
          {"0a1b2c3d-4e5f-6071-8293-010203040506-02-title4.v2-registration", strings},
          {"3.v2-registration", utf16_string(u"Waves")},
          {"x.v2", one}}},
        {"registrations-odd-names",
         {{"0a1b2c3d-4e5f-6071-8293-010203040506.v2-registration", structure},
          {"0a1b2c3d-4e5f-6071-8293-010203040506-one.v2-registration", strings},
          {"0a1b2c3d-4e5f-6071-8293-010203040506-02-title.v2-registration", strings},
          {"0a1b2c3d-4e5f-6071-8293-010203040506-02-009-x.v2-registration", "odd"}}}};
}

/// Blocks, names and lists that are more or other than is allowed.
std::vector<Seed> v2_oddities() {
    using v2_blob::u32;
    const std::string structure = bytes_of(waves::registration()), query = bytes_of(waves::identifiers());
    const std::u16string long_name(1100, u'n');
    v2_blob::Block one_value{.results = {{.type = v2_blob::single_counter, .values = {7}}}},
        two_ids{.results = {{.ids = {1, 2}, .instances = {{u"a", 0, {1, 2}}, {u"b", 0, {3, 4}}, {u"c", 0, {5, 6}}}}}},
        named{.results = {{.ids = {1}, .instances = {{long_name, 0, {1}}, {u"b", 0, {2}}}}}},
        grown{.results = {{.ids = {1}, .instances = {{u"a", 0, {u32(1)}}, {u"b", 0, {2}}}}}},
        lone{.results = {{.type = v2_blob::multiple_instances, .instances = {{u"a", 0, {1}}}}}};
    v2_blob::Blob listed = v2_blob::build(two_ids);
    listed.put32(listed.list(0) + v2_blob::multi_instances::dwInstances, 9);
    const std::string names_too_long = bytes_of(v2_blob::build_strings({{1, std::u16string(200, u'n')}}));
    const std::string one_counter = bytes_of(
        v2_blob::build_registration({.guid = waves::guid, .counters = {{.id = 1, .type = waves::large_rawcount}}}));
    return {
        {"v2-lone-values", {{"x.v2", bytes_of(v2_blob::build(one_value))}, {"000001.bin", twins()}}, 35},
        {"v2-few-values", {{"x.v2", bytes_of(v2_blob::build(two_ids))}, {"y.v2", v2_bytes(1)}}, 16},
        {"v2-long-names",
         {{"x.v2", bytes_of(v2_blob::build(named)) + bytes_of(listed)},
          {"x.v2-query", bytes_of(v2_blob::build_identifiers({{.guid = waves::guid, .name = long_name}})) + query}}},
        {"v2-width-changes",
         {{"1.v2-registration", structure}, {"x.v2", bytes_of(v2_blob::build(grown))}, {"x.v2-query", query}}},
        {"v2-one-counter", {{"1.v2-registration", one_counter}, {"x.v2", bytes_of(v2_blob::build(lone))}}},
        {"registrations-limit",
         {{"1.v2-registration", structure}, {"2.v2-registration", names_too_long}, {"x.v2", v2_bytes(1)}},
         16}};
}

std::vector<Seed> captures() {
    using namespace mcap_bytes;
    const std::string begin = std::string(magic) + record(1, text("x-hkpd") + text("fuzz")) +
                              record(0xC, text("hkpd") + text(text("os") + text("none")));
    const std::string blocks = channel(1, "x-hkpd-v1") + message(1, 0, first_second, v1_bytes(1)) +
                               message(1, 1, first_second + second, v1_bytes(2));
    const std::string registered = channel(2, "x-hkpd-v2-registration",
                                           text("language") + text("any") + text("counterset") +
                                               text(waves::guid_text) + text("request") + text("1")) +
                                   message(2, 0, 0, bytes_of(waves::registration())) + channel(3, "x-hkpd-v2") +
                                   message(3, 2, first_second + 2 * second, v2_bytes(3));
    const std::string titles = channel(4, "x-hkpd-titles", text("name") + text("counter-009.txt")) +
                               message(4, 0, 0, names) + message(4, 0, 0, names + std::string(600, '\n'));
    const std::string end = record(0xF, number(0, 4)) + record(2, number(0, 20)) + std::string(magic);
    return {{"capture", {{"capture.mcap", begin + chunk(blocks) + chunk(registered) + end}}},
            {"captures",
             {{"capture.mcap", begin + chunk(blocks) + end},
              {"again.mcap", begin + chunk(registered) + end},
              {"x.v2", v2_bytes(4)}},
             7,
             26},
            {"capture-limit",
             {{"capture.mcap", begin + chunk(blocks + std::string(1100, '\x80')) +
                                   record(6, number(0, 16) + number(9, 8) + number(0, 4) + text("zstd") +
                                                 number(1100, 8) + std::string(1100, '\1')) +
                                   end}},
             16},
            {"capture-titles", {{"capture.mcap", begin + chunk(titles) + chunk(blocks) + end}}, 17},
            {"capture-with-other-files",
             {{"capture.mcap", begin + chunk(blocks) + end}, {"counter-009.txt", names}, {"again.mcap", "half"}},
             15}};
}

}  // namespace

bool write_file_seeds(const std::filesystem::path& testdata) {
    bool written = true;
    for (const auto& seeds : {directories(), v2_files(), v2_oddities(), captures()})
        for (const Seed& seed : seeds)
            written = write(testdata / "corpus" / "files" / seed.name,
                            std::string{seed.first, seed.second} + join(seed.parts)) &&
                      written;
    return written;
}

}  // namespace hkpd_fuzz
