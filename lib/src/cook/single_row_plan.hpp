// Plans for cooking objects with one row, that is, one instance. Most objects of a machine have only one instance. A
// plan contains the formula and the base of each column of one object. It is computed once, and stays valid as long as
// the object has the same definitions (see `DefinitionsKey`).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "cook/arithmetic.hpp"
#include "cook/formula.hpp"
#include "cook/operands.hpp"
#include "hkpd/cook.hpp"
#include "hkpd/sample.hpp"
#include "identity/matcher.hpp"
#include "sample/memory.hpp"

namespace hkpd {

class CookPlans {
  public:
    explicit CookPlans(const CookOptions& options) noexcept : options_(options) {}

    void begin(const Sample* before, const Sample& now) {
        before_ = before;
        now_ = &now;
        ++samples_;
        if (objects_.size() < now.objects().size()) objects_.resize(now.objects().size());
    }

    /// Returns whether a plan has cooked a column of the current sample. The first call for an object in a sample cooks
    /// all columns of the object that its plan can cook. `matches` must have matched the previous sample with the
    /// current one.
    bool try_cook(const Matcher& matches, std::size_t object, std::size_t column) {
        if (before_ == nullptr) return false;
        Plan& plan = objects_[object];
        if (plan.sample != samples_) {
            plan.sample = samples_;
            plan.cooked = renew(plan, matches, object) && cook(plan, matches.object(object), object);
        }
        return plan.cooked && plan.counters[column].formula != Formula::unknown;
    }
    /// Returns the single value of a column for which `cooks` has returned true. The result is valid until the next
    /// `begin`.
    CookedColumn column(std::size_t object, std::size_t column) const noexcept {
        const Plan& plan = objects_[object];
        return {std::span(plan.values).subspan(column, 1), std::span(plan.reasons).subspan(column, 1)};
    }

  private:
    struct Counter {
        Formula formula = Formula::unknown;  // `unknown` also if the plan cannot cook the column
        std::uint32_t timing = 0;
        std::uint32_t size = 0;
        // `base`: position of the base; position of the column itself if the formula takes no base.
        std::uint32_t base = 0, base_size = 0;
    };
    /// Data that all columns of one type and formula share, in any object.
    struct Timing {
        std::uint32_t type;
        Formula formula;
        Arithmetic arithmetic;
        Interval interval{};
        std::uint64_t sample = 0;
        bool is_uniform = false;
    };
    struct Plan {
        DefinitionsKey definitions;
        std::vector<Counter> counters;
        std::vector<double> values;
        std::vector<Reason> reasons;
        std::uint64_t sample = 0;  // number of the last sample for which the plan was considered
        bool cooked = false;       // whether the plan has cooked that sample
    };
    struct Side {
        const Object& object;
        const Column& column;
    };

    static bool is_valid(const Column& column) noexcept { return column.status.empty() && column.second.empty(); }

    /// Cooks the planned columns; returns false if a number or the interval is not valid.
    bool cook(Plan& plan, std::size_t old_position, std::size_t position) {
        const Object& before = before_->objects()[old_position];
        const Object& now = now_->objects()[position];
        for (std::size_t i = 0; i < plan.counters.size(); ++i) {
            const Counter& counter = plan.counters[i];
            if (!has_value(counter.formula)) continue;
            const Column &was = before.columns[i], &is = now.columns[i];
            Timing& timing = timings_[counter.timing];
            if (timing.sample != samples_) measure(timing, {before, was}, {now, is});
            if (!timing.is_uniform || !is_valid(was) || !is_valid(is)) return false;
            const Column &old_base = before.columns[counter.base], &base = now.columns[counter.base];
            if (!is_valid(old_base) || !is_valid(base)) return false;
            const CookedValue cooked = choose(counter.formula, [&]<Formula F>() -> CookedValue {
                if constexpr (!is_timeless(F)) return {};
                const Reading old{.value = was.values[0], .base = old_base.values[0]};
                const Reading current{.value = is.values[0],
                                      .base = base.values[0],
                                      .value_size = counter.size,
                                      .base_size = counter.base_size};
                return timing.arithmetic.template apply<F>(timing.interval, old, current);
            });
            plan.values[i] = options_.scale ? scaled(cooked.value, is.scale) : cooked.value;
            plan.reasons[i] = cooked.reason;
        }
        return true;
    }

