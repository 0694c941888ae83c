#include "quantity/meaning.hpp"

#include <algorithm>
#include <array>

#include "base/text/names.hpp"
#include "hkpd/counter_type.hpp"
#include "quantity/unit.hpp"

namespace hkpd {
namespace {

constexpr std::uint32_t elapsed_time = 0x30240500;  // PERF_ELAPSED_TIME (winperf.h)

/// Names of codes whose last word states nothing. Sources: the pages of the objects Process and Thread in "Performance
/// counters reference" (learn.microsoft.com).
constexpr auto codes = std::to_array<std::string_view>({"priority base", "priority current", "user pc"});

/// Last words of the names of codes: Thread State, Thread Wait Reason, Current Application Pool State, Parking Status,
/// Performance Limit Flags, ID Process, Creating Process ID, Last Probe Result ID, Start Address.
constexpr auto last_words =
    std::to_array<std::string_view>({"state", "status", "reason", "flag", "flags", "id", "identifier", "address"});

/// Last words of the names of clocks, and first ones.
constexpr auto clock_ends = std::to_array<std::string_view>({"elapsed time", "up time", "uptime"});
constexpr std::string_view clock_begin = "elapsed time since ";

/// Returns whether a name ends with these words.
bool ends_with(std::string_view name, std::string_view lower_words) noexcept {
    if (name.size() < lower_words.size()) return false;
    const std::size_t at = name.size() - lower_words.size();
    return (at == 0 || name[at - 1] == ' ') && equals_lower(name.substr(at), lower_words);
}

/// Returns whether a name is that of a number of things in a state, such as `Moves in Completion State`.
bool counts_things(std::string_view name) noexcept {
    constexpr std::string_view words[] = {" in ", " with ", "number of ", "# "};
    return std::ranges::any_of(words, [name](std::string_view word) {
        for (std::size_t at = 0; at + word.size() <= name.size(); ++at)
            if (equals_lower(name.substr(at, word.size()), word)) return true;
        return false;
    });
}

bool is_clock(std::uint32_t type, std::string_view name) noexcept {
    return type == elapsed_time || equals_lower(name.substr(0, clock_begin.size()), clock_begin) ||
           std::ranges::any_of(clock_ends, [name](std::string_view end) { return ends_with(name, end); });
}

bool is_code(std::string_view name) noexcept {
    if (std::ranges::any_of(codes, [name](std::string_view code) { return equals_lower(name, code); })) return true;
    return !counts_things(name) &&
           std::ranges::any_of(last_words, [name](std::string_view word) { return ends_with(name, word); });
}

}  // namespace

Meaning meaning_of(std::uint32_t type, std::string_view name) noexcept {
    const Unit unit = unit_of(type, name);
    if (unit == Unit::identifier) return Meaning::code;
    if ((unit == Unit::none || unit == Unit::seconds) && is_clock(type, name)) return Meaning::clock;
    if (unit != Unit::none) return Meaning::amount;
    const bool is_hex = type != no_counter_type && CounterType{type}.is_hex();  // Windows shows flags and addresses so
    return is_hex || is_code(name) ? Meaning::code : Meaning::amount;
}

}  // namespace hkpd
