// A simulated machine. Its counters behave like the counters of a real machine, and are available through V1 and V2.
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
    std::uint32_t threads = 300;   ///< number of threads of these processes together; each process has at least one
    std::string machine = "SIMULATED";
    std::int64_t start = 1'767'225'600'000'000'000;  ///< start time, in nanoseconds since 1970 (UTC): 2026-01-01
};

/// A simulated Windows machine. The countersets Geometric Waves, Processor Information and Synchronization are
/// available through V1 and V2. As on Windows, the objects System, Memory, Processor, Process, Thread, PhysicalDisk and
/// Network Interface are available only through V1. The values of counters depend only on the options and the time of
/// the machine, not on earlier calls of `advance_to`. Not thread-safe, except for the object that `provider()` returns.
class SimulatedMachine {
  public:
    /// Creates a machine. Its time is `SimulationOptions::start`, and changes only when `advance_to` is called.
    explicit SimulatedMachine(const SimulationOptions& options);
    ~SimulatedMachine();
    SimulatedMachine(const SimulatedMachine&) = delete;
    SimulatedMachine& operator=(const SimulatedMachine&) = delete;

    /// Advances the machine's time to `elapsed` nanoseconds after the start time. If the machine's time is already
    /// later, does nothing.
    void advance_to(std::int64_t elapsed);
    Moment now() const noexcept;
    const std::string& name() const noexcept;

    /// Returns the provider with the machine's countersets. Valid as long as the machine exists.
    Provider& provider() noexcept;
    /// Returns PerfLib's functions for the machine's countersets. Valid as long as the machine exists.
    PerfLib& perflib() noexcept;
    /// Returns the title indices that the countersets have in V1. Valid as long as the machine exists.
    const V1Numbering& numbering() const noexcept;
    /// Returns a V1 block, as RegQueryValueEx would return it. The block has the objects whose title indices are in
    /// `objects`, or all objects if `objects` is empty.
    std::vector<std::byte> v1_block(std::span<const std::uint32_t> objects = {}) const;
    /// Returns the content of the registry value `Counter 009` (the English names), a REG_MULTI_SZ.
    std::string counter_titles() const;
    /// Returns the content of the registry value `Help 009` (the English help texts), a REG_MULTI_SZ.
    std::string help_titles() const;

  private:
    struct State;
    std::unique_ptr<State> state_;
};

/// The samples to read from a simulated machine.
struct SimulationRun {
    bool v1 = true, v2 = true;  ///< interfaces through which samples are read
    std::uint64_t count = 1;    ///< number of samples from each interface
    /// Interval between samples, in nanoseconds of the machine's time. The machine's time advances by the interval when
    /// the next sample is read, however much real time has passed.
    std::int64_t interval = 1'000'000'000;
};

/// Returns a source that reads a simulated machine as `open_live` reads a real machine. The machine's time advances by
/// `interval` with each tick of `pace`.
std::unique_ptr<Source> simulate(const SimulationOptions& options, const LiveQuery& query,
                                 std::chrono::nanoseconds interval, std::unique_ptr<Ticks> pace);
/// Returns a source that reads all objects of a simulated machine and does not wait between samples.
std::unique_ptr<Source> simulate(const SimulationOptions& options, const SimulationRun& run);

}  // namespace hkpd
