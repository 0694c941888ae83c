// Seeds that are files: captures, complete, truncated and with uncompressed chunks, so that the fuzzer reaches their
// content; and blobs end to end.
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>

#include "corpus.hpp"
#include "hkpd/capture.hpp"
#include "hkpd/diagnostics.hpp"
#include "hkpd/simulate.hpp"
#include "log_parts.hpp"
#include "mcap_bytes.hpp"

namespace hkpd_fuzz {
namespace {

using namespace hkpd;
using namespace mcap_bytes;

/// Returns a capture of a small machine, as `hkpd capture` writes it.
std::string capture(SimulationRun run) {
    SimulationOptions small;
    small.cpus = 1;
    small.processes = 1;
    small.threads = 1;
    std::string file;
    CaptureOptions options;
    options.samples = 1;
    CaptureWriter writer(
        [&file](std::span<const std::byte> bytes) {
            file.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
            return true;
        },
        options);
    Recorder recorder(writer);
    recorder.set_provenance({{"os", "none"}, {"query", "Global"}});
    Diagnostics diagnostics;
    const auto source = simulate(small, run);
    while (auto record = source->next(diagnostics)) {
        record->cost.reset();  // differs on every run
        recorder.add(*record, diagnostics);
    }
    recorder.finish();
    writer.finish();
    return file;
}

/// Returns the records of a source in uncompressed chunks.
std::string plain_capture(SimulationRun run) {
    SimulationOptions small;
    small.cpus = 1;
    small.processes = 1;
    small.threads = 1;
    std::string file =
        std::string(magic) + record(1, text("x-hkpd") + text("fuzz")) + record(0xC, text("hkpd") + text(""));
    Diagnostics diagnostics;
    const auto source = simulate(small, run);
    const std::string machine = text("machine") + text("S");
    for (unsigned sequence = 0; const auto next = source->next(diagnostics); ++sequence) {
        const std::string_view data(reinterpret_cast<const char*>(next->bytes.data()), next->bytes.size());
        std::string records;
        if (next->kind == Record::Kind::v1_block) records = channel(1, "x-hkpd-v1", machine);
        if (next->kind == Record::Kind::v2_block) records = channel(2, "x-hkpd-v2", machine);
        if (next->kind == Record::Kind::v2_identifiers) records = channel(3, "x-hkpd-v2-query", machine);
        if (next->kind == Record::Kind::titles)
            records =
                channel(4, "x-hkpd-titles", machine + text("name") + text("counter") + text("language") + text("009"));
        if (next->kind == Record::Kind::v2_registration)
            records = channel(5, "x-hkpd-v2-registration",
                              machine + text("counterset") + text(guid_text(next->counterset)) + text("request") +
                                  text(std::to_string(next->request)));
        if (records.empty() || data.size() > 6000) continue;
        records += message(static_cast<unsigned>(records[9]), sequence, first_second, data);
        file += chunk(records);
    }
    return file + record(0xF, number(0, 4)) + record(2, number(0, 20)) + std::string(magic);
}

/// Returns rows of two logs, one of which has neither a catalogue nor a machine.
std::string log_capture() {
    using namespace log_parts;
    const std::string log = text("machine") + text("PC") + text("log") + text("{04030201-0605-0807-090a-0b0c0d0e0f10}");
    const auto row_message = [](unsigned id, unsigned number) {
        return message(id, number, first_second + number * mcap_bytes::second, row(list_records(number)).text());
    };
    const std::string references = channel(1, "x-hkpd-log-header", log) + message(1, 0, first_second, header_of({})) +
                                   channel(2, "x-hkpd-log-catalogue", log) +
                                   message(2, 0, first_second, catalogue(list_entries()).text());
    const std::string rows = channel(3, "x-hkpd-log", log) + row_message(3, 1) + channel(4, "x-hkpd-log") +
                             row_message(4, 2) + row_message(3, 3);
    const std::string end = channel(5, "x-hkpd-log-trailer", text("log") + text("no GUID")) +
                            message(5, 0, first_second, trailer({start, start + 3, 3}).text());
    return std::string(magic) + record(1, text("x-hkpd") + text("fuzz")) + chunk(references) + chunk(rows) +
           chunk(end) + record(0xF, number(0, 4)) + record(2, number(0, 20)) + std::string(magic);
}

}  // namespace

bool write_capture_seeds(const std::filesystem::path& testdata) {
    const std::filesystem::path corpus = testdata / "corpus";
    const std::string v1 = capture({.v1 = true, .v2 = false, .count = 2}),
                      v2 = capture({.v1 = false, .v2 = true, .count = 2}),
                      plain_v1 = plain_capture({.v1 = true, .v2 = false, .count = 1}),
                      plain_v2 = plain_capture({.v1 = false, .v2 = true, .count = 2});
    bool written = true;
    const auto add = [&](const std::string& name, const std::string& file, bool is_capture) {
        if (is_capture) written = write(corpus / "capture" / name, file) && written;
        written = write(corpus / "overview" / name, file) && written;
        written = write(corpus / "dump" / name, std::string(1, '\x03') + file) && written;
        // As a file, and as a block that is fed.
        written = write(corpus / "c_interface" / name, std::string(1, '\x10') + file) && written;
        if (!is_capture)
            written = write(corpus / "c_interface" / ("fed-" + name), std::string(1, '\x2F') + file) && written;
        written = write(corpus / "replay" / name, std::string(2, '\0') + file) && written;
    };
    add("v1.mcap", v1, true);
    add("v2.mcap", v2, true);
    add("truncated.mcap", v1.substr(0, v1.size() * 2 / 3), true);
    add("plain-v1.mcap", plain_v1, true);
    add("plain-v2.mcap", plain_v2, true);
    add("log.mcap", log_capture(), true);
    for (const char* name : {"big-endian.bin", "text-and-bytes.bin", "damaged.bin", "samba-like.bin", "wine-like.bin",
                             "xp-like.bin", "demo.mcap"}) {
        std::ifstream file(testdata / "captures" / name, std::ios::binary);
        const std::string content{std::istreambuf_iterator<char>(file), {}};
        const bool is_capture = std::string_view(name).ends_with(".mcap");
        add(name, is_capture ? content : content + content, is_capture);
    }
    return written;
}

}  // namespace hkpd_fuzz
