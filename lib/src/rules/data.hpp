// Rules in the form in which they are evaluated.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hkpd/error.hpp"
#include "hkpd/rules.hpp"
#include "hkpd/select.hpp"
#include "rules/script.hpp"
#include "rules/series_path.hpp"

namespace hkpd {

struct Rules::Data {
    /// For each variable of a script, the position of the question whose answer it has at the beginning; `no_index` for
    /// the other variables.
    using Variables = std::vector<std::uint32_t>;

    /// A data source of an analysis that is evaluated.
    struct Source {
        std::uint32_t analysis;
        std::string variable;  // its collection in scripts
        std::vector<pal::SeriesPath> paths;
        std::vector<Pattern> excluded;
        bool is_compared = false, is_counted = false, is_input = false;
        std::optional<pal::ComputedSource> computed;  // none if it is a counter of the input
        Variables variables;                          // of the script
        std::vector<std::uint32_t> inputs;            // positions of sources
    };
    /// A threshold that is evaluated.
    struct Threshold {
        std::uint32_t analysis, threshold;
        std::uint32_t source;
        pal::Script script;
        Variables variables;
        /// For `Script::collections`: positions of sources whose instances the script counts, or lists if it raises
        /// alerts.
        std::vector<std::uint32_t> counted;
    };

    std::string name;
    std::vector<RuleAnalysis> analyses;
    std::vector<RuleQuestion> questions;
    std::vector<bool> is_boolean;  // for each question
    std::vector<std::string> missing_files;
    std::vector<Source> sources;
    std::vector<Threshold> thresholds;
};

}  // namespace hkpd
