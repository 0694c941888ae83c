// A single event of a performance log; its first byte states its kind.
#include <span>
#include <utility>

#include "event_properties.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace hkpd_fuzz;
    using enum hkpd::Record::Kind;
    static constexpr hkpd::Record::Kind kinds[] = {log_header, log_catalogue, log_row, log_trailer, titles};
    if (size == 0) return 0;
    const auto kind = kinds[data[0] % std::size(kinds)];
    const auto event = std::as_bytes(std::span(data, size)).subspan(1);
    const ExactCopy here(event);
    const std::string shown = show_event(kind, here.bytes());
    if (!Effort(data, size).thorough()) return 0;
    const ExactCopy there(event, 3);
    require(shown == show_event(kind, here.bytes()));
    require(shown == show_event(kind, there.bytes()));
    return 0;
}
