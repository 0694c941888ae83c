// The samples of a simulated machine's run.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <stdexcept>

#include "hkpd/diagnostics.hpp"
#include "hkpd/guid.hpp"
#include "hkpd/names.hpp"
#include "hkpd/sample.hpp"
#include "hkpd/simulate.hpp"
#include "hkpd/source.hpp"
#include "source/sample_reader.hpp"
#include "support/sample_columns.hpp"

namespace hkpd_test {

inline const hkpd::Guid waves_guid = *hkpd::parse_guid("{ffeeaadd-c923-4794-b696-70577630b5cf}");
inline const hkpd::Guid processors_guid = *hkpd::parse_guid("{b4fc721a-0378-476f-89ba-a5a79f810b36}");
inline const hkpd::Guid synchronization_guid = *hkpd::parse_guid("{370E979A-377A-4f30-B2C4-9A0FD072890B}");

/// All samples of the open interfaces, with the names from their records.
class SimulatedRun {
  public:
    explicit SimulatedRun(const hkpd::SimulationRun& run, const hkpd::SimulationOptions& options = {})
        : source_(hkpd::simulate(options, run)), reader_(*source_, &titles, {}) {
        reader_.take_titles(titles);
        while (reader_.next(samples.emplace_back(), diagnostics)) {
        }
        samples.pop_back();
    }

    hkpd::Titles titles;
    hkpd::Diagnostics diagnostics;
    std::deque<hkpd::Sample> samples;

  private:
    std::unique_ptr<hkpd::Source> source_;
    hkpd::SampleReader reader_;
};

inline const hkpd::Object& object_of(const hkpd::Sample& sample, std::uint32_t title) {
    return sample.objects()[sample.find(title).value()];
}
inline const hkpd::Object& object_of(const hkpd::Sample& sample, const hkpd::Guid& guid) {
    for (const hkpd::Object& object : sample.objects())
        if (object.counterset == guid) return object;
    throw std::out_of_range("no such counterset");
}
inline std::uint64_t value_of(const hkpd::Object& object, std::uint32_t title, std::size_t row) {
    const auto values = column_of(object, title).values;
    return row < values.size() ? values[row] : 0;
}

}  // namespace hkpd_test
