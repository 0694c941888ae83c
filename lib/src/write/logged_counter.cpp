#include "write/logged_counter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "base/time.hpp"
#include "hkpd/counter_type.hpp"
#include "write/writers.hpp"

namespace hkpd {
namespace {

struct StatusWord {
    std::uint32_t status;
    std::string_view word;
};
// PDH_CSTATUS_NO_MACHINE and so on, PDH_INVALID_DATA (pdhmsg.h).
constexpr std::array status_words{
    StatusWord{0x8000'07D0, "no_machine"},    StatusWord{0x8000'07D1, "no_instance"},
    StatusWord{0x8000'07D3, "not_validated"}, StatusWord{0x8000'07D5, "no_data"},
    StatusWord{0xC000'0BB8, "no_object"},     StatusWord{0xC000'0BB9, "no_counter"},
    StatusWord{0xC000'0BBA, "invalid_data"},  StatusWord{0xC000'0BC6, "invalid_data"},
};

}  // namespace

std::int64_t second_value(const Column& column, std::size_t row) noexcept {
    return static_cast<std::int64_t>(column.second[row]);
}

bool counts(const Column& column, std::size_t row) noexcept {
    return CounterType{column.type}.multi() || column.multi_count[row] != 1;
}

std::string status_number(ValueStatus status) {
    if (status == ValueStatus::damaged) return "damaged";
    return fmt::format("{:#010x}", std::to_underlying(status));
}

std::string status_word(ValueStatus status) {
    const auto found = std::ranges::find(status_words, std::to_underlying(status), &StatusWord::status);
    return found == status_words.end() ? status_number(status) : std::string(found->word);
}

std::optional<std::string> taken_apart(const Sample& sample, const Column& column, std::size_t row) {
    constexpr std::int64_t millisecond = 1'000'000;
    if (column.taken.empty()) return std::nullopt;
    const auto taken = unix_nanoseconds(static_cast<std::int64_t>(column.taken[row])), whole = unix_time(sample);
    if (!taken || (whole && *taken / millisecond == *whole / millisecond)) return std::nullopt;
    std::string text;
    append_filetime(text, column.taken[row]);
    return text;
}

}  // namespace hkpd
