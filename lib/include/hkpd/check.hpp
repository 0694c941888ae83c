// Faults with what makes them useful to people: whose object it is, what the instance is called, and whom to blame.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "hkpd/error.hpp"
#include "hkpd/sample.hpp"
#include "hkpd/services.hpp"
#include "hkpd/names.hpp"

namespace hkpd {

/// What is known of the place of a fault besides what `Diagnostic` says.
struct Finding {
    std::string machine;                          ///< of its sample; empty where it belongs to none
    std::string object, instance;                 ///< names, `parent/instance`; empty where nothing tells them
    const PerformanceService* service = nullptr;  ///< who provides the object
};

/// The findings of a run: one for each of `Diagnostics::kept`, in the same order.
class Findings {
  public:
    /// Keeps references. `services` may be null: then nobody is blamed.
    Findings(const Diagnostics& diagnostics, const Services* services) noexcept
        : diagnostics_(diagnostics), services_(services) {}

    /// Names what was found since the last call, in a sample and around it; `number` says how many samples of its input
    /// came before.
    void name(const Sample& sample, std::uint32_t number, const Titles& titles);
    /// Names what was found behind the last sample. From now on numbers of samples are those of another input.
    void end_input(const Titles& titles);

    const Diagnostics& diagnostics() const noexcept { return diagnostics_; }
    /// One for each of `Diagnostics::kept` that has been named. Valid until the next call of `name` or `end_input`.
    std::span<const Finding> all() const noexcept { return findings_; }

  private:
    void name_objects(const Titles& titles);
    const PerformanceService* service_at(std::uint64_t offset) const;
    static void name_instance(const Diagnostic& diagnostic, const Sample& sample, Finding& finding);

    const Diagnostics& diagnostics_;
    const Services* services_;
    std::vector<Finding> findings_;
    std::size_t waiting_ = 0;  // from here on some may belong to a sample that has not been met
};

}  // namespace hkpd
