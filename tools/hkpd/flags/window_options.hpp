// The options for two windows of time that are compared: `--before` and `--after`.
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

struct WindowOptions {
    TimeWindow before{.option = "--before", .text = {}}, after{.option = "--after", .text = {}};

    bool any() const noexcept { return before.text || after.text; }
};

/// Adds `--before` and `--after` to a subcommand's options.
void describe_windows(po::options_description& shown, WindowOptions& o);

/// The paragraph on the values of these options for `HelpText::shared_details`.
inline constexpr std::string_view window_details =
    "WINDOW is two TIMEs with - or .. between them, both included: 10:00-10:30, 2024-05-14T09:30..2024-05-14T10:00, "
    "-2h..-1h, 100-199 (numbers of samples). 11:00.. goes to the end, ..10:00 begins with the log, and 2024-05-14 is "
    "that day.\n";

/// Parses the windows that were given. Returns the error message; empty on success.
std::string check_windows(WindowOptions& o, const InputOptions& inputs);

/// Splits the text of a window into its bounds. Returns the error message without the name of the option; empty on
/// success.
std::string split_window(const std::string& text, TimeBound& from, TimeBound& to);

/// Returns the name and value of a window's option for messages: `--before 10:00-10:30`.
std::string window_text(const TimeWindow& window);

}  // namespace hkpd::command
