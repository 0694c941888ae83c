// Registrations of the simulated machine, for blocks that were collected elsewhere.
#pragma once

#include "hkpd/diagnostics.hpp"
#include "hkpd/names.hpp"
#include "hkpd/simulate.hpp"
#include "live/perflib_query.hpp"

namespace hkpd_fuzz {

/// All registrations of the simulated machine, made once.
class Registrations {
  public:
    static hkpd::Countersets& all() {
        static Registrations made;
        return made.countersets_;
    }

  private:
    Registrations() {
        using namespace hkpd;
        Diagnostics diagnostics;
        SimulatedMachine machine({});
        std::uint32_t status = 0;
        for (const Guid& guid : enumerate_countersets(machine.perflib(), {}, status)) {
            using enum v2::RegistrationRequest;
            for (const auto request : {counterset_struct, counterset_name, counter_names}) {
                const auto answer = registration_info(machine.perflib(), {}, guid, request, 0, status);
                countersets_.add({guid, request, {}, {}, {}, Bytes(answer)}, {}, diagnostics);
            }
        }
    }
    hkpd::Countersets countersets_;
};

}  // namespace hkpd_fuzz
