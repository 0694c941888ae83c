// Seeds that are captures made by hand: every kind of record, an index of chunks for seeking to samples, and chunks
// that do not match their headers.
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "corpus.hpp"
#include "mcap_bytes.hpp"
#include "record_bytes.hpp"

namespace hkpd_fuzz {
namespace {

using namespace mcap_bytes;

std::string begin(std::string_view profile = "x-hkpd") {
    return std::string(magic) + record(1, text(profile) + text("fuzz"));
}

/// A file with an index of its chunks, each with one or more blocks.
class IndexedCapture {
  public:
    explicit IndexedCapture(std::string channels) : channels_(std::move(channels)) {}

    /// `ids`: the channels that the index lists for the chunk.
    void add_chunk(std::string_view records, std::string_view ids, ChunkHead head) {
        const std::string made = chunk(records, head);
        std::string offsets;
        for (const char id : ids)
            offsets += number(static_cast<std::uint64_t>(id), 2) + number(file_.size() + made.size(), 8);
        indexes_ += record(8, number(head.start, 8) + number(head.end, 8) + number(file_.size(), 8) +
                                  number(made.size(), 8) + text(offsets) + number(0, 8) + text(head.compression) +
                                  number(records.size(), 8) + number(records.size(), 8));
        file_ += made;
        ++chunks_;
    }
    /// `off`: difference between the place in the index and the real one.
    void add_metadata(std::uint64_t off = 0) {
        const std::string made = record(0xC, text("hkpd") + text(text("os") + text("none")));
        indexes_ += record(0xD, number(file_.size() + off, 8) + number(made.size(), 8) + text("hkpd"));
        file_ += made;
        ++metadata_;
    }
    /// `counts`: messages of each channel from 1 on.
    std::string end(const std::vector<std::uint64_t>& counts, std::uint32_t checksum = 0) const {
        std::string map, all = file_ + record(0xF, number(0, 4));
        std::uint64_t messages = 0;
        for (std::size_t i = 0; i < counts.size(); ++i) {
            map += number(i + 1, 2) + number(counts[i], 8);
            messages += counts[i];
        }
        const std::uint64_t start = all.size();
        all += channels_ + indexes_;
        all += record(0xB, number(messages, 8) + number(0, 2) + number(counts.size(), 4) + number(0, 4) +
                               number(metadata_, 4) + number(chunks_, 4) + number(first_second, 8) +
                               number(first_second + 9 * second, 8) + text(map));
        all += record(0xE, number(8, 1) + number(start, 8) + number(0, 8));
        return all + record(2, number(start, 8) + number(0, 8) + number(checksum, 4)) + std::string(magic);
    }
    /// Makes the statistics count one chunk more.
    void name_another_chunk() noexcept { ++chunks_; }
    const std::string& channels() const noexcept { return channels_; }

