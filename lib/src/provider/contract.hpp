// The rules that a provider must follow (learn.microsoft.com "PcwRegister", "PcwCreateInstance", "PcwAddInstance" and
// the manifest schema). They are checked when a counterset is registered and when an instance is added.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "hkpd/provider.hpp"

namespace hkpd {

/// Name of the instance that is computed from all other instances (perflib.h PERF_AGGREGATE_INSTANCE).
inline constexpr std::string_view total_name = "_Total";

/// The name of an instance. `text` is valid UTF-8 and contains no NUL. `folded` is `text` in the form that is used to
/// compare names without regard to case.
struct InstanceName {
    std::string text, folded;
};
InstanceName instance_name(std::string_view text);

/// The names and ids that the instances of a counterset have.
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

/// Returns a fault for the first rule that a counterset violates; none if the counterset violates no rule. Does not
/// compare the counterset with others.
std::optional<ProviderFault> find_fault(const CountersetDescriptor& counterset);

/// Returns a fault for the first rule that an instance with this name and id would violate if it were added to a
/// counterset; none if it can be added. `taken`: the names and ids of the instances that the counterset already has.
std::optional<ProviderFault> find_fault(const CountersetDescriptor& counterset, const InstanceName& name,
                                        std::uint32_t id, const TakenNames& taken);

/// Returns a fault with this rule and message, as the error result of a call.
std::unexpected<ProviderFault> fault(ProviderFault::Rule rule, std::string message);

}  // namespace hkpd
