// Who an instance is: its identity over a run, its place in one sample, and the text for either. Nothing else in the
// library numbers instances, or writes or parses the text of an instance.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hkpd/error.hpp"
#include "hkpd/limits.hpp"
#include "hkpd/sample.hpp"

namespace hkpd {

/// The identity of an instance over a run: machine, source and object of the sample, and these members. No two
/// instances of a run are equal in all of them. Names are equal regardless of case.
struct Identity {
    std::optional<std::string_view> parent;  ///< name of the direct parent; none without a parent
    std::string_view name;                   ///< `?` if it is damaged; empty for an object without a list of instances
    bool is_damaged = false;                 ///< whether the name is damaged
    /// Process id: the value of the instance's counter ID Process. If the object has no such counter, the process id of
    /// the parent, or the one that the name states, as in Process V2 (`name:580`), GPU Engine (`pid_580_luid_…`) and
    /// .NET CLR Memory (`name_p580_r5`). None for `_Total`, and if the value is damaged.
    std::optional<std::uint32_t> pid;
    /// V1: UniqueID, V2: InstanceId. None if there is none, or if the instance has a process id.
    std::optional<std::int32_t> instance_id;
    /// The n of `name#n` (see `number_instances`) of an instance that has neither process id nor instance id. Such an
    /// instance is identified by its place alone. Otherwise 0.
    std::uint32_t place = 0;
    /// 1; or 2, 3 and so on, if the ids of an instance that has ended are used again. A process id is used again if
    /// another start time (a counter of the type PERF_ELAPSED_TIME) comes with it or, without start times, if the
    /// instance was missing from a sample; for threads also if another thread id comes with it.
    std::uint32_t life = 1;

    /// Returns `name`, or `name#n` if the instance is identified by its place.
    std::string instance() const;
};

/// The instances of an object of one sample.
struct ObjectInstances {
    std::vector<std::uint32_t> numbers;  ///< number of each instance's identity; `no_index` if it has none
    std::vector<std::uint32_t> places;   ///< the n of `name#n` of each instance in this sample
};

/// The identities of the instances of a run. Numbers are assigned to the instances of the objects that are asked for,
/// sample by sample. Memory is bounded: identities are evicted after their instances have ended, unless `keep` is
/// called; beyond the bound, instances have no identity.
class RunInstances {
  public:
    /// Creates an empty run. `Limits::series`: maximum number of identities. `Limits::names`: maximum number of bytes
    /// of their names.
    explicit RunInstances(const Limits& limits = {});
    RunInstances(RunInstances&&) noexcept;
    RunInstances& operator=(RunInstances&&) noexcept;
    RunInstances(const RunInstances&) = delete;
    RunInstances& operator=(const RunInstances&) = delete;
    ~RunInstances();

    /// Returns the run of which a sample is a part: that of the sample's `Reader`. A sample of no reader is a run of
    /// its own.
    static const std::shared_ptr<RunInstances>& of(const Sample& sample);

    /// Returns the instances of an object of a sample. The first call for an object assigns the numbers; samples must
    /// come in their order. Valid until the first call for another sample.
    const ObjectInstances& instances(const Sample& sample, std::size_t object);
    /// Assigns the numbers of a sample to the instances of all objects that `instances` was called for in an earlier
    /// sample, so that it is known who is missing. Readers call it for each sample.
    void follow(const Sample& sample);
    /// Returns the number of the object in the run: that of its machine, source and title index, and of its position
    /// among the objects of the sample with this title index. `no_index` if there are too many.
    std::uint32_t object_number(const Sample& sample, std::size_t object);
    /// Returns the identity with this number. Its texts are valid as long as the identity is kept.
    Identity operator[](std::uint32_t number) const;
    /// Returns the identity with this number; none for `no_index`, and if the name of the instance is damaged.
    std::optional<Identity> named(std::uint32_t number) const;
    /// Returns the name of the identity with this number without what distinguishes it from others of its name:
    /// `svchost` of `svchost:580` in Process V2, of `svchost_580` with process id 580, and of `svchost#1` in a log of
    /// single counters.
    std::string_view original_name(std::uint32_t number) const;
    std::size_t size() const noexcept;

    /// Makes the numbers and texts of identities valid for the whole run. For callers that keep numbers from one sample
    /// to the next. To be called before the first number is kept.
    void keep() noexcept;
    /// Returns whether any instance was left without a number, because a limit was reached.
    bool overflowed() const noexcept;

    /// Appends the text of an identity as one string that is unique in its object. `[parent/]name`, if only one
    /// identity of the run so far has this name; otherwise with the id, `name:pid` or `parent:pid/name`, as Microsoft's
    /// counterset Process V2 writes it, or with the place, `name#n`. `:life` follows if the run has several lives of
    /// these ids. A name that itself ends like an id, such as `host:80`, is always followed by the id and the life, so
    /// that its text is no other's; if an instance is really called `name:5`, the text of `name` with id 5 is
    /// `name:05`.
    void append_display(std::string& out, std::uint32_t number);
    /// Appends the same with the ids, even if only one identity has this name, and without the life.
    void append_ids(std::string& out, std::uint32_t number) const;
    std::string display(std::uint32_t number);
    /// Returns the same, always with the process id if there is one: for texts that are shown before the run has ended.
    std::string display_with_pid(std::uint32_t number);

  private:
    struct State;
    std::unique_ptr<State> state_;
};

/// Fills `places` with the place of each instance of the object: the number in `name#n`. Instances that have the same
/// name are numbered from 0 in the order of the sample. Two instances have the same name if their own names are equal
/// and the names of their direct parents are equal. Case is ignored.
void number_instances(const Sample& sample, const Object& object, std::vector<std::uint32_t>& places);

/// Appends the text of an instance as PDH shows it: `[parent/]name[#n]`. `#0` is omitted.
void append_place(std::string& out, const Sample& sample, const Instance& instance, std::uint32_t place);

/// Returns whether this is the name of the instance that stands for all others of a machine: `_Total`.
bool is_grand_total(std::string_view name);
/// Returns whether an instance of this name stands for others: `_Total`, or of one node of a machine, as in
/// Processor Information, `0,_Total`.
bool is_total(std::string_view name);
/// Returns whether an instance stands for several others, or for the absence of work: `_Total`, its threads, the
/// process Idle (in Process V2 `Idle:0`) and its threads. `of_processes`: whether the instance is a process.
bool is_aggregate_or_idle(std::string_view parent, std::string_view name, bool of_processes);
/// Returns whether a name or counter path that a user has typed asks for such an instance.
bool asks_for_aggregate_or_idle(std::string_view text);

}  // namespace hkpd
