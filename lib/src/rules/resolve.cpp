#include "rules/resolve.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <unordered_map>
#include <utility>

#include "base/text/names.hpp"
#include "rules/description.hpp"
#include "rules/tokens.hpp"

namespace hkpd::pal {
namespace {

/// Appends the reason why a script is not evaluated to `reasons`, unless one is known.
void set_reason(std::string& reason, std::string text) {
    if (reason.empty()) reason = std::move(text);
}

void find_assigned(const std::vector<Statement>& statements, std::vector<bool>& assigned) {
    for (const Statement& statement : statements) {
        const bool assigns = statement.kind == Statement::Kind::assign || statement.kind == Statement::Kind::each;
        if (assigns) assigned[statement.variable] = true;
        for (const Branch& branch : statement.branches) find_assigned(branch.statements, assigned);
    }
}

/// Resolves one analysis.
class AnalysisResolver {
  public:
    AnalysisResolver(FileAnalysis& analysis, std::uint32_t position,
                     const std::unordered_map<std::string, std::uint32_t>& question_positions)
        : analysis_(analysis), position_(position), question_positions_(question_positions) {}

    /// Adds the thresholds that can be evaluated, and the data sources that they need.
    void resolve(Rules::Data& data) {
        for (const FileSource& source : analysis_.sources) names_.push_back(source.variable);
        read_sources();
        std::vector<Rules::Data::Threshold> thresholds;
        for (std::uint32_t i = 0; i < analysis_.thresholds.size(); ++i)
            if (auto threshold = read_threshold(i)) thresholds.push_back(*std::move(threshold));
        RuleAnalysis& rule = analysis_.rule;
        for (FileThreshold& threshold : analysis_.thresholds) rule.thresholds.push_back(std::move(threshold.rule));
        if (thresholds.empty() && !rule.thresholds.empty()) rule.not_evaluated = rule.thresholds.front().not_evaluated;
        if (rule.enabled) add_used(data, std::move(thresholds));
    }

  private:
    void read_sources() {
        for (const FileSource& source : analysis_.sources) {
            Rules::Data::Source& made = sources_.emplace_back();
            std::string& reason = reasons_.emplace_back();
            made.analysis = position_;
            made.variable = source.variable;
            for (const std::string& instance : source.excluded) made.excluded.emplace_back(instance);
            if (auto path = SeriesPath::parse(source.path)) made.paths.push_back(*std::move(path));
            if (auto path = SeriesPath::parse_regular_expression(source.regular_expression))
                made.paths.push_back(*std::move(path));
            if (made.paths.empty()) set_reason(reason, "its data source has no valid counter path");
            if (source.is_computed) read_script(source, made, reason);
        }
        // Inputs may come after the source that is computed from them.
        for (std::size_t i = 0; i < sources_.size(); ++i)
            if (sources_[i].computed && reasons_[i].empty()) find_inputs(sources_[i], reasons_[i]);
    }

    void read_script(const FileSource& source, Rules::Data::Source& made, std::string& reason) {
        auto computed =
            source.expression.empty() ? parse_computed(source.code) : parse_source_expression(source.expression);
        if (!computed && source.expression.empty())
            computed = parse_computed_loops(source.code, source.variable, names_);
        if (!computed) {
            set_reason(reason, fmt::format("its data source is computed by a script that {}", computed.error()));
            made.computed.emplace();
            return;
        }
        made.computed = *std::move(computed);
        find_variables(made.computed->script, made.variables, reason);
    }

    void find_inputs(Rules::Data::Source& source, std::string& reason) {
        if (!source.computed) return;
        for (const std::string& input : source.computed->inputs) {
            const std::uint32_t found = find(input);
            if (found == no_index)
                set_reason(reason, fmt::format("its data source uses {}, which is no data source", shown(input)));
            else if (sources_[found].computed)
                set_reason(reason, fmt::format("its data source uses {}, which is computed too", shown(input)));
            else
                set_reason(reason, reasons_[found]);
            source.inputs.push_back(found);
        }
    }

    std::uint32_t find(std::string_view variable) const {
        const auto found = std::ranges::find_if(
            sources_, [variable](const Rules::Data::Source& source) { return same_name(source.variable, variable); });
        return found == sources_.end() ? no_index : static_cast<std::uint32_t>(found - sources_.begin());
    }

    static std::string shown(std::string_view variable) {
        constexpr std::size_t most = 80;
        return "$" + one_line(variable, most);
    }

    std::optional<Rules::Data::Threshold> read_threshold(std::uint32_t position) {
        RuleThreshold& rule = analysis_.thresholds[position].rule;
        auto script = parse_threshold(analysis_.thresholds[position].code, names_);
        if (!script) {
            set_reason(rule.not_evaluated, script.error());
            return std::nullopt;
        }
        rule.is_trend = script->comparison.is_trend;
        Rules::Data::Threshold made{position_,          position, find(script->comparison.collection),
                                    *std::move(script), {},       {}};
        const std::string& collection = made.script.comparison.collection;
        if (made.source == no_index)
            set_reason(rule.not_evaluated, fmt::format("compares {}, which is no data source", shown(collection)));
        else
            set_reason(rule.not_evaluated, reasons_[made.source]);
        std::vector<std::string> paths;
        for (const std::string& counted : made.script.collections) {
            const std::uint32_t found = find(counted);
            const bool is_computed = found != no_index && sources_[found].computed;
            if (found == no_index || (is_computed && !made.script.raises_alerts) || !reasons_[found].empty())
                set_reason(rule.not_evaluated, fmt::format("counts {}, which is no counter", shown(counted)));
            made.counted.push_back(found);
            paths.push_back(one_line(found == no_index ? counted : analysis_.sources[found].path, 200));
        }
        find_variables(made.script, made.variables, rule.not_evaluated);
        rule.condition = describe_comparison(made.script, paths, made.variables);
        return rule.not_evaluated.empty() ? std::optional(std::move(made)) : std::nullopt;
    }

