// Checks a run by rules: one sample after another goes in, findings with the names of their series come out.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hkpd/cook.hpp"
#include "hkpd/counter_type.hpp"
#include "hkpd/limits.hpp"
#include "hkpd/rules.hpp"
#include "hkpd/zone.hpp"

namespace hkpd {

class Cooker;
class Diagnostics;
class Sample;
class Titles;
struct Selected;

/// The result of checking a run.
struct RuleResults {
    /// A finding, and the names of its series.
    struct Item {
        RuleFinding finding;
        std::string machine, object, instance, counter;
        std::string english_counter{};  ///< if the counter has another English name, that name
        std::string_view unit;          ///< as `cooked_unit` returns it
        /// The counter type; `no_counter_type` for a series that rules have computed.
        std::uint32_t type = no_counter_type;
        bool of_list = false;  ///< whether the object has a list of instances
    };
    /// A threshold that was not evaluated: positions in `Rules::analyses` and `RuleAnalysis::thresholds`.
    struct NotEvaluated {
        std::uint32_t analysis = 0, threshold = 0;
        std::string why;
    };
    std::string input;  ///< name of the input, set by the caller
    Rules rules;
    std::vector<Item> findings;    ///< in the order of `RuleRun::finish`
    std::uint64_t thresholds = 0;  ///< number of thresholds of enabled analyses
    std::vector<NotEvaluated> not_evaluated;
    std::vector<RuleRun::Answered> answers;
    Zone zone;  ///< that of the first sample
};

/// Evaluates rules over the samples of a run. Memory is bounded by `Limits::series`, `names` and `statistics`.
class RuleCheck {
  public:
    /// Keeps a reference to `titles`: those of the reader of the samples.
    RuleCheck(RuleRun rules, const Titles& titles, const Limits& limits, const CookOptions& cook);
    RuleCheck(RuleCheck&&) noexcept;
    RuleCheck& operator=(RuleCheck&&) noexcept;
    RuleCheck(const RuleCheck&) = delete;
    RuleCheck& operator=(const RuleCheck&) = delete;
    ~RuleCheck();

    /// Adds the selected parts of a sample. `cooker` must be the cooker of the sample.
    void add(const Sample& sample, std::span<const Selected> selected, Cooker& cooker);
    /// Returns the result. Series that a limit left out are reported. No sample can be added afterwards.
    RuleResults finish(Diagnostics& diagnostics);

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace hkpd
