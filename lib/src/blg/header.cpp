// What a performance log says of itself: the trace's header, titles, and the trailer.
#include <cstring>

#include "base/text/encoding.hpp"
#include "blg/blg.hpp"
#include "blg/decode.hpp"

namespace hkpd::blg {
namespace {

constexpr std::string_view header_structure = "TRACE_LOGFILE_HEADER";

Error too_short(Errc code, Bytes event, std::string_view structure, std::uint64_t need) {
    return {code, event.offset(), structure, "", need, event.size()};
}

/// LogFileName is the second of two strings; empty where it is not there.
std::string file_name(Bytes strings) {
    const EncodedText logger = name_text(strings, 0, ByteOrder::little);
    const EncodedText file = name_text(strings.from(logger.bytes.size() + 2), 0, ByteOrder::little);
    std::string name;
    append_utf16(name, file.bytes.span(), ByteOrder::little);
    return name;
}

}  // namespace

std::expected<Header, Error> read_header(Bytes event) {
    constexpr std::uint64_t fixed = sizeof(layout::TRACE_LOGFILE_HEADER);
    const auto wire = wire_at<layout::TRACE_LOGFILE_HEADER>(event, 0);
    if (!wire) return std::unexpected(too_short(Errc::log_header, event, header_structure, fixed));
    const std::uint64_t pointer = wire->PointerSize.value();
    if (pointer != 4 && pointer != 8)
        return std::unexpected(Error{Errc::log_header,
                                     event.offset() + offsetof(layout::TRACE_LOGFILE_HEADER, PointerSize),
                                     header_structure, "PointerSize", 8, pointer});
    const std::uint64_t zone_at = fixed + 2 * pointer, times_at = aligned(zone_at + TimeZoneRules::size);
    struct Times {
        layout::li64 BootTime, PerfFreq, StartTime;
        layout::lu32 ReservedFlags, BuffersLost;
    };
    const auto times = wire_at<Times>(event, times_at);
    const auto zone = TimeZoneRules::read(event.slice(zone_at, TimeZoneRules::size));
    if (!times || !zone)
        return std::unexpected(Error{Errc::log_header, event.offset() + zone_at, header_structure, "TimeZone",
                                     times_at + sizeof(Times), event.size()});
    Header header;
    header.buffer_size = wire->BufferSize.value();
    header.build = wire->ProviderVersion.value();
    header.mode = wire->LogFileMode.value();
    header.buffers = wire->BuffersWritten.value();
    header.start_buffers = wire->StartBuffers.value();
    header.events_lost = wire->EventsLost.value();
    header.buffers_lost = times->BuffersLost.value();
    header.start_time = times->StartTime.value();
    header.end_time = wire->EndTime.value();
    header.zone = *zone;
    header.file = file_name(event.from(times_at + sizeof(Times)));
    return header;
}

std::expected<Trailer, Error> read_trailer(Bytes event) {
    const auto wire = wire_at<layout::LOG_TRAILER>(event, 0);
    if (!wire)
        return std::unexpected(
            too_short(Errc::log_record, event, "performance log trailer", sizeof(layout::LOG_TRAILER)));
    return Trailer{wire->FirstTime.value(), wire->LastTime.value(), wire->Rows.value(), wire->Objects.value()};
}

std::expected<Names, Error> read_names(Bytes event) {
    constexpr std::string_view slashes("\\\0\\\0", 4);
    const EncodedText machine = name_text(event, 0, ByteOrder::little);
    const std::uint64_t end = machine.bytes.size() + 2;
    const bool named = machine.bytes.size() > slashes.size() && event.size() > end &&
                       std::memcmp(event.data(), slashes.data(), slashes.size()) == 0;
    if (!named)
        return std::unexpected(
            Error{Errc::log_record, event.offset(), "performance log titles", "", end, event.size()});
    return Names{{machine.bytes.from(slashes.size()), 0, ByteOrder::little}, event.from(end)};
}

}  // namespace hkpd::blg