    /// Returns whether the object at `position` can be cooked by a plan. If so, computes `plan` anew, unless `plan`
    /// already applies to the object's definitions.
    bool renew(Plan& plan, const Matcher& matches, std::size_t position) {
        const std::uint32_t old_position = matches.object(position);
        if (old_position == no_index) return false;
        const Object& now = now_->objects()[position];
        const auto rows = matches.rows(position);
        if (rows.size() != 1 || rows[0] != 0 || !now.memory().definitions.known() ||
            now.memory().definitions != before_->objects()[old_position].memory().definitions)
            return false;
        if (plan.definitions != now.memory().definitions) make(plan, now);
        return true;
    }

    void make(Plan& plan, const Object& object) {
        plan.definitions = object.memory().definitions;
        plan.counters.clear();
        plan.values.assign(object.columns.size(), no_value);
        plan.reasons.assign(object.columns.size(), Reason::not_displayable);
        for (std::uint32_t i = 0; i < object.columns.size(); ++i) {
            const Column& column = object.columns[i];
            const Formula formula = formula_of(column);
            Counter& counter = plan.counters.emplace_back();
            if (formula == Formula::not_displayable) counter.formula = formula;
            if (!fits(object, column, formula)) continue;
            const std::uint32_t base = takes_base(formula) ? static_cast<std::uint32_t>(column.base) : i;
            counter = {formula, timing_of(column.type, formula), column.size, base, object.columns[base].size};
        }
    }

    /// Returns whether a plan can cook a column. This requires that the formula needs only the column's own values,
    /// those of its base, and the machine's clocks.
    static bool fits(const Object& object, const Column& column, Formula formula) noexcept {
        const auto is_number = [](const Column& of) { return of.storage == Storage::number; };
        return is_timeless(formula) && is_number(column) &&
               CounterType{column.type}.timer() != CounterType::Timer::object && column.time == -1 &&
               column.frequency == -1 && column.multi == -1 && !column.logged() &&
               (!takes_base(formula) ||
                (column.base >= 0 && is_number(object.columns[static_cast<std::size_t>(column.base)])));
    }

    std::uint32_t timing_of(std::uint32_t type, Formula formula) {
        for (std::uint32_t i = 0; i < timings_.size(); ++i)
            if (timings_[i].type == type && timings_[i].formula == formula) return i;
        timings_.push_back({type, formula, Arithmetic(type, options_)});
        return static_cast<std::uint32_t>(timings_.size() - 1);
    }

    /// Sets the interval of `timing` to the interval between the previous and the current sample, read from one column.
    /// All columns with the type and formula of `timing` have this interval. Sets `timing.is_uniform` to false if the
    /// readings of the column are not uniform (`Operands::uniform`).
    void measure(Timing& timing, const Side& before, const Side& now) const noexcept {
        timing.sample = samples_;
        const Operands old(*before_, before.object, before.column, timing.formula);
        const Operands current(*now_, now.object, now.column, timing.formula);
        timing.is_uniform = old.uniform() && current.uniform();
        timing.interval = choose(timing.formula, [&]<Formula F>() {
            return timing.arithmetic.template interval<F>(old.common(), current.common());
        });
    }

    CookOptions options_;
    const Sample* before_ = nullptr;
    const Sample* now_ = nullptr;
    std::uint64_t samples_ = 0;
    std::vector<Plan> objects_;
    std::vector<Timing> timings_;  // one for each pair of a type and a formula; few, because few types have a formula
};

}  // namespace hkpd
