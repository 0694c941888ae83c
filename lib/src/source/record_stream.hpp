// Streams of records: what the reader of an input format is to a source. `input_formats.hpp` lists the formats.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <istream>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/foreign_file.hpp"
#include "base/stream_window.hpp"
#include "hkpd/error.hpp"
#include "hkpd/limits.hpp"
#include "hkpd/record.hpp"
#include "hkpd/source.hpp"
#include "hkpd/text_encoding.hpp"
#include "text_log/log_clock.hpp"

namespace hkpd {

class PassedSamples;
struct Skipped;

/// Opens an input again, apart from the stream that reads it.
struct InputAgain {
    std::function<std::unique_ptr<std::istream>()> open{};  ///< empty for an input that can be read only once
    bool stays = false;  ///< whether the input can be opened when it is no longer the current one of its source

    /// Returns a stream at the beginning of the input; null if it cannot be opened.
    std::unique_ptr<std::istream> operator()() const { return open ? open() : nullptr; }
};

/// An input whose format is known.
struct RecordInput {
    StreamWindow window;                       ///< at the beginning of the input
    std::string name;                          ///< of the file, without its directory
    const Limits& limits;                      ///< must outlive the stream of records
    GivenZone zone{};                          ///< of a text log, as the caller states it
    TextEncoding encoding{};                   ///< of a text log without a byte order mark, as the caller states it
    std::string_view foreign = unknown_bytes;  ///< name of what the input is without any block (`ForeignFile`)
};

/// The records of one input. Only `next` must be overridden: the other functions spare callers what they do not need,
/// and do nothing where the format does not allow it.
class RecordStream {
  public:
    RecordStream() = default;
    RecordStream(const RecordStream&) = delete;
    RecordStream& operator=(const RecordStream&) = delete;
    virtual ~RecordStream() = default;

    /// Sets `record`, which is empty, to the next record; leaves it empty at the end. The record is valid until the
    /// next call. Most inputs consist of many short records, and a `Record` is large, so it is set in place.
    virtual void next(std::optional<Record>& record, const FaultSink& faults) = 0;

    /// Makes `next` pass over what lies outside a range (`Source::seek`). `first`: number of the input's first sample.
    /// What is passed over is stated in `Record::passed`, and counted by `passed`, which must outlive the stream.
    virtual void seek(const Range& /*range*/, std::uint64_t /*first*/, const InputAgain& /*again*/,
                      PassedSamples& /*passed*/) {}
    /// Returns the span of the input (`Source::span`). Must be called before `next`, which then must not be called.
    virtual std::optional<Source::Span> span(const InputAgain& /*again*/) { return std::nullopt; }
    /// Makes `next` skip the middle of an input of more than `sample_above_bytes` bytes. Adds what is skipped to
    /// `skipped`, which must outlive the stream: the parts before the first record after them, the counts at the end.
    /// Must be called before `next`, and excludes `seek`.
    virtual void skip_middle(std::uint64_t /*sample_above_bytes*/, Skipped& /*skipped*/, const FaultSink& /*faults*/) {}
};

/// Returns the span between the times of two records, in the times that samples have: of whole milliseconds.
inline Source::Span span_between(std::uint64_t first, std::uint64_t last) noexcept {
    const auto sample_time = [](std::uint64_t time) {
        constexpr std::uint64_t millisecond = 1'000'000;
        const std::uint64_t known = std::min<std::uint64_t>(time, std::numeric_limits<std::int64_t>::max());
        return static_cast<std::int64_t>(known - known % millisecond);
    };
    return {sample_time(first), sample_time(last)};
}

}  // namespace hkpd
