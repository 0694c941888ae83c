// The rules of the provider's contract (learn.microsoft.com "PcwRegister", "PcwCreateInstance", "PcwAddInstance" and
// the manifest schema), checked when something is declared or delivered.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "hkpd/provider.hpp"

namespace hkpd {

/// Name of the instance that is computed from all others (perflib.h PERF_AGGREGATE_INSTANCE).
inline constexpr std::string_view total_name = "_Total";

/// The name of an instance: the text, which is valid UTF-8 and ends before the first NUL, and the form used for
/// comparisons.
struct InstanceName {
    std::string text, folded;
};
InstanceName instance_name(std::string_view text);

/// The names and ids in use by a counterset's instances.
class TakenNames {
  public:
    bool has_name(const InstanceName& name) const { return names_.contains(name.folded); }
    bool has_id(std::uint32_t id) const { return ids_.contains(id); }
    void add(const InstanceName& name, std::uint32_t id);
    void remove(const InstanceName& name, std::uint32_t id);

  private:
    std::multiset<std::string> names_;
    std::set<std::uint32_t> ids_;
};

/// Returns the first rule that a counterset violates, without regard to other countersets.
std::optional<ProviderFault> find_fault(const CountersetDescriptor& counterset);

/// Returns the first rule that would be violated if this instance were added to a counterset.
std::optional<ProviderFault> find_fault(const CountersetDescriptor& counterset, const InstanceName& name,
                                        std::uint32_t id, const TakenNames& taken);

/// Returns a fault as the error result of a call.
std::unexpected<ProviderFault> fault(ProviderFault::Rule rule, std::string message);

}  // namespace hkpd
