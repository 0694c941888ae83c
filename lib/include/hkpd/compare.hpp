// V1 against V2: the same counters through both doors, side by side. Samples of a performance log stand for V1, whose
// names PDH uses.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hkpd/cook.hpp"
#include "hkpd/guid.hpp"
#include "hkpd/limits.hpp"
#include "hkpd/v1.hpp"

namespace hkpd {

class Countersets;
class Sample;
struct Selected;

/// What a comparison says of one thing. What one door alone has is no difference, but for instances: see there.
enum class Verdict : std::uint8_t { equal, differs, only_v1, only_v2 };
/// `equal`, `differs`, `only_v1`, `only_v2`.
std::string_view verdict_name(Verdict verdict) noexcept;

/// What a comparison found of one counter of an object that both doors have, over all pairs of samples.
struct ComparedCounter {
    Verdict verdict = Verdict::equal;
    std::string machine, object, counter;  ///< names, or numbers where there are none: `#6200`
    std::optional<Guid> counterset;
    std::optional<std::uint32_t> object_index, counter_index, counter_id;  ///< in V1 the indices, in V2 the id
    std::optional<std::uint32_t> v1_type, v2_type;                         ///< the first that differ, else the last
    std::optional<std::int32_t> v1_scale, v2_scale;
    bool type_differs = false, scale_differs = false;
    std::uint64_t values = 0, raw_differ = 0;     ///< pairs of values, and those whose raw values differ
    std::uint64_t cooked = 0, cooked_differ = 0;  ///< pairs of cooked values or reasons, and those that differ

    /// The first difference.
    struct Example {
        std::string instance;                         ///< with `#n` where others are called the same
        std::uint64_t pair = 0;                       ///< how many pairs came before
        std::optional<SystemTime> time;               ///< of the V2 sample
        std::optional<std::uint64_t> v1_raw, v2_raw;  ///< none where it is damaged or no number
        std::optional<double> v1_cooked, v2_cooked;
        Reason v1_reason = Reason::none, v2_reason = Reason::none;
    };
    std::optional<Example> first;
};

/// An instance that only one door had, of an object that both have.
struct ComparedInstance {
    Verdict verdict{};
    std::string machine, object, instance;
    std::uint64_t samples = 0;
    /// Whether it is a difference: the doors were asked at the same moment, and no tolerance was given. Otherwise it
    /// may have come or gone between the two.
    bool differs = false;
};

/// An object that only one door has.
struct ComparedObject {
    Verdict verdict{};
    std::string machine, object;
    std::optional<Guid> counterset;
    std::optional<std::uint32_t> object_index;
    std::uint64_t counters = 0;  ///< that it has: the most at any time
    std::uint64_t samples = 0;
};

/// All that was found.
struct Comparison {
    std::uint64_t v1_samples = 0, v2_samples = 0;  ///< that were given
    std::uint64_t pairs = 0;                       ///< moments at which both doors were asked
    std::uint64_t v1_alone = 0, v2_alone = 0;      ///< samples without one of the other door
    std::uint64_t evicted = 0;  ///< of those: let go to keep to `CompareOptions::buffer`, before a partner came
    std::uint64_t rates_apart =
        0;  ///< pairs whose samples before were no pair: what takes two samples was not compared
    std::uint64_t v1_bytes = 0, v2_bytes = 0;         ///< of all samples of pairs, with what only one door has
    std::int64_t largest_gap = 0;                     ///< nanoseconds between the two samples of a pair, at most
    std::uint64_t unlisted = 0, unlisted_differ = 0;  ///< findings beyond `CompareOptions::buffer`, not in the lists
    std::vector<ComparedObject> objects;
    std::vector<ComparedCounter> counters;
    std::vector<ComparedInstance> instances;

    /// How many counters have this verdict.
    std::uint64_t count(Verdict verdict) const noexcept;
    /// Whether some counters could be compared, and all were equal, with the same instances.
    bool agrees() const noexcept;
};

/// What collecting cost a machine through each door, as the metadata record `collection` of a capture says.
struct CollectionCost {
    /// Through one door.
    struct Interface {
        std::uint64_t samples = 0, bytes = 0, nanoseconds = 0;
    };
    std::string machine;
    Interface v1, v2;
};
/// Entries `machine`, `v1_samples`, `v1_bytes`, `v1_nanoseconds`, and so on for `v2`; what is missing or no number is
/// 0.
CollectionCost read_collection_cost(const std::map<std::string, std::string>& entries);

/// What counts as equal, and how much is remembered.
struct CompareOptions {
    /// Percent of the larger one within which cooked values agree. Above 0, raw numbers are not compared, since they
    /// move on between the doors, nor are reasons beside values. 0: raw and cooked values are equal to the last bit.
    double tolerance = 0;
    std::int64_t window = 500'000'000;  ///< nanoseconds: samples further apart are no pair
    /// Bytes of samples that wait for a partner, at most, and likewise of what is listed.
    std::uint64_t buffer = 512ULL << 20U;
    std::uint32_t machines = Limits{}.machines;  ///< most whose samples may come mixed
};

/// Takes samples of both doors in the order in which they came, each door's by itself in the order of time, and pairs
/// those of one moment: the V2 sample of a machine and its nearest V1 sample within the window, where that has no
/// nearer one. Samples that do not say their machine belong to the only one there is. Objects are matched by the title
/// index that the registration names, else by name; counters by name within them, bases by the counters they serve;
/// instances by name, and by place among equals. No name regards ASCII case.
class Comparer {
  public:
    /// Keeps a reference to `countersets`. Titles and countersets that name samples must outlive it.
    Comparer(const Countersets& countersets, const CompareOptions& options);
    ~Comparer();
    Comparer(const Comparer&) = delete;
    Comparer& operator=(const Comparer&) = delete;

    /// Takes the selected parts of a sample. It and its cooked values are used during the call only.
    void add(const Sample& sample, std::span<const Selected> selected, Cooker& cooker);
    /// No more samples come.
    Comparison finish();

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace hkpd
