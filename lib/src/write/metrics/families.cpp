#include "write/metrics/families.hpp"

#include <fmt/format.h>

#include <utility>

#include "hkpd/write.hpp"

namespace hkpd {
namespace {

// No machine has as much; a hostile input must not fill the memory with what cannot be written before the end.
constexpr std::size_t most_families = 65'536;

void append_escaped(std::string& out, std::string_view text, std::string_view with_escape) {
    std::string line;
    while (true) {
        const std::size_t end = text.find('\n');  // which has an escape of the formats' own
        line.clear();
        append_printable(line, text.substr(0, end));
        for (const char c : line) {
            if (with_escape.find(c) != std::string_view::npos) out += '\\';
            out += c;
        }
        if (end == std::string_view::npos) return;
        out += "\\n";
        text.remove_prefix(end + 1);
    }
}

std::string_view type_name(Metric::Type type, MetricForm form) noexcept {
    if (type == Metric::Type::counter) return "counter";
    if (type == Metric::Type::gauge) return "gauge";
    return form == MetricForm::openmetrics ? "unknown" : "untyped";
}

}  // namespace

void append_escaped(std::string& out, std::string_view text) { append_escaped(out, text, R"(\")"); }

bool MetricFamilies::full() const noexcept { return shown_.size() >= most_families; }

std::uint32_t MetricFamilies::find(const std::string& key) const {
    const auto found = by_key_.find(key);
    return found == by_key_.end() ? no_index : found->second;
}

std::uint32_t MetricFamilies::add(const std::string& key, MetricFamily family) {
    if (full()) return no_index;
    const bool openmetrics = form_ == MetricForm::openmetrics;
    const std::string sample_name = family.name + (family.type == Metric::Type::counter ? "_total" : "");
    const std::string& name = openmetrics ? family.name : sample_name;
    std::string head = fmt::format("# TYPE {} {}\n", name, type_name(family.type, form_));
    if (openmetrics && !family.unit.empty()) head += fmt::format("# UNIT {} {}\n", name, family.unit);
    head += fmt::format("# HELP {} ", name);
    // The parser of the older form takes the escape of a quote for a mistake here.
    append_escaped(head, family.help, openmetrics ? R"(\")" : R"(\)");
    head += '\n';
    shown_.push_back({std::move(head), sample_name});
    const auto number = static_cast<std::uint32_t>(shown_.size() - 1);
    by_key_.emplace(key, number);
    return number;
}

}  // namespace hkpd
