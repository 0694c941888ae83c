#include "support/windows10_log.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/log_bytes.hpp"
#include "support/log_events.hpp"
#include "support/places.hpp"
#include "support/temp_folder.hpp"

namespace hkpd_test {
namespace windows10_log {

namespace lf = log_file;

constexpr std::string_view machine = "\\\\charlieparker";

struct Counter {
    std::string_view object;
    std::optional<std::string_view> instance;
    std::string_view name;
    std::uint32_t type = 0;
    std::int64_t time_base = 0;
    std::int32_t scale = 0;
};

constexpr Counter network(std::string_view instance) {
    return {"network interface", instance, "bytes total/sec", 0x1041'0500, 2'630'633, -4};
}

/// Counters in the order of the table. One entry of the catalogue, for all instances, stands for the first five.
constexpr std::size_t interfaces = 5;
constexpr std::array<Counter, 10> counters{{
    network("intel[r] ethernet connection i218-lm"),
    network("intel[r] dual band wireless-ac 7260"),
    network("isatap.{ea2a01ef-c879-4737-9677-c2fbbc1b5af4}"),
    network("isatap.jetsoft.com"),
    network("teredo tunneling pseudo-interface"),
    {"processor", "_total", "% processor time", 0x2151'0500, 10'000'000, 0},
    {"memory", {}, "% committed bytes in use", 0x2002'0400, 2'630'633, 0},
    {"memory", {}, "cache faults/sec", 0x1041'0400, 2'630'633, -1},
    {"physicaldisk", "_total", "% disk time", 0x2057'0500, 10'000'000, 0},
    {"physicaldisk", "_total", "current disk queue length", 0x0001'0000, 2'630'633, 1},
}};

/// Values of one counter in one row of the table.
struct Fact {
    std::int64_t first = 0, second = 0;
    std::string text{};
};
struct Row {
    std::string time{};  ///< local: 11/26/2016 13:46:30.874
    std::array<Fact, counters.size()> facts{};
};

Row parse_row(const std::string& line) {
    std::istringstream cells(line);
    const auto next = [&cells] {
        std::string cell;
        EXPECT_TRUE(std::getline(cells, cell, '\t'));
        return cell;
    };
    Row row{.time = next()};
    for (Fact& fact : row.facts) {
        fact.first = std::stoll(next());
        fact.second = std::stoll(next());
        fact.text = next();
    }
    return row;
}

std::vector<Row> read_rows() {
    std::istringstream table(read_file(std::filesystem::path(testdata_folder) / "windows/charlieparker.tsv"));
    std::vector<Row> rows;
    for (std::string line; std::getline(table, line);)
        if (!line.starts_with('#')) rows.push_back(parse_row(line));
    return rows;
}

/// Returns a time of the table as a FILETIME: 100 ns since 1601, local.
std::int64_t file_time(const std::string& time) {
    using namespace std::chrono;
    const auto number = [&time](std::size_t at, std::size_t length) { return std::stoi(time.substr(at, length)); };
    const sys_days day = year(number(6, 4)) / number(0, 2) / number(3, 2);
    const milliseconds since_1601 = day - sys_days(year(1601) / 1 / 1) + hours(number(11, 2)) + minutes(number(14, 2)) +
                                    seconds(number(17, 2)) + milliseconds(number(20, 3));
    return since_1601.count() * 10'000;
}

/// Returns ASCII text as UTF-16.
std::u16string wide(std::string_view text) { return {text.begin(), text.end()}; }

lf::Entry entry(const Counter& counter) {
    lf::Entry entry{.type = counter.type,
                    .time_base = counter.time_base,
                    .scale = counter.scale,
                    .machine = wide(machine),
                    .object = wide(counter.object),
                    .counter = wide(counter.name)};
    if (counter.instance) entry.instance = wide(*counter.instance);
    return entry;
}

lf::Data catalogue() {
    lf::Entry all_interfaces = entry(counters[0]);
    all_interfaces.form = lf::Form::instances;
    all_interfaces.instance = u"*";
    std::vector<lf::Entry> entries{std::move(all_interfaces)};
    for (std::size_t k = interfaces; k < counters.size(); ++k) entries.push_back(entry(counters[k]));
    return lf::catalogue(entries);
}

lf::Data row_data(const Row& row) {
    const std::int64_t time = file_time(row.time);
    lf::RawInstances list{.time = time};
    for (std::size_t k = 0; k < interfaces; ++k)
        list.instances.push_back({wide(*counters[k].instance), row.facts[k].first, row.facts[k].second});
    std::vector<lf::RowRecord> records{lf::instances(list)};
    for (std::size_t k = interfaces; k < counters.size(); ++k)
        records.push_back(lf::raw({.first = row.facts[k].first, .second = row.facts[k].second, .time = time}));
    return lf::row(records);
}

/// Returns the cells of a text log's first line; `form` is CSV or TSV.
std::vector<std::string> headings(std::string_view form) {
    std::vector<std::string> all{"(PDH-" + std::string(form) + " 4.0) (Pacific Standard Time)(480)"};
    for (const Counter& counter : counters) {
        std::string path = std::string(machine) + "\\" + std::string(counter.object);
        if (counter.instance) path.append("(").append(*counter.instance).append(")");
        all.push_back(path.append("\\").append(counter.name));
    }
    return all;
}

void append_line(std::string& text, const std::vector<std::string>& cells, char separator) {
    for (const std::string& cell : cells) text.append("\"").append(cell).append("\"").append(1, separator);
    text.back() = '\n';
}

/// Returns text in quotes, with its backslashes doubled.
std::string json_string(std::string_view text) {
    std::string all = "\"";
    for (const char c : text) all.append(c == '\\' ? 2 : 1, c);
    return all + "\"";
}

std::string json_pair(std::int64_t before, std::int64_t now) {
    return "[" + std::to_string(before) + "," + std::to_string(now) + "]";
}

/// Returns what Windows cooked from a counter in two rows, as an object of JSON.
std::string cooked_pair(const std::vector<Row>& rows, std::size_t sample, std::size_t col) {
    const Fact &before = rows[sample - 1].facts[col], &now = rows[sample].facts[col];
    return "{\"sample\":" + std::to_string(sample) + ",\"col\":" + std::to_string(col) +
           ",\"type\":" + std::to_string(counters[col].type) +
           ",\"timebase\":" + std::to_string(counters[col].time_base) +
           ",\"first\":" + json_pair(before.first, now.first) + ",\"second\":" + json_pair(before.second, now.second) +
           ",\"cooked\":" + json_string(now.text) + "}";
}

}  // namespace windows10_log

std::string made_windows10_log() {
    namespace lf = log_file;
    using namespace windows10_log;
    constexpr lf::Guid guid{0x83, 0xf5, 0x23, 0x88, 0x2f, 0xd1, 0xd2, 0x4e,
                            0x9c, 0xcf, 0x7a, 0x3b, 0xf5, 0x5f, 0xde, 0xcb};
    lf::Log log{.header = {.build = 14393,
                           .mode = 0x3002'0801,
                           .start_time = 131'246'708'917'896'502,
                           .end_time = 131'246'708'917'952'900,
                           .logger = u"8823f583-d12f-4ed2-9ccf-7a3bf55fdecb",
                           .file = u"C:\\PerfLogs\\charlieparker.blg"},
                .buffer_size = 65536};
    const std::vector<Row> rows = read_rows();
    log.events.push_back({.event_class = lf::catalogue_class,
                          .data = catalogue(),
                          .time = file_time(rows.at(0).time) - 10,  // 1 us before the first row
                          .log = guid});
    for (const Row& row : rows)
        log.events.push_back(
            {.event_class = lf::row_class, .data = row_data(row), .time = file_time(row.time), .log = guid});
    return lf::build(log).text();
}

std::string windows10_text_log(char separator) {
    using namespace windows10_log;
    std::string text;
    append_line(text, headings(separator == '\t' ? "TSV" : "CSV"), separator);
    for (const Row& row : read_rows()) {
        std::vector<std::string> cells{row.time};
        for (const Fact& fact : row.facts) cells.push_back(fact.text.empty() ? " " : fact.text);
        append_line(text, cells, separator);
    }
    return text;
}

std::string windows10_vectors() {
    using namespace windows10_log;
    const std::vector<Row> rows = read_rows();
    std::string header, vectors;
    for (const std::string& heading : headings("CSV"))
        header.append(header.empty() ? "" : ",").append(json_string(heading));
    for (std::size_t sample = 1; sample < rows.size(); ++sample)
        for (std::size_t col = 0; col < counters.size(); ++col)
            vectors.append(vectors.empty() ? "" : ",\n").append(cooked_pair(rows, sample, col));
    return "{\"header\":[" + header + "],\n\"vectors\":[\n" + vectors + "\n]}\n";
}

}  // namespace hkpd_test
