// Reads all samples of a file, for the benchmarks of reading.
#pragma once

#include <array>
#include <cstddef>
#include <cstdlib>
#include <string>

#include "hkpd/diagnostics.hpp"
#include "hkpd/sample.hpp"
#include "hkpd/source.hpp"
#include "source/sample_reader.hpp"

namespace bench {

/// Reads samples without titles, into two that alternate. Ends the program if their number is not as expected, or if
/// there is any fault.
inline void read_samples(const std::string& path, std::array<hkpd::Sample, 2>& samples, std::size_t expected) {
    hkpd::Diagnostics diagnostics;
    const auto source = hkpd::open_files({path}, {});
    hkpd::SampleReader reader(*source, nullptr, {});
    std::size_t count = 0;
    while (reader.next(samples.at(count % 2), diagnostics)) ++count;
    if (count != expected || diagnostics.any_fault()) std::abort();
}

}  // namespace bench
