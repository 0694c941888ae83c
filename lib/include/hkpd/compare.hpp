// Compares V1 (the registry interface, HKEY_PERFORMANCE_DATA) with V2 (the PerfLib consumer functions): the same
// counters, collected through both interfaces. Samples of a performance log count as V1. In a log, objects, instances
// and counters have the names that PDH uses.
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

/// The result of comparing one counter, instance or object. An object or counter that only one interface has is not a
/// difference. An instance that only one interface has is a difference if `ComparedInstance::differs` is true.
enum class Verdict : std::uint8_t { equal, differs, only_v1, only_v2 };
/// Returns the name of a verdict: `equal`, `differs`, `only_v1`, `only_v2`.
std::string_view verdict_name(Verdict verdict) noexcept;

/// The result of comparing one counter over all pairs of samples. Both interfaces have the object of the counter.
struct ComparedCounter {
    Verdict verdict = Verdict::equal;
    std::string machine, object, counter;  ///< names; a number such as `#6200` stands for a missing name
    std::optional<Guid> counterset;
    /// `object_index`, `counter_index`: title indices in V1. `counter_id`: id of the counter in V2.
    std::optional<std::uint32_t> object_index, counter_index, counter_id;
    /// The types of the counter in V1 and V2. They come from the first pair of samples in which the two types differ
    /// or, if they never differ, from the last pair. `v1_scale` and `v2_scale` below are the values of DefaultScale,
    /// chosen in the same way.
    std::optional<std::uint32_t> v1_type, v2_type;
    std::optional<std::int32_t> v1_scale, v2_scale;
    bool type_differs = false, scale_differs = false;
    /// `values`: number of pairs of a V1 and a V2 value. `raw_differ`: number of these pairs whose raw values differ.
    std::uint64_t values = 0, raw_differ = 0;
    /// `cooked`: number of pairs whose cooked results were compared. `cooked_differ`: number of these pairs whose
    /// cooked results differ. A cooked result is a cooked value and its `Reason`.
    std::uint64_t cooked = 0, cooked_differ = 0;

    /// The first pair of values that differ.
    struct Example {
        /// Name of the instance. If n earlier instances of the object have the same name, `#n` is appended.
        std::string instance;
        std::uint64_t pair = 0;          ///< number of pairs of samples before the pair with this difference
        std::optional<SystemTime> time;  ///< time of the V2 sample
        /// Raw values. None if the value is damaged or not a number.
        std::optional<std::uint64_t> v1_raw, v2_raw;
        std::optional<double> v1_cooked, v2_cooked;  ///< none if there is no cooked value
        Reason v1_reason = Reason::none, v2_reason = Reason::none;
    };
    std::optional<Example> first;
};

/// An instance that only one interface had in at least one pair of samples. Both interfaces have the object of the
/// instance.
struct ComparedInstance {
    Verdict verdict{};
    std::string machine, object, instance;
    std::uint64_t samples = 0;
    /// True if this instance counts as a difference. This requires that `CompareOptions::tolerance` is 0, and that only
    /// one interface had the instance in a pair of samples with the same time. In a pair of samples with different
    /// times, the instance can have appeared or ended between the two queries.
    bool differs = false;
};

/// An object that only one interface has.
struct ComparedObject {
    Verdict verdict{};
    std::string machine, object;
    std::optional<Guid> counterset;
    std::optional<std::uint32_t> object_index;
    std::uint64_t counters = 0;  ///< number of counters of the object; the maximum over all samples
    std::uint64_t samples = 0;
};

