// The rules and repairs of faults, which are in the table of fault codes, and what depends on more than the code.
#include <optional>

#include "base/fault_table.hpp"
#include "hkpd/check.hpp"

namespace hkpd {

std::string_view rule_of(Errc code) noexcept { return fault_row(code).rule; }

std::optional<std::uint32_t> perflib_event(const Error& error) noexcept {
    constexpr std::uint32_t object_lengths = 1003, instance_lengths = 1004;
    using enum Errc;
    const Errc code = error.code;
    if (code == object_length || code == object_count || code == provider_length) return object_lengths;
    if (code == leftover_bytes) return error.structure == "PERF_OBJECT_TYPE" ? instance_lengths : object_lengths;
    // The fault `instance_count` can have two causes: a wrong instance length, or a wrong NumInstances. If the object
    // has no instance at all (`expected` is 0), only NumInstances can be wrong.
    const bool of_instances = code == instance_length || code == counter_block_length || code == definition_length ||
                              code == list_broken || code == length_corrected ||
                              (code == instance_count && error.expected != 0);
    return of_instances ? std::optional(instance_lengths) : std::nullopt;
}

std::string_view repair_of(Errc code) noexcept { return fault_row(code).repair; }

std::string_view repair_of(const Error& error) {
    // Windows' own titles belong to no provider that could be registered again. All titles must be rebuilt.
    return error.code == Errc::title_unnamed && english_title(error) ? rebuild_titles : repair_of(error.code);
}

std::optional<std::string_view> english_title(const Error& error) {
    const bool of_title = error.code == Errc::title_unnamed || error.code == Errc::title_differs;
    return of_title ? builtin_titles().find(static_cast<std::uint32_t>(error.found)) : std::nullopt;
}

}  // namespace hkpd
