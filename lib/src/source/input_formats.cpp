// The table of input formats. A new format is a row here, and a file with its stream of records.
#include "source/input_formats.hpp"

#include <array>
#include <cstddef>
#include <utility>

#include "blg/blg.hpp"
#include "hkpd/capture.hpp"
#include "hkpd/names.hpp"
#include "hkpd/v1.hpp"
#include "hkpd/v2.hpp"
#include "names/titles.hpp"
#include "source/get_counter_text.hpp"
#include "source/unpack.hpp"
#include "text_log/text_log.hpp"
#include "v2/decode.hpp"

namespace hkpd {

// The functions that open the formats. Each is defined in the file of its stream.
using OpenRecords = std::unique_ptr<RecordStream>(RecordInput input);
OpenRecords open_v1_records;
OpenRecords open_capture_records;
OpenRecords open_log_records;
OpenRecords open_text_log_records;
OpenRecords open_get_counter_records;

namespace {

bool begins_with_v1(StreamWindow& window, const Limits& /*limits*/) {
    constexpr std::uint64_t signature = 8;  // PERF in UTF-16
    return v1::has_signature(window.peek(signature));
}

bool begins_with_capture(StreamWindow& window, const Limits& /*limits*/) {
    return CaptureReader::is_capture(window.peek(CaptureReader::magic_size));
}

bool begins_with_archive(StreamWindow& window, const Limits& /*limits*/) {
    return packing_of(window.peek(packing_bytes)) == Packing::zip;
}

bool begins_with_log(StreamWindow& window, const Limits& /*limits*/) {
    return blg::is_log(window.peek(blg::first_bytes_needed));
}

bool begins_with_text_log(StreamWindow& window, const Limits& /*limits*/) {
    return is_get_counter(window) || is_text_log(window);
}

std::unique_ptr<RecordStream> open_text_log(RecordInput input) {
    return is_get_counter(input.window) ? open_get_counter_records(std::move(input))
                                        : open_text_log_records(std::move(input));
}

bool holds_titles(StreamWindow& window, const Limits& limits) {
    if (!begins_like_titles(window.peek(titles_beginning))) return false;
    const Bytes all = window.peek(most_title_bytes(limits) + 1);
    return all.size() <= most_title_bytes(limits) && parse_titles(all, "", {}).has_value();
}

bool holds_v2(StreamWindow& window, const Limits& limits) {
    // Most other inputs have neither valid clocks nor their size where a block states it, and are not read whole.
    v2::DataBlock block;
    if (!block.open(window.peek(v2::data_header_size), {})) return false;
    const v2::DataHeader& header = block.header();
    const bool has_clocks = header.SystemTime.valid() && header.PerfFreq > 0;
    if (!has_clocks && window.size().value_or(header.dwTotalSize) != header.dwTotalSize) return false;
    return v2::is_data_block(window.peek(limits.bytes));
}

/// In the order of `InputKind`, in which `recognise` compares an input with them.
constexpr std::array input_rows{
    InputFormat{.name = "unknown", .words = "not recognised"},
    InputFormat{.name = "directory", .words = "directory"},
    InputFormat{
        .name = "v1", .words = "V1 performance data (blobs)", .recognise = begins_with_v1, .open = open_v1_records},
    InputFormat{
        .name = "capture", .words = "capture (MCAP)", .recognise = begins_with_capture, .open = open_capture_records},
    InputFormat{.name = "archive", .words = "zip archive", .recognise = begins_with_archive},
    InputFormat{
        .name = "log", .words = "performance log (.blg)", .recognise = begins_with_log, .open = open_log_records},
    InputFormat{.name = "text_log",
                .words = "text log, with cooked values",
                .recognise = begins_with_text_log,
                .open = open_text_log},
    InputFormat{.name = "titles", .words = "title database", .recognise = holds_titles, .needs_all = true},
    InputFormat{.name = "v2", .words = "V2 performance data (PerfLib)", .recognise = holds_v2, .needs_all = true},
};

/// Returns the kind of an input, by the first row that recognises it; `reads_all`: also by those that read the input
/// whole.
InputKind first_match(StreamWindow& window, const Limits& limits, bool reads_all) {
    const Packing packing = packing_of(window.peek(packing_bytes));
    if (packing != Packing::none && packing != Packing::zip) return InputKind::unknown;
    for (std::size_t i = 0; i < input_rows.size(); ++i) {
        const InputFormat& row = input_rows[i];
        if (row.recognise == nullptr || (row.needs_all && !reads_all)) continue;
        if (row.recognise(window, limits)) return static_cast<InputKind>(i);
    }
    return InputKind::unknown;
}

}  // namespace

const InputFormat& input_format(InputKind kind) noexcept {
    const auto row = static_cast<std::size_t>(kind);
    return row < input_rows.size() ? input_rows[row] : input_rows.front();
}

InputKind recognise(StreamWindow& window, const Limits& limits) { return first_match(window, limits, true); }

InputKind recognise_beginning(StreamWindow& window, const Limits& limits) { return first_match(window, limits, false); }

std::string_view kind_name(InputKind kind) noexcept { return input_format(kind).name; }

}  // namespace hkpd
