// The instances that stand for others, or for the absence of work.
#include "base/text/names.hpp"
#include "hkpd/identity.hpp"

namespace hkpd {

bool is_total(std::string_view name) {
    constexpr std::string_view total = "_total";
    if (name.size() < total.size() || (name.back() | 0x20) != 'l' ||
        compare_names(name.substr(name.size() - total.size()), total) != 0)
        return false;
    return name.size() == total.size() || name[name.size() - total.size() - 1] == ',';
}

bool is_aggregate_or_idle(std::string_view parent, std::string_view name, bool of_processes) {
    constexpr std::string_view idle = "idle";
    if (is_total(name) || is_total(parent) || compare_names(parent, idle) == 0) return true;
    return of_processes && compare_names(name, idle) == 0;
}

}  // namespace hkpd
