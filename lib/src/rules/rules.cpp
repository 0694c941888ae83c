#include "hkpd/rules.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <system_error>
#include <utility>

#include "base/file_stream.hpp"
#include "base/path.hpp"
#include "base/stream_window.hpp"
#include "base/text/names.hpp"
#include "embedded/rules.hpp"
#include "rules/data.hpp"
#include "rules/resolve.hpp"
#include "rules/threshold_file.hpp"

namespace hkpd {
namespace {

/// Reads a file, or at most one byte more than a rule file may have.
std::expected<std::vector<std::byte>, std::string> read_bytes(const std::string& path) {
    const auto failure = [&path](std::string_view text) { return std::unexpected(fmt::format("{}: {}", path, text)); };
    if (is_directory(path)) return failure("is a directory; expected a rule file");
    errno = 0;
    FileStream file(path);
    if (!file) return failure(fmt::format("cannot be read: {}", std::generic_category().message(errno)));
    StreamWindow window(file);
    const auto bytes = window.peek(pal::FileLimits::bytes + 1).span();
    if (const auto failed = read_failure(file))
        return failure(fmt::format("cannot be read: {}", read_message(static_cast<int>(failed->found))));
    return std::vector<std::byte>(bytes.begin(), bytes.end());
}

std::string file_name_of(const std::string& path) { return path_text(path_of(path).filename()); }

/// Reads a file and those that it inherits.
class InheritanceReader {
  public:
    explicit InheritanceReader(const std::string& path) : folder_(path_text(path_of(path).parent_path())) {}

    /// Returns a message on failure.
    std::optional<std::string> read(const std::string& path) {
        const std::string name = file_name_of(path);
        seen_.push_back(fold_case(name));
        if (seen_.size() > pal::FileLimits::files)
            return fmt::format("{}: more than {} files are inherited", path, pal::FileLimits::files);
        const auto bytes = read_bytes(path);
        if (!bytes) return bytes.error();
        total_bytes_ += bytes->size();
        if (total_bytes_ > pal::FileLimits::total_bytes)
            return fmt::format("{}: the files that are inherited have more than 64 MiB", path);
        auto file = pal::parse_threshold_file(*bytes, path);
        if (!file) return std::move(file.error());
        for (pal::FileAnalysis& analysis : file->analyses) analysis.rule.file = name;
        for (const std::string& inherited : file->inherited)
            if (auto failure = inherit(inherited, path)) return failure;
        files_.push_back(*std::move(file));
        return std::nullopt;
    }

    std::shared_ptr<const Rules::Data> resolve() && { return pal::resolve(std::move(files_), {}); }

  private:
    /// Reads a file that the file `by` inherits, unless it was read already. Its own inheritance comes first. The
    /// number of files bounds the depth. Returns a message if the file is missing, because its thresholds would be too.
    std::optional<std::string> inherit(const std::string& name, const std::string& by) {
        if (std::ranges::find(seen_, fold_case(name)) != seen_.end()) return std::nullopt;
        if (!is_plain(name))
            return fmt::format("{}: inherits '{}': expected the name of a file in the same directory", by,
                               std::string_view(name).substr(0, longest_name));
        if (const auto path = find(name)) return read(*path);
        return fmt::format("{}: inherits '{}', which is not in the same directory: copy it there", by, name);
    }

    /// Returns whether a name is that of a file in the same directory.
    static bool is_plain(std::string_view name) noexcept {
        return name.find_first_of(std::string_view("/\\:\0", 4)) == std::string::npos && name != ".." && name != "." &&
               name.size() <= longest_name;
    }

    /// Returns the path of a file in the folder; none if there is no such file. Windows ignores the case of names.
    std::optional<std::string> find(const std::string& name) {
        std::error_code ignored;
        if (!listed_) listed_ = files_in(folder_.empty() ? "." : folder_, ignored);
        const auto named = [&name](const std::string& path) { return compare_names(file_name_of(path), name) == 0; };
        const auto found = std::ranges::find_if(*listed_, named);
        return found == listed_->end() ? std::nullopt : std::optional(*found);
    }

    static constexpr std::size_t longest_name = 255;

    std::string folder_;
    std::optional<std::vector<std::string>> listed_;  // the files of the folder
    std::vector<std::string> seen_;                   // folded names
    std::vector<pal::ThresholdFile> files_;           // inherited ones first
    std::size_t total_bytes_ = 0;
};

}  // namespace

std::string_view rule_severity_name(RuleSeverity severity) noexcept {
    return severity == RuleSeverity::critical ? "critical" : "warning";
}

std::expected<Rules, std::string> Rules::read(const std::string& path) {
    InheritanceReader reader(path);
    if (auto failure = reader.read(path)) return std::unexpected(*std::move(failure));
    return Rules(std::move(reader).resolve());
}

std::expected<Rules, std::string> Rules::parse(std::span<const std::byte> xml, std::string_view name) {
    auto file = pal::parse_threshold_file(xml, name);
    if (!file) return std::unexpected(std::move(file.error()));
    std::vector<std::string> missing = file->inherited;
    std::vector<pal::ThresholdFile> files;
    files.push_back(*std::move(file));
    return Rules(pal::resolve(std::move(files), std::move(missing)));
}

Rules Rules::built_in() {
    auto rules = parse(embedded::rules_windows_xml(), "windows.xml");
    // The file is part of the library, and a test reads it.
    return rules ? *std::move(rules) : Rules(pal::resolve({}, {}));
}

std::string_view Rules::name() const noexcept { return data_->name; }
std::span<const RuleAnalysis> Rules::analyses() const noexcept { return data_->analyses; }
std::span<const RuleQuestion> Rules::questions() const noexcept { return data_->questions; }
std::span<const std::string> Rules::missing_files() const noexcept { return data_->missing_files; }

}  // namespace hkpd
