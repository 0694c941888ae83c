// A performance log: its records one by one, the samples made of them and the values computed from consecutive samples.
// The output is the same when the log comes through a pipe (unless the log is circular: the order of its buffers is
// then known only at its end), and when it comes as a capture of the log's records.
#include "blg/blg.hpp"

#include <array>
#include <boost/interprocess/streams/bufferstream.hpp>
#include <iostream>
#include <span>
#include <streambuf>
#include <string>

#include "event_properties.hpp"
#include "hkpd/capture.hpp"
#include "hkpd/source.hpp"
#include "source/replay.hpp"
#include "source/sample_reader.hpp"
#include "support/sample_reading.hpp"

namespace {

using namespace hkpd;
using namespace hkpd_fuzz;

constexpr std::size_t most_text = 1U << 20U;

/// Returns a few bytes at a time and cannot seek.
class Pipe final : public std::streambuf {
  public:
    explicit Pipe(std::span<const char> input) : input_(input) {}

  private:
    int_type underflow() override {
        const std::size_t size = std::min(input_.size(), window_.size());
        if (size == 0) return traits_type::eof();
        std::ranges::copy(input_.first(size), window_.begin());
        input_ = input_.subspan(size);
        setg(window_.data(), window_.data(), window_.data() + size);
        return traits_type::to_int_type(window_[0]);
    }

    std::span<const char> input_;
    std::array<char, 777> window_{};
};

/// Replaces standard input for its lifetime.
class StandardInput {
  public:
    explicit StandardInput(std::streambuf& buffer) : before_(std::cin.rdbuf(&buffer)) { std::cin.clear(); }
    StandardInput(const StandardInput&) = delete;
    StandardInput& operator=(const StandardInput&) = delete;
    ~StandardInput() { std::cin.rdbuf(before_); }

  private:
    std::streambuf* before_;
};

/// The kind of an input, and its records as a capture.
struct Recorded {
    bool log = false, circular = false;
    bool timeless = false;  ///< has rows without a time: a capture gives each that of the row before
    std::string capture{};
};

/// Checks the records of another source and records them.
class Watched final : public Source {
  public:
    /// If not `thorough`, only the kinds of the records are kept.
    Watched(Source& source, Recorded& recorded, bool thorough)
        : source_(source),
          recorded_(recorded),
          thorough_(thorough),
          writer_([this](auto bytes) { return keep(bytes); }, options()) {}

    std::optional<Record> next(Diagnostics& diagnostics) override {
        auto record = source_.next(diagnostics);
        if (!record) {
            if (!thorough_) return record;
            recorder_.finish();
            writer_.finish();
            return record;
        }
        using enum Record::Kind;
        recorded_.log = recorded_.log || record->kind == log_header || record->kind == log_row;
        recorded_.timeless = recorded_.timeless || (record->kind == log_row && !record->time);
        if (record->kind == log_header)
            if (const auto header = blg::read_header(record->bytes))
                recorded_.circular = recorded_.circular || (header->mode & blg::Header::circular) != 0;
        if (!thorough_) return record;
        show_event(record->kind, record->bytes);
        recorder_.add(*record, {});
        return record;
    }

  private:
    static CaptureOptions options() { return {.samples = 8, .bytes = 1U << 14U, .time = {}, .level = -1}; }
    bool keep(std::span<const std::byte> bytes) {
        recorded_.capture.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
        return true;
    }

    Source& source_;
    Recorded& recorded_;
    bool thorough_;
    CaptureWriter writer_;
    Recorder recorder_{writer_};
};

/// Requires that every column has a value, and all that goes with it, for each instance.
void require_shape(const Sample& sample) {
    for (const Object& object : sample.objects())
        for (const Column& column : object.columns) {
            const std::size_t rows = object.instances.size();
            require(column.values.size() == rows);
            require(column.status.empty() || column.status.size() == rows);
            for (const auto& temporary : {column.second, column.multi_count, column.taken})
                require(temporary.empty() || temporary.size() == rows);
            require(!column.logged() || (column.second.size() == rows && column.taken.size() == rows));
        }
}

void append(std::string& text, const Column& column, const CookedColumn& cooked) {
    for (const auto& temporary : {column.second, column.multi_count, column.taken})
        for (const std::uint64_t number : temporary) text.append(std::to_string(number)).append(" ");
    for (const ValueStatus status : column.status) text.append(std::to_string(std::to_underlying(status))).append(" ");
    text.append(std::to_string(column.time_base.value_or(-1)));
    for (std::size_t row = 0; row < cooked.values.size(); ++row)
        text.append(" ").append(cooked[row].has_value() ? std::to_string(cooked[row].value)
                                                        : std::string(reason_name(cooked[row].reason)));
    text += '\n';
}

/// Returns all samples of a source with their cooked values, as text; empty if only the cheap properties are due.
std::string show(Source& source, std::uint64_t end, const Effort& effort) {
    Titles titles;
    SampleReader reader(source, &titles, effort.limits());
    reader.take_titles(titles);
    Replay replay(reader, {});
    Diagnostics diagnostics;
    std::string text;
    while (replay.next(diagnostics)) {
        const Sample& sample = replay.sample();
        require_shape(sample);
        const bool shown = effort.thorough() && text.size() < most_text;
        if (shown) text.append(hkpd_test::describe(sample)).append(sample.zone ? sample.zone->name : "").append("\n");
        for (std::size_t o = 0; o < sample.objects().size(); ++o)
            for (std::size_t c = 0; c < sample.objects()[o].columns.size(); ++c) {
                const CookedColumn cooked = replay.cooker().column(o, c);
                if (shown) append(text, sample.objects()[o].columns[c], cooked);
            }
    }
    require_places(diagnostics, end);
    return text;
}

/// Returns all samples of standard input as text: a log, or a capture of one. Places in a capture's records are those
/// before compression.
std::string show_log(std::streambuf& buffer, std::size_t size, Recorded& recorded, std::uint64_t end,
                     const Effort& effort) {
    const Budget budget(size, effort.limits().values * 4, 16);
    const StandardInput input(buffer);
    const auto source = open_files({"-"}, effort.limits());
    Watched watched(*source, recorded, effort.thorough());
    return show(watched, end, effort);
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const ExactCopy copy(std::as_bytes(std::span(data, size)));
    if (CaptureReader::is_capture(copy.bytes())) return 0;
    const std::span input(reinterpret_cast<const char*>(copy.bytes().data()), size);
    const Effort effort(data, size);
    Recorded recorded, again, piped;
    boost::interprocess::ibufferstream first(input.data(), size), second(input.data(), size);
    const std::string all = show_log(*first.rdbuf(), size, recorded, size, effort);
    if (!effort.thorough()) return 0;
    require(all == show_log(*second.rdbuf(), size, again, size, effort));
    if (!recorded.log) return 0;
    Pipe pipe(input);
    const std::string through_pipe = show_log(pipe, size, piped, size, effort);
    require(recorded.circular || all == through_pipe);
    boost::interprocess::ibufferstream capture(recorded.capture.data(), recorded.capture.size());
    Recorded of_capture;
    const std::string of_records =
        show_log(*capture.rdbuf(), recorded.capture.size(), of_capture, small_limits.chunk, effort);
    require(recorded.timeless || all == of_records);
    return 0;
}
