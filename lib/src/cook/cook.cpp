#include "hkpd/cook.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "cook/arithmetic.hpp"
#include "cook/column_kernel.hpp"
#include "cook/formula.hpp"
#include "cook/operands.hpp"
#include "cook/single_row_plan.hpp"
#include "hkpd/error.hpp"
#include "hkpd/sample.hpp"
#include "identity/matcher.hpp"

namespace hkpd {
namespace {

struct ReasonText {
    Reason reason;
    std::string_view name;
    std::uint32_t status;
};

// Statuses from pdhmsg.h.
constexpr std::uint32_t invalid_data = 0xC000'0BBA;          // PDH_CSTATUS_INVALID_DATA
constexpr std::uint32_t negative_denominator = 0x8000'07D6;  // PDH_CALC_NEGATIVE_DENOMINATOR
constexpr std::uint32_t negative_timebase = 0x8000'07D7;     // PDH_CALC_NEGATIVE_TIMEBASE
constexpr std::uint32_t negative_value = 0x8000'07D8;        // PDH_CALC_NEGATIVE_VALUE

// PDH has its own statuses for a value, a clock or a base that went backwards. Zabbix's issue ZBX-5201 shows the status
// that PDH returns if an inverse timer advanced more than its clock (`idle_exceeds_interval`). PDH's status for a
// divisor of zero is not public; `invalid_data` is used in its place.
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
    {Reason::capped, "capped", 0},
    {Reason::not_recorded, "not_recorded", invalid_data},
});
static_assert([] {
    for (std::size_t i = 0; i < reason_texts.size(); ++i)
        if (static_cast<std::size_t>(reason_texts[i].reason) != i) return false;
    return reason_texts.back().reason == Reason::not_recorded;
}());

/// Returns whether a related counter (such as the base) is the same in both samples: it exists in neither, or has the
/// same title and type in both. `was` and `is` are its positions in `Object::columns`, negative if it does not exist.
bool same_counter(const Object& before, std::int32_t was, const Object& now, std::int32_t is) noexcept {
    if (was < 0 || is < 0) return was == is;
    const Column& a = before.columns[static_cast<std::size_t>(was)];
    const Column& b = now.columns[static_cast<std::size_t>(is)];
    return a.title_index == b.title_index && a.type == b.type;
}

/// Returns whether a counter has the same base, clock, frequency and instance count in both samples.
bool same_relations(const Object& before, const Column& was, const Object& now, const Column& is) noexcept {
    return same_counter(before, was.base, now, is.base) && same_counter(before, was.time, now, is.time) &&
           same_counter(before, was.frequency, now, is.frequency) && same_counter(before, was.multi, now, is.multi);
}

}  // namespace

std::string_view reason_name(Reason reason) noexcept { return reason_texts[static_cast<std::size_t>(reason)].name; }
std::uint32_t pdh_status(Reason reason) noexcept { return reason_texts[static_cast<std::size_t>(reason)].status; }

