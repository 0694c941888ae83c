// Collects the objects, counters and instances that occur in the samples of a run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_set>
#include <utility>
#include <vector>

#include "hkpd/guid.hpp"
#include "hkpd/limits.hpp"
#include "hkpd/names.hpp"
#include "hkpd/overview.hpp"
#include "hkpd/sample.hpp"

namespace hkpd {

/// The objects of a run. Memory is bounded: at most `Limits::series` objects, counters and instances, and
/// `Limits::names` bytes for all of them.
class ObjectTally {
  public:
    /// `instances`: whether the names of instances are collected.
    ObjectTally(const Limits& limits, bool instances) : limits_(limits), with_instances_(instances) {}

    void add(const Sample& sample);
    /// Returns whether a limit left something out.
    bool overflowed() const noexcept { return overflowed_; }
    /// Returns the objects in the order of their first samples. Objects and counters without a name get one from
    /// `titles`, which may have been read after the samples.
    std::vector<Overview::Object> take(const Titles& titles) const;

  private:
    struct Counter {
        std::uint32_t number;
        bool shown;  // whether paths name it
        std::string key, name;
    };
    struct Found {
        std::string machine, key, name;
        SampleSource source;
        std::uint32_t number;
        std::optional<Guid> counterset;
        bool is_list;
        std::uint64_t most_instances = 0;
        std::vector<std::uint32_t> last_columns{};  // title indices of the columns of the latest sample
        std::vector<Counter> counters{};
        // Positions in `counters`, by number and by how many counters of the object with this number come before.
        std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> counter_places{};
        std::vector<std::string> instances{};
        std::unordered_set<std::string> known{};
    };
    bool spend(std::size_t bytes) noexcept;
    Found* find(const Sample& sample, const Object& object);
    void add_counters(Found& found, const Sample& sample, const Object& object);
    void add_instances(Found& found, const Sample& sample, const Object& object);

    Limits limits_;
    bool with_instances_, overflowed_ = false;
    std::uint64_t entries_ = 0, bytes_ = 0;
    std::vector<Found> found_;
    std::map<std::tuple<std::string, SampleSource, std::uint32_t>, std::size_t> places_;
    std::string path_;
};

}  // namespace hkpd
