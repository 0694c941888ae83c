// The options for windows of time: `--before` and `--after`, which are compared with each other, and `--at`, which is
// compared with the rest.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "flags/input_options.hpp"
#include "flags/options.hpp"
#include "flags/time_options.hpp"
#include "hkpd/reader.hpp"

namespace hkpd::command {

/// A part of a log between two times or sample numbers, both included.
struct TimeWindow {
    std::string_view option;          ///< its name, for messages
    std::optional<std::string> text;  ///< as given; none if the option was not given
    TimeBound from{}, to{};           ///< set by `check_windows` from `text`; one of them may be open
};

struct TwoWindows {
    TimeWindow before{.option = "--before", .text = {}}, after{.option = "--after", .text = {}};

    bool any() const noexcept { return before.text || after.text; }
};

/// Adds `--before` and `--after` to a subcommand's options.
void describe_windows(po::options_description& shown, TwoWindows& o);

/// The paragraph on the values of these options for `HelpText::shared_details`.
inline constexpr std::string_view window_details =
    "WINDOW is two TIMEs with - or .. between them, both included: 10:00-10:30, 2024-05-14T09:30..2024-05-14T10:00, "
    "-2h..-1h, 100-199 (numbers of samples). 11:00.. goes to the end, ..10:00 begins with the log, and 2024-05-14 is "
    "that day.\n";

/// Parses the windows that were given. Returns the error message; empty on success.
std::string check_windows(TwoWindows& o, const InputOptions& inputs);

/// Splits the text of a window into its bounds. Returns the error message without the name of the option; empty on
/// success.
std::string split_window(const std::string& text, TimeBound& from, TimeBound& to);

/// Returns the name and value of a window's option for messages: `--before 10:00-10:30`.
std::string window_text(const TimeWindow& window);

/// A window that is compared with the rest of a run: `--at TIME`, `--at WINDOW`, or `--rest`.
struct WindowChoice {
    std::optional<std::string> at;
    bool rest = false;
    // Set by `check_window` from `at`.
    TimeBound from, to;
    bool is_moment = false;  ///< a single time or number was given, which is `from`

    /// Returns whether a window was requested.
    bool any() const noexcept { return at || rest; }
};

/// Adds `--at` and `--rest` to a subcommand's options.
void describe_window(po::options_description& shown, WindowChoice& choice);
/// Parses `--at`. Returns the error message; empty on success.
std::string check_window(WindowChoice& choice, const TimeOptions& o, const InputOptions& inputs);
/// Returns the function that finds the window which `--at`, or the range of `o` with `--rest`, states, as `set_range`
/// does. The function keeps a reference to `inputs`. `how`: as the inputs are read.
std::function<Range(const Sample& first)> window_of(std::string_view subcommand, const WindowChoice& choice,
                                                    const TimeOptions& o, const InputOptions& inputs,
                                                    const ReaderOptions& how);

}  // namespace hkpd::command
