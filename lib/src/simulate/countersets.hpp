// The countersets that the simulated machine has behind both doors, as a provider registers them. GUIDs, ids, names,
// types and base relations are those of Windows' manifests.
#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>
#include <vector>

#include "hkpd/guid.hpp"
#include "hkpd/provider.hpp"
#include "simulate/machine_model.hpp"

namespace hkpd::simulation {

/// The time of a machine as callbacks see it, which are called from any thread.
using CurrentTime = std::atomic<Ticks>;

/// Of a text that is one.
inline Guid guid_of(std::string_view text) noexcept { return parse_guid(text).value_or(Guid{}); }

/// Geometric Waves, of Microsoft's sample UsermodeCountersSample: computed by a callback when it is asked for. Keeps
/// references to both.
void add_geometric_waves(Provider& provider, const MachineClock& clock, const CurrentTime& now);

/// Synchronization: likewise, an instance for each processor. Keeps a reference to `now`.
void add_synchronization(Provider& provider, const MachineModel& model, const CurrentTime& now);

/// Processor Information, whose instances are kept and set: one for each processor and two for all together.
class ProcessorInformation {
  public:
    ProcessorInformation(Provider& provider, std::uint32_t processors);
    void set(const ProcessorsState& processors, Ticks now);

  private:
    std::vector<ProviderInstance> instances_;
};

}  // namespace hkpd::simulation
