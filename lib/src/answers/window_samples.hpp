// Which samples of a run are in a window of time, decided while they arrive: a few are held until it is known whether
// the window needs them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "hkpd/record.hpp"

namespace hkpd {

/// The values of a sample.
struct WindowSample {
    std::uint64_t number = 0;                                ///< in the run, from 0
    std::optional<std::int64_t> time{};                      ///< nanoseconds since 1970 (UTC)
    std::vector<std::pair<std::uint32_t, double>> values{};  ///< place of the series, value
};

/// Decides for each sample of one machine whether it is in the window. The window is a range; if fewer than `least`
/// samples are in it, those nearest to it are added, unless the range is before the first sample or after the last. At
/// most three times `least` samples are held.
class WindowSamples {
  public:
    /// Receives each sample once, those in the window in their order, and so those of the rest.
    using Take = std::function<void(const WindowSample& sample, bool in_window)>;

    WindowSamples(const Range& window, std::size_t least) : window_(window), least_(least) {}

    /// Adds a sample.
    void add(WindowSample sample, const Take& take);
    /// Passes on the samples that are still held. No sample can be added afterwards.
    void finish(const Take& take);

  private:
    enum class Side : std::uint8_t { before, inside, after };
    Side side_of(const WindowSample& sample) const noexcept;
    std::uint64_t distance(const WindowSample& sample, Side side) const noexcept;
    void decide(std::size_t from_before, std::size_t from_after, const Take& take);
    void widen(const Take& take);

    Range window_;
    std::size_t least_;
    bool is_decided_ = false;
    std::deque<WindowSample> before_, inside_, after_;
};

}  // namespace hkpd
