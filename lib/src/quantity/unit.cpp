#include "quantity/unit.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "base/text/names.hpp"
#include "hkpd/counter_type.hpp"

namespace hkpd {
namespace {

/// The part of a name that a row of the table below must match. A word is surrounded by other characters than letters
/// and digits.
enum class Match : std::uint8_t { whole, begin, word };

struct NamedUnit {
    Match match;
    std::string_view text;  // in lower case
    Unit unit;
};

/// Units that names state; the first row that matches is used. If the counter is a rate, only bytes count.
///
/// Sources: the pages of the objects Process, Memory, Thread and PhysicalDisk in "Performance counters reference"
/// (learn.microsoft.com), where these counters have types without a unit (PERF_COUNTER_RAWCOUNT,
/// PERF_COUNTER_LARGE_RAWCOUNT, PERF_AVERAGE_BULK) and are described as bytes or as identifiers. The rows for text logs
/// are what all names in `names/builtin_titles.cpp` have in common: `% …` is a percentage, and `Avg. Disk sec/…` and
/// the two times are of the types PERF_AVERAGE_TIMER and PERF_ELAPSED_TIME, in seconds.
constexpr auto named_units = std::to_array<NamedUnit>({
    {Match::whole, "id process", Unit::identifier},
    {Match::whole, "id thread", Unit::identifier},
    {Match::whole, "creating process id", Unit::identifier},
    {Match::whole, "process id", Unit::identifier},  // of the countersets of V2, as the next row
    {Match::whole, "thread id", Unit::identifier},
    {Match::begin, "% ", Unit::percent},  // text logs
    {Match::whole, "working set", Unit::bytes},
    {Match::whole, "working set peak", Unit::bytes},
    {Match::whole, "working set - private", Unit::bytes},
    {Match::whole, "commit limit", Unit::bytes},
    {Match::word, "bytes", Unit::bytes},
    {Match::word, "disk sec", Unit::seconds},  // text logs, as the next rows
    {Match::whole, "elapsed time", Unit::seconds},
    {Match::whole, "system up time", Unit::seconds},
});

bool matches(std::string_view name, const NamedUnit& row) noexcept {
    const std::string_view text = row.text;
    if (name.size() < text.size()) return false;
    const auto continues = [name](std::size_t at) {
        const char c = at < name.size() ? lower_ascii(name[at]) : ' ';
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    };
    switch (row.match) {
        case Match::whole:
            return equals_lower(name, text);
        case Match::begin:
            return equals_lower(name.substr(0, text.size()), text);
        default:
            for (std::size_t at = 0; at + text.size() <= name.size(); ++at)
                if ((at == 0 || !continues(at - 1)) && !continues(at + text.size()) &&
                    equals_lower(name.substr(at, text.size()), text))
                    return true;
            return false;
    }
}

}  // namespace

Unit unit_of(std::uint32_t type, std::string_view name) noexcept {
    // PERF_DISPLAY_PER_SEC, PERF_DISPLAY_PERCENT and PERF_DISPLAY_SECONDS (winperf.h): the suffixes of `cooked_unit`.
    constexpr std::uint32_t plain = 0, per_second = 1, percent = 2, seconds = 3;
    const std::uint32_t display = CounterType{type}.display();
    if (display == percent) return Unit::percent;
    if (display == seconds) return Unit::seconds;
    const bool has_no_type = type == no_counter_type;
    if (display != plain && display != per_second && !has_no_type) return Unit::none;
    constexpr std::string_view rate = "/sec";  // also of names in text logs
    const bool is_rate = (display == per_second && !has_no_type) ||
                         (name.size() > rate.size() && equals_lower(name.substr(name.size() - rate.size()), rate));
    const auto found = std::ranges::find_if(named_units, [name](const NamedUnit& row) { return matches(name, row); });
    const Unit unit = found == named_units.end() ? Unit::none : found->unit;
    if (is_rate) return unit == Unit::bytes ? Unit::bytes_per_second : Unit::per_second;
    return unit;
}

ScaledUnit scaled_unit(Unit unit, std::string_view name) noexcept {
    constexpr double kibibyte = 1024;
    struct Multiple {
        NamedUnit name;
        double factor;
    };
    constexpr std::array<Multiple, 4> multiples{{{{Match::word, "kbytes", Unit::bytes}, kibibyte},
                                                 {{Match::word, "mbytes", Unit::bytes}, bytes_of_mebibyte},
                                                 {{Match::word, "kb", Unit::bytes}, kibibyte},
                                                 {{Match::word, "mb", Unit::bytes}, bytes_of_mebibyte}}};
    if (unit != Unit::none && unit != Unit::per_second) return {unit, 1};
    const auto found = std::ranges::find_if(multiples, [name](const Multiple& one) { return matches(name, one.name); });
    if (found == multiples.end()) return {unit, 1};
    return {unit == Unit::none ? Unit::bytes : Unit::bytes_per_second, found->factor};
}

std::string_view unit_name(Unit unit) noexcept {
    constexpr std::array<std::string_view, 7> names{"", "id", "/s", "%", "s", "bytes", "bytes/s"};
    return names[std::to_underlying(unit)];
}

}  // namespace hkpd
