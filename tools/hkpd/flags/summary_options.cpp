#include "flags/summary_options.hpp"

#include <fmt/format.h>

#include <utility>

#include "flags/format_option.hpp"

namespace hkpd::command {

void describe_summary(po::options_description& shown, SummaryChoice& given, std::string_view columns,
                      std::vector<std::string_view> synonyms) {
    auto add = shown.add_options();
    add("sort", new Choice(&given.sort, split(columns, ' '), std::move(synonyms)), "largest first in this column");
    add("top", text_option(given.top, "N"), "number of lines (default: all; hkpd top: 10)");
}

std::string read_summary(const SummaryChoice& choice, std::optional<StatisticColumn>& sort, std::size_t& top) {
    if (!choice.sort.empty()) sort = statistic_column_of(choice.sort);
    constexpr std::uint64_t most = 1'000'000'000;
    return read_number("--top", choice.top, 1, most, top);
}

std::string read_bucket(const SummaryChoice& choice, Format format, bool is_raw, WriteOptions& options) {
    if (!choice.bucket) return {};
    const auto length = parse_bucket(*choice.bucket);
    if (!length)
        return fmt::format("--bucket: expected a length such as 30s, 1min, 1h or 1d (at most 366d), found '{}'",
                           *choice.bucket);
    if (spec_of(format).make_buckets == nullptr) return requires_format("bucket");
    if (is_raw) return "--bucket and --raw cannot be combined: means are of cooked values";
    options.bucket_length = *length;
    return {};
}

}  // namespace hkpd::command
