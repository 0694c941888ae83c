// The instances that stand for others, or for the absence of work.
#include <string>

#include "base/text/names.hpp"
#include "hkpd/identity.hpp"

namespace hkpd {
namespace {

constexpr std::string_view total_name = "_total", idle_name = "idle";

}  // namespace

bool is_grand_total(std::string_view name) { return compare_names(name, total_name) == 0; }

bool is_total(std::string_view name) {
    if (name.size() < total_name.size() || (name.back() | 0x20) != 'l' ||
        compare_names(name.substr(name.size() - total_name.size()), total_name) != 0)
        return false;
    return name.size() == total_name.size() || name[name.size() - total_name.size() - 1] == ',';
}

bool is_aggregate_or_idle(std::string_view parent, std::string_view name, bool of_processes) {
    if (is_total(name) || is_total(parent) || compare_names(parent, idle_name) == 0) return true;
    return of_processes && compare_names(name, idle_name) == 0;
}

bool asks_for_aggregate_or_idle(std::string_view text) {
    const std::string folded = fold_case(text), asked = fold_case(idle_name);
    return folded.contains(fold_case(total_name)) || folded.contains('(' + asked) || folded == asked;
}

}  // namespace hkpd
