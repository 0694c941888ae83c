// Rules: thresholds for counters, and their evaluation over a run. Rules are read from the XML threshold files of PAL
// (Performance Analysis of Logs, github.com/clinthuffman/PAL). hkpd has rules of its own in the same form. The scripts
// in such files are never run: thresholds and data sources in the grammar of lib/src/rules/README.md are evaluated, all
// others are listed as not evaluated.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hkpd {

struct Statistics;

/// The severity of a threshold (CONDITION in XML).
enum class RuleSeverity : std::uint8_t { warning, critical };
/// Returns the name of a severity: `warning`, `critical`.
std::string_view rule_severity_name(RuleSeverity severity) noexcept;

/// A threshold of an analysis.
struct RuleThreshold {
    std::string name;  ///< what is wrong if the threshold is exceeded, as plain text
    RuleSeverity severity = RuleSeverity::warning;
    /// The comparison as people write it: `> 80`, `< PhysicalMemory * 1024 * 0.1`, `slope > 104857600 per hour`. If
    /// conditions select one of several limits, all of them: `> 90 or 50`. Empty if it cannot be read. `as its script
    /// states`: if it raises alerts by a condition that compares no value of a counter.
    std::string condition;
    bool is_trend = false;  ///< whether the slope of the series, in units per hour, is compared instead of each value
    /// Findings whose longest period is shorter are left out, and of trends those of series whose values span less
    /// time; in nanoseconds. 0 in PAL's files. (hkpd's own attribute LEASTSECONDS of THRESHOLD.)
    std::int64_t least_time = 0;
    /// The reason why the threshold cannot be evaluated, as a short phrase (`uses the script command Get-Date (line
    /// 2)`); empty if it can.
    std::string not_evaluated;
};

/// A counter or a group of counters, with thresholds and an explanation.
struct RuleAnalysis {
    std::string name, category;
    std::string file;  ///< name of the file that contains the analysis, without its folder
    std::string path;  ///< counter path of the primary data source: `\Process(*)\Handle Count`
    /// The explanation in HTML that may be part of a page: elements b, strong, i, em, br, p, ul, ol, li, code and pre
    /// without attributes, all closed; other characters are escaped. May be empty.
    std::string description_html;
    std::string description;  ///< the explanation as plain text, with a line for each paragraph
    bool enabled = true;
    /// The reason why no threshold of the analysis is evaluated, such as a data source that a script computes; empty
    /// otherwise.
    std::string not_evaluated;
    std::vector<RuleThreshold> thresholds;
};

/// A question of a rule file, whose answer is a variable in thresholds.
struct RuleQuestion {
    std::string name, text, default_value;
    std::vector<std::string> options;  ///< permitted answers; empty if any is permitted
};

/// A set of rules. Copies are cheap: they share the rules.
class Rules {
  public:
    /// Reads a rule file and the files that it inherits (INHERITANCE), which are searched in the folder of the file. An
    /// analysis replaces an inherited one with the same ID. Fails with a message for people that names the file and the
    /// line: if a file, also an inherited one, is missing or cannot be read, is larger than 16 MiB, is not XML, or is
    /// no rule file. The name of an inherited file must have no separator, drive or `..`.
    static std::expected<Rules, std::string> read(const std::string& path);
    /// Reads one rule file in memory. `name`: name of the file in messages. Files that it inherits are not read, and
    /// their analyses are missing: `missing_files` has their names.
    static std::expected<Rules, std::string> parse(std::span<const std::byte> xml, std::string_view name);
    /// Returns hkpd's own rules for Windows.
    static Rules built_in();

    std::string_view name() const noexcept;  ///< of the set: `System Overview`
    /// Returns the analyses: inherited ones first.
    std::span<const RuleAnalysis> analyses() const noexcept;
    std::span<const RuleQuestion> questions() const noexcept;
    /// Returns the names of files that `parse` was to inherit; empty after `read`.
    std::span<const std::string> missing_files() const noexcept;

    /// Everything that was read; defined only in the library's sources.
    struct Data;
    const Data& data() const noexcept { return *data_; }

  private:
    explicit Rules(std::shared_ptr<const Data> data) noexcept : data_(std::move(data)) {}
    std::shared_ptr<const Data> data_;
};

/// An answer to a question.
struct RuleAnswer {
    std::string name, value;
};

/// The names of a series: of one counter of one instance. All views are valid during the call only.
struct RuleSeries {
    std::string_view machine, object, counter;
    /// The English names, if they are known and differ; otherwise empty. Rules match either.
    std::string_view english_object, english_counter;
    std::string_view instance;  ///< its text, unique in the object; empty if the object has no list of instances
    bool of_list = false;       ///< whether the object has a list of instances
    std::string_view name{};    ///< `parent/name`, which the patterns of rules match; none: `instance`
    /// The English name of the object that this one replaces where it is absent, and the name of the instance in it:
    /// `Process` and `svchost` for `svchost:580` of Process V2; empty if there is none. Series of this object are not
    /// evaluated in its place on machines that have both.
    std::string_view original_object{}, original_name{};
    bool has_twin = false;  ///< whether another object can replace this one where it is absent

