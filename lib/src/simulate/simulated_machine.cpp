#include <algorithm>
#include <limits>
#include <string_view>

#include "hkpd/local_perflib.hpp"
#include "hkpd/names.hpp"
#include "hkpd/simulate.hpp"
#include "hkpd/v1_writer.hpp"
#include "simulate/countersets.hpp"
#include "simulate/machine_model.hpp"
#include "simulate/v1_objects.hpp"

namespace hkpd {
namespace {

/// First title index of the V2 countersets. It is greater than the title indices of all objects and counters of Windows
/// itself.
constexpr std::uint32_t first_title = 6000;
/// Text of the title with index 1. In Windows, this text is the last index of Windows' own titles.
constexpr std::string_view last_own_title = "1847";

}  // namespace

struct SimulatedMachine::State {
    explicit State(const SimulationOptions& options)
        : name(options.machine),
          model(options),
          latest(std::numeric_limits<std::int64_t>::max() - std::max<std::int64_t>(options.start, 0)),
          now(model.clock.at(0)),
          processors(provider, model.processors.size()),
          numbering(first_title, add_callbacks()),
          perflib(provider, [this] { return model.clock.moment(now); }, name) {}

    /// Registers the countersets whose values are computed by callbacks. Returns all countersets of the provider,
    /// including those registered before.
    CountersetList add_callbacks() {
        simulation::add_geometric_waves(provider, model.clock, now);
        simulation::add_synchronization(provider, model, now);
        return provider.countersets();
    }

    std::string name;
    simulation::MachineModel model;
    const std::int64_t latest;  // latest `elapsed` whose time can be represented
    std::int64_t elapsed = 0;
    simulation::CurrentTime now;
    Provider provider;
    simulation::ProcessorInformation processors;
    V1Numbering numbering;
    LocalPerfLib perflib;
};

SimulatedMachine::SimulatedMachine(const SimulationOptions& options) : state_(std::make_unique<State>(options)) {
    advance_to(0);
}
SimulatedMachine::~SimulatedMachine() = default;

void SimulatedMachine::advance_to(std::int64_t elapsed) {
    state_->elapsed = std::max(state_->elapsed, std::min(elapsed, state_->latest));
    const simulation::Ticks now = state_->model.clock.at(state_->elapsed);
    state_->now = now;
    state_->processors.set(simulation::ProcessorsState(state_->model, now), now);
}

Moment SimulatedMachine::now() const noexcept { return state_->model.clock.moment(state_->now); }
const std::string& SimulatedMachine::name() const noexcept { return state_->name; }
Provider& SimulatedMachine::provider() noexcept { return state_->provider; }
PerfLib& SimulatedMachine::perflib() noexcept { return state_->perflib; }
const V1Numbering& SimulatedMachine::numbering() const noexcept { return state_->numbering; }

std::vector<std::byte> SimulatedMachine::v1_block(std::span<const std::uint32_t> objects) const {
    V1BlockWriter block(now(), state_->name);
    simulation::append_v1_objects(block, simulation::MachineState(state_->model, state_->now), objects);
    append_v1_view(block, state_->provider.countersets(), state_->numbering, objects);
    return block.finish();
}

std::string SimulatedMachine::counter_titles() const {
    TitleTable own, names, help;
    own.add(1, last_own_title);
    append_titles(names, help, state_->provider.countersets(), state_->numbering);
    std::string titles;
    for (const TitleTable* table : {&std::as_const(own), &builtin_titles(), &std::as_const(names)})
        append_multi_sz(titles, *table);
    return titles.append(2, '\0');
}

std::string SimulatedMachine::help_titles() const {
    TitleTable names, help;
    append_titles(names, help, state_->provider.countersets(), state_->numbering);
    std::string titles;
    append_multi_sz(titles, help);
    return titles.append(2, '\0');
}

}  // namespace hkpd
