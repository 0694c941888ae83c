// Waits for other threads and programs, on a machine that may be busy.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <string_view>
#include <thread>

namespace hkpd_test {

/// Only a hang takes longer, however busy the machine is. Shorter than ctest's limit of 300 s for a test, so that the
/// test itself reports what did not happen.
inline constexpr std::chrono::seconds long_enough{120};

/// Waits until a condition holds. Returns whether it does; if not, fails with a description of the condition.
template <class Condition>
bool wait_until(const Condition& condition, std::string_view what,
                std::chrono::milliseconds pause = std::chrono::milliseconds(1)) {
    const auto end = std::chrono::steady_clock::now() + long_enough;
    while (!condition()) {
        if (std::chrono::steady_clock::now() > end) {
            ADD_FAILURE() << "waited " << long_enough.count() << " s until " << what;
            return false;
        }
        std::this_thread::sleep_for(pause);
    }
    return true;
}

}  // namespace hkpd_test
