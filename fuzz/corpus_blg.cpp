// Seeds that are small performance logs: of each form, of several machines and logs, truncated, damaged, out of order.
#include <string>
#include <utility>
#include <vector>

#include "corpus.hpp"
#include "file_parts.hpp"
#include "log_parts.hpp"
#include "support/log_bytes.hpp"

namespace hkpd_fuzz {
namespace {

using namespace log_file;
using namespace log_parts;

struct Seed {
    const char* name;
    std::string content;
};

using Parts = std::vector<std::pair<std::string_view, std::string>>;

constexpr std::size_t buffer_size = 1024, cut = 800;

Event event(std::uint8_t event_class, Data data, std::int64_t seconds = 0) {
    return {.event_class = event_class, .data = std::move(data), .time = start + seconds * second, .cut = cut};
}
Event row_at(std::int64_t seconds, const std::vector<RowRecord>& records) {
    return event(row_class, row(records), seconds);
}
File log(std::vector<Event> events, Header header = {}) {
    return build({.header = std::move(header), .events = std::move(events), .buffer_size = buffer_size});
}

std::vector<Seed> valid_logs() {
    std::vector<Entry> mixed = raw_entries();
    mixed.push_back(block_entries[0]);
    mixed.push_back(list_entries()[0]);
    const auto mixed_records = [](std::uint16_t seconds) {
        auto records = raw_records(seconds, seconds == 1 ? 0 : no_instance);
        records.push_back(block_records(seconds)[0]);
        records.push_back(list_records(seconds)[0]);
        return records;
    };
    const Event end = event(trailer_class, trailer({start + second, start + 2 * second, 2, {trailer_object()}}), 3);
    return {{"raw", log({event(catalogue_class, catalogue(raw_entries())), row_at(1, raw_records(1)),
                         row_at(2, raw_records(2, no_instance)), end})
                        .text()},
            {"instances", log({event(catalogue_class, catalogue(list_entries(), true)), row_at(1, list_records(1)),
                               row_at(2, list_records(2)), end})
                              .text()},
            {"blocks", log({event(names_class, names(u"\\\\S", titles)), event(names_class, names(u"\\\\T", titles)),
                            event(catalogue_class, catalogue(block_entries)), row_at(1, block_records(1)),
                            row_at(2, block_records(2)), end},
                           {.build = 6000, .pointer_size = 4})
                           .text()},
            {"mixed", log({event(names_class, names(u"\\\\S", titles)), event(catalogue_class, catalogue(mixed)),
                           row_at(1, mixed_records(1)), row_at(2, mixed_records(2)), end})
                          .text()},
            {"empty", log({}).text()}};
}

/// Logs that were not closed, were truncated, or are circular.
std::vector<Seed> unfinished_logs() {
    const Event entries = event(catalogue_class, catalogue(list_entries()));
    std::vector<Event> events{entries};
    for (std::int64_t seconds = 1; seconds < 6; ++seconds) events.push_back(row_at(seconds, list_records(seconds)));
    Log open{.header = {.closed = false}, .events = events, .buffer_size = buffer_size, .unfilled = 2};
    const std::string unclosed = build(open).text();
    File circular = log(events, {.mode = Header{}.mode | 2U, .start_buffers = 2});
    circular.rotate(2, circular.buffer_count() - 2);
    return {{"unclosed", unclosed},
            {"cut-in-a-row", unclosed.substr(0, 4 * buffer_size + 300)},
            {"cut-in-a-header", unclosed.substr(0, 3 * buffer_size + 40)},
            {"cut-in-the-first", unclosed.substr(0, 200)},
            {"circular", circular.text()},
            {"fewer-buffers", log(events, {.buffers_written = 4}).text()},
            {"lost", log(events, {.events_lost = 3, .buffers_lost = 1}).text()}};
}

/// Logs of so many rows that a summary skips the middle.
std::vector<Seed> long_logs() {
    std::vector<Event> events{event(catalogue_class, catalogue(list_entries()))};
    for (std::int64_t seconds = 1; seconds < 25; ++seconds)
        events.push_back(row_at(seconds, list_records(static_cast<std::uint16_t>(seconds))));
    File circular = log(events, {.mode = Header{}.mode | 2U});
    circular.rotate(1, circular.buffer_count() / 2);
    const std::string unclosed = log(events, {.closed = false}).text();
    events.push_back(event(trailer_class, trailer({start + second, start + 24 * second, 24}), 25));
    return {{"long", log(events).text()}, {"long-circular", circular.text()}, {"long-unclosed", unclosed}};
}

/// Events out of order, of other logs, and of no log.
std::vector<Seed> odd_events() {
    const Event entries = event(catalogue_class, catalogue(list_entries()));
    const Event first = row_at(1, list_records(1)), last = row_at(2, list_records(2));
    const auto changed = [](Event event, auto change) {
        change(event);
        return event;
    };
    const auto fragmented = [&](auto change) {
        return changed(first, [&](Event& event) {
            event.cut = 200;
            change(event);
        });
    };
    const auto seed = [&](const Event& odd) { return log({entries, odd, last}).text(); };
    Event foreign_entries = event(catalogue_class, catalogue(raw_entries())), foreign_row = row_at(1, raw_records(1));
    foreign_entries.log[0] = foreign_row.log[0] = 99;
    return {{"fragments", seed(fragmented([](Event&) {}))},
            {"fragments-turned", seed(fragmented([](Event& event) { event.order = {1, 0, 2}; }))},
            {"fragment-lost", seed(fragmented([](Event& event) { event.order = {0, 2}; }))},
            {"fragment-twice", seed(fragmented([](Event& event) { event.order = {0, 1, 1, 2}; }))},
            {"fragments-end-missing", log({entries, fragmented([](Event& event) { event.order = {0, 1}; })}).text()},
            {"fragments-many", seed(fragmented([](Event& event) { event.fragments = 0xFFFF'FFFF; }))},
            {"fragment-of-none", seed(changed(first, [](Event& event) { event.fragments = 0; }))},
            {"two-logs", log({entries, foreign_entries, first, foreign_row, last}).text()},
            {"row-first", log({first, entries, last}).text()},
            {"two-catalogues",
             log({entries, first, foreign_entries, changed(foreign_row, [](Event& event) { event.log = first_log; })})
                 .text()},
            {"foreign-provider", seed(changed(first, [](Event& event) { event.provider[3] = 7; }))},
            {"unknown-class", seed(changed(first, [](Event& event) { event.event_class = 0x21; }))},
            {"other-headers", log({entries, changed(first, [](Event& event) { event.header_type = 10; }),
                                   changed(first, [](Event& event) { event.header_type = 2; }),
                                   changed(first, [](Event& event) { event.header_type = 17; }),
                                   changed(first, [](Event& event) { event.marker = 0x80; }), last})
                                  .text()}};
}

/// Records that do not match their catalogue, or that cannot be read at all.
std::vector<Seed> odd_records() {
    const auto seed = [](const std::vector<Entry>& entries, const std::vector<RowRecord>& records) {
        return log({event(catalogue_class, catalogue(entries)), row_at(1, records)}).text();
    };
    std::vector<RowRecord> short_raw = raw_records(1), short_list = list_records(1), no_name = list_records(1),
                           no_block = block_records(1);
    std::vector<RowRecord> no_instances = list_records(1);
    no_instances[0] = instances({.time = start, .status = 0x8000'07D5});
    short_raw[1].body.resize(20);
    short_list[1].body.resize(16);
    no_name[0].body[raw_instances::size + 1] = 99;
    no_block[0].body[0] = 'Q';
    const Event wrong_end = event(trailer_class, trailer({start + second, start + 2 * second, 7}), 3);
    return {
        {"short-raw", seed(raw_entries(), short_raw)},
        {"short-list", seed(list_entries(), short_list)},
        {"no-name", seed(list_entries(), no_name)},
        {"no-block", seed(block_entries, no_block)},
        {"no-instances", seed(list_entries(), no_instances)},
        {"other-records", seed(list_entries(), raw_records(1))},
        {"count", log({event(catalogue_class, catalogue(raw_entries())), row_at(1, raw_records(1)), wrong_end}).text()},
        {"names-of-unknown-machine",
         log({event(names_class, names(u"S", titles)), row_at(1, block_records(1))}).text()}};
}

/// Inputs that are no logs but resemble one.
std::vector<Seed> no_logs() {
    Event foreign = row_at(1, list_records(1));
    foreign.provider[0] = 1;
    std::vector<Event> open;
    for (std::int64_t seconds = 1; seconds < 11; ++seconds) {
        open.push_back(row_at(seconds, raw_records(seconds)));
        open.back().cut = 200;
        open.back().order = {0};
    }
    return {{"foreign-trace", log({foreign, foreign}).text()},
            {"fragments-open", log(open).text()},
            {"text", "\"(PDH-CSV 4.0) (Pacific Standard Time)(480)\",\"\\\\PC\\System\\Threads\"\r\n"},
            {"text-tabs", "\"(PDH-TSV 4.0) (Pacific Standard Time)(480)\"\t\"\\\\PC\\System\\Threads\"\r\n"}};
}

/// Logs with some bytes overwritten.
std::vector<Seed> damaged_logs() {
    std::vector<Seed> seeds;
    const auto add = [&](const char* name, auto damage) {
        File file = log({event(catalogue_class, catalogue(list_entries())), row_at(1, list_records(1)),
                         row_at(2, list_records(2))});
        damage(file);
        seeds.push_back({name, file.text()});
    };
    using namespace buffer_header;
    add("buffer-size", [](File& file) { file.put32(BufferSize, 0x1000'0000); });
    add("event-short", [](File& file) { file.put16(file.fragment(1) + event_header::Size, 56); });
    add("buffer-size-odd", [](File& file) { file.put32(BufferSize, 1000); });
    add("buffer-size-differs", [](File& file) { file.put32(file.buffer(1) + BufferSize, 2048); });
    add("filled-too-far", [](File& file) { file.put32(file.buffer(1) + Filled, 4096); });
    add("filled-too-little", [](File& file) { file.put32(file.buffer(1) + Filled, 8); });
    add("buffer-of-zeros", [](File& file) { file.fill(file.buffer(1), 1024, 0); });
    add("event-size", [](File& file) { file.put16(file.fragment(1), 20); });
    add("event-size-over", [](File& file) { file.put16(file.fragment(1), 0xFFF0); });
    add("mode-unknown", [](File& file) { file.put32(file.header() + logfile_header::PointerSize, 5); });
    add("header-short", [](File& file) { file.put16(buffer_header::size + system_header::Size, 100); });
    add("zone", [](File& file) { file.put32(file.header() + logfile_header::zone(8), 0x7FFF'FFFF); });
    add("not-the-header", [](File& file) { file.put16(buffer_header::size + system_header::Hook, 5); });
    return seeds;
}

}  // namespace

bool write_log_seeds(const std::filesystem::path& testdata) {
    const std::filesystem::path corpus = testdata / "corpus";
    bool written = true;
    for (const auto& seeds : {valid_logs(), unfinished_logs(), odd_events(), odd_records(), no_logs(), damaged_logs()})
        for (const Seed& seed : seeds) written = write(corpus / "blg" / seed.name, seed.content) && written;
    for (const auto& seeds : {valid_logs(), unfinished_logs(), long_logs()})
        for (const Seed& seed : seeds) written = write(corpus / "overview" / seed.name, seed.content) && written;
    for (const Seed& seed : valid_logs()) {
        const std::string name = std::string(seed.name) + ".blg";
        written = write(corpus / "dump" / name, '\3' + seed.content) && written;
        written = write(corpus / "c_interface" / name, '\x10' + seed.content) && written;
        written = write(corpus / "replay" / name, std::string(2, '\0') + seed.content) && written;
    }
    const std::string raws = valid_logs()[0].content, lists = valid_logs()[1].content, blocks = valid_logs()[2].content;
    std::vector<Event> many;
    for (std::uint8_t number = 0; number < 4; ++number) {
        many.push_back(event(catalogue_class, catalogue(list_entries())));
        many.push_back(event(names_class, names(u"\\\\S", std::vector<Title>(20, titles[1]))));
        many[many.size() - 1].log[0] = many[many.size() - 2].log[0] = number;
    }
    const auto write_files = [&](const char* name, std::string options, const Parts& parts) {
        written = write(corpus / "files" / name, options + join(parts)) && written;
    };
    write_files("logs", {3, 0}, {{"first.blg", lists}, {"second.blg", blocks}});
    write_files("logs-and-titles", {3, 0}, {{"first.blg", blocks}, {"counter-009.txt", "2\nSystem\n4\nMemory\n"}});
    write_files("logs-and-others", {3, 26},
                {{"000001.bin", v1_bytes(1)}, {"first.blg", lists}, {"second.blg", "half"}});
    write_files("log-limit", {16, 0}, {{"first.blg", lists}, {"second.blg", blocks}});
    write_files("logs-limit", {19, 0}, {{"first.blg", log(many).text()}, {"second.blg", raws}});
    return written;
}

}  // namespace hkpd_fuzz
