// Passes the samples of a run to rules: collects the series, finds their English names, and evaluates the rules.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "hkpd/rule_check.hpp"
#include "select/english.hpp"
#include "statistics/run_series.hpp"

namespace hkpd {

/// The English names of a counter and of its object; the names of the input if no English ones are known.
struct EnglishCounter {
    std::string object, counter;
    std::string original{};  ///< of the object that this one can replace; empty if there is none
    bool has_twin = false;   ///< whether another object can replace this one
    bool used = false;       ///< whether rules may use the counter
};

/// The series of a run, and rules that are evaluated over them. The number of a series is its place in the collector.
class RuleCollector : private SeriesListener {
  public:
    /// Keeps references to `titles` and, unless it is null, to `rules`.
    RuleCollector(const SeriesOptions& options, const CookOptions& cook, RuleRun* rules, const Titles& titles)
        : all_(options, cook), rules_(rules), english_(titles) {}

    /// Adds the selected parts of a sample.
    void add(const Sample& sample, std::span<const Selected> selected, Cooker& cooker);

    SeriesCollector& all() noexcept { return all_; }
    const SeriesCollector& all() const noexcept { return all_; }
    /// Returns the English names of the counter of a series.
    const EnglishCounter& english(std::size_t place) const { return names_[all_.series(place).counter]; }

  private:
    bool takes(std::size_t place) override;
    void value(std::size_t place, CookedValue value) override;
    void add_names(const RunCounter& counter, EnglishCounter& names);
    bool add_to_rules(std::size_t place);

    SeriesCollector all_;
    RuleRun* rules_;
    EnglishNames english_;
    bool any_local_ = false;             // whether any title is not English
    std::vector<EnglishCounter> names_;  // by number of the counter
    enum class Use : std::uint8_t { unknown, none, rules };
    std::vector<Use> uses_;  // by place, of counters that rules may use
};

/// Returns the thresholds of enabled analyses that were not evaluated, after `RuleRun::finish`.
std::vector<RuleResults::NotEvaluated> not_evaluated(const RuleRun& run);
/// Returns the number of all thresholds of enabled analyses.
std::uint64_t count_thresholds(const Rules& rules);

}  // namespace hkpd
