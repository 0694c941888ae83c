#include "hkpd/cook.hpp"

#include <array>
#include <limits>

#include "formula.hpp"

namespace hkpd {
namespace {

constexpr double no_value = std::numeric_limits<double>::quiet_NaN();
constexpr std::uint32_t precision = 7;  // the subtype whose clock is its base: PERF_PRECISION_TIMESTAMP

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

bool has_value(Formula formula) noexcept { return formula != Formula::unknown && formula != Formula::not_displayable; }
bool is_multi(Formula formula) noexcept { return formula == Formula::multi || formula == Formula::multi_inverse; }
bool takes_base(Formula formula) noexcept {
    return formula == Formula::fraction || formula == Formula::sample_fraction || formula == Formula::average_timer ||
           formula == Formula::average_bulk || is_multi(formula);
}
bool takes_clock(Formula formula) noexcept {
    return formula == Formula::elapsed ||
           (takes_two_samples(formula) && formula != Formula::delta && (!takes_base(formula) || is_multi(formula)));
}

Reason status_fault(const Column& column, std::size_t row) noexcept {
    if (column.sound(row)) return Reason::none;
    return column.status[row] == ValueStatus::damaged ? Reason::damaged : Reason::pdh_status;
}

/// Whether one column has the same counter at its side as another: none, or one of the same title and type.
bool same_counter(const Object& before, std::int32_t was, const Object& now, std::int32_t is) noexcept {
    if (was < 0 || is < 0) return was == is;
    const Column& a = before.columns[static_cast<std::size_t>(was)];
    const Column& b = now.columns[static_cast<std::size_t>(is)];
    return a.title_index == b.title_index && a.type == b.type;
}

/// Whether a counter is counted against the same base and by the same clock as before.
bool same_relations(const Object& before, const Column& was, const Object& now, const Column& is) noexcept {
    return same_counter(before, was.base, now, is.base) && same_counter(before, was.time, now, is.time) &&
           same_counter(before, was.frequency, now, is.frequency) && same_counter(before, was.multi, now, is.multi);
}

/// Where the readings of a column come from: found once, and then read row by row.
class Readings {
  public:
    Readings(const Sample& sample, const Object& object, const Column& column) noexcept
        : column_(column), formula_(formula_of(column)) {
        common_.frequency = sample.perf.frequency;
        if (column.storage != Storage::number) common_.fault = Reason::not_a_number;
        if (is_multi(formula_)) base_ = number_at(object, column.multi);
        // A count that is registered and not in the sample is not the base's to give.
        if (base_ == nullptr && !(is_multi(formula_) && column.multi == Column::not_there))
            base_ = number_at(object, column.base);
        if (takes_clock(formula_)) find_clock(sample, object);
        if (takes_clock(formula_) || formula_ == Formula::average_timer) find_frequency(object);
        if (takes_base(formula_) && base_ == nullptr && column.second.empty()) fault(Reason::no_base);
        common_.value_size = column.size;
        if (base_ != nullptr) common_.base_size = base_->size;
    }

    Reading operator[](std::size_t row) const noexcept {
        Reading reading = common_;
        if (common_.fault == Reason::none) reading.fault = status_fault(column_, row);
        if (reading.fault != Reason::none) return reading;
        reading.value = column_.values[row];
        if (base_ != nullptr) {
            if (takes_base(formula_) || by_base_) reading.fault = status_fault(*base_, row);
            reading.base = base_->values[row];
        } else if (!column_.second.empty()) {
            reading.base = column_.second[row];
            // A count that is not in the counter block is 0 there, and a timer of no instances is none.
            if (reading.base == 0 && is_multi(formula_)) reading.fault = Reason::no_base;
        }
        if (by_base_) reading.clock = static_cast<std::int64_t>(reading.base);
        take(time_, row, reading.clock, reading);
        take(frequency_, row, reading.frequency, reading);
        return reading;
    }

  private:
    void fault(Reason reason) noexcept {
        if (common_.fault == Reason::none) common_.fault = reason;
    }
    /// The counter in a position, if there is one that is a number.
    static const Column* number_at(const Object& object, std::int32_t position) noexcept {
        if (position < 0) return nullptr;
        const Column& column = object.columns[static_cast<std::size_t>(position)];
        return column.storage == Storage::number ? &column : nullptr;
    }
    /// Of a counter that serves as clock, if there is one.
    static void take(const Column* from, std::size_t row, std::int64_t& to, Reading& reading) noexcept {
        if (from == nullptr) return;
        to = static_cast<std::int64_t>(from->values[row]);
        if (reading.fault == Reason::none) reading.fault = status_fault(*from, row);
    }
    void find_frequency(const Object& object) noexcept {
        frequency_ = number_at(object, column_.frequency);
        if (column_.frequency != Column::not_there) return;
        common_.frequency = 0;
        if (formula_ == Formula::elapsed) fault(Reason::no_frequency);
    }
    void find_clock(const Sample& sample, const Object& object) noexcept {
        const CounterType type{column_.type};
        if (type.subtype() == precision) {
            by_base_ = true;
            if (base_ == nullptr) fault(Reason::no_base);
            return;
        }
        time_ = number_at(object, column_.time);
        if (column_.time == Column::not_there) fault(Reason::no_clock);
        Clock clock;
        if (column_.clock)
            clock = *column_.clock;
        else if (type.timer() == CounterType::Timer::object)
            clock = object.clock;
        else if (type.timer() == CounterType::Timer::hundred_ns)
            clock = {sample.perf_time_100ns, 10'000'000};
        else
            clock = sample.perf;
        if (time_ == nullptr && clock.time == 0 &&
            (clock.frequency == 0 || type.timer() == CounterType::Timer::hundred_ns))
            fault(Reason::no_clock);
        common_.clock = clock.time;
        common_.frequency = clock.frequency;
    }

