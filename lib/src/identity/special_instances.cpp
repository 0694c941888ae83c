// The instances that stand for others, or for the absence of work.
#include <string>

#include "base/text/names.hpp"
#include "hkpd/identity.hpp"
#include "identity/twins.hpp"

namespace hkpd {
namespace {

constexpr std::string_view total_name = "_total", idle_name = "idle";

/// Returns whether this is the name of the process Idle: also with its process id, as in Process V2 (`Idle:0`) and in
/// Process with ProcessNameFormat 2 (`Idle_0`).
bool is_idle(std::string_view name) {
    constexpr std::string_view id = "_0";
    if (name.ends_with(id)) name.remove_suffix(id.size());
    return compare_names(split_name(NameForm::with_id, name).name, idle_name) == 0;
}

}  // namespace

bool is_grand_total(std::string_view name) { return compare_names(name, total_name) == 0; }

bool is_total(std::string_view name) {
    if (name.size() < total_name.size() || (name.back() | 0x20) != 'l' ||
        compare_names(name.substr(name.size() - total_name.size()), total_name) != 0)
        return false;
    return name.size() == total_name.size() || name[name.size() - total_name.size() - 1] == ',';
}

bool is_aggregate_or_idle(std::string_view parent, std::string_view name, bool of_processes) {
    if (is_total(name) || is_total(parent) || is_idle(parent)) return true;
    return of_processes && is_idle(name);
}

bool asks_for_aggregate_or_idle(std::string_view text) {
    const std::string folded = fold_case(text), asked = fold_case(idle_name);
    return folded.contains(fold_case(total_name)) || folded.contains('(' + asked) || is_idle(text);
}

}  // namespace hkpd
