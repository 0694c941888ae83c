// The series of a run as values: one counter of one instance each, with its statistics. They own their texts.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hkpd/cook.hpp"
#include "hkpd/identity.hpp"
#include "hkpd/sample.hpp"
#include "hkpd/statistics.hpp"
#include "hkpd/zone.hpp"

namespace hkpd {

/// A counter of an object on a machine, with the counter's properties.
struct RunCounter {
    SampleSource source{};
    std::string machine, object, name;  ///< labels, if a title is unknown; a later sample may have the title
    /// The English names of object and counter; empty if they are unknown, or those above.
    std::string english_object{}, english_name{};
    std::uint32_t group = 0;          ///< number of the machine, source and object, in the order of their appearance
    std::uint32_t object_number = 0;  ///< `Object::title_index`
    std::uint32_t number = 0;         ///< `Column::title_index`
    std::uint32_t position = 0;       ///< position in the columns of the object when the counter was first seen
    std::optional<std::string> counterset;
    std::uint32_t type = 0;
    std::uint64_t attributes = 0;
    std::int32_t scale = 0;
    bool of_list = false;                            ///< whether the object has a list of instances
    bool has_object_name = false, has_name = false;  ///< whether the names are titles
    /// Title index of the object, and title index or counter id of the counter; none if it is known only by its name.
    std::optional<std::uint32_t> object_index, index;
};

/// An instance of a run: an `Identity` with texts of its own.
struct RunInstance {
    std::optional<std::string> parent;
    std::string name;
    bool is_damaged = false;
    std::optional<std::uint32_t> pid;
    std::optional<std::int32_t> instance_id;
    std::uint32_t place = 0, life = 1;
    std::string text;     ///< `name`, or `name#n` if the instance is identified by its place
    std::string display;  ///< the text of the instance that is unique in its object: `RunInstances::append_display`
    bool is_sum = false;  ///< whether it is the sum of several instances of one name

    /// Returns the identity. Its texts are those of this object.
    Identity identity() const;
};

/// A series with the statistics of its values.
struct Series {
    std::shared_ptr<const RunCounter> counter;    ///< never null
    std::shared_ptr<const RunInstance> instance;  ///< never null; without a name for an object without instances
    /// Times of the first and the last sample with this instance and counter, in nanoseconds since 1970 (UTC).
    std::optional<std::int64_t> from, to;
    Statistics statistics;
    /// The average over the whole run, by the counter's formula; see `make_summary_writer`.
    CookedValue average;
};

/// A list of series. No vector, because that of a million series would be in memory together with all that it is made
/// of.
using SeriesList = std::deque<Series>;

/// Facts that are true of a whole run.
struct RunFacts {
    std::uint64_t samples = 0;
    std::optional<std::int64_t> from, to;  ///< times of the earliest and the latest sample, as in `Series`
    Zone zone;                             ///< the requested zone, or that of the first sample, or UTC
    std::vector<std::string> machines;     ///< of the series, sorted; an unknown name is empty
    bool is_complete = true;               ///< false if a limit left out series
};

}  // namespace hkpd
