// Builds performance logs (.blg) byte by byte from plain structs: the header, and events cut into fragments that fill
// buffer after buffer.
//
//   log_file::File file = log_file::build({.events = {
//       {log_file::catalogue_class, log_file::catalogue({{.counter = u"a"}})},
//       {log_file::row_class, log_file::row({log_file::raw({.first = 7})}), local_time}}});
//   file.put32(file.fragment(1) + log_file::event_header::Fragments, 2);
//
// Lengths, counts and fragments are right. A test breaks fields afterwards by overwriting them: the result has the
// place of each structure. The data of an event (`log_events.hpp`) can be broken before it is put into a file.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "support/byte_buffer.hpp"
#include "support/log_events.hpp"

namespace log_file {

namespace buffer_header {
inline constexpr std::size_t BufferSize = 0, Saved = 4, Current = 8, TimeStamp = 16, Sequence = 24, Filled = 48,
                             Flags = 52, Type = 54, size = 72;
}
namespace system_header {  // of the first event
inline constexpr std::size_t HeaderType = 2, Marker = 3, Size = 4, Hook = 6, SystemTime = 16, size = 32;
}
namespace logfile_header {  // relative to the end of that header
inline constexpr std::size_t BufferSize = 0, MajorVersion = 4, ProviderVersion = 8, EndTime = 16, LogFileMode = 32,
                             BuffersWritten = 36, StartBuffers = 40, PointerSize = 44, EventsLost = 48, size = 56;
/// Returns the offset of TIME_ZONE_INFORMATION in a header with pointers of 4 or 8 bytes; StartTime follows it.
inline constexpr std::size_t zone(std::size_t pointer_size) { return size + 2 * pointer_size; }
inline constexpr std::size_t start_time(std::size_t pointer_size) {
    return blob::round_up(zone(pointer_size) + 172, 8) + 16;
}
}  // namespace logfile_header
namespace time_zone {
inline constexpr std::size_t Bias = 0, StandardName = 4, StandardDate = 68, StandardBias = 84, DaylightName = 88,
                             DaylightDate = 152, DaylightBias = 168, size = 172;
}
namespace event_header {
inline constexpr std::size_t Size = 0, HeaderType = 2, Marker = 3, Class = 4, Version = 6, TimeStamp = 16,
                             Provider = 24, Log = 48, Fragment = 64, Fragments = 68, size = 72;
}

inline constexpr std::uint8_t catalogue_class = 0x20, row_class = 0x22, trailer_class = 0x23, names_class = 0x24;

using Guid = std::array<std::uint8_t, 16>;
/// {933f3bb3-943e-490d-9ced-3cbb14c14479}.
inline constexpr Guid pdh_provider{0xb3, 0x3b, 0x3f, 0x93, 0x3e, 0x94, 0x0d, 0x49,
                                   0x9c, 0xed, 0x3c, 0xbb, 0x14, 0xc1, 0x44, 0x79};
inline constexpr Guid first_log{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};

/// SYSTEMTIME: year, month, day of week, day, hour, minute, second, milliseconds.
using Date = std::array<std::uint16_t, 8>;
struct Season {
    std::u16string name;  ///< at most 31 units
    Date date{};
    std::int32_t bias = 0;
};
/// Zone of the Windows 10 log.
struct Zone {
    std::int32_t bias = 480;
    Season standard{u"@tzres.dll,-212", {0, 11, 0, 1, 2, 0, 0, 0}, 0};
    Season daylight{u"@tzres.dll,-211", {0, 3, 0, 2, 2, 0, 0, 0}, -60};
};

struct Header {
    std::uint32_t build = 14393, mode = 0x0100'0001, start_buffers = 1, events_lost = 0, buffers_lost = 0;
    std::uint32_t pointer_size = 8;
    std::int64_t start_time = 131'246'708'917'896'502, end_time = 131'246'709'000'000'000;  ///< UTC
    std::optional<std::uint32_t> buffers_written{};  ///< default: the real number; 0 if the log is not closed
    bool closed = true;                              ///< otherwise end_time and buffers_written are 0
    Zone zone{};
    std::u16string logger = u"04030201-0605-0807-090a-0b0c0d0e0f10", file = u"C:\\PerfLogs\\test.blg";
};

/// One event, or its replacement.
struct Event {
    std::uint8_t event_class = row_class;
    Data data{};
    std::int64_t time = 131'246'415'908'740'000;           ///< local
    std::size_t cut = 8000;                                ///< most bytes of data in one fragment
    std::vector<std::size_t> order{};                      ///< order of its fragments; default: ascending
    std::optional<std::uint32_t> fragment{}, fragments{};  ///< replacement numbers in all of them
    std::optional<std::uint8_t> header_type{}, marker{};   ///< default: from the pointer size, 0xC0
    Guid provider = pdh_provider, log = first_log;
    bool new_buffer = false;  ///< begins a new buffer, however much space is left
};

struct Log {
    Header header{};
    std::vector<Event> events{};
    std::size_t buffer_size = 8192;  ///< an event's fragment must fit into it, with two headers of 72 bytes
    std::size_t unfilled = 0;        ///< buffers of zeros after the last one
    std::uint8_t rest = 0xFF;        ///< fill byte of a buffer after its used part
};

/// The bytes of a log, and the places of its structures.
class File : public blob::ByteBuffer {
  public:
    std::size_t buffer_size() const { return buffer_size_; }
    std::size_t buffer_count() const { return size() / buffer_size_; }
    std::size_t buffer(std::size_t k) const { return k * buffer_size_; }
    /// Returns the offset of the first event's TRACE_LOGFILE_HEADER.
    std::size_t header() const { return buffer_header::size + system_header::size; }
    /// Returns the offset of a fragment's header; its part of the event's data follows.
    std::size_t fragment(std::size_t event, std::size_t k = 0) const { return events_.at(event).at(k); }
    std::size_t fragment_count(std::size_t event) const { return events_.at(event).size(); }

