// Compares V1 with V2: the same counters, collected through both interfaces. Samples of a performance log count as V1;
// their objects, instances and counters have the names that PDH uses.
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

/// The result of a comparison. An object or counter that only one interface has is not a difference. An instance that
/// only one interface has is a difference if `ComparedInstance::differs` is true.
enum class Verdict : std::uint8_t { equal, differs, only_v1, only_v2 };
/// Returns the name of a verdict: `equal`, `differs`, `only_v1`, `only_v2`.
std::string_view verdict_name(Verdict verdict) noexcept;

/// The result of comparing one counter over all pairs of samples. Both interfaces have the object of the counter.
struct ComparedCounter {
    Verdict verdict = Verdict::equal;
    std::string machine, object, counter;  ///< names; a number such as `#6200` if there is no name
    std::optional<Guid> counterset;
    std::optional<std::uint32_t> object_index, counter_index, counter_id;  ///< V1: title indices; V2: counter id
    /// The types of the counter in V1 and V2, from the first pair of samples in which the two types differ. If they
    /// never differ, from the last pair. `v1_scale` and `v2_scale` below: the same for DefaultScale.
    std::optional<std::uint32_t> v1_type, v2_type;
    std::optional<std::int32_t> v1_scale, v2_scale;
    bool type_differs = false, scale_differs = false;
    /// Number of pairs of values (V1 and V2), and number of these pairs whose raw values differ.
    std::uint64_t values = 0, raw_differ = 0;
    /// Number of pairs whose cooked results were compared, and number of these pairs whose cooked results differ. A
    /// cooked result is a cooked value or the reason why there is none.
    std::uint64_t cooked = 0, cooked_differ = 0;

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

/// An instance that only one interface had. Both interfaces have the object of the instance.
struct ComparedInstance {
    Verdict verdict{};
    std::string machine, object, instance;
    std::uint64_t samples = 0;
    /// True if this instance counts as a difference: no tolerance was given, and in at least one pair of samples both
    /// interfaces were queried at the same moment. If the moments differ, it is possible that the instance appeared or
    /// ended between the two queries.
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
    std::uint64_t v1_samples = 0, v2_samples = 0;  ///< number of samples given
    std::uint64_t pairs = 0;                       ///< number of moments with a sample from each interface
    std::uint64_t v1_alone = 0, v2_alone = 0;      ///< number of samples without a partner from the other interface
    /// Number of samples without a partner that were evicted because a limit of `CompareOptions` was reached.
    std::uint64_t evicted = 0;
    /// Number of pairs of samples whose previous samples were not a pair. In these pairs, cooked values that need two
    /// samples were not compared.
    std::uint64_t rates_apart = 0;
    std::uint64_t v1_bytes = 0, v2_bytes = 0;  ///< bytes of all paired samples, including objects of only one interface
    std::int64_t largest_gap = 0;              ///< most nanoseconds between the two samples of a pair
    /// Number of results that are not in the three lists below because `CompareOptions::buffer` was full, and number of
    /// these results that are differences.
    std::uint64_t unlisted = 0, unlisted_differ = 0;
    std::vector<ComparedObject> objects;
    std::vector<ComparedCounter> counters;
    std::vector<ComparedInstance> instances;

    /// Returns the number of counters with this verdict.
    std::uint64_t count(Verdict verdict) const noexcept;
    /// Returns whether at least one counter was compared, all compared counters were equal, and no instance differs.
    bool agrees() const noexcept;
};

/// The cost of collecting from a machine through each interface. A capture contains it in the metadata record
/// `collection`.
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
    /// Largest difference at which two cooked values count as equal, in percent of the larger value. If above 0,
    /// raw numbers are not compared, because counters advance between the two queries. Where both interfaces have a
    /// cooked value, the reasons are not compared either. If 0, raw and cooked values must be equal to the last bit.
    double tolerance = 0;
    std::int64_t window = 500'000'000;  ///< most nanoseconds between the samples of a pair
    /// Most bytes of samples that wait for a partner. The lists of a `Comparison` may have the same number of bytes in
    /// addition.
    std::uint64_t buffer = 512ULL << 20U;
    std::uint32_t machines = Limits{}.machines;  ///< most machines whose samples may be interleaved
};

/// Pairs and compares samples from both interfaces. Samples are added in the order in which they were read; the samples
/// of each interface must be in the order of time. A V2 sample is paired with the V1 sample of the same machine that is
/// nearest to it in time and within the window. The two are not paired if the next V2 sample is nearer to that V1
/// sample. While only one machine is known, samples that do not name their machine belong to that machine.
///
/// Objects are matched by the title index in the counterset's registration, or else by name. Counters are matched by
/// name. A base is an exception: two bases match if the counters that use them match. Instances are matched by name;
/// the k-th V1 instance with a name is matched with the k-th V2 instance with that name. Names are compared ignoring
/// ASCII case.
class Comparer {
  public:
    /// Keeps a reference to `countersets`. The titles and countersets from which the samples take their names
    /// must outlive the comparer.
    Comparer(const Countersets& countersets, const CompareOptions& options);
    ~Comparer();
    Comparer(const Comparer&) = delete;
    Comparer& operator=(const Comparer&) = delete;

    /// Adds the selected parts of a sample. `sample` and `cooker` are used only during the call.
    void add(const Sample& sample, std::span<const Selected> selected, Cooker& cooker);
    /// Ends the comparison and returns its result. No samples can be added afterwards.
    Comparison finish();

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace hkpd
