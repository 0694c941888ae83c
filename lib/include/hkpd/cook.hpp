// Cooked values: what Windows shows of raw counters, from two samples, or the reason why there is nothing to show.
// Formulas: learn.microsoft.com "Counter types"; the order of the arithmetic is that of Windows' own PDH, bit for bit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

namespace hkpd {

class Matcher;
class Sample;
struct Column;
struct Object;

/// Why there is no value, or why it is one by convention. `reason_name` gives the word that output shows.
enum class Reason : std::uint8_t {
    none,
    // there is nothing to compare with
    first_sample,  ///< of the machine, or of the object
    instance_new,
    counter_new,
    type_changed,
    // something ran backwards
    counter_went_back,
    clock_went_back,
    base_went_back,
    idle_exceeds_interval,  ///< an inverse timer counted more than the time that passed
    // there is nothing to divide by
    zero_interval,
    zero_base,  ///< with value 0 for PERF_AVERAGE_*, as Windows shows it
    no_clock,
    no_frequency,        ///< with value 0 for PERF_ELAPSED_TIME
    negative_frequency,  ///< likewise
    no_base,
    not_started,  ///< PERF_ELAPSED_TIME without a start before now; with value 0
    // there is no such value
    not_displayable,  ///< bases, text, labels
    unknown_type,
    not_a_number,  ///< a size that no number has, or a floating-point value that is none
    damaged,
    pdh_status,  ///< a log stored the value with a bad status of its own
};

/// `counter_went_back`; empty for `none`.
std::string_view reason_name(Reason reason) noexcept;
/// The status that PDH gives for it; 0 (PDH_CSTATUS_VALID_DATA) for `none`. Source: pdhmsg.h.
std::uint32_t pdh_status(Reason reason) noexcept;

/// Sources disagree on multi timers and no Windows result is public.
enum class MultiTimer : std::uint8_t {
    sdk,    ///< Platform SDK: ticks as seconds, all divided by the instance count
    learn,  ///< Microsoft Learn: inverse ones neither divided nor in seconds
    pdh,    ///< as .NET implies of PDH: no ticks as seconds
};

/// PDH's behaviour is the default.
struct CookOptions {
    bool cap = true;      ///< percentages end at 100 (without: PDH_FMT_NOCAP100)
    bool clamp = false;   ///< what ran backwards is 0, as .NET and PerfMon of NT 4 show it; the reason stands beside it
    bool unwrap = false;  ///< a 32-bit counter that went back by more than half of its range has wrapped
    bool scale = false;   ///< × 10^DefaultScale
    MultiTimer multi_timer = MultiTimer::sdk;  ///< which source to follow
};

/// A cooked value. Not a number where there is none; then `reason` says why.
struct CookedValue {
    double value = 0;              ///< in the unit that `cooked_unit` names: a second, percent, seconds
    Reason reason = Reason::none;  ///< may stand beside a value that is one by convention

    bool has_value() const noexcept { return value == value; }
};

/// What a formula takes of one sample for one value.
struct Reading {
    std::uint64_t value = 0;     ///< the raw value: N in the formulas
    std::int64_t clock = 0;      ///< the one that the type names: D in the formulas
    std::uint64_t base = 0;      ///< base or multi count: B
    std::int64_t frequency = 0;  ///< ticks a second: F
    /// Bytes of value and base in the source, which bound where they wrap; 0: those that the type has.
    std::uint32_t value_size = 0, base_size = 0;
    Reason fault = Reason::none;  ///< why it cannot be used: `damaged`, `no_base`, ...
};

/// What the formula of a column takes for one of its values.
Reading read(const Sample& sample, const Object& object, const Column& column, std::size_t row) noexcept;

/// Cooks one value. `before` may be null: then there is no earlier sample, and `no_before` says why.
CookedValue cook(std::uint32_t type, const Reading* before, const Reading& now, const CookOptions& options,
                 Reason no_before = Reason::first_sample) noexcept;

/// × 10^scale, which is -10 to 10 (perflib.h: DefaultScale); anything else is no scale.
double scaled(double value, std::int32_t scale) noexcept;

/// Whether a type needs two samples; false also where it has no cooked value at all.
bool needs_two_samples(std::uint32_t type) noexcept;
/// Whether a type has a cooked value: not bases, text, labels and unknown ones.
bool is_displayable(std::uint32_t type) noexcept;
/// Likewise of a column, whose attributes count as well (V2: `v2::attribute`).
bool needs_two_samples(const Column& column) noexcept;
/// Likewise.
bool is_displayable(const Column& column) noexcept;

/// A column, cooked: one value and one reason for each instance.
struct CookedColumn {
    std::span<const double> values;   ///< not a number where there is none
    std::span<const Reason> reasons;  ///< as many

    /// The value of an instance; `row` is below the size of both.
    CookedValue operator[](std::size_t row) const noexcept { return {values[row], reasons[row]}; }
};

/// Cooks the columns of a sample against the sample before it. Reusable: memory is kept.
class Cooker {
  public:
    /// Cooks nothing until `begin`.
    explicit Cooker(const CookOptions& options);
    Cooker(Cooker&&) noexcept;
    Cooker& operator=(Cooker&&) noexcept;
    Cooker(const Cooker&) = delete;
    Cooker& operator=(const Cooker&) = delete;
    ~Cooker();

    /// From now on `now` is cooked against `before` (null: there is none). Both must stay as they are until the next
    /// call.
    void begin(const Sample* before, const Sample& now);
    /// A column of `now`, cooked when it is first asked for. Valid until the next `begin`.
    CookedColumn column(std::size_t object, std::size_t column);
    /// Part of a column of `now`: `count` rows from `first` on, all of which the object has; value i is that of row
    /// first + i. What goes row by row asks for all columns of some thousand rows at a time, and takes memory for so
    /// many only. Valid until other rows, or those of another object, are asked for, or the next `begin`.
    CookedColumn rows(std::size_t object, std::size_t column, std::size_t first, std::size_t count);

    /// Which instance was which before. Meaningless where there was no sample before.
    const Matcher& matches() const noexcept;
    /// As it was given to `begin`.
    const Sample* before() const noexcept;
    const CookOptions& options() const noexcept;

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace hkpd
