// Scripts with loops of their own over the instances of counters: they are evaluated once in each sample of a machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "rules/data.hpp"
#include "rules/machine.hpp"

namespace hkpd::pal {

class SampleScripts {
  public:
    explicit SampleScripts(const Rules::Data& data);

    /// Returns whether there are such scripts.
    bool any() const noexcept { return !computing_.empty() || !alerting_.empty(); }

    /// The names of a series in scripts.
    struct Names {
        std::string machine, object, instance, counter;
    };
    /// Adds a series of a data source, if scripts list its instances. `series`: its number among those of the run.
    void add_series(std::uint32_t machine, std::uint32_t source, const Names& names, std::uint32_t series);

    /// Returns the value of a series in the current sample; NaN if it has none.
    using ValueOf = std::function<double(std::uint32_t series)>;
    /// Begins a sample of a machine: finds the instances that have a value.
    void begin(std::uint32_t machine, const ValueOf& value_of);

    /// A value that a script has computed: the data source, the instance that the script names, the value.
    struct Computed {
        std::uint32_t source;
        std::string instance;
        double value;
    };
    /// Evaluates the scripts of data sources in the sample. Valid until the next call.
    const std::vector<Computed>& compute(Machine& machine, const ValueOf& value_of);

    /// Evaluates the scripts of thresholds in the sample, after all values of data sources are known.
    void raise_alerts(Machine& machine, const ValueOf& value_of);
    /// Returns whether the script of a threshold was evaluated in the sample.
    bool was_evaluated(std::uint32_t threshold) const noexcept { return evaluated_[threshold]; }
    /// Returns the alert for a series in the sample; null if there is none.
    const SampleResults::Alert* alert(std::uint32_t threshold, std::uint32_t series) const;

    /// Returns the reason why the script of a threshold, or of its data source, is not evaluated to the end of the run;
    /// empty if it is.
    std::string reason_to_stop(std::uint32_t threshold) const;
    /// Returns the newest reason why a script was not evaluated in a sample.
    std::string newest_failure(std::uint32_t threshold) const;

  private:
    /// All scripts together take at most so many steps in a sample of a machine.
    static constexpr std::uint64_t most_steps = 10'000'000;
    static constexpr std::size_t most_series = 1'000'000;

    struct Task {
        std::uint32_t source = no_index, threshold = no_index;  // one of them
        const Script* script;
        const Rules::Data::Variables* variables;
        const std::vector<std::uint32_t>* sources;  // for the collections of the script
        std::uint32_t result = no_index;            // as of `ComputedSource`
        std::size_t primary = 0;                    // the collection without which nothing is evaluated
        bool has_stopped = false;
        Outcome failure = {};  // the newest
    };
    struct Member {
        Names names;
        std::uint32_t series, name;  // `name`: number of the instance's name among those of the machine
    };
    struct OfMachine {
        std::vector<std::vector<Member>> members;  // for each source
        std::unordered_map<std::string, std::uint32_t> names;
        std::vector<std::uint64_t> seen;  // for each name, the newest sample in which it had a value
    };

    static std::string instance_in(std::string_view path);
    bool evaluate(Task& task, Machine& machine, const ValueOf& value_of);
    const Task* task_of_source(std::uint32_t source) const noexcept;
    static std::string stop_of(const Task& task);

    const Rules::Data& data_;
    std::vector<Task> computing_, alerting_;
    std::vector<bool> is_listed_;  // for each source
    std::vector<OfMachine> machines_;
    std::size_t members_ = 0;
    std::uint32_t machine_ = 0;  // of the current sample
    std::uint64_t sample_ = 0;
    std::uint64_t steps_left_ = 0;
    std::vector<std::vector<Instance>> instances_;
    SampleResults results_;
    std::vector<Computed> computed_;
    std::vector<bool> evaluated_;                                     // for each threshold
    std::unordered_map<std::uint64_t, SampleResults::Alert> alerts_;  // by threshold and series
};

}  // namespace hkpd::pal