    /// Returns the text that patterns match.
    std::string_view matched() const noexcept { return name.empty() ? instance : name; }
};

/// A series for which a threshold was exceeded.
struct RuleFinding {
    std::uint32_t analysis = 0, threshold = 0;  ///< positions in `Rules::analyses` and `RuleAnalysis::thresholds`
    std::uint32_t series = 0;  ///< the number that the caller gave the series, or that `RuleRun::derived` states
    /// The number with which values, or the slope, were compared; NaN if the script of the threshold compares something
    /// else, such as the sum of two counters.
    double limit = 0;
    /// The slope in units per hour, if the threshold is a trend. All members below are then 0.
    std::optional<double> slope;
    std::uint64_t values = 0,
                  exceeding = 0;  ///< number of values of the series, and of those that exceed the threshold
    /// Each value stands for the time since the previous sample of its machine. `time`: the total of all values.
    /// `exceeding_time`: the total of exceeding values. Both in nanoseconds.
    std::int64_t time = 0, exceeding_time = 0;
    std::int64_t first = 0, last = 0;  ///< times of the first and last exceeding value: nanoseconds since 1970 (UTC)
    /// The longest period of consecutive samples in which the series has a value, and all exceed. It begins at the
    /// sample before the first of them, and ends at the last.
    std::int64_t longest_from = 0, longest_to = 0;
    double worst = 0;             ///< the value farthest beyond the limit
    std::int64_t worst_time = 0;  ///< time of that value
};

/// Evaluates rules over a run. The caller passes the series and the values of one sample after another.
class RuleRun {
  public:
    /// Fails with a message if an answer names no question, or is none of the permitted ones.
    static std::expected<RuleRun, std::string> create(Rules rules, std::span<const RuleAnswer> answers);
    RuleRun(RuleRun&&) noexcept;
    RuleRun& operator=(RuleRun&&) noexcept;
    RuleRun(const RuleRun&) = delete;
    RuleRun& operator=(const RuleRun&) = delete;
    ~RuleRun();

    /// Returns whether any rule may use series of a counter, whatever their machines and instances, which need not be
    /// set. If not, the series need not be added.
    bool may_use(const RuleSeries& counter) const;
    /// Adds a series with a number of the caller's choice. Numbers ascend from 0. Returns whether any rule uses it; if
    /// not, its values need not be passed.
    bool add_series(std::uint32_t number, const RuleSeries& series);
    /// Adds the value of a series in the current sample, in any order. A value that is missing is not passed; NaN and
    /// infinite values are ignored. Values are compared as they are, without the rounding of PAL's DATATYPE.
    void add_value(std::uint32_t number, double value);
    /// Ends the sample of a machine, whose time is in nanoseconds since 1970 (UTC); none if the sample has no time. All
    /// series of the sample have been added. Thresholds that depend on the number of instances, such as that of
    /// processors, use the number in the first sample with a value, also for earlier values. `machine`: as in
    /// `RuleSeries::machine`.
    void end_sample(std::string_view machine, std::optional<std::int64_t> time);

    /// A series that rules compute from others, such as the utilisation of a network interface.
    struct Derived {
        std::uint32_t number = 0;  ///< from `first_derived` on
        std::string machine, object, instance, counter;
    };
    static constexpr std::uint32_t first_derived = 0x8000'0000;
    /// Returns the series that rules have computed so far.
    std::span<const Derived> derived() const noexcept;
    /// A value of such a series in the sample that was ended last.
    struct DerivedValue {
        std::uint32_t number;
        double value;
    };
    std::span<const DerivedValue> derived_values() const noexcept;

    /// Returns the findings: critical ones first, then those with the longest exceeding time; trends follow by slope
    /// relative to their limit. `slope_of` returns the slope of a series of the caller in units per hour; NaN if it has
    /// none. No value must be added afterwards.
    std::vector<RuleFinding> finish(const std::function<double(std::uint32_t number)>& slope_of);

    /// Returns the rules that are evaluated.
    const Rules& rules() const noexcept;
    /// Returns why a threshold was not evaluated in this run although it can be: `no such counter in the input`; empty
    /// if it was. Must be called after `finish`.
    std::string_view skipped(std::uint32_t analysis, std::uint32_t threshold) const noexcept;
    /// Returns the answers in force: given ones, those known from the input, and defaults; with the origin of each:
    /// `given`, `from the input`, `default`.
    struct Answered {
        std::string name, value;
        std::string_view origin;
    };
    std::vector<Answered> answers() const;

  private:
    struct State;
    explicit RuleRun(std::unique_ptr<State> state) noexcept;
    std::unique_ptr<State> state_;
};

}  // namespace hkpd
