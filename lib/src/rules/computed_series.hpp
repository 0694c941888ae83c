// Series that rules compute from others: which series belong together, and their values in a sample.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "rules/data.hpp"
#include "rules/machine.hpp"
#include "statistics/statistics.hpp"

namespace hkpd::pal {

/// Computes the values of all data sources that are computed. Series have the numbers of `RuleRun`'s own list.
class ComputedSeries {
  public:
    explicit ComputedSeries(const Rules::Data& data);

    /// A series to be computed: its data source, and its names.
    struct New {
        std::uint32_t source;
        RuleRun::Derived names;
    };
    /// Adds a series of the input that belongs to a data source. Appends the series that are computed from it as the
    /// first input to `added`; for each of them, `add` must be called, in this order.
    void add_input(std::uint32_t source, const RuleSeries& names, std::uint32_t series, std::vector<New>& added);
    /// Sets the number of the series that is computed next.
    void add(std::uint32_t series) { computed_[unnumbered_++].series = series; }

    /// Calls `act` with each series that has a value in the current sample, and that value. `value_of` returns the
    /// value of a series of the input in the sample; NaN if it has none.
    template <class ValueOf, class Act>
    void compute(Machine& machine, std::uint32_t machine_position, const ValueOf& value_of, const Act& act) {
        for (const One& one : computed_) {
            if (one.machine != machine_position || std::isnan(value_of(one.first))) continue;
            const auto value = compute(one, machine, value_of);
            if (value) act(one.series, *value);
        }
    }
    void set_machine_of_next(std::uint32_t machine) noexcept { machine_ = machine; }

  private:
    /// The newest series for each input of a source, for one name of instances.
    struct Group {
        std::vector<std::uint32_t> series;
    };
    struct One {
        std::uint32_t source, machine, first, series;
        std::uint32_t group, shared_group;
    };
    struct User {
        std::uint32_t source, input;
    };

    static constexpr std::size_t most_series = 1'000'000;

    std::uint32_t group_of(std::uint32_t source, std::string_view instance, bool is_shared);
    static std::string server_of(const RuleSeries& names);

    template <class ValueOf>
    std::optional<double> compute(const One& one, Machine& machine, const ValueOf& value_of) {
        const Rules::Data::Source& source = data_.sources[one.source];
        if (!source.computed) return std::nullopt;
        elements_.clear();
        for (std::size_t input = 0; input < source.inputs.size(); ++input) {
            std::uint32_t series = one.first;
            if (input != 0) {
                series = groups_[one.group].series[input];
                if (series == no_index) series = groups_[one.shared_group].series[input];
            }
            elements_.push_back(series == no_index ? std::numeric_limits<double>::quiet_NaN() : value_of(series));
        }
        const Outcome outcome = evaluate(source.computed->script, {machine.values_of(source.variables), {}, elements_});
        return outcome.failure == Outcome::Failure::none ? std::optional(outcome.result) : std::nullopt;
    }

    const Rules::Data& data_;
    std::vector<std::vector<User>> users_;  // for each source, the computed sources that it is an input of
    std::unordered_map<std::string, std::uint32_t> group_positions_;
    std::vector<Group> groups_;
    std::vector<One> computed_;
    std::size_t unnumbered_ = 0;  // position of the first series without a number
    std::uint32_t machine_ = 0;
    std::vector<double> elements_;
};

}  // namespace hkpd::pal
