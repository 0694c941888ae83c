// Objects of one row, which are most of a machine's objects: what a column takes to be cooked is worked out once, and
// holds as long as the object is described as it was.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "arithmetic.hpp"
#include "formula.hpp"
#include "hkpd/cook.hpp"
#include "hkpd/identity.hpp"
#include "readings.hpp"

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

    /// The one value of a column; none where it takes more than a plan to cook it. `matches` is of both samples.
    std::optional<CookedValue> cook(const Matcher& matches, std::size_t object, std::size_t column) {
        if (before_ == nullptr) return std::nullopt;
        Plan& plan = objects_[object];
        if (plan.sample != samples_) renew(plan, matches, object);
        if (!plan.holds) return std::nullopt;
        const Counter counter = plan.counters[column];
        if (counter.formula == Formula::not_displayable) return CookedValue{no_value, Reason::not_displayable};
        if (counter.formula == Formula::unknown) return std::nullopt;
        const Object& now = now_->objects()[object];
        const Object& before = before_->objects()[plan.before];
        const Column &is = now.columns[column], &was = before.columns[column];
        if (!is_sound(is) || !is_sound(was)) return std::nullopt;
        Timing& timing = timings_[counter.timing];
        if (timing.sample != samples_) measure(timing, {before, was}, {now, is});
        if (!timing.holds) return std::nullopt;
        Reading old{.value = was.values[0]}, current{.value = is.values[0], .value_size = counter.size};
        if (takes_base(counter.formula)) {
            const auto at = static_cast<std::size_t>(is.base);
            const Column &base = now.columns[at], &old_base = before.columns[at];
            if (!is_sound(base) || !is_sound(old_base)) return std::nullopt;
            old.base = old_base.values[0];
            current.base = base.values[0];
            current.base_size = base.size;
        }
        return choose(counter.formula, [&]<Formula F>() -> std::optional<CookedValue> {
            if constexpr (is_timeless(F)) return timing.arithmetic.template apply<F>(timing.interval, old, current);
            return std::nullopt;
        });
    }

  private:
    struct Counter {
        Formula formula = Formula::unknown;  // also where it takes more than a plan
        std::uint32_t timing = 0;
        std::uint32_t size = 0;
    };
    /// What columns of one type have in common, whatever their object.
    struct Timing {
        std::uint32_t type;
        Formula formula;
        Arithmetic arithmetic;
        Interval interval{};
        std::uint64_t sample = 0;
        bool holds = false;
    };
    struct Plan {
        Object::Description description;
        std::vector<Counter> counters;
        std::uint32_t before = no_index;
        std::uint64_t sample = 0;
        bool holds = false;
    };
    struct Side {
        const Object& object;
        const Column& column;
    };

    static bool is_sound(const Column& column) noexcept { return column.status.empty() && column.second.empty(); }

    /// Looks whether a plan still holds, and makes it where it does not.
    void renew(Plan& plan, const Matcher& matches, std::size_t position) {
        plan.sample = samples_;
        plan.before = matches.object(position);
        plan.holds = false;
        if (plan.before == no_index) return;
        const Object& now = now_->objects()[position];
        const Object& before = before_->objects()[plan.before];
        const auto rows = matches.rows(position);
        plan.holds =
            rows.size() == 1 && rows[0] == 0 && now.description().known() && now.description() == before.description();
        if (plan.holds && plan.description != now.description()) make(plan, now);
    }

    void make(Plan& plan, const Object& object) {
        plan.description = object.description();
        plan.counters.clear();
        for (const Column& column : object.columns) {
            const Formula formula = formula_of(column);
            Counter& counter = plan.counters.emplace_back();
            if (formula == Formula::not_displayable) counter.formula = formula;
            if (fits(object, column, formula)) counter = {formula, timing_of(column.type, formula), column.size};
        }
    }

    /// Whether it takes its own values, those of its base, and the machine's clocks; no more.
    static bool fits(const Object& object, const Column& column, Formula formula) noexcept {
        const auto is_number = [](const Column& of) { return of.storage == Storage::number; };
        return is_timeless(formula) && is_number(column) &&
               CounterType{column.type}.timer() != CounterType::Timer::object && column.time == -1 &&
               column.frequency == -1 && column.multi == -1 && !column.clock &&
               (!takes_base(formula) ||
                (column.base >= 0 && is_number(object.columns[static_cast<std::size_t>(column.base)])));
    }

    std::uint32_t timing_of(std::uint32_t type, Formula formula) {
        for (std::uint32_t i = 0; i < timings_.size(); ++i)
            if (timings_[i].type == type && timings_[i].formula == formula) return i;
        timings_.push_back({type, formula, Arithmetic(type, options_)});
        return static_cast<std::uint32_t>(timings_.size() - 1);
    }

    /// What passed between the two samples. Any column of the type tells it.
    void measure(Timing& timing, const Side& before, const Side& now) const noexcept {
        timing.sample = samples_;
        const Readings old(*before_, before.object, before.column, timing.formula);
        const Readings current(*now_, now.object, now.column, timing.formula);
        timing.holds = old.alike() && current.alike();
        timing.interval = choose(timing.formula, [&]<Formula F>() {
            return timing.arithmetic.template interval<F>(old.common(), current.common());
        });
    }

    CookOptions options_;
    const Sample* before_ = nullptr;
    const Sample* now_ = nullptr;
    std::uint64_t samples_ = 0;
    std::vector<Plan> objects_;
    std::vector<Timing> timings_;  // no more than there are types that have a formula
};

}  // namespace hkpd