    /// Rotates the buffers from `from` to the end so that `first` comes first. Places of events are lost.
    void rotate(std::size_t from, std::size_t first) {
        std::vector<std::byte> all(bytes().begin(), bytes().end());
        const auto at = [&](std::size_t k) { return all.begin() + static_cast<std::ptrdiff_t>(buffer(k)); };
        std::rotate(at(from), at(first), all.end());
        truncate(0);
        append(all);
        events_.clear();
    }
    std::string text() const {
        return {reinterpret_cast<const char*>(bytes().data()), bytes().size()};  // NOLINT(*-reinterpret-cast)
    }

  private:
    friend class FileWriter;
    std::size_t buffer_size_ = 0;
    std::vector<std::vector<std::size_t>> events_;
};

/// Use `build`.
class FileWriter {
  public:
    explicit FileWriter(const Log& log) : log_(log) { file_.buffer_size_ = log.buffer_size; }

    File build() {
        begin_buffer();
        write_header();
        for (const Event& event : log_.events) write_event(event);
        end_buffer();
        const std::size_t count = file_.buffer_count();
        if (log_.header.closed) file_.put32(file_.header() + logfile_header::BuffersWritten, written(count));
        file_.grow(log_.unfilled * log_.buffer_size);
        return std::move(file_);
    }

  private:
    std::uint32_t written(std::size_t count) const {
        return log_.header.buffers_written.value_or(static_cast<std::uint32_t>(count));
    }
    std::size_t here() const { return file_.size() - buffer_; }

