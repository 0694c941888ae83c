// How the records of a log's rows become objects: worked out once of the catalogue.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "blg/blg.hpp"
#include "hkpd/error.hpp"
#include "hkpd/sample.hpp"

namespace hkpd {

class FaultSink;

/// Numbers for names, the same in all logs of a run. Names that differ in case only are one.
class LogNames {
  public:
    struct Named {
        std::uint32_t number = 0;  ///< from `first_logged` on
        std::string_view text;     ///< as it was met first; lives as long as this
    };
    /// `ordinal` tells apart what has the same name. None of a new name where there are as many as the limit allows.
    std::optional<Named> number(std::string_view name, std::uint32_t ordinal);

    std::size_t bytes() const noexcept { return bytes_; }
    static constexpr std::size_t most_bytes = std::size_t{64} << 20;

  private:
    std::map<std::string, Named> names_;
    std::deque<std::string> texts_;
    std::size_t bytes_ = 0;
};

/// An object of raw counters: columns that were taken of the same instances.
struct LogGroup {
    struct Counter {
        LogNames::Named name;
        std::uint32_t type = 0, size = 0;
        std::int64_t time_base = 0;
        std::int32_t scale = 0;
    };
    LogNames::Named name;
    blg::Form form = blg::Form::raw;  ///< or `instances`: the records tell the instances
    Kind kind = Kind::multi;
    std::vector<Counter> counters;
    std::vector<std::string> instances;  ///< of form `raw`
    /// Which entry of the catalogue, and so which record of a row, has the value of a counter: of form `raw` of each
    /// instance, counter by counter; else all of them.
    std::vector<std::uint32_t> entries;
};

/// The raw counters of a machine.
struct LogMachine {
    std::string name, folded;  ///< folded: names of one machine are the same
    std::vector<LogGroup> groups;
};

/// Gathers what belongs together, in the order of the catalogue.
std::vector<LogMachine> plan_log(const blg::Catalogue& catalogue, LogNames& names, const FaultSink& faults);

}  // namespace hkpd
