// Cooked values: the values that Windows shows for raw counters, computed from one or two samples, and the reasons why
// a value is missing. Formulas: learn.microsoft.com "Counter types". The arithmetic is done in the same order as in
// Windows' PDH, so that results are equal bit for bit.
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
    // there is no earlier value to compare with
    first_sample,  ///< first sample of the machine, or the first with this object
    instance_new,
    counter_new,
    type_changed,
    // a counter, a clock or a base decreased, or a timer advanced more than its clock
    counter_went_back,
    clock_went_back,
    base_went_back,
    idle_exceeds_interval,  ///< an inverse timer advanced more than its clock did
    // the interval, base, clock, frequency or start time is missing, zero or invalid
    zero_interval,
    zero_base,  ///< for PERF_AVERAGE_*, the value is 0, as in Windows
    no_clock,
    /// The frequency of the clock is 0, or it is missing: the counter's PerfFreqId (V2) refers to a counter that is not
    /// in the sample. There is no value. Exception: the value of PERF_ELAPSED_TIME is 0 if the frequency is 0.
    no_frequency,
    negative_frequency,  ///< for PERF_ELAPSED_TIME, the value is 0
    no_base,
    not_started,  ///< start time of a PERF_ELAPSED_TIME is missing, or not earlier than now; the value is 0
    // the raw value cannot be cooked
    not_displayable,  ///< types without cooked values: bases, text, labels, histograms
    unknown_type,
    not_a_number,  ///< the value does not have the size of a number, or is infinite or NaN
    damaged,
    pdh_status,  ///< the log contains an error status of PDH for this value
    // the value is limited
    capped,  ///< the value was above 100; `CookOptions::cap` limits it to 100
    // the text log states that there is no value: a blank, `N/A`, or -1 where it is none
    not_recorded,
};

/// Returns the name of a reason, such as `counter_went_back`; empty for `none`.
std::string_view reason_name(Reason reason) noexcept;
/// Returns the status that PDH reports for a reason; 0 (PDH_CSTATUS_VALID_DATA) for `none`. Source: pdhmsg.h.
std::uint32_t pdh_status(Reason reason) noexcept;

/// The description from which cooking takes the formulas for multi timers. A multi timer is a counter that sums the
/// times of several instances, such as PERF_COUNTER_MULTI_TIMER. The available descriptions of multi timers contradict
/// each other. It is unknown which of them Windows follows, because no results of Windows for multi timers have been
/// published.
enum class MultiTimer : std::uint8_t {
    sdk,    ///< Platform SDK: ticks are converted to seconds; all results are divided by the instance count
    learn,  ///< Microsoft Learn: as `sdk`, but inverse timers are neither converted nor divided
    pdh,    ///< PDH, inferred from .NET's code: as `sdk`, but ticks are not converted to seconds
};

/// Options of cooking. The defaults give the numbers that PerfMon's graph and `relog`'s text logs contain.
struct CookOptions {
    bool cap = false;  ///< limit percentages to 100, as PdhGetFormattedCounterValue does without PDH_FMT_NOCAP100
    /// Give the value 0 instead of NaN if the reason is `counter_went_back`, `clock_went_back`, `base_went_back` or
    /// `idle_exceeds_interval`, as .NET and NT 4's PerfMon do. The reason is returned too.
    bool clamp = false;
    bool unwrap = false;  ///< treat a 32-bit counter as wrapped if it decreased by more than half of its range
    bool scale = false;   ///< multiply cooked values by 10^DefaultScale (only `Cooker` does this)
    MultiTimer multi_timer = MultiTimer::sdk;  ///< description of multi timers to follow
};

/// A cooked value. If there is no cooked value, `value` is NaN and `reason` states why.
struct CookedValue {
    double value = 0;              ///< in the unit that `cooked_unit` returns for the counter type
    Reason reason = Reason::none;  ///< not `none` if `value` is NaN or a substitute such as 0

    bool has_value() const noexcept { return value == value; }
};

