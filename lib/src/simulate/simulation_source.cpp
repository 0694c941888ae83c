#include <cstdint>
#include <limits>
#include <utility>

#include "hkpd/live.hpp"
#include "hkpd/simulate.hpp"
#include "simulate/simulated_registry.hpp"

namespace hkpd {
namespace {

/// A simulated machine and its registry interface.
struct Simulation {
    explicit Simulation(const SimulationOptions& options) : machine(options), registry(machine) {}

    SimulatedMachine machine;
    simulation::SimulatedRegistry registry;
};

/// Ticks that advance the machine's time: tick n sets the time since the start to n × interval.
class SimulatedTicks final : public Ticks {
  public:
    SimulatedTicks(std::shared_ptr<Simulation> simulation, std::chrono::nanoseconds interval,
                   std::unique_ptr<Ticks> pace)
        : simulation_(std::move(simulation)), interval_(interval), pace_(std::move(pace)) {}

    std::optional<std::uint64_t> next() override {
        const auto tick = pace_->next();
        constexpr std::int64_t latest = std::numeric_limits<std::int64_t>::max();
        if (!tick) return tick;
        const bool ever = interval_.count() > 0 && *tick > static_cast<std::uint64_t>(latest / interval_.count());
        simulation_->machine.advance_to(ever ? latest : static_cast<std::int64_t>(*tick) * interval_.count());
        return tick;
    }
    std::uint64_t missed() const noexcept override { return pace_->missed(); }

  private:
    std::shared_ptr<Simulation> simulation_;
    std::chrono::nanoseconds interval_;
    std::unique_ptr<Ticks> pace_;
};

}  // namespace

std::unique_ptr<Source> simulate(const SimulationOptions& options, const LiveQuery& query,
                                 std::chrono::nanoseconds interval, std::unique_ptr<Ticks> pace) {
    const auto simulation = std::make_shared<Simulation>(options);
    return open_live({.name = simulation->machine.name(),
                      .registry = {simulation, &simulation->registry},
                      .perflib = {simulation, &simulation->machine.perflib()}},
                     query, std::make_unique<SimulatedTicks>(simulation, interval, std::move(pace)));
}

std::unique_ptr<Source> simulate(const SimulationOptions& options, const SimulationRun& run) {
    const std::chrono::nanoseconds interval(run.interval);
    return simulate(options, {.v1 = run.v1, .v2 = run.v2}, interval,
                    immediate_ticks({.interval = interval, .count = run.count}));
}

}  // namespace hkpd
