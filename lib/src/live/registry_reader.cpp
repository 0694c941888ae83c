#include <algorithm>
#include <thread>
#include <utility>

#include "base/win32.hpp"
#include "hkpd/diagnostics.hpp"
#include "hkpd/live.hpp"
#include "hkpd/v1.hpp"

namespace hkpd {
namespace {

constexpr std::size_t spare_bytes = PerformanceRegistry::spare_bytes;
constexpr std::uint64_t total_length_at = 20;  // TotalByteLength in PERF_DATA_BLOCK

/// Returns the TotalByteLength that a reply states; 0 if the reply is not a block, or is too short to contain this
/// field. A block whose data was not ready states 0.
std::uint64_t stated_length(Bytes reply) noexcept {
    if (!v1::has_signature(reply) || !reply.contains(total_length_at, 4)) return 0;
    const ByteOrder order = reply.span().front() == std::byte{'P'} ? ByteOrder::little : ByteOrder::big;
    return load<std::uint32_t>(reply.at(total_length_at), order);
}

}  // namespace

RegistryReader::RegistryReader(PerformanceRegistry& registry, RegistryPolicy policy)
    : registry_(registry), policy_(std::move(policy)) {
    policy_.first_size = std::clamp<std::size_t>(policy_.first_size, 1, std::max<std::size_t>(policy_.most_size, 1));
    if (!policy_.wait)
        policy_.wait = [](std::chrono::milliseconds pause) {
            std::this_thread::sleep_for(pause);
            return true;
        };
    buffer_.resize(policy_.first_size + spare_bytes);
}

RegistryReader::~RegistryReader() { registry_.close(); }

std::uint32_t RegistryReader::query(std::string_view query) {
    buffer_.resize(std::max(learned_size_, policy_.first_size) + spare_bytes);
    const std::uint32_t status = ask_whole(query);
    if (status != win32::success) return status;
    // On Wine, a gap of 88 bytes follows the header. Neither TotalByteLength nor the size that the registry reports
    // includes this gap. The last bytes of the block are then in the spare bytes after the reply. The reply and the
    // spare bytes are therefore opened together; if they contain the gap, `size_` is increased to the end of the block.
    v1::Block probe;
    Diagnostics found;
    const Bytes with_spare(std::span<const std::byte>(buffer_).first(size_ + spare_bytes));
    const auto has_gap = [&found] {
        return std::ranges::any_of(
            found.kept(), [](const Diagnostic& diagnostic) { return diagnostic.error.code == Errc::gap_after_header; });
    };
    if (stated_length(block()) == size_ && probe.open(with_spare, found) && !probe.objects().empty() && has_gap())
        size_ = std::max(size_, probe.bytes().size());
    return status;
}

/// Queries a block. Repeats the query until the block is as long as its header states, or until further attempts would
/// not help. Returns the Win32 status of the last call.
std::uint32_t RegistryReader::ask_whole(std::string_view query) {
    // Maximum number of attempts if a block is shorter than its header states. Either the stated length is wrong, or
    // the remote machine limits its buffer; more attempts do not help in either case. If a block states no length, its
    // data was not ready, and `policy_.attempts` applies.
    constexpr std::uint32_t attempts_if_short = 3;
    for (std::uint32_t attempt = 1;; ++attempt) {
        if (const std::uint32_t status = ask(PerformanceKey::data, query, buffer_, size_); status != win32::success)
            return status;
        const std::size_t offered = buffer_.size() - spare_bytes;
        const std::uint64_t stated = stated_length(block());
        if (stated != 0 && stated <= size_) {
            // Remembers the size of the buffer, for later queries, only if the reply is complete. An incomplete reply
            // may state any length, for which the buffer may have grown without need.
            learned_size_ = offered;
            return win32::success;
        }
        const bool may_help =
            stated == 0 ? attempt < policy_.attempts && wait_for(attempt) : attempt < attempts_if_short;
        if (!may_help || (stated >= offered && offered >= policy_.most_size)) return win32::success;
        ++retries_;
        if (stated == 0 || stated >= offered) grow(buffer_);
    }
}

std::uint32_t RegistryReader::query_titles(PerformanceKey key, std::string_view name, std::vector<std::byte>& titles) {
    std::size_t size = 0;
    if (titles.size() < policy_.first_size + spare_bytes) titles.resize(policy_.first_size + spare_bytes);
    const std::uint32_t status = ask(key, name, titles, size);
    titles.resize(size);
    return status;
}

/// Reads a registry value. Repeats the call with a larger buffer if the reply does not fit, and after a pause if the
/// failure may be temporary. Sets `size` to the size of the reply in bytes; 0 if the call fails. Returns the Win32
/// status of the last call.
std::uint32_t RegistryReader::ask(PerformanceKey key, std::string_view name, std::vector<std::byte>& buffer,
                                  std::size_t& size) {
    std::uint32_t attempt = 1;
    size = 0;
    while (true) {
        std::ranges::fill(buffer, std::byte{0});
        const std::size_t offered = buffer.size() - spare_bytes;
        auto reported = static_cast<std::uint32_t>(offered);
        const std::uint32_t status = registry_.query_value(key, name, std::span(buffer).first(offered), reported);
        if (status == win32::success) {
            size = std::min<std::size_t>(reported, offered);
            return status;
        }
        if (status == win32::more_data) {
            if (!grow(buffer)) return status;
        } else if (win32::is_passing(status) && attempt < policy_.attempts && wait_for(attempt)) {
            ++attempt;
            ++retries_;
        } else {
            return status;
        }
    }
}

bool RegistryReader::wait_for(std::uint32_t attempt) {
    constexpr std::uint32_t most_doublings = 16;
    return policy_.wait(policy_.pause * (1U << std::min(attempt - 1, most_doublings)));
}

/// Doubles a buffer, up to the maximum size. Returns false if the buffer already has that size.
bool RegistryReader::grow(std::vector<std::byte>& buffer) const {
    const std::size_t offered = buffer.size() - spare_bytes;
    if (offered >= policy_.most_size) return false;
    buffer.resize(std::min(2 * offered, policy_.most_size) + spare_bytes);
    return true;
}

}  // namespace hkpd
