// The instances that stand for others, or for the absence of work.
#include <string>

#include "base/text/names.hpp"
#include "hkpd/identity.hpp"

namespace hkpd {
namespace {

constexpr std::string_view total = "_total", idle = "idle";

}  // namespace

bool is_grand_total(std::string_view name) { return compare_names(name, total) == 0; }

bool is_total(std::string_view name) {
    if (name.size() < total.size() || (name.back() | 0x20) != 'l' ||
        compare_names(name.substr(name.size() - total.size()), total) != 0)
        return false;
    return name.size() == total.size() || name[name.size() - total.size() - 1] == ',';
}

bool is_aggregate_or_idle(std::string_view parent, std::string_view name, bool of_processes) {
    if (is_total(name) || is_total(parent) || compare_names(parent, idle) == 0) return true;
    return of_processes && compare_names(name, idle) == 0;
}

bool asks_for_aggregate_or_idle(std::string_view text) {
    const std::string folded = fold_case(text), asked = fold_case(idle);
    return folded.contains(fold_case(total)) || folded.contains('(' + asked) || folded == asked;
}

}  // namespace hkpd
