// The countersets of the simulated machine that are available through both V1 and V2. The GUIDs, and each counter's id,
// name, type and base, are those of the countersets' manifests in Windows and in Microsoft's samples.
#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>
#include <vector>

#include "hkpd/guid.hpp"
#include "hkpd/provider.hpp"
#include "simulate/machine_model.hpp"

namespace hkpd::simulation {

/// The current time of a machine. Atomic, because callbacks read it in any thread.
using CurrentTime = std::atomic<Ticks>;

/// Returns the GUID that a text represents. The text must be valid.
inline Guid guid_of(std::string_view text) noexcept { return parse_guid(text).value_or(Guid{}); }

/// Adds the counterset Geometric Waves of Microsoft's sample UsermodeCountersSample. A callback computes the values on
/// request. Keeps references to `clock` and `now`.
void add_geometric_waves(Provider& provider, const MachineClock& clock, const CurrentTime& now);

/// Adds the counterset Synchronization, with an instance for each processor. A callback computes the values on request.
/// Keeps a reference to `now`.
void add_synchronization(Provider& provider, const MachineModel& model, const CurrentTime& now);

/// The counterset Processor Information, whose instances the provider keeps: one for each processor and two for all
/// processors together.
class ProcessorInformation {
  public:
    ProcessorInformation(Provider& provider, std::uint32_t processors);
    void set(const ProcessorsState& processors, Ticks now);

  private:
    std::vector<ProviderInstance> instances_;
};

}  // namespace hkpd::simulation
