// Seeds that are files: captures, whole, torn and with chunks that are not compressed, so that the fuzzer reaches what
// is in them; and blobs end to end.
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>

#include "corpus.hpp"
#include "hkpd/recorder.hpp"
#include "hkpd/simulate.hpp"

namespace hkpd_fuzz {
namespace {

using namespace hkpd;

std::string number(std::uint64_t value, std::size_t width) {
    std::string bytes;
    for (std::size_t i = 0; i < width; ++i) bytes += i < 8 ? static_cast<char>(value >> (8 * i) & 0xFF) : '\0';
    return bytes;
}
std::string text(std::string_view value) { return number(value.size(), 4).append(value); }

/// A capture of a small machine, as `hkpd capture` writes it.
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
    while (const auto record = source->next(diagnostics)) recorder.add(*record, diagnostics);
    recorder.finish();
    writer.finish();
    return file;
}

/// MCAP, mcap.dev/spec: records of an opcode and a length. Checksums of 0 are not compared.
std::string record(unsigned opcode, std::string_view content) {
    return std::string(1, static_cast<char>(opcode)).append(number(content.size(), 8)).append(content);
}
std::string channel(unsigned id, std::string_view encoding, std::string_view metadata = {}) {
    return record(4, number(id, 2) + number(0, 2) + text("t") + text(encoding) + text(metadata));
}
std::string message(unsigned channel_id, unsigned sequence, std::string_view data) {
    return record(5, number(channel_id, 2) + number(sequence, 4) + number(1'767'225'601'000'000'000, 8) +
                         number(1'767'225'601'000'000'000, 8) + std::string(data));
}

/// Records of a source in chunks that are stored as they are.
std::string plain_capture(SimulationRun run) {
    SimulationOptions small;
    small.cpus = 1;
    small.processes = 1;
    small.threads = 1;
    const std::string magic = "\x89MCAP0\r\n";
    std::string file = magic + record(1, text("x-hkpd") + text("fuzz")) + record(0xC, text("hkpd") + text(""));
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
        records += message(static_cast<unsigned>(records[9]), sequence, data);
        file += record(6, number(0, 8) + number(0, 8) + number(records.size(), 8) + number(0, 4) + text("") +
                              number(records.size(), 8) + records);
    }
    return file + record(0xF, number(0, 4)) + record(2, number(0, 20)) + magic;
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
        written = write(corpus / "dump" / name, std::string(1, '\x03') + file) && written;
        written = write(corpus / "replay" / name, std::string(2, '\0') + file) && written;
    };
    add("v1.mcap", v1, true);
    add("v2.mcap", v2, true);
    add("torn.mcap", v1.substr(0, v1.size() * 2 / 3), true);
    add("plain-v1.mcap", plain_v1, true);
    add("plain-v2.mcap", plain_v2, true);
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