double scaled(double value, std::int32_t scale) noexcept {
    // A negative scale divides by a power of ten, because a double represents 10 exactly, but not 0.1: 7 / 10 equals
    // 0.7, and 7 × 0.1 does not.
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
    return Operands(sample, object, column, formula_of(column))[row];
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

struct Cooker::State {
    struct Cooked {
        std::vector<double> values;  // only the first `count` values and reasons are used
        std::vector<Reason> reasons;
        std::size_t count = 0;
        // Identifies the results that are stored here: in an element of `columns`, the number of the sample that was
        // cooked; in an element of `parts`, the number of the tile that was cooked.
        std::uint64_t generation = 0;

        CookedColumn column() const noexcept {
            return {std::span(values).first(count), std::span(reasons).first(count)};
        }
    };
    /// Consecutive rows of an object of the current sample.
    struct Tile {
        std::size_t object = no_index, first = 0, count = 0;

        bool operator==(const Tile&) const = default;
    };
    /// Consecutive rows that were also consecutive in the previous sample, or that were all missing from that sample.
    struct Stretch {
        std::size_t row, before, count;
        bool is_new;
    };
    struct Past {
        Reason missing = Reason::none;
        const Object* object = nullptr;
        const Column* column = nullptr;
    };
    void fill(Cooked& cooked, const Tile& tile, std::size_t column);
    void find_stretches(const Tile& tile);
    Past past_of(std::size_t object, std::size_t column) const noexcept;

    CookOptions options;
    Matcher matcher{};
    const Sample* before = nullptr;
    const Sample* now = nullptr;
    std::uint64_t samples = 0, tiles = 0;
    std::vector<std::vector<Cooked>> columns{};  // by object and column
    std::vector<Cooked> parts{};                 // by column: the values of tile `part`, which `rows` returns
    Tile part{}, stretched{};                    // `stretched`: the tile of `stretches`
    std::vector<Stretch> stretches{};
    CookPlans plans{options};  // for objects with one row
};

Cooker::Cooker(const CookOptions& options) : state_(std::make_unique<State>(options)) {}
Cooker::Cooker(Cooker&&) noexcept = default;
Cooker& Cooker::operator=(Cooker&&) noexcept = default;
Cooker::~Cooker() = default;

const Matcher& Cooker::matches() const noexcept { return state_->matcher; }

const Sample* Cooker::before() const noexcept { return state_->before; }

const CookOptions& Cooker::options() const noexcept { return state_->options; }

void Cooker::begin(const Sample* before, const Sample& now) {
    State& s = *state_;
    s.before = before;
    s.now = &now;
    if (before != nullptr) s.matcher.match(*before, now);
    s.plans.begin(before, now);
    ++s.samples;
    ++s.tiles;
    s.part = {};
    s.stretched = {};
}

CookedColumn Cooker::column(std::size_t object, std::size_t column) {
    State& s = *state_;
    if (s.plans.try_cook(s.matcher, object, column)) return s.plans.column(object, column);
    const auto& columns = s.now->objects()[object].columns;
    if (s.columns.size() <= object) s.columns.resize(s.now->objects().size());
    if (s.columns[object].size() < columns.size()) s.columns[object].resize(columns.size());
    State::Cooked& cooked = s.columns[object][column];
    if (std::exchange(cooked.generation, s.samples) != s.samples)
        s.fill(cooked, {object, 0, columns[column].values.size()}, column);
    return cooked.column();
}

CookedColumn Cooker::rows(std::size_t object, std::size_t column, std::size_t first, std::size_t count) {
    State& s = *state_;
    const State::Tile tile{object, first, count};
    if (tile != s.part) {
        s.part = tile;
        ++s.tiles;
    }
    const std::size_t columns = s.now->objects()[object].columns.size();
    if (s.parts.size() < columns) s.parts.resize(columns);
    State::Cooked& cooked = s.parts[column];
    if (std::exchange(cooked.generation, s.tiles) != s.tiles) s.fill(cooked, tile, column);
    return cooked.column();
}

/// Returns the object and column of the previous sample that correspond to a column of the current sample. If there are
/// none, returns the reason.
Cooker::State::Past Cooker::State::past_of(std::size_t object, std::size_t column) const noexcept {
    const std::uint32_t position = before == nullptr ? no_index : matcher.object(object);
    if (position == no_index) return {Reason::first_sample};
    const std::uint32_t place = matcher.columns(object)[column];
    if (place == no_index) return {Reason::counter_new};
    const Object &old = before->objects()[position], &current = now->objects()[object];
    const Column &was = old.columns[place], &is = current.columns[column];
    if (was.type != is.type || !same_relations(old, was, current, is)) return {Reason::type_changed};
    return {Reason::none, &old, &was};
}

/// Divides the rows of a tile into runs of consecutive rows (see `Stretch`) and stores the runs in `stretches`. Does
/// nothing if `stretches` is already for this tile.
void Cooker::State::find_stretches(const Tile& tile) {
    if (stretched == tile) return;
    stretched = tile;
    stretches.clear();
    const auto rows = matcher.rows(tile.object).subspan(tile.first, tile.count);
    for (std::size_t i = 0; i < rows.size();) {
        const std::size_t begin = i;
        const bool is_new = rows[begin] == no_index;
        for (++i; i < rows.size() && (is_new ? rows[i] == no_index : rows[i] == rows[i - 1] + 1); ++i) {
        }
        stretches.push_back({tile.first + begin, rows[begin], i - begin, is_new});
    }
}

void Cooker::State::fill(Cooked& cooked, const Tile& tile, std::size_t column) {
    const Object& object = now->objects()[tile.object];
    const Column& shown = object.columns[column];
    cooked.count = tile.count;
    if (cooked.values.size() < tile.count) {
        cooked.values.resize(tile.count);
        cooked.reasons.resize(tile.count);
    }
    const Formula formula = formula_of(shown);
    if (!has_value(formula)) {
        std::fill_n(cooked.values.begin(), tile.count, no_value);
        std::fill_n(cooked.reasons.begin(), tile.count,
                    formula == Formula::unknown ? Reason::unknown_type : Reason::not_displayable);
        return;
    }
    const Arithmetic arithmetic(shown.type, options);
    const Operands current(*now, object, shown, formula);
    choose(formula, [&]<Formula F>() {
        if constexpr (!takes_two_samples(F)) {
            ColumnCook<F>(arithmetic, current, current, tile.first, cooked.values, cooked.reasons)
                .compare(tile.first, tile.first, tile.count);
            return;
        }
        const Past past = past_of(tile.object, column);
        const Operands old = past.column == nullptr ? current : Operands(*before, *past.object, *past.column, F);
        const ColumnCook<F> cook(arithmetic, old, current, tile.first, cooked.values, cooked.reasons);
        if (past.missing != Reason::none) return cook.set_missing(tile.first, tile.count, past.missing);
        find_stretches(tile);
        for (const Stretch& stretch : stretches) {
            if (stretch.is_new)
                cook.set_missing(stretch.row, stretch.count, Reason::instance_new);
            else
                cook.compare(stretch.row, stretch.before, stretch.count);
        }
    });
    if (!options.scale) return;
    for (std::size_t i = 0; i < tile.count; ++i) cooked.values[i] = scaled(cooked.values[i], shown.scale);
}

}  // namespace hkpd
