// Compares V1 with V2: the same counters, collected through both interfaces. Samples of a performance log count as V1;
// their names are those that PDH uses.
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

/// The result of a comparison. Objects and counters that only one interface has are not differences; instances may be:
/// see `ComparedInstance::differs`.
enum class Verdict : std::uint8_t { equal, differs, only_v1, only_v2 };
/// Returns the name of a verdict: `equal`, `differs`, `only_v1`, `only_v2`.
std::string_view verdict_name(Verdict verdict) noexcept;

/// The result of comparing one counter, of an object that both interfaces have, over all pairs of samples.
struct ComparedCounter {
    Verdict verdict = Verdict::equal;
    std::string machine, object, counter;  ///< names; where there is none, a number: `#6200`
    std::optional<Guid> counterset;
    std::optional<std::uint32_t> object_index, counter_index, counter_id;  ///< V1: title indices; V2: counter id
    std::optional<std::uint32_t> v1_type, v2_type;                         ///< the first that differ, or else the last
    std::optional<std::int32_t> v1_scale, v2_scale;
    bool type_differs = false, scale_differs = false;
    std::uint64_t values = 0, raw_differ = 0;  ///< number of pairs of values; of those, pairs whose raw values differ
    std::uint64_t cooked = 0, cooked_differ = 0;  ///< number of pairs of cooked values or reasons; of those, differing

    /// The first difference.
    struct Example {
        std::string instance;                         ///< name, with `#n` if several instances share it
        std::uint64_t pair = 0;                       ///< number of pairs of samples before this one
        std::optional<SystemTime> time;               ///< time of the V2 sample
        std::optional<std::uint64_t> v1_raw, v2_raw;  ///< none if the value is damaged or not a number
        std::optional<double> v1_cooked, v2_cooked;
        Reason v1_reason = Reason::none, v2_reason = Reason::none;
    };
    std::optional<Example> first;
};

/// An instance that only one interface had, of an object that both have.
struct ComparedInstance {
    Verdict verdict{};
    std::string machine, object, instance;
    std::uint64_t samples = 0;
    /// True if both interfaces were queried at the same moment and no tolerance was given, so that this is a
    /// difference. Otherwise the instance may have appeared or ended between the two queries.
    bool differs = false;
};

/// An object that only one interface has.
struct ComparedObject {
    Verdict verdict{};
    std::string machine, object;
    std::optional<Guid> counterset;
    std::optional<std::uint32_t> object_index;
    std::uint64_t counters = 0;  ///< number of its counters: the maximum over all samples
    std::uint64_t samples = 0;
};

/// The complete result of a comparison.
struct Comparison {
    std::uint64_t v1_samples = 0, v2_samples = 0;  ///< number of samples given
    std::uint64_t pairs = 0;                       ///< number of moments with a sample from each interface
    std::uint64_t v1_alone = 0, v2_alone = 0;      ///< number of samples without a partner from the other interface
    std::uint64_t evicted = 0;  ///< of those, samples evicted to stay within `CompareOptions::buffer`
    /// Number of pairs whose previous samples were not a pair; values that need two samples were not compared in them.
    std::uint64_t rates_apart = 0;
    std::uint64_t v1_bytes = 0, v2_bytes = 0;         ///< of all paired samples, including what only one interface has
    std::int64_t largest_gap = 0;                     ///< most nanoseconds between the two samples of a pair
    std::uint64_t unlisted = 0, unlisted_differ = 0;  ///< findings beyond `CompareOptions::buffer`, not in the lists
    std::vector<ComparedObject> objects;
    std::vector<ComparedCounter> counters;
    std::vector<ComparedInstance> instances;

    /// Returns the number of counters with this verdict.
    std::uint64_t count(Verdict verdict) const noexcept;
    /// Returns whether at least one counter was compared, all compared counters were equal, and no instance differs.
    bool agrees() const noexcept;
};

/// The cost of collecting from a machine through each interface: the metadata record `collection` of a capture.
struct CollectionCost {
    /// The cost through one interface.
    struct Interface {
        std::uint64_t samples = 0, bytes = 0, nanoseconds = 0;
    };
    std::string machine;
    Interface v1, v2;
};
/// Reads the entries `machine`, `v1_samples`, `v1_bytes`, `v1_nanoseconds`, and the same for `v2`. An entry that is
/// missing or not a number counts as 0.
CollectionCost read_collection_cost(const std::map<std::string, std::string>& entries);

/// The criteria of equality, and the limits on memory.
struct CompareOptions {
    /// Percentage of the larger value within which cooked values agree. Above 0, raw values are not compared, since
    /// they advance between the two queries, nor are reasons that accompany values. 0: raw and cooked values are equal
    /// to the last bit.
    double tolerance = 0;
    std::int64_t window = 500'000'000;  ///< most nanoseconds between the samples of a pair
    /// Most bytes of samples that wait for a partner; the same limit applies separately to what is listed.
    std::uint64_t buffer = 512ULL << 20U;
    std::uint32_t machines = Limits{}.machines;  ///< most machines whose samples may be interleaved
};

/// Pairs and compares samples from both interfaces. They are added in the order in which they came, and those of each
/// interface in the order of time. A pair is a V2 sample of a machine and its nearest V1 sample within the window,
/// unless that V1 sample has a nearer V2 sample. Samples that do not name their machine belong to the only one there
/// is.
///
/// Objects are matched by the title index that the registration names, or else by name; their counters by name, bases
/// by the counters they serve; instances by name, and by position among equal names. Names are compared ignoring ASCII
/// case.
class Comparer {
  public:
    /// Keeps a reference to `countersets`. Titles and countersets that name samples must outlive it.
    Comparer(const Countersets& countersets, const CompareOptions& options);
    ~Comparer();
    Comparer(const Comparer&) = delete;
    Comparer& operator=(const Comparer&) = delete;

    /// Takes the selected parts of a sample. It and its cooked values are used during the call only.
    void add(const Sample& sample, std::span<const Selected> selected, Cooker& cooker);
    /// Ends the comparison and returns its result. No samples can be added afterwards.
    Comparison finish();

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace hkpd
