// The options for time zones and for ranges of time: `--tz`, `--utc`, `--from` and `--to`.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "flags/input_options.hpp"
#include "flags/options.hpp"
#include "hkpd/log_zones.hpp"
#include "hkpd/text_encoding.hpp"
#include "hkpd/time.hpp"
#include "hkpd/time_range.hpp"
#include "hkpd/zone.hpp"

namespace hkpd::command {

/// One end of a range: the number of a sample, or a time.
struct TimeBound {
    std::optional<std::string> text;  ///< as given; none if the range has no such end
    // Set by `check_range` from `text`; at most one of them.
    std::optional<std::uint64_t> number{};
    std::optional<StatedTime> time{};
};

struct TimeOptions {
    std::optional<std::string> zone_text;
    bool utc = false;
    TimeBound from, to;
    // Set by `check_zone` from the members above.
    std::optional<Zone> zone;  ///< the requested zone; none: the zone of each log, otherwise UTC
    bool log_zone = false;     ///< whether the zones of logs were requested (`--tz log`)
};

/// Adds `--tz` and `--utc` to a subcommand's options.
void describe_zone(po::options_description& shown, TimeOptions& o);
/// Adds `--from` and `--to` to a subcommand's options. `time_details` describes their values.
void describe_range(po::options_description& shown, TimeOptions& o);

/// The paragraphs on `--from`, `--to` and `--tz` for `HelpText::shared_details`.
inline constexpr std::string_view time_details =
    "TIME is 10:00, 2024-05-14T09:30:02, '5/14/2024 9:30AM', @1715679002 (seconds since 1970), -5min (before the last "
    "sample; units s, min, h, d), or the number of a sample, counted from 0. 10:00 is a time on the day of the first "
    "sample or, if that is past and the run crosses midnight, on the next day. A time that clocks showed twice is the "
    "first.\n"
    "Times without a zone are in that of --tz, by default that of the log, otherwise UTC. Names are those of IANA and "
    "of "
    "Windows ('Pacific Standard Time'); BIAS is UTC minus local time in minutes.\n";

/// Adds `--log-tz` to a subcommand's options.
void describe_log_zones(po::options_description& shown, Strings& texts);
/// Finds the zones that `--log-tz` states: `NAME` or `FILE=NAME`. Returns the error message; empty on success.
std::string read_log_zones(const Strings& texts, LogZones& zones);

/// Adds `--encoding` to a subcommand's options.
void describe_encoding(po::options_description& shown, std::optional<std::string>& name);
/// Finds the encoding of `--encoding`. Returns the error message; empty on success.
std::string read_encoding(const std::optional<std::string>& name, TextEncoding& encoding);

/// Finds the requested zone. Returns the error message; empty on success.
std::string check_zone(TimeOptions& o);
/// Parses the ends of the range. Returns the error message; empty on success. `--from -5min` is counted from the last
/// sample, so it is an error if the inputs cannot be read twice.
std::string check_range(TimeOptions& o, const InputOptions& inputs);

/// States whether what is to be known of a range is written to standard error.
enum class RangeNotes : std::uint8_t { written, kept_back };
/// Returns the error message for a bound that is counted from the end of inputs whose end is not known before they are
/// read; empty if there is none.
std::string check_bound(std::string_view option, const TimeBound& bound, const InputOptions& inputs);

/// A range, and the names of the options that state its ends.
struct RangeOptions {
    std::string_view from_option, to_option;
    const TimeBound &from, &to;
    const std::optional<Zone>& zone;
};

/// Returns the time of the latest sample of inputs, in nanoseconds since 1970 (UTC); none if there is none, or if the
/// inputs cannot be read twice. `how`: as they are read.
std::optional<std::int64_t> latest_time_of(const InputOptions& inputs, const ReaderOptions& how);

/// Sets the range that a reader of `inputs` has to read. Times without a zone are in the requested zone, or in the zone
/// of the first sample. A time of day is on the day of the first sample or, if it has passed by then and the run
/// crosses midnight, on the next day. The reader writes to standard error if the clocks showed a time twice or skipped
/// it, and if a time of day is on a later day. `how` keeps a reference to `inputs`.
void set_range(std::string_view subcommand, const RangeOptions& o, const InputOptions& inputs, ReaderOptions& how,
               RangeNotes notes = RangeNotes::written);
void set_range(std::string_view subcommand, const TimeOptions& o, const InputOptions& inputs, ReaderOptions& how,
               RangeNotes notes = RangeNotes::written);
/// Returns what finds the range that `set_range` would set. `numbers`: its numbers of samples. Keeps a reference to
/// `inputs`.
std::shared_ptr<RangeFinder> range_finder(std::string_view subcommand, const RangeOptions& o, const Range& numbers,
                                          const InputOptions& inputs, const ReaderOptions& how, RangeNotes notes);

/// Returns whether the options limit the range of samples.
inline bool is_ranged(const TimeOptions& o) noexcept { return o.from.text || o.to.text; }

}  // namespace hkpd::command
