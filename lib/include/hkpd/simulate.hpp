// A machine that is not there: counters that behave like those of a real one, served through both doors.
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

/// What machine it is.
struct SimulationOptions {
    std::uint64_t seed = 1;        ///< of its noise
    std::uint32_t cpus = 4;        ///< at least 1; they are all in one NUMA node
    std::uint32_t processes = 40;  ///< at least 1: System is one of them, Idle and `_Total` are not
    std::uint32_t threads = 300;   ///< of all those processes together, at least as many as they; Idle has its own
    std::string machine = "SIMULATED";
    std::int64_t start = 1'767'225'600'000'000'000;  ///< nanoseconds since 1970 (UTC): 2026-01-01
};

/// A Windows machine with the countersets Geometric Waves, Processor Information and Synchronization behind both doors,
/// and System, Memory, Processor, Process, Thread, PhysicalDisk and Network Interface behind V1 only, as on Windows.
/// What it counts depends on the options and the time alone, however the time was reached. Not for several threads, but
/// for `provider()`.
class SimulatedMachine {
  public:
    /// A machine at its start; `advance_to` lets time pass.
    explicit SimulatedMachine(const SimulationOptions& options);
    ~SimulatedMachine();
    SimulatedMachine(const SimulatedMachine&) = delete;
    SimulatedMachine& operator=(const SimulatedMachine&) = delete;

    /// Lets time pass, in nanoseconds since the start; it never goes back.
    void advance_to(std::int64_t elapsed);
    Moment now() const noexcept;
    const std::string& name() const noexcept;

    /// Its countersets, its PerfLib over them, and the title indices that they have in V1. They live as long as it
    /// does.
    Provider& provider() noexcept;
    PerfLib& perflib() noexcept;
    const V1Numbering& numbering() const noexcept;
    /// What RegQueryValueEx would return: all objects, or those of some title indices.
    std::vector<std::byte> v1_block(std::span<const std::uint32_t> objects = {}) const;
    /// `Counter 009` and `Help 009`, as REG_MULTI_SZ.
    std::string counter_titles() const;
    std::string help_titles() const;

  private:
    struct State;
    std::unique_ptr<State> state_;
};

/// What is recorded of it.
struct SimulationRun {
    bool v1 = true, v2 = true;              ///< through which doors
    std::uint64_t count = 1;                ///< samples
    std::int64_t interval = 1'000'000'000;  ///< nanoseconds of the machine's time between them, which runs as fast as
                                            ///< it is read
};

/// The machine as a live source (`open_live`), whose time passes by `interval` with each tick.
std::unique_ptr<Source> simulate(const SimulationOptions& options, const LiveQuery& query,
                                 std::chrono::nanoseconds interval, std::unique_ptr<Ticks> pace);
/// The same, all of the machine, without waiting.
std::unique_ptr<Source> simulate(const SimulationOptions& options, const SimulationRun& run);

}  // namespace hkpd
