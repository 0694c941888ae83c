// A capture: its records one by one, its titles alone, and its summary.
#include "hkpd/capture.hpp"

#include <boost/interprocess/streams/bufferstream.hpp>
#include <span>
#include <string>
#include <string_view>

#include "properties.hpp"

namespace {

using namespace hkpd;
using namespace hkpd_fuzz;

/// Returns the work that chunks of `bytes` bytes may cause: as many chunks as fit, and each costs as much as the limits
/// let it grow, however small it is in the file.
std::uint64_t chunk_work(std::size_t bytes) {
    constexpr std::size_t least_chunk = 9 + 8 + 8 + 8 + 4 + 4 + 8;
    constexpr std::uint64_t bytes_at_once = 256;  // decompressing and summing up is this much faster than the rest
    return bytes / least_chunk * (small_limits.chunk / bytes_at_once) + small_limits.chunk;
}

std::string describe(const Record& record) {
    std::string text = std::to_string(static_cast<int>(record.kind));
    text.append(" ").append(record.machine).append(" ").append(record.name).append(" ").append(record.language);
    text.append(" ").append(std::to_string(record.time.value_or(0)));
    text.append(" ").append(std::to_string(record.sequence.value_or(0)));
    text.append(" ").append(std::to_string(record.request)).append(guid_text(record.counterset));
    text.append(guid_text(record.log)).append(" ");
    const std::string_view bytes(reinterpret_cast<const char*>(record.bytes.data()), record.bytes.size());
    return text.append(std::to_string(std::hash<std::string_view>{}(bytes))).append("\n");
}

/// Returns all records, or the titles and descriptions alone, as text.
std::string read(std::span<const char> input, bool titles_only) {
    const Budget budget(input.size(), chunk_work(input.size()), 1);
    boost::interprocess::ibufferstream stream(input.data(), input.size());
    Diagnostics diagnostics;
    CaptureReader reader(stream, small_limits);
    if (titles_only) reader.skip_samples(diagnostics);
    std::string records;
    std::size_t count = 0;
    while (const auto record = reader.next(diagnostics)) {
        require(record->bytes.size() <= small_limits.chunk);
        require(++count <= chunk_work(input.size()) * 256 / 31);  // a message has 31 bytes of its own
        if (records.size() < 1U << 20U) records += describe(*record);
    }
    for (const Diagnostic& diagnostic : diagnostics.kept())
        if (diagnostic.place.record == no_index)
            require(!has_place(diagnostic.error.code) || diagnostic.error.offset <= input.size());
    return records;
}

void read_info(std::span<const char> input) {
    const Budget budget(input.size(), chunk_work(input.size()), 2);
    boost::interprocess::ibufferstream stream(input.data(), input.size());
    Diagnostics diagnostics;
    CaptureReader reader(stream, small_limits);
    const CaptureInfo info = reader.info(diagnostics);
    require(info.file_bytes <= input.size());
    require_places(diagnostics, input.size());
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const ExactCopy copy(std::as_bytes(std::span(data, size)));
    const std::span input(reinterpret_cast<const char*>(copy.bytes().data()), size);
    const Effort effort(data, size);
    const std::string all = read(input, false);
    if (effort.thorough()) require(all == read(input, false));
    if (effort.takes(0, 2)) read(input, true);
    if (effort.takes(1, 2)) read_info(input);
    return 0;
}