/// The inputs that a formula takes from one sample to cook one value. The letters N, D, B and F are those of
/// Microsoft's formulas.
struct Reading {
    std::uint64_t value = 0;     ///< raw value: N
    std::int64_t clock = 0;      ///< time of the clock that the counter type requires: D
    std::uint64_t base = 0;      ///< value of the base, or instance count of a multi timer: B
    std::int64_t frequency = 0;  ///< frequency of the clock in ticks per second: F
    /// Sizes of `value` and `base` in the block or log, in bytes. Only numbers of 4 bytes can have wrapped
    /// (`CookOptions::unwrap`). If `value_size` is 0, the counter type determines the size. If `base_size` is 0, the
    /// size is 4.
    std::uint32_t value_size = 0, base_size = 0;
    Reason fault = Reason::none;  ///< reason why the inputs are unusable, such as `damaged` or `no_base`
};

/// Returns the inputs of a column's formula for the instance in row `row`.
Reading read(const Sample& sample, const Object& object, const Column& column, std::size_t row) noexcept;

/// Cooks one value from the readings of two samples. `before` is null if there is no earlier reading. If `before` is
/// null and the formula needs an earlier reading, the result has no value, and its reason is `no_before`.
CookedValue cook(std::uint32_t type, const Reading* before, const Reading& now, const CookOptions& options,
                 Reason no_before = Reason::first_sample) noexcept;

/// Returns value × 10^scale if the scale is -10 to 10; otherwise returns the value unchanged. The scale is DefaultScale
/// in perflib.h.
double scaled(double value, std::int32_t scale) noexcept;

/// Returns whether cooking a counter of this type needs two samples. Returns false for types without a cooked value.
bool needs_two_samples(std::uint32_t type) noexcept;
/// Returns whether a counter of this type has a cooked value. All types have one except bases, text, labels, histograms
/// and unknown types.
bool is_displayable(std::uint32_t type) noexcept;
/// Returns whether cooking a column needs two samples. This depends on the column's type and, in V2, on its attributes
/// (`v2::attribute`).
bool needs_two_samples(const Column& column) noexcept;
/// Returns whether a column has cooked values. This depends on the column's type and, in V2, on its attributes.
bool is_displayable(const Column& column) noexcept;

/// The cooked values of a column: one value and one reason for each instance.
struct CookedColumn {
    std::span<const double> values;   ///< NaN where there is no value
    std::span<const Reason> reasons;  ///< same size as `values`

    /// Returns the value of an instance; `row` must be less than the size of both spans.
    CookedValue operator[](std::size_t row) const noexcept { return {values[row], reasons[row]}; }
};

/// A cooker of columns. It computes the cooked values of a sample from this sample and the previous one. One cooker can
/// be used for many samples and reuses its memory.
class Cooker {
  public:
    /// Creates a cooker. `begin` must be called before columns can be cooked.
    explicit Cooker(const CookOptions& options);
    Cooker(Cooker&&) noexcept;
    Cooker& operator=(Cooker&&) noexcept;
    Cooker(const Cooker&) = delete;
    Cooker& operator=(const Cooker&) = delete;
    ~Cooker();

    /// Sets the two samples: `now` is the sample to cook, `before` is the previous sample or null if there is none.
    /// Both samples must stay unchanged until the next call of `begin`.
    void begin(const Sample* before, const Sample& now);
    /// Returns the cooked values of a column of the sample `now`. `object`: position in `Sample::objects()`. `column`:
    /// position in `Object::columns`. The first call for a column computes its values. The result is valid until the
    /// next call of `begin`.
    CookedColumn column(std::size_t object, std::size_t column);
    /// Returns part of a column of `now`: the values of `count` rows (one row for each instance), from row `first` on.
    /// The object must have all of these rows. Element i of the result is the value of row first + i. A caller that
    /// works row by row can request all columns for a few thousand rows at a time, and so needs memory for only these
    /// rows. The result is valid until `rows` is called for other rows or another object, or until the next call of
    /// `begin`.
    CookedColumn rows(std::size_t object, std::size_t column, std::size_t first, std::size_t count);

    /// Returns the matches between instances of the current and of the previous sample. Must not be called if there is
    /// no previous sample.
    const Matcher& matches() const noexcept;
    /// Returns the previous sample that was given to `begin`; may be null.
    const Sample* before() const noexcept;
    const CookOptions& options() const noexcept;

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace hkpd
