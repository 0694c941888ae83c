// One threshold file of PAL: its XML as structures, without the files that it inherits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hkpd/rules.hpp"

namespace hkpd::pal {

/// A data source of an analysis.
struct FileSource {
    std::string name;                      // PAL's name, to which PRIMARYDATASOURCE refers
    std::string path, regular_expression;  // counter paths
    std::string variable;                  // of the collection, in scripts
    std::vector<std::string> excluded;     // instances
    bool is_computed = false;              // TYPE="Generated"
    std::string expression, code;          // of a computed data source: hkpd's EXPRESSION, or PAL's script
};

struct FileThreshold {
    RuleThreshold rule;
    std::string code;
};

struct FileAnalysis {
    RuleAnalysis rule;  // without thresholds
    std::string id;     // without braces; may be empty
    std::vector<FileSource> sources;
    std::vector<FileThreshold> thresholds;
};

struct FileQuestion {
    RuleQuestion question;
    bool is_boolean = false;
};

struct ThresholdFile {
    std::string name;
    std::vector<FileAnalysis> analyses;
    std::vector<FileQuestion> questions;
    std::vector<std::string> inherited;  // names of files
};

/// Bounds of one file. The largest file of PAL has 1.6 MB, 400 analyses and 700 data sources.
struct FileLimits {
    static constexpr std::size_t bytes = std::size_t{16} << 20U;
    /// Elements and attributes together; what the XML library allocates is proportional to it.
    static constexpr std::size_t nodes = 1'000'000;
    /// Analyses, and data sources, thresholds, excluded instances and questions together.
    static constexpr std::size_t analyses = 10'000, parts = 50'000;
    /// Files of an inheritance together, and their sizes in total.
    static constexpr std::size_t files = 64, total_bytes = std::size_t{64} << 20U;
};

/// Reads a file in UTF-8, UTF-16 or, if it is no valid UTF-8, Windows-1252. Document types and entities are ignored,
/// nothing is fetched. Fails with a message that begins with `name`: if the bytes are too many or no XML, or if the
/// root element is not PAL.
std::expected<ThresholdFile, std::string> parse_threshold_file(std::span<const std::byte> xml, std::string_view name);

}  // namespace hkpd::pal