    void begin_buffer() {
        buffer_ = file_.size();
        file_.integers(4, log_.buffer_size, 0, 0, 0);
        file_.integers(8, log_.header.start_time, buffer_ / log_.buffer_size);
        file_.grow(buffer_header::size - here());
        if (buffer_ == 0) {
            file_.put16(buffer_header::Flags, 1);
            file_.put16(buffer_header::Type, 4);
        }
    }
    void end_buffer() {
        const std::size_t filled = here();
        file_.put32(buffer_ + buffer_header::Saved, static_cast<std::uint32_t>(filled));
        file_.put32(buffer_ + buffer_header::Filled, static_cast<std::uint32_t>(filled));
        file_.grow(log_.buffer_size - filled);
        file_.fill(buffer_ + filled, log_.buffer_size - filled, log_.rest);
    }

    void write_header() {
        const Header& header = log_.header;
        file_.integers(2, 0);
        file_.integers(1, header.pointer_size == 4 ? 1 : 2, 0xC0);
        file_.integers(2, 0, 0);
        file_.integers(4, 1756, 0);
        file_.integers(8, header.start_time, 0);
        file_.integers(4, log_.buffer_size, 0x0501'000A, header.build, 1);
        file_.integers(8, header.closed ? header.end_time : 0);
        file_.integers(4, 156'250, 0, header.mode, 0, header.start_buffers, header.pointer_size, header.events_lost,
                       2400);
        file_.integers(header.pointer_size, 0, 0);
        write_zone(header.zone);
        file_.pad();
        file_.integers(8, header.start_time - 1, 2'630'633, header.start_time);
        file_.integers(4, 2, header.buffers_lost);
        file_.string(with_nul(header.logger) + with_nul(header.file));
        const std::size_t size = here() - buffer_header::size;
        file_.put16(buffer_header::size + system_header::Size, static_cast<std::uint16_t>(size));
        file_.pad();
    }
    void write_zone(const Zone& zone) {
        file_.integers(4, zone.bias);
        for (const Season* season : {&zone.standard, &zone.daylight}) {
            const std::string name = blob::utf16(season->name);
            file_.string(name);
            file_.grow(64 - name.size());
            for (const std::uint16_t part : season->date) file_.integers(2, part);
            file_.integers(4, season->bias);
        }
    }

    void write_event(const Event& event) {
        const std::size_t count = std::max<std::size_t>(1, (event.data.size() + event.cut - 1) / event.cut);
        std::vector<std::size_t> order = event.order;
        if (order.empty())
            for (std::size_t k = 0; k < count; ++k) order.push_back(k);
        file_.events_.emplace_back();
        if (event.new_buffer) next_buffer();
        for (const std::size_t k : order) write_fragment(event, k, count);
    }
    void next_buffer() {
        end_buffer();
        begin_buffer();
    }
    void write_fragment(const Event& event, std::size_t k, std::size_t count) {
        const auto data = event.data.bytes().subspan(std::min(k * event.cut, event.data.size()));
        const auto part = data.first(std::min(event.cut, data.size()));
        const std::size_t size = event_header::size + part.size();
        // The log's header has a buffer of its own.
        if (buffer_ == 0 || here() + size > log_.buffer_size) next_buffer();
        file_.events_.back().push_back(file_.size());
        file_.integers(2, size);
        file_.integers(1, event.header_type.value_or(log_.header.pointer_size == 4 ? 10 : 20),
                       event.marker.value_or(0xC0), event.event_class, 0);
        file_.integers(2, 60);
        file_.integers(4, 1756, 2624);
        file_.integers(8, event.time);
        for (const std::uint8_t byte : event.provider) file_.integers(1, byte);
        file_.integers(4, 0, 0);
        for (const std::uint8_t byte : event.log) file_.integers(1, byte);
        file_.integers(4, event.fragment.value_or(static_cast<std::uint32_t>(k + 1)),
                       event.fragments.value_or(static_cast<std::uint32_t>(count)));
        file_.append(part);
        file_.grow(std::min(blob::round_up(size, 8) - size, log_.buffer_size - here()));
    }

    const Log& log_;
    File file_;
    std::size_t buffer_ = 0;  // beginning of the current buffer
};

inline File build(const Log& log) { return FileWriter(log).build(); }

}  // namespace log_file
