// A simulated machine: counters that behave like those of a real one, served through both interfaces.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "hkpd/source.hpp"
#include "hkpd/time.hpp"

namespace hkpd {

class PerfLib;
class Provider;
class Ticks;
class V1Numbering;
struct LiveQuery;

/// The properties of a simulated machine.
struct SimulationOptions {
    std::uint64_t seed = 1;        ///< seed of its noise
    std::uint32_t cpus = 4;        ///< at least 1; all in one NUMA node
    std::uint32_t processes = 40;  ///< at least 1; includes System, but not Idle and `_Total`
    std::uint32_t threads = 300;   ///< of all those processes together, at least one for each; Idle's are extra
    std::string machine = "SIMULATED";
    std::int64_t start = 1'767'225'600'000'000'000;  ///< nanoseconds since 1970 (UTC): 2026-01-01
};

/// A simulated Windows machine. Both interfaces have the countersets Geometric Waves, Processor Information and
/// Synchronization; V1 alone has System, Memory, Processor, Process, Thread, PhysicalDisk and Network Interface, as on
/// Windows. The counters depend only on the options and the time, not on the steps by which the time was reached. Not
/// thread-safe, except for `provider()`.
class SimulatedMachine {
  public:
    /// Creates a machine at its start time; `advance_to` lets time pass.
    explicit SimulatedMachine(const SimulationOptions& options);
    ~SimulatedMachine();
    SimulatedMachine(const SimulatedMachine&) = delete;
    SimulatedMachine& operator=(const SimulatedMachine&) = delete;

    /// Advances the time to `elapsed` nanoseconds after the start. Time never goes back.
    void advance_to(std::int64_t elapsed);
    Moment now() const noexcept;
    const std::string& name() const noexcept;

    /// Returns the machine's countersets. They live as long as the machine.
    Provider& provider() noexcept;
    /// Returns PerfLib's functions over the machine's countersets. Lives as long as the machine.
    PerfLib& perflib() noexcept;
    /// Returns the title indices that the countersets have in V1. Lives as long as the machine.
    const V1Numbering& numbering() const noexcept;
    /// Returns the block that RegQueryValueEx would return: all objects, or those with the given title indices.
    std::vector<std::byte> v1_block(std::span<const std::uint32_t> objects = {}) const;
    /// Returns the value `Counter 009`, a REG_MULTI_SZ.
    std::string counter_titles() const;
    /// Returns the value `Help 009`, a REG_MULTI_SZ.
    std::string help_titles() const;

  private:
    struct State;
    std::unique_ptr<State> state_;
};

/// The samples to take of a simulated machine.
struct SimulationRun {
    bool v1 = true, v2 = true;  ///< interfaces to use
    std::uint64_t count = 1;    ///< number of samples
    /// Nanoseconds of the machine's time between samples. The machine's time passes as fast as samples are read.
    std::int64_t interval = 1'000'000'000;
};

/// Returns the machine as a live source (`open_live`) whose time advances by `interval` with each tick of `pace`.
std::unique_ptr<Source> simulate(const SimulationOptions& options, const LiveQuery& query,
                                 std::chrono::nanoseconds interval, std::unique_ptr<Ticks> pace);
/// Returns the complete machine as a source that does not wait between samples.
std::unique_ptr<Source> simulate(const SimulationOptions& options, const SimulationRun& run);

}  // namespace hkpd
