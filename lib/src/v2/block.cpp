#include <algorithm>

#include "hkpd/diagnostics.hpp"
#include "hkpd/v2.hpp"
#include "v1/object_chain.hpp"
#include "v2/decode.hpp"
#include "v2/result_chain.hpp"

namespace hkpd::v2 {
namespace {

/// Where the block ends, from the start of the input; none where nothing in it reads as a data block.
std::optional<std::uint64_t> find_end(Bytes input, const DataHeader& header, const FaultSink& faults) {
    const std::uint64_t total = header.dwTotalSize, size = input.size();
    const Walk natural = walk_results(input, data_header_size, header.dwNumCounters);
    const bool all = natural.count != 0 && natural.count == header.dwNumCounters && natural.end == size;
    const auto fault = [&](Severity severity, Errc code, std::uint64_t need) {
        faults.add(severity, {code, input.offset(), data_header_structure, "dwTotalSize", need,
                              code == Errc::block_truncated ? size : total});
    };
    if (total < data_header_size) {
        if (natural.count == 0) return std::nullopt;
        fault(all ? Severity::warning : Severity::error, Errc::block_length, size);
        return size;
    }
    if (total > size) {
        fault(Severity::error, Errc::block_truncated, total);
    } else if (total < size && all) {
        fault(Severity::warning, Errc::block_length, size);
        return size;
    }
    return total;
}

}  // namespace

std::expected<void, Error> DataBlock::open(Bytes input, const FaultSink& faults) {
    results_.clear();
    bytes_ = {};
    if (input.size() < data_header_size)
        return std::unexpected(
            Error{Errc::truncated_header, input.offset(), data_header_structure, "", data_header_size, input.size()});
    header_ = decode(wire_at<layout::PERF_DATA_HEADER>(input.data()));
    const auto end = find_end(input, header_, faults);
    if (!end)
        return std::unexpected(Error{Errc::not_perflib_data, input.offset(), data_header_structure, "dwTotalSize",
                                     data_header_size, header_.dwTotalSize});
    if (!header_.SystemTime.valid())
        faults.add(Severity::warning,
                   {Errc::system_time, input.offset() + 32, data_header_structure, "SystemTime", 0, 0});
    if (*end % 8 != 0 && *end == header_.dwTotalSize)
        faults.add(Severity::warning,
                   {Errc::length_uneven, input.offset(), data_header_structure, "dwTotalSize", 0, header_.dwTotalSize});
    follow_results({input, *end, header_.dwNumCounters}, results_, faults);
    bytes_ = input.clip(0, *end);
    if (*end < input.size() && !is_data_block(input.from(*end)))
        v1::report_leftover(input.from(*end), data_header_structure, no_index, faults);
    return {};
}

bool is_data_block(Bytes input) noexcept {
    if (input.size() < data_header_size) return false;
    const DataHeader header = decode(wire_at<layout::PERF_DATA_HEADER>(input.data()));
    const std::uint64_t total = header.dwTotalSize;
    if (total < data_header_size) return false;
    const Walk walk = walk_results(input, data_header_size, header.dwNumCounters);
    const bool whole = walk.count == header.dwNumCounters && walk.end == total;
    // A cut goes through the last result that can be read, or through the header of the one behind it.
    const bool cut =
        walk.count != 0 && total > input.size() && walk.end <= total && walk.end + counter_header_size > input.size();
    // Two of three, so that a block with one damaged field is still known for what it is.
    const int signs = static_cast<int>(header.SystemTime.valid() && header.PerfFreq > 0) +
                      static_cast<int>(total == input.size()) + static_cast<int>(whole || cut);
    return signs >= 2;
}

}  // namespace hkpd::v2
