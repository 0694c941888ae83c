// A text of Get-Counter, in any of its forms: what is made of it is a text log whose rows can be read, and whose values
// are in the text.
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "hkpd/diagnostics.hpp"
#include "properties.hpp"
#include "source/get_counter_text.hpp"
#include "text_log/text_log.hpp"

namespace {

using namespace hkpd;
using namespace hkpd_fuzz;

std::string log_of(std::string_view text, const Limits& limits) {
    const Budget budget(text.size(), 0, 16);
    Diagnostics diagnostics;
    std::string log = text_log_of_samples(text, limits, diagnostics);
    require_places(diagnostics, text.size());
    require(log.size() <= limits.bytes);
    return log;
}

/// Requires that a log is recognised as one, and that it has a header, a catalogue and rows without damage.
void require_log(const std::string& log, const Limits& limits) {
    const ExactCopy copy(std::as_bytes(std::span(log)));
    StreamWindow window(copy.bytes().span());
    require(is_text_log(window));
    Diagnostics diagnostics;
    TextLogStream stream(window, limits);
    std::uint64_t rows = 0;
    while (const auto record = stream.next(diagnostics)) rows += record->kind == Record::Kind::log_row ? 1U : 0U;
    require(rows != 0 || diagnostics.count() != 0);
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const ExactCopy here(std::as_bytes(std::span(data, size)));
    const Effort effort(data, size);
    StreamWindow window(here.bytes().span());
    const bool recognised = is_get_counter(window);
    if (!recognised && !effort.takes(0, 8)) return 0;
    const std::string log = log_of(text, effort.limits());
    if (!effort.thorough() || log.empty()) return 0;
    require_log(log, effort.limits());
    require(log_of(text, effort.limits()) == log);
    return 0;
}