    void find_variables(const Script& script, Rules::Data::Variables& variables, std::string& reason) const {
        std::vector<bool> assigned(script.variables.size());
        find_assigned(script.statements, assigned);
        for (std::size_t i = 0; i < script.variables.size(); ++i) {
            const auto found = question_positions_.find(fold_case(script.variables[i]));
            variables.push_back(found == question_positions_.end() ? no_index : found->second);
            if (variables.back() == no_index && !assigned[i])
                set_reason(reason, fmt::format("uses the variable {}, which has no value", shown(script.variables[i])));
        }
    }

    void add_used(Rules::Data& data, std::vector<Rules::Data::Threshold> thresholds) {
        for (const Rules::Data::Threshold& threshold : thresholds) {
            sources_[threshold.source].is_compared = true;
            for (const std::uint32_t counted : threshold.counted) {
                sources_[counted].is_counted |= !threshold.script.raises_alerts;
                sources_[counted].is_input |= threshold.script.raises_alerts;
                for (const std::uint32_t input : sources_[counted].inputs) sources_[input].is_input = true;
            }
            for (const std::uint32_t input : sources_[threshold.source].inputs) sources_[input].is_input = true;
        }
        // Positions among all sources of the rules, for those that are used.
        std::vector<std::uint32_t> positions;
        for (const Rules::Data::Source& source : sources_) {
            const bool is_used = source.is_compared || source.is_counted || source.is_input;
            positions.push_back(is_used ? static_cast<std::uint32_t>(data.sources.size()) : no_index);
            if (is_used) data.sources.push_back(source);
        }
        const auto move_to = [&positions](std::uint32_t& source) { source = positions[source]; };
        for (const std::uint32_t position : positions)
            if (position != no_index) std::ranges::for_each(data.sources[position].inputs, move_to);
        for (Rules::Data::Threshold& threshold : thresholds) {
            move_to(threshold.source);
            std::ranges::for_each(threshold.counted, move_to);
            data.thresholds.push_back(std::move(threshold));
        }
    }

    FileAnalysis& analysis_;
    std::uint32_t position_;
    const std::unordered_map<std::string, std::uint32_t>& question_positions_;
    std::vector<Rules::Data::Source> sources_;
    std::vector<std::string> names_;    // of the collections
    std::vector<std::string> reasons_;  // for each source, why it is not evaluated; empty if it is
};

/// Merges files in their order.
class Merger {
  public:
    void add(ThresholdFile& file) {
        for (FileQuestion& question : file.questions) add(std::move(question));
        for (FileAnalysis& analysis : file.analyses) add(std::move(analysis));
    }

    std::vector<FileAnalysis> analyses;
    std::vector<FileQuestion> questions;
    std::unordered_map<std::string, std::uint32_t> question_positions;  // by folded names

  private:
    template <class Item>
    static void replace_or_add(std::vector<Item>& items, std::unordered_map<std::string, std::uint32_t>& positions,
                               const std::string& key, Item item) {
        const auto [found, is_new] = positions.emplace(key, static_cast<std::uint32_t>(items.size()));
        if (is_new)
            items.push_back(std::move(item));
        else
            items[found->second] = std::move(item);
    }

    void add(FileQuestion question) {
        const std::string key = fold_case(question.question.name);
        replace_or_add(questions, question_positions, key, std::move(question));
    }
    void add(FileAnalysis analysis) {
        const std::string key = fold_case(analysis.id);
        if (key.empty())
            analyses.push_back(std::move(analysis));
        else
            replace_or_add(analyses, analysis_positions_, key, std::move(analysis));
    }

    std::unordered_map<std::string, std::uint32_t> analysis_positions_;
};

}  // namespace

std::shared_ptr<const Rules::Data> resolve(std::vector<ThresholdFile> files, std::vector<std::string> missing) {
    auto data = std::make_shared<Rules::Data>();
    Merger merged;
    for (ThresholdFile& file : files) merged.add(file);
    if (!files.empty()) data->name = files.back().name;
    data->missing_files = std::move(missing);
    for (FileQuestion& question : merged.questions) {
        data->questions.push_back(std::move(question.question));
        data->is_boolean.push_back(question.is_boolean);
    }
    for (std::uint32_t i = 0; i < merged.analyses.size(); ++i) {
        AnalysisResolver(merged.analyses[i], i, merged.question_positions).resolve(*data);
        data->analyses.push_back(std::move(merged.analyses[i].rule));
    }
    return data;
}

}  // namespace hkpd::pal
