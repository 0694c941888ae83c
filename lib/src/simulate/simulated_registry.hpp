// The registry interface of the simulated machine.
#pragma once

#include "hkpd/live.hpp"
#include "hkpd/simulate.hpp"

namespace hkpd::simulation {

/// A registry that answers three kinds of queries: `Global`, a list of title indices, and requests for the English
/// titles.
class SimulatedRegistry final : public PerformanceRegistry {
  public:
    /// Keeps a reference to the machine.
    explicit SimulatedRegistry(const SimulatedMachine& machine) : machine_(machine) {}

    std::uint32_t query_value(PerformanceKey key, std::string_view name, std::span<std::byte> buffer,
                              std::uint32_t& size) override;
    void close() override {}
    std::optional<std::uint32_t> first_counter(const Guid& provider, const Guid& counterset) override;
    std::string machine_name() const override { return machine_.name(); }
    std::uint32_t ui_language() const noexcept override;

  private:
    const SimulatedMachine& machine_;
};

}  // namespace hkpd::simulation
