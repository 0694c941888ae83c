#include "simulate/simulated_registry.hpp"

#include <algorithm>
#include <vector>

#include "base/text/names.hpp"
#include "base/text/parse_number.hpp"
#include "base/win32.hpp"
#include "hkpd/v1_writer.hpp"

namespace hkpd::simulation {
namespace {

/// Returns the title indices in a query such as `238 6`; none if the query does not have this form.
std::optional<std::vector<std::uint32_t>> read_indices(std::string_view query) {
    std::vector<std::uint32_t> indices;
    while (true) {
        query.remove_prefix(std::min(query.find_first_not_of(' '), query.size()));
        if (query.empty()) break;
        const std::string_view word = query.substr(0, query.find(' '));
        const auto index = parse_number<std::uint32_t>(word);
        if (!index) return std::nullopt;
        indices.push_back(*index);
        query.remove_prefix(word.size());
    }
    if (indices.empty()) return std::nullopt;
    return indices;
}

std::uint32_t answer(std::span<const std::byte> value, std::span<std::byte> buffer, std::uint32_t& size) {
    if (value.size() > buffer.size()) return win32::more_data;
    std::ranges::copy(value, buffer.begin());
    size = static_cast<std::uint32_t>(value.size());
    return win32::success;
}

std::uint32_t answer_text(const std::string& value, std::span<std::byte> buffer, std::uint32_t& size) {
    return answer(std::as_bytes(std::span(value)), buffer, size);
}

}  // namespace

std::uint32_t SimulatedRegistry::query_value(PerformanceKey key, std::string_view name, std::span<std::byte> buffer,
                                             std::uint32_t& size) {
    const std::string query = fold_case(name);
    const auto is = [&query](std::string_view value) { return query == fold_case(value); };
    const bool english = key == PerformanceKey::text;
    if (english ? is("Counter") : is("Counter 009")) return answer_text(machine_.counter_titles(), buffer, size);
    if (english ? is("Help") : is("Help 009")) return answer_text(machine_.help_titles(), buffer, size);
    if (key != PerformanceKey::data) return win32::file_not_found;
    const auto indices = read_indices(name);
    if (!indices && !is("Global")) return win32::file_not_found;
    return answer(machine_.v1_block(indices.value_or(std::vector<std::uint32_t>{})), buffer, size);
}

std::optional<std::uint32_t> SimulatedRegistry::first_counter(const Guid& /*provider*/, const Guid& counterset) {
    const std::uint32_t index = machine_.numbering().object(counterset);
    if (index == 0) return std::nullopt;
    return index;
}

std::uint32_t SimulatedRegistry::ui_language() const noexcept {
    constexpr std::uint32_t english_united_states = 0x409;
    return english_united_states;
}

}  // namespace hkpd::simulation