  private:
    std::string channels_, file_ = begin(), indexes_;
    std::uint64_t chunks_ = 0, metadata_ = 0;
};

const std::string v1_channel = channel(1, "x-hkpd-v1", text("machine") + text("S")),
                  v2_channel = channel(2, "x-hkpd-v2", text("machine") + text("S"));

ChunkHead at(unsigned moment) {
    return {.start = first_second + moment * second, .end = first_second + moment * second};
}

std::string numbered(unsigned channel_id, unsigned sequence) {
    return message(channel_id, sequence, first_second + sequence * second,
                   channel_id == 1 ? v1_bytes(static_cast<std::uint16_t>(sequence))
                                   : v2_bytes(static_cast<std::uint16_t>(sequence)));
}

/// Returns a file with one sample per chunk, with these sequence numbers.
std::string one_machine(const std::vector<unsigned>& sequences, std::uint32_t checksum = 0) {
    IndexedCapture capture(v1_channel);
    capture.add_metadata();
    for (std::size_t i = 0; i < sequences.size(); ++i)
        capture.add_chunk((i == 0 ? v1_channel : "") + numbered(1, sequences[i]), "\1", at(sequences[i]));
    return capture.end({sequences.size()}, checksum);
}

/// Returns a file of both interfaces: sequence numbers count once if the last one allows it.
std::string two_interfaces(unsigned last, std::string_view compression = "") {
    IndexedCapture capture(v1_channel + v2_channel);
    for (unsigned i = 0; i < 5; ++i) {
        ChunkHead head = at(i);
        if (i == 4) head.compression = compression;
        const unsigned sequence = i == 4 ? last : i;
        capture.add_chunk((i == 0 ? capture.channels() : "") + numbered(1 + i % 2, sequence), i % 2 == 0 ? "\1" : "\2",
                          head);
    }
    return capture.end({3, 2});
}

/// Returns chunks whose index lists a channel without samples, or nothing.
std::string needed_chunks() {
    const std::string titles =
        channel(3, "x-hkpd-titles",
                text("machine") + text("S") + text("name") + text("counter-009.txt") + text("language") + text("009"));
    IndexedCapture capture(v1_channel + titles + channel(4, "foreign"));
    capture.add_chunk(titles + message(3, 0, 0, "2\nSystem\n4\nMemory\n"), "\3", at(0));
    capture.add_chunk(v1_channel + numbered(1, 0), "\1", at(0));
    capture.add_chunk(numbered(1, 1), "", at(1));
    capture.add_chunk(channel(4, "foreign") + message(4, 0, first_second, "x"), "\4", at(1));
    capture.add_chunk(numbered(1, 2), "\1", at(2));
    capture.add_chunk(numbered(1, 3), "\1\7", at(3));
    return capture.end({4, 0, 1, 1});
}

/// Returns every kind of record outside chunks.
std::string all_records() {
    std::string file = begin("") + record(3, number(1, 2) + text("s") + text("e") + text("")) + v1_channel +
                       numbered(1, 0) + record(7, number(1, 2) + text(number(1, 8) + number(2, 8)));
    const std::string attachment =
        number(1, 8) + number(2, 8) + text("name") + text("text/plain") + number(4, 8) + "data" + number(0, 4);
    file += record(9, attachment) + record(0xC, text("hkpd") + text(text("os") + text("none"))) + record(0x80, "own") +
            record(0x10, "reserved") + channel(9, "x-hkpd-new") + message(9, 0, 0, "x") + message(8, 0, 0, "x");
    file += chunk(record(3, "schema") + record(0xC, "wrong here") + record(5, "short") + record(4, "short") +
                  channel(1, "other") + std::string("\5\xFF\0\0\0\0\0\0\0cut", 12));
    file +=
        record(0xF, number(0, 4)) + numbered(1, 1) + v1_channel +
        record(0xA, number(0, 40) + text("name") + text("text/plain")) + record(0xE, number(8, 1) + number(0, 16)) +
        record(0xB, number(9, 8) + number(0, 2) + number(0, 16) + number(0, 16) + text(number(1, 2) + number(9, 8)));
    return file + record(2, number(0, 20)) + std::string(magic) + "more";
}

/// Returns a series of chunks that do not match their headers.
std::string wrong_chunks() {
    const std::string records = v1_channel + numbered(1, 0);
    return begin() + chunk(records, {.compression = "lz4"}) + chunk(records, {.checksum = 1}) +
           chunk(records, {.more = 1}) + chunk(records, {.compression = "zstd"}) +
           chunk("", {.compression = "zstd", .more = 10}) + chunk(records, {.more = 1U << 30U}) + chunk(records) +
           record(0xF, number(0, 4)) + record(2, number(0, 20)) + std::string(magic);
}

/// Returns a zstd frame (RFC 8878) with raw blocks, which needs no compressor.
std::string zstd_frame(std::string_view content, bool sized) {
    const std::string head = sized ? std::string("\x28\xB5\x2F\xFD\x60", 5) + number(content.size() - 256, 2)
                                   : std::string("\x28\xB5\x2F\xFD\x00\x58", 6);
    return head + number(content.size() << 3U | 1U, 3) + std::string(content);
}
std::string zstd_chunks() {
    const std::string records = v1_channel + numbered(1, 0) + numbered(1, 1);
    std::string file = begin();
    const auto add = [&](const std::string& stored, std::uint64_t size) {
        file += record(
            6, number(0, 16) + number(size, 8) + number(0, 4) + text("zstd") + number(stored.size(), 8) + stored);
    };
    const std::string frame = zstd_frame(records, true);
    add(frame, records.size());
    add(frame, records.size() - 1);                          // has more
    add(frame, records.size() + 1);                          // has less
    add(frame.substr(0, frame.size() - 5), records.size());  // ends too early
    add(frame + zstd_frame("", false), records.size());      // an empty frame at the end
    add(zstd_frame(records, false) + zstd_frame(records, false), 2 * records.size());
    return file + record(0xF, number(0, 4)) + record(2, number(0, 20)) + std::string(magic);
}

/// Returns files with bytes between records that are no record, and with records whose end is unknown.
std::vector<std::string> damaged() {
    const std::string whole = one_machine({0, 1, 2});
    const std::string good = chunk(v1_channel + numbered(1, 0)),
                      end = record(0xF, number(0, 4)) + record(2, number(0, 20)) + std::string(magic);
    std::string odd_chunk = good;
    odd_chunk[0] = '\x10';
    std::string long_attachment = record(9, std::string(40, '\xFF'));
    return {
        begin() + std::string(50, '\0') + good + end,
        begin() + "\x05" + number(1U << 30U, 8) + good + end,
        begin() + odd_chunk + good + end,
        begin() + long_attachment + good + end,
        begin() + record(6, "short") + good + end,
        begin() + record(6, number(0, 28) + number(99, 4) + number(0, 30)) + good + end,
        begin() + good + record(2, number(0, 21)) + good,
        begin() + good + record(0xB, "short") + record(0xD, "") + record(8, "") + record(7, "") + record(0xF, "") + end,
        begin() + record(1, text("x") + text("y") + "extra") + good + end,
        begin() + record(0xC, text("m") + text("odd")) + good + end,
        begin() + record(1, text("x") + text("y") + "extra") + long_attachment + good + end,
        begin() + record(9, number(0, 16) + text("n") + text("m") + number(1000, 8)),
        begin() + good + std::string("\x05\x01", 2),
        whole.substr(0, whole.size() - 30),
        std::string(magic.substr(0, 5)),
        std::string(magic),
        std::string(magic) + good + end};
}

/// Returns summaries that cannot be true.
std::vector<std::string> wrong_summaries() {
    const std::string valid = one_machine({0, 1, 2, 3});
    const std::size_t footer = valid.size() - magic.size() - 20;
    const auto with_start = [&](std::uint64_t start) {
        std::string file = valid;
        return file.replace(footer, 8, number(start, 8));
    };
    IndexedCapture moved(v1_channel);
    moved.add_chunk(v1_channel + numbered(1, 0), "\1", at(0));
    std::string elsewhere = moved.end({1});
    const std::string start = number(begin().size(), 8);
    if (const std::size_t place = elsewhere.rfind(start); place != std::string::npos) elsewhere[place] = '\x7F';
    std::string other_time = one_machine({0, 1, 2, 3});
    // The first chunk, with another time than in the index.
    other_time[other_time.find(chunk(v1_channel + numbered(1, 0), at(0))) + 9] ^= 1;
    IndexedCapture counted(v1_channel);
    counted.add_chunk(v1_channel + numbered(1, 0), "\1", at(0));
    IndexedCapture moved_metadata = counted, no_messages = counted, uncounted = counted;
    moved_metadata.add_metadata(1);
    no_messages.add_chunk(v1_channel, "\1", at(1));
    no_messages.add_chunk(numbered(1, 2), "\1", at(2));
    uncounted.name_another_chunk();
    std::string last_moved = valid;
    last_moved[last_moved.find(chunk(numbered(1, 3), at(3))) + 9] ^= 1;
    return {one_machine({0, 1, 2, 3}, 1),
            with_start(3),
            with_start(footer + 1),
            with_start(valid.size()),
            with_start(footer - 30),
            elsewhere,
            other_time,
            moved_metadata.end({1}),
            no_messages.end({2}),
            uncounted.end({1}),
            last_moved};
}

}  // namespace

bool write_mcap_seeds(const std::filesystem::path& testdata) {
    const std::filesystem::path corpus = testdata / "corpus";
    bool written = true;
    const auto add = [&](const std::string& name, const std::string& file) {
        written = write(corpus / "capture" / name, file) && written;
        written = write(corpus / "dump" / name, std::string(1, '\0') + file) && written;
        // From the second sample on, and up to the first second.
        written = write(corpus / "replay" / name, std::string("\0\x18", 2) + file) && written;
    };
    add("all-records.mcap", all_records());
    add("wrong-chunks.mcap", wrong_chunks());
    add("zstd-chunks.mcap", zstd_chunks());
    add("indexed.mcap", one_machine({0, 1, 2, 3, 4}));
    add("indexed-not-in-order.mcap", one_machine({5, 6, 3, 7, 1}));
    add("indexed-two-interfaces.mcap", two_interfaces(4));
    add("indexed-merged.mcap", two_interfaces(1));
    add("indexed-foreign-compression.mcap", two_interfaces(4, "lz4"));
    add("indexed-needed.mcap", needed_chunks());
    unsigned count = 0;
    for (const std::string& file : damaged()) add("damaged-" + std::to_string(count++) + ".mcap", file);
    count = 0;
    for (const std::string& file : wrong_summaries()) add("wrong-summary-" + std::to_string(count++) + ".mcap", file);
    return written;
}

}  // namespace hkpd_fuzz
