#include "hkpd/cook.hpp"

#include <array>

#include "cook/arithmetic.hpp"
#include "cook/formula.hpp"
#include "cook/operands.hpp"

namespace hkpd {
namespace {

struct ReasonText {
    Reason reason;
    std::string_view name;
    std::uint32_t status;
};

// pdhmsg.h
constexpr std::uint32_t invalid_data = 0xC000'0BBA;          // PDH_CSTATUS_INVALID_DATA
constexpr std::uint32_t negative_denominator = 0x8000'07D6;  // PDH_CALC_NEGATIVE_DENOMINATOR
constexpr std::uint32_t negative_timebase = 0x8000'07D7;     // PDH_CALC_NEGATIVE_TIMEBASE
constexpr std::uint32_t negative_value = 0x8000'07D8;        // PDH_CALC_NEGATIVE_VALUE

// What went backwards has a status of its own (Zabbix ZBX-5201 saw the one for inverse timers); PDH's for a divisor of
// zero is not public.
constexpr auto reason_texts = std::to_array<ReasonText>({
    {Reason::none, "", 0},
    {Reason::first_sample, "first_sample", invalid_data},
    {Reason::instance_new, "instance_new", invalid_data},
    {Reason::counter_new, "counter_new", invalid_data},
    {Reason::type_changed, "type_changed", invalid_data},
    {Reason::counter_went_back, "counter_went_back", negative_value},
    {Reason::clock_went_back, "clock_went_back", negative_denominator},
    {Reason::base_went_back, "base_went_back", negative_denominator},
    {Reason::idle_exceeds_interval, "idle_exceeds_interval", negative_denominator},
    {Reason::zero_interval, "zero_interval", invalid_data},
    {Reason::zero_base, "zero_base", invalid_data},
    {Reason::no_clock, "no_clock", invalid_data},
    {Reason::no_frequency, "no_frequency", invalid_data},
    {Reason::negative_frequency, "negative_frequency", negative_timebase},
    {Reason::no_base, "no_base", invalid_data},
    {Reason::not_started, "not_started", 0},
    {Reason::not_displayable, "not_displayable", invalid_data},
    {Reason::unknown_type, "unknown_type", invalid_data},
    {Reason::not_a_number, "not_a_number", invalid_data},
    {Reason::damaged, "damaged", invalid_data},
    {Reason::pdh_status, "pdh_status", invalid_data},
});
static_assert([] {
    for (std::size_t i = 0; i < reason_texts.size(); ++i)
        if (static_cast<std::size_t>(reason_texts[i].reason) != i) return false;
    return reason_texts.back().reason == Reason::pdh_status;
}());

}  // namespace

std::string_view reason_name(Reason reason) noexcept { return reason_texts[static_cast<std::size_t>(reason)].name; }
std::uint32_t pdh_status(Reason reason) noexcept { return reason_texts[static_cast<std::size_t>(reason)].status; }

double scaled(double value, std::int32_t scale) noexcept {
    // Powers that a double holds, and no others: 7 / 10 is 0.7, 7 × 0.1 is not.
    constexpr std::array powers{1.0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10};
    constexpr std::int32_t most = 10;
    if (scale < -most || scale > most) return value;
    return scale < 0 ? value / powers[static_cast<std::size_t>(-scale)]
                     : value * powers[static_cast<std::size_t>(scale)];
}

bool needs_two_samples(std::uint32_t type) noexcept { return takes_two_samples(formula_of(type)); }
bool needs_two_samples(const Column& column) noexcept { return takes_two_samples(formula_of(column)); }

bool is_displayable(std::uint32_t type) noexcept { return has_value(formula_of(type)); }
bool is_displayable(const Column& column) noexcept { return has_value(formula_of(column)); }

Reading read(const Sample& sample, const Object& object, const Column& column, std::size_t row) noexcept {
    return Readings(sample, object, column, formula_of(column))[row];
}

CookedValue cook(std::uint32_t type, const Reading* before, const Reading& now, const CookOptions& options,
                 Reason no_before) noexcept {
    const Formula formula = formula_of(type);
    if (formula == Formula::unknown) return {no_value, Reason::unknown_type};
    if (formula == Formula::not_displayable) return {no_value, Reason::not_displayable};
    if (now.fault != Reason::none) return {no_value, now.fault};
    if (takes_two_samples(formula)) {
        if (before == nullptr) return {no_value, no_before};
        if (before->fault != Reason::none) return {no_value, before->fault};
    }
    const Arithmetic arithmetic(type, options);
    return choose(formula, [&]<Formula F>() { return arithmetic.apply<F>(before == nullptr ? now : *before, now); });
}

}  // namespace hkpd