/// The complete result of a comparison.
struct Comparison {
    std::uint64_t v1_samples = 0, v2_samples = 0;  ///< number of samples added
    std::uint64_t pairs = 0;                       ///< number of pairs of a V1 and a V2 sample
    std::uint64_t v1_alone = 0, v2_alone = 0;      ///< number of samples that are in no pair
    /// Number of samples that were discarded before a partner could arrive, because a limit of `CompareOptions` was
    /// reached. `v1_alone` and `v2_alone` include these samples.
    std::uint64_t evicted = 0;
    /// Number of pairs of samples for which the previous V1 sample and the previous V2 sample were not a pair. For
    /// these pairs, cooked values that need two samples were not compared, because they are of different intervals.
    std::uint64_t rates_apart = 0;
    /// `v1_bytes`, `v2_bytes`: total size in bytes of the V1 blocks and of the V2 blocks of all paired samples. Objects
    /// that only one interface has are included.
    std::uint64_t v1_bytes = 0, v2_bytes = 0;
    std::int64_t largest_gap = 0;  ///< longest time between the samples of a pair, in nanoseconds
    /// `unlisted`: number of results that are not in the three lists below because the lists reached the size
    /// `CompareOptions::buffer`. `unlisted_differ`: number of these results that are differences.
    std::uint64_t unlisted = 0, unlisted_differ = 0;
    std::vector<ComparedObject> objects;
    std::vector<ComparedCounter> counters;
    std::vector<ComparedInstance> instances;

    /// Returns the number of entries of `counters` with this verdict.
    std::uint64_t count(Verdict verdict) const noexcept;
    /// Returns whether V1 and V2 agree. They agree if at least one counter is equal, no counter differs, and no
    /// instance has `ComparedInstance::differs`.
    bool agrees() const noexcept;
};

/// The cost of collecting from a machine through each interface. A capture contains this cost in the metadata record
/// `collection`.
struct CollectionCost {
    /// The number of samples collected through one interface, their total size, and the time that collecting took.
    struct Interface {
        std::uint64_t samples = 0, bytes = 0, nanoseconds = 0;
    };
    std::string machine;
    Interface v1, v2;
};
/// Reads the cost from the entries of a metadata record: `machine`, `v1_samples`, `v1_bytes`, `v1_nanoseconds`, and the
/// same for `v2`. A number is 0 if its entry is missing or not a number.
CollectionCost read_collection_cost(const std::map<std::string, std::string>& entries);

/// The options of a comparison: the conditions under which two values count as equal and two samples form a pair, and
/// the limits on memory.
struct CompareOptions {
    /// Largest difference at which two cooked values count as equal, in percent of the larger value. If `tolerance` is
    /// 0, raw and cooked values must be equal to the last bit, and their reasons (`Reason`) must be equal. If it is
    /// above 0, raw numbers are not compared, because counters advance between the two queries; reasons are compared
    /// only if an interface has no cooked value.
    double tolerance = 0;
    std::int64_t window = 500'000'000;  ///< longest time between the samples of a pair, in nanoseconds
    /// Maximum size in bytes of all samples that wait for a partner. In addition, the results (the lists in
    /// `Comparison`) may take the same number of bytes.
    std::uint64_t buffer = 512ULL << 20U;
    std::uint32_t machines = Limits{}.machines;  ///< maximum number of machines with interleaved samples
};

/// Pairs and compares samples from both interfaces. The caller adds samples in the order in which they were read; the
/// samples of each interface must be in chronological order. A V2 sample is paired with the V1 sample of the same
/// machine that is nearest in time, if that V1 sample is within `CompareOptions::window`. The two samples are not
/// paired if the next V2 sample is nearer to that V1 sample. While only one machine is known, samples that do not name
/// their machine belong to that machine.
///
/// Objects are matched by the title index that the counterset's registration states or, if no V1 object has this index,
/// by name. Counters are matched by name. Bases often have no name; two bases also match if the counters that use these
/// bases match. Instances are matched by name; the k-th V1 instance with a name is matched with the k-th V2 instance
/// with that name. Names are compared ignoring ASCII case.
class Comparer {
  public:
    /// Keeps a reference to `countersets`. The titles and countersets from which the samples take their names
    /// must outlive the comparer.
    Comparer(const Countersets& countersets, const CompareOptions& options);
    ~Comparer();
    Comparer(const Comparer&) = delete;
    Comparer& operator=(const Comparer&) = delete;

    /// Adds the parts `selected` of `sample` to the comparison. `Cooker::begin` must first be called with `sample` as
    /// the sample to cook. `sample` and `cooker` are used only during the call.
    void add(const Sample& sample, std::span<const Selected> selected, Cooker& cooker);
    /// Ends the comparison and returns its result. No samples can be added afterwards.
    Comparison finish();

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace hkpd
