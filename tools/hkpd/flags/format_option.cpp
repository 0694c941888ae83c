#include "flags/format_option.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "hkpd/diagnostics.hpp"
#include "hkpd/write.hpp"

namespace hkpd::command {

bool has_option(const FormatSpec& row, std::string_view option) {
    return std::ranges::count(split(row.options, ' '), option) != 0;
}

FormatNames formats_with(std::string_view option) {
    return format_names([option](const FormatSpec& row) { return has_option(row, option); });
}

std::string help_of_formats(std::string_view option, std::string_view text) {
    return fmt::format("{}: {}", fmt::join(formats_with(option), ", "), text);
}

std::string requires_format(std::string_view option) {
    return fmt::format("--{} requires --format {}", option, one_of(formats_with(option)));
}

void describe_format(po::options_description& shown, std::string& to, const FormatNames& names) {
    FormatNames others;
    for (const FormatSpec& row : output_formats())
        if (!row.other_name.empty() && std::ranges::count(names, row.name) != 0) others.push_back(row.other_name);
    auto* const value = new Choice(nullptr, names, others);  // owned by Boost
    value->notifier([&to](const std::string& word) {
        const auto found = std::ranges::find(output_formats(), word, &FormatSpec::other_name);
        to = found == output_formats().end() ? std::string_view(word) : found->name;
    });
    shown.add_options()("format", value, "output format (default text)");
}

void describe_file_column(po::options_description& shown, bool& wanted) {
    shown.add_options()("file-column", po::bool_switch(&wanted),
                        help_of_formats("file-column", "a column or key 'file' names the input").c_str());
}

std::string check_file_column(bool wanted, Format format, bool has_lines_of_values) {
    if (!wanted) return {};
    if (!has_option(spec_of(format), "file-column")) return requires_format("file-column");
    return has_lines_of_values ? "" : "--file-column cannot be combined with --summary and --bucket";
}

void use_file_column(WriteOptions& write, const Diagnostics& diagnostics) {
    write.file_of_input = [&diagnostics](std::uint32_t input) -> std::optional<std::string_view> {
        if (input >= diagnostics.inputs().size()) return std::nullopt;
        return diagnostics.inputs()[input];
    };
}

}  // namespace hkpd::command
