// Captures: written, and read to samples, compared with the bare decompression of their chunks.
#include <zstd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <utility>

#include "cases.hpp"
#include "hkpd/capture.hpp"
#include "inputs.hpp"
#include "read_samples.hpp"
#include "support/temp_folder.hpp"

namespace bench {
namespace {

bool is_large(const Input& input) { return input.values > 1'000'000; }

/// Adds samples to a capture, one second apart.
class Capturing {
  public:
    explicit Capturing(hkpd::CaptureWriter::Sink sink) : writer_(std::move(sink), {}) {}

    void add(hkpd::Bytes block) {
        hkpd::Record record{.kind = hkpd::Record::Kind::v1_block, .bytes = block, .machine = "BENCHMARK"};
        record.time = time_;
        writer_.add_block(record);
        writer_.end_sample();
        time_ += 1'000'000'000;
    }
    void finish() {
        writer_.finish();
        if (!writer_.good()) std::abort();
    }

  private:
    hkpd::CaptureWriter writer_;
    std::uint64_t time_ = 1'715'679'000'000'000'000;
};

/// Writes a finished capture of `samples` consecutive samples of the machine.
void write_capture(const Input& input, std::size_t samples, hkpd::CaptureWriter::Sink sink) {
    Capturing capturing(std::move(sink));
    Blob block = input.samples[0];
    for (std::size_t i = 0; i < samples; ++i, advance(block)) capturing.add(hkpd::Bytes(std::span(block)));
    capturing.finish();
}

void write(benchmark::State& state, const Input& input) {
    Capturing capturing([](std::span<const std::byte> /*bytes*/) { return true; });
    std::size_t turn = 0;
    const auto run = [&] { capturing.add(input.bytes(turn++ % 2)); };
    report(state, baseline(input), {run, input.values, input.bytes().size()});
}

double capture_size(const Input& input, std::size_t samples) {
    std::size_t size = 0;
    write_capture(input, samples, [&](std::span<const std::byte> bytes) {
        size += bytes.size();
        return true;
    });
    return static_cast<double>(size);
}

/// Returns the growth of the file per sample between the two numbers of samples, as a share of a block.
double share_of_added(const Input& input, std::size_t few, std::size_t many) {
    const double added = capture_size(input, many) - capture_size(input, few);
    return added / static_cast<double>((many - few) * input.samples[0].size());
}

/// Reports the growth for a second, consecutive sample, and the mean over whole chunks, whose first samples have no
/// predecessor.
void growth(benchmark::State& state, const Input& input) {
    state.counters["share"] = share_of_added(input, 1, 2);
    state.counters["mean"] = is_large(input) ? share_of_added(input, 4, 16) : share_of_added(input, 64, 192);
}

/// The chunks of a capture, decompressed into one buffer. Layout: mcap.dev/spec.
class Chunks {
  public:
    explicit Chunks(std::string path) : path_(std::move(path)) {
        content_.resize(std::filesystem::file_size(path_));
        read();
        constexpr std::size_t magic = 8, record_header = 9, chunk = 0x06;
        for (std::size_t at = magic; at + magic < content_.size();) {
            const std::size_t length = number(at + 1, 8), body = at + record_header;
            if (static_cast<unsigned char>(content_[at]) == chunk) {
                const std::size_t uncompressed = number(body + 16, 8), name = number(body + 28, 4);
                const std::size_t records = body + 32 + name;
                parts_.push_back({records + 8, number(records, 8), uncompressed});
                buffer_.resize(std::max(buffer_.size(), uncompressed));
            }
            at = body + length;
        }
    }

    /// Reads the file and decompresses it.
    void decompress() {
        read();
        for (const Part& part : parts_)
            if (ZSTD_decompress(buffer_.data(), buffer_.size(), content_.data() + part.at, part.size) !=
                part.uncompressed)
                std::abort();
    }

  private:
    struct Part {
        std::size_t at, size, uncompressed;
    };
    std::size_t number(std::size_t at, std::size_t size) const {
        std::size_t value = 0;
        for (std::size_t i = size; i-- > 0;) value = value << 8U | static_cast<unsigned char>(content_.at(at + i));
        return value;
    }

    void read() {
        std::ifstream file(path_, std::ios::binary);
        if (!file.read(content_.data(), static_cast<std::streamsize>(content_.size()))) std::abort();
    }

    std::string path_, content_;
    std::vector<Part> parts_;
    Blob buffer_;
};

void read(benchmark::State& state, const Input& input) {
    const std::size_t count = is_large(input) ? 16 : 64;
    const hkpd_test::TempFolder folder;
    const std::string path = folder.path("run.mcap");
    {
        std::ofstream file(path, std::ios::binary);
        write_capture(input, count, [&](std::span<const std::byte> bytes) {
            file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
            return file.good();
        });
    }
    Chunks chunks(path);
    std::array<hkpd::Sample, 2> samples;
    report(state, {[&] { chunks.decompress(); }, input.values * count},
           {[&] { read_samples(path, samples, count); }, input.values * count, input.bytes().size() * count});
    state.counters["speed"] = 1 / state.counters["ratio"];  // relative to bare decompression
}

}  // namespace

void add_capture_cases() {
    add_cases("capture_write", write);
    add_cases("capture_growth", growth);
    add_cases("capture_read", read);
}

}  // namespace bench
