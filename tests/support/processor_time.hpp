// Bounds on the work of tests: processor time, since a busy machine makes a test take longer but does not add to its
// work, and the number of cases.
#pragma once

#include <cstdlib>

#include "support/process.hpp"

namespace hkpd_test {

#ifdef HKPD_SANITIZED
inline constexpr double sanitizer_slowdown = 6;  // the instrumented code is two to eight times as slow
#else
inline constexpr double sanitizer_slowdown = 1;
#endif

/// Returns how many of `all` random cases to try: all, or a fifth with sanitizers, which check each of them.
constexpr int random_cases(int all) noexcept { return sanitizer_slowdown > 1 ? all / 5 : all; }

/// Measures the processor time of this process, with all its threads, from construction on. It finds work that grows
/// with the square of the input; a test that hangs without working is ended by ctest's limit of 300 s.
class ProcessorTime {
  public:
    /// Returns the seconds that a build without sanitizers would have used, so that one bound serves both; 0 if
    /// HKPD_NO_TIME_LIMIT is set because time means nothing (under an emulator of the processor).
    double seconds() const {
        static const bool counts = std::getenv("HKPD_NO_TIME_LIMIT") == nullptr;
        return counts ? (processor_seconds() - start_) / sanitizer_slowdown : 0;
    }

  private:
    double start_ = processor_seconds();
};

}  // namespace hkpd_test
