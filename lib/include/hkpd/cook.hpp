// Cooked values: the values that Windows shows for raw counters, computed from two samples, or the reason why there is
// no value. Formulas: learn.microsoft.com "Counter types". The arithmetic is done in the same order as in Windows' PDH,
// so that results are equal bit for bit.
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

/// The reason why there is no cooked value, or why the value is 0 or 100 instead of the result of the formula. Output
/// shows the name that `reason_name` returns.
enum class Reason : std::uint8_t {
    none,
    // nothing to compare with
    first_sample,  ///< first sample of the machine, or the first with this object
    instance_new,
    counter_new,
    type_changed,
    // something ran backwards
    counter_went_back,
    clock_went_back,
    base_went_back,
    idle_exceeds_interval,  ///< an inverse timer counted more time than has passed
    // nothing to divide by
    zero_interval,
    zero_base,  ///< PERF_AVERAGE_* then has value 0, as Windows shows it
    no_clock,
    no_frequency,        ///< PERF_ELAPSED_TIME then has value 0
    negative_frequency,  ///< PERF_ELAPSED_TIME then has value 0
    no_base,
    not_started,  ///< start time of a PERF_ELAPSED_TIME is missing, or not earlier than now; the value is 0
    // no such value exists
    not_displayable,  ///< bases, text, labels
    unknown_type,
    not_a_number,  ///< the value's size is not that of a number, or the value is no finite number
    damaged,
    pdh_status,  ///< the log contains an error status of PDH for this value
    // the value is limited
    capped,  ///< the value was above 100 and is 100 by `CookOptions::cap`
};

/// Returns the name of a reason, such as `counter_went_back`; empty for `none`.
std::string_view reason_name(Reason reason) noexcept;
/// Returns the status that PDH reports for a reason; 0 (PDH_CSTATUS_VALID_DATA) for `none`. Source: pdhmsg.h.
std::uint32_t pdh_status(Reason reason) noexcept;

/// The published description of multi timers that cooking follows. The descriptions disagree. Which one Windows follows
/// is unknown, because no results of Windows have been published.
enum class MultiTimer : std::uint8_t {
    sdk,    ///< Platform SDK: ticks are converted to seconds; all results are divided by the instance count
    learn,  ///< Microsoft Learn: as `sdk`, but inverse timers are neither converted nor divided
    pdh,    ///< PDH, inferred from .NET: as `sdk`, but ticks are not converted to seconds
};

/// Options of cooking. The defaults give the numbers of PerfMon's graph and of `relog`'s text logs.
struct CookOptions {
    bool cap = false;     ///< limit percentages to 100, as PdhGetFormattedCounterValue does without PDH_FMT_NOCAP100
    bool clamp = false;   ///< give 0 if something ran backwards, as .NET and NT 4's PerfMon do; keep the reason
    bool unwrap = false;  ///< assume that a 32-bit counter has wrapped if it fell by more than half of its range
    bool scale = false;   ///< multiply by 10^DefaultScale
    MultiTimer multi_timer = MultiTimer::sdk;  ///< description of multi timers to follow
};

/// A cooked value. If there is no cooked value, `value` is NaN and `reason` states why.
struct CookedValue {
    double value = 0;              ///< in the unit that `cooked_unit` names: per second, percent, seconds
    Reason reason = Reason::none;  ///< may accompany a substitute value, such as 0

    bool has_value() const noexcept { return value == value; }
};

/// The inputs that a formula takes from one sample to cook one value.
struct Reading {
    std::uint64_t value = 0;     ///< raw value: N in the formulas
    std::int64_t clock = 0;      ///< clock that the counter type requires: D in the formulas
    std::uint64_t base = 0;      ///< base or multi count: B in the formulas
    std::int64_t frequency = 0;  ///< ticks per second: F in the formulas
    /// Sizes of `value` and `base` in the block or log, in bytes. Only numbers of 4 bytes can have wrapped
    /// (`CookOptions::unwrap`). If 0, the counter type determines the size.
    std::uint32_t value_size = 0, base_size = 0;
    Reason fault = Reason::none;  ///< reason why the inputs are unusable, such as `damaged` or `no_base`
};

/// Returns the inputs that a column's formula takes for the value in one row.
Reading read(const Sample& sample, const Object& object, const Column& column, std::size_t row) noexcept;

/// Cooks one value from the readings of two samples. `before` is null if there is no earlier reading. If the formula
/// needs an earlier reading, the result then has no value, and its reason is `no_before`.
CookedValue cook(std::uint32_t type, const Reading* before, const Reading& now, const CookOptions& options,
                 Reason no_before = Reason::first_sample) noexcept;

/// Returns value × 10^scale if the scale is -10 to 10; otherwise returns the value unchanged. The scale is DefaultScale
/// in perflib.h.
double scaled(double value, std::int32_t scale) noexcept;

/// Returns whether cooking a counter of this type needs two samples. Returns false for types without a cooked value.
bool needs_two_samples(std::uint32_t type) noexcept;
/// Returns whether a counter of this type has a cooked value. All types have one except bases, text, labels and unknown
/// types.
bool is_displayable(std::uint32_t type) noexcept;
/// Returns whether cooking a column needs two samples, according to the column's type and (V2) attributes
/// (`v2::attribute`).
bool needs_two_samples(const Column& column) noexcept;
/// Returns whether a column has cooked values, according to the column's type and (V2) attributes.
bool is_displayable(const Column& column) noexcept;

/// The cooked values of a column: one value and one reason for each instance.
struct CookedColumn {
    std::span<const double> values;   ///< NaN where there is no value
    std::span<const Reason> reasons;  ///< same size as `values`

    /// Returns the value of an instance; `row` must be less than the size of both spans.
    CookedValue operator[](std::size_t row) const noexcept { return {values[row], reasons[row]}; }
};

/// Cooks the columns of a sample against the previous sample. One cooker can be used for many samples and reuses its
/// memory.
class Cooker {
  public:
    /// Creates a cooker. `begin` must be called before columns can be cooked.
    explicit Cooker(const CookOptions& options);
    Cooker(Cooker&&) noexcept;
    Cooker& operator=(Cooker&&) noexcept;
    Cooker(const Cooker&) = delete;
    Cooker& operator=(const Cooker&) = delete;
    ~Cooker();

    /// Sets the two samples: `now` is cooked against `before`, which is null if there is no previous sample. Both
    /// samples must stay unchanged until the next call of `begin`.
    void begin(const Sample* before, const Sample& now);
    /// Returns a column of `now`, cooked on first request. Valid until the next `begin`.
    CookedColumn column(std::size_t object, std::size_t column);
    /// Returns part of a column of `now`: the `count` rows from row `first` on. The object must have all of these rows.
    /// Element i is the value of row first + i. A caller that works row by row can request all columns for a few
    /// thousand rows at a time, and so needs memory for only these rows. Valid until other rows or rows of another
    /// object are requested, or until the next `begin`.
    CookedColumn rows(std::size_t object, std::size_t column, std::size_t first, std::size_t count);

    /// Returns the matches between instances of the current and of the previous sample. Must not be used if there is no
    /// previous sample.
    const Matcher& matches() const noexcept;
    /// Returns the previous sample that was given to `begin`; may be null.
    const Sample* before() const noexcept;
    const CookOptions& options() const noexcept;

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace hkpd