    const Column& column_;
    const Column *base_ = nullptr, *time_ = nullptr, *frequency_ = nullptr;
    Formula formula_;
    bool by_base_ = false;  // the base is the clock
    Reading common_;
};

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
    return Readings(sample, object, column)[row];
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

void Cooker::begin(const Sample* before, const Sample& now) {
    before_ = before;
    now_ = &now;
    if (before != nullptr) matcher_.match(*before, now);
    if (cooked_.size() < now.objects().size()) cooked_.resize(now.objects().size());
    for (std::size_t i = 0; i < now.objects().size(); ++i) {
        if (cooked_[i].size() < now.objects()[i].columns.size()) cooked_[i].resize(now.objects()[i].columns.size());
        for (Cooked& cooked : cooked_[i]) cooked.done = false;
    }
    tile_ = {};
    for (Cooked& cooked : tiled_) cooked.done = false;
}

CookedColumn Cooker::column(std::size_t object, std::size_t column) {
    Cooked& cooked = cooked_[object][column];
    if (!cooked.done) fill(cooked, {object, 0, now_->objects()[object].columns[column].values.size()}, column);
    return {cooked.values, cooked.reasons};
}

CookedColumn Cooker::rows(std::size_t object, std::size_t column, std::size_t first, std::size_t count) {
    const Tile tile{object, first, count};
    if (tile != tile_)
        for (Cooked& cooked : tiled_) cooked.done = false;
    tile_ = tile;
    const std::size_t columns = now_->objects()[object].columns.size();
    if (tiled_.size() < columns) tiled_.resize(columns);
    Cooked& cooked = tiled_[column];
    if (!cooked.done) fill(cooked, tile, column);
    return {cooked.values, cooked.reasons};
}

/// Where a column was in the sample before, or the reason why it was not there.
Cooker::Past Cooker::past_of(std::size_t object, std::size_t column) const noexcept {
    const std::uint32_t position = before_ == nullptr ? no_index : matcher_.object(object);
    if (position == no_index) return {Reason::first_sample};
    const std::uint32_t place = matcher_.columns(object)[column];
    if (place == no_index) return {Reason::counter_new};
    const Object& old = before_->objects()[position];
    const Object& now = now_->objects()[object];
    const Column &was = old.columns[place], &is = now.columns[column];
    if (was.type != is.type || !same_relations(old, was, now, is)) return {Reason::type_changed};
    return {Reason::none, &old, &was};
}

void Cooker::fill(Cooked& cooked, const Tile& tile, std::size_t column) const {
    const Object& now = now_->objects()[tile.object];
    const Column& shown = now.columns[column];
    const Formula formula = formula_of(shown);
    cooked.done = true;
    cooked.values.assign(tile.count, no_value);
    cooked.reasons.assign(tile.count, formula == Formula::unknown           ? Reason::unknown_type
                                      : formula == Formula::not_displayable ? Reason::not_displayable
                                                                            : Reason::none);
    if (!has_value(formula)) return;

    const Arithmetic arithmetic(shown.type, options_);
    const Readings readings(*now_, now, shown);
    const auto put = [&](std::size_t row, CookedValue value) {
        if (options_.scale) value.value = scaled(value.value, shown.scale);
        cooked.values[row - tile.first] = value.value;
        cooked.reasons[row - tile.first] = value.reason;
    };
    choose(formula, [&]<Formula F>() {
        const Past past = takes_two_samples(F) ? past_of(tile.object, column) : Past{};
        const Readings old(past.object == nullptr ? *now_ : *before_, past.object == nullptr ? now : *past.object,
                           past.column == nullptr ? shown : *past.column);
        const auto cook_row = [&](std::size_t row) -> CookedValue {
            const Reading reading = readings[row];
            if (reading.fault != Reason::none) return {no_value, reading.fault};
            if constexpr (!takes_two_samples(F)) return arithmetic.apply<F>(reading, reading);
            if (past.missing != Reason::none) return {no_value, past.missing};
            const std::uint32_t old_row = matcher_.rows(tile.object)[row];
            if (old_row == no_index) return {no_value, Reason::instance_new};
            const Reading before = old[old_row];
            return before.fault != Reason::none ? CookedValue{no_value, before.fault}
                                                : arithmetic.apply<F>(before, reading);
        };
        for (std::size_t row = tile.first; row < tile.first + tile.count; ++row) put(row, cook_row(row));
    });
}

}  // namespace hkpd
