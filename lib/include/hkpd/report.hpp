// A report: one HTML page that a person reads instead of a log. It contains findings of rules, charts and tables, and
// needs neither a network nor other files. And documents of what a check has found, with the findings of rules.
//
// This header, rules.hpp and rule_check.hpp are the component hkpd::report, a library of its own.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hkpd/rules.hpp"
#include "hkpd/write.hpp"

namespace hkpd {

class Filter;
class Findings;
class Reader;
struct CheckedInputs;
struct RuleResults;

/// The colours of a page.
enum class ReportTheme : std::uint8_t {
    automatic,  ///< as the reader's system is set
    light,
    dark,
};
/// Returns the theme with this name: `auto`, `light` or `dark`; none for other names.
std::optional<ReportTheme> report_theme_of(std::string_view name) noexcept;

/// Options of a report.
struct ReportOptions {
    std::string title{};  ///< heading of the page; empty: the machine and the day
    ReportTheme theme = ReportTheme::automatic;
    /// Compare with a baseline: the first samples are those of the baseline. Rules are evaluated for the others only.
    bool has_baseline = false;
    /// True if the samples have everything that the input has; otherwise the verdict states nothing as missing.
    bool whole = true, all_instances = true;
    std::string baseline{};                      ///< name of the baseline
    std::vector<std::string> inputs{};           ///< names of the inputs, as the commands on the page repeat them
    std::vector<std::string> command_options{};  ///< words that these commands repeat, such as `--from`, `10:00`
    /// Maximum size of the page in bytes. The curves of counters that are in no finding and no overview are made
    /// coarser until the page fits; without these curves, a page may still be larger.
    std::uint64_t page = 1'900'000;
};

/// A finding of a report: a series that exceeds a threshold.
struct ReportFinding {
    RuleFinding finding;
    std::string analysis, threshold;  ///< names in the rules
    RuleSeverity severity{};
    std::string machine, object, instance, counter;  ///< names of the series
};

/// A writer of a report. `sample` appends nothing, `end` appends the page. Memory is bounded by `WriteOptions::series`,
/// `names` and `statistics`, and 128 MiB for the curves.
class ReportWriter : public Writer {
  public:
    /// Ends the baseline (`ReportOptions::has_baseline`): the following samples are those that the page is about.
    /// `titles`: those of their reader, in place of `WriteOptions::titles`.
    virtual void end_baseline(const Titles& titles) = 0;
    /// Returns the findings on the page, in the order of `RuleRun::finish`. To be called after `end`.
    virtual std::span<const ReportFinding> findings() const noexcept = 0;
};

/// Creates a writer of a report. `write.titles` must be set: English names are found through them. `rules`: evaluated
/// over the run.
std::unique_ptr<ReportWriter> make_report_writer(const ReportOptions& options, const WriteOptions& write,
                                                 const CookOptions& cook, RuleRun rules);

/// A report as a value.
struct Report {
    std::string page;           ///< the HTML page
    std::uint64_t samples = 0;  ///< number of samples that the page is about
    std::vector<ReportFinding> findings;
};

/// Returns the report of what a filter selects in the samples that a reader has still to read. `rules`: evaluated over
/// them. `baseline`: reader of an earlier run that they are compared with; null if there is none. It is read first, and
/// the name of the run is `ReportOptions::baseline`. The readers should have `ReaderOptions::one_source`.
Report report(Reader& reader, Filter& filter, RuleRun rules, ReportOptions options = {}, Reader* baseline = nullptr);

/// Appends the text of write.hpp, with the findings of rules in each input (`RuleCheck`) in front of the summary.
void append_findings_text(std::string& out, const Findings& findings, const CheckedInputs& checked, bool notes,
                          std::span<const RuleResults> rules);
/// Appends the JSON document of write.hpp, with the member `rules` if there are results: an object for each input.
void append_findings_json(std::string& out, const Findings& findings, const CheckedInputs& checked,
                          std::span<const RuleResults> rules);
/// Appends the SARIF document of write.hpp, with a further run for each input.
void append_findings_sarif(std::string& out, const Findings& findings, std::string_view version,
                           std::span<const RuleResults> rules);

}  // namespace hkpd
