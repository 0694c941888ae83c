// A simulated machine: counters that behave like those of a real machine, available through V1 and V2.
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
    std::uint64_t seed = 1;        ///< seed of the noise in the counters
    std::uint32_t cpus = 4;        ///< number of processors, at least 1; all in one NUMA node
    std::uint32_t processes = 40;  ///< number of processes, at least 1; includes System, but not Idle and `_Total`
    std::uint32_t threads = 300;   ///< number of threads of these processes, at least one each; Idle is not counted
    std::string machine = "SIMULATED";
    std::int64_t start = 1'767'225'600'000'000'000;  ///< nanoseconds since 1970 (UTC): 2026-01-01
};

/// A simulated Windows machine. V1 and V2 have the countersets Geometric Waves, Processor Information and
/// Synchronization. As on Windows, only V1 has System, Memory, Processor, Process, Thread, PhysicalDisk and Network
/// Interface. The values of counters depend only on the options and the time, not on earlier calls of
/// `advance_to`. Not thread-safe, except for `provider()`.
class SimulatedMachine {
  public:
    /// Creates a machine whose time is the start time. Only `advance_to` changes the time.
    explicit SimulatedMachine(const SimulationOptions& options);
    ~SimulatedMachine();
    SimulatedMachine(const SimulatedMachine&) = delete;
    SimulatedMachine& operator=(const SimulatedMachine&) = delete;

    /// Advances the time to `elapsed` nanoseconds after the start. If that moment is before the current time, the
    /// time does not change.
    void advance_to(std::int64_t elapsed);
    Moment now() const noexcept;
    const std::string& name() const noexcept;

    /// Returns the provider with the machine's countersets. It lives as long as the machine.
    Provider& provider() noexcept;
    /// Returns PerfLib's functions for the machine's countersets. The result lives as long as the machine.
    PerfLib& perflib() noexcept;
    /// Returns the title indices that the countersets have in V1. The result lives as long as the machine.
    const V1Numbering& numbering() const noexcept;
    /// Returns the block that RegQueryValueEx would return, with the objects whose title indices are in `objects`, or
    /// with all objects if `objects` is empty.
    std::vector<std::byte> v1_block(std::span<const std::uint32_t> objects = {}) const;
    /// Returns the registry value `Counter 009` (the English names), a REG_MULTI_SZ.
    std::string counter_titles() const;
    /// Returns the registry value `Help 009` (the English help texts), a REG_MULTI_SZ.
    std::string help_titles() const;

  private:
    struct State;
    std::unique_ptr<State> state_;
};

/// The samples to read from a simulated machine.
struct SimulationRun {
    bool v1 = true, v2 = true;  ///< interfaces to use
    std::uint64_t count = 1;    ///< number of samples
    /// Interval between samples, in nanoseconds of the machine's time. The machine's time advances only when samples
    /// are read.
    std::int64_t interval = 1'000'000'000;
};

/// Returns a simulated machine as a live source (`open_live`). The machine's time advances by `interval` with each tick
/// of `pace`.
std::unique_ptr<Source> simulate(const SimulationOptions& options, const LiveQuery& query,
                                 std::chrono::nanoseconds interval, std::unique_ptr<Ticks> pace);
/// Returns a simulated machine as a source that returns all objects and does not wait between samples.
std::unique_ptr<Source> simulate(const SimulationOptions& options, const SimulationRun& run);

}  // namespace hkpd
