// One moment of one machine: objects, and in each a column of raw values per counter. The same shape whether it was
// built from V1 blocks, V2 blocks or the row of a log. Memory is kept and used again by the next sample.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hkpd/error.hpp"
#include "hkpd/guid.hpp"
#include "hkpd/limits.hpp"
#include "hkpd/names.hpp"
#include "hkpd/time.hpp"
#include "hkpd/v1.hpp"

namespace hkpd {

class Diagnostics;

/// The state of one value. 0 is sound; `damaged` is ours; anything else is the PDH status (CStatus) that a log has
/// stored with the value.
enum class ValueStatus : std::uint32_t {
    valid = 0,
    no_instance = 0x8000'07D1,  ///< PDH_CSTATUS_NO_INSTANCE (pdhmsg.h)
    damaged = 0xE000'0001,
};

using v1::Kind;
using v1::Storage;

/// Through which door the data came.
enum class SampleSource : std::uint8_t {
    v1,   ///< HKEY_PERFORMANCE_DATA
    v2,   ///< the PerfLib consumer functions
    log,  ///< a performance log, whichever door its writer used
};
/// How many there are.
inline constexpr std::size_t sample_sources = 3;
/// `v1`, `v2`, `log`.
std::string_view source_name(SampleSource source) noexcept;

/// A counter and its column: value i belongs to instance i of the object.
struct Column {
    /// V1: CounterNameTitleIndex; V2: CounterId, `v2::no_id` where nothing tells it; logged: from `first_logged` on.
    std::uint32_t title_index = 0;
    std::uint32_t help_index = 0;
    std::uint32_t type = 0;        ///< CounterType; `no_counter_type` where nothing tells it
    std::uint64_t attributes = 0;  ///< V2: `v2::attribute`
    std::uint32_t size = 0;        ///< bytes of a value in the source
    /// V1: place of the value in its counter block. V2: of the first one's PERF_COUNTER_DATA in the data block, or of
    /// the result where it has none.
    std::uint32_t offset = 0;
    std::int32_t scale = 0;          ///< DefaultScale: shown as value × 10^scale
    std::uint32_t detail_level = 0;  ///< 100 novice to 400 wizard (winperf.h PERF_DETAIL_*)
    std::int32_t base = -1;          ///< position in `Object::columns` of the counter that serves as base; -1 none
    /// V2: positions of the counters that serve as time stamp, as its frequency and as instance count (PerfTimeId,
    /// PerfFreqId, MultiId); -1 none, `not_there` where there is one, but not in the sample: then no other clock
    /// counts.
    std::int32_t time = -1, frequency = -1, multi = -1;
    /// See above.
    static constexpr std::int32_t not_there = -2;
    Storage storage = Storage::number;         ///< what `values` hold: numbers, or places of text or bytes
    std::optional<Titles::Answer> name, help;  ///< none where no table knows the index; V2: of table `no_index`

    /// The raw values. Of text and bytes columns: places in the object's text, see `Object::bytes`.
    std::span<const std::uint64_t> values;
    /// A second number beside each value: of text and bytes columns the length, of logged counters SecondValue. Empty
    /// where the column has none.
    std::span<const std::uint64_t> second;
    /// One for each value; empty where all are sound.
    std::span<const ValueStatus> status;
    /// Of logged counters, beside each value: MultiCount, and when it was taken (100 ns since 1601, UTC).
    std::span<const std::uint64_t> multi_count, taken;
    /// Of logged counters: ticks a second of the clock that the type asks for. None where the object's or the block's
    /// clock counts.
    std::optional<std::int64_t> time_base;

    /// Whether the values are raw counters of a log: then `second` is their base or clock.
    bool logged() const noexcept { return time_base.has_value(); }
    /// Whether the value of an instance may be used. `row` is below the number of instances.
    bool is_valid(std::size_t row) const noexcept { return status.empty() || status[row] == ValueStatus::valid; }
};

/// A name in UTF-8, or none: an optional string_view of two thirds the size, as a sample has one for each instance.
/// It is asked as that is: `*` only where there is one. Views a text that is not its own.
class OptionalName {
  public:
    OptionalName() = default;
    /// A name, which may be empty. The text is viewed, not copied.
    explicit OptionalName(std::string_view text) noexcept
        : data_(text.empty() ? "" : text.data()), size_(static_cast<std::uint32_t>(text.size())) {}

    explicit operator bool() const noexcept { return data_ != nullptr; }
    bool has_value() const noexcept { return data_ != nullptr; }
    std::string_view operator*() const noexcept { return {data_, size_}; }
    std::string_view value_or(std::string_view other) const noexcept { return data_ != nullptr ? **this : other; }
    operator std::optional<std::string_view>() const noexcept {
        return data_ != nullptr ? std::optional(**this) : std::nullopt;
    }
    bool operator==(const OptionalName& other) const noexcept {
        return has_value() == other.has_value() && value_or("") == other.value_or("");
    }
    bool operator==(std::string_view text) const noexcept { return data_ != nullptr && **this == text; }

  private:
    const char* data_ = nullptr;
    std::uint32_t size_ = 0;
};

/// A UniqueID or InstanceId, or none: -1 is none for V1 (PERF_NO_UNIQUE_ID) and stands for any in V2. It is asked as an
/// optional is.
class InstanceId {
  public:
    InstanceId() = default;
    explicit InstanceId(std::int32_t id) noexcept : id_(id) {}

    explicit operator bool() const noexcept { return id_ != v1::no_unique_id; }
    std::int32_t operator*() const noexcept { return id_; }
    std::int32_t value_or(std::int32_t other) const noexcept { return *this ? id_ : other; }
    bool operator==(const InstanceId&) const = default;
    bool operator==(std::int32_t id) const noexcept { return *this && id_ == id; }

  private:
    std::int32_t id_ = v1::no_unique_id;
};

/// An instance's identity, as far as one sample can tell it.
struct Instance {
    /// None where it is damaged; empty for an object that is no list. The id lies where the name leaves room.
    [[no_unique_address]] OptionalName name;
    InstanceId unique_id;               ///< V2: InstanceId
    std::uint32_t parent_object = 0;    ///< title index of the parent's object; 0 none
    std::uint32_t parent_instance = 0;  ///< its place in that object's list
    std::uint64_t offset = 0;           ///< where it stands in the input
};

/// An object with its instances and columns.
struct Object {
    Object();
    Object(Object&&) noexcept;  // what was moved from can be destroyed and assigned to, and nothing else
    Object& operator=(Object&&) noexcept;
    Object(const Object&) = delete;  // views would point into the other
    Object& operator=(const Object&) = delete;
    ~Object();

    /// V1: ObjectNameTitleIndex. Raw counters of a log: a number from `first_logged` on. V2: a number that stands for
    /// the counterset in this run (`Counterset::number`), or `first_unknown_result` and the place of a result of which
    /// nothing tells the counterset.
    std::uint32_t title_index = 0;
    std::uint32_t help_index = 0;
    std::optional<Guid> counterset;  ///< V2, where it is known
    std::uint32_t detail_level = 0;
    std::uint32_t code_page = 0;  ///< V1: that the names of its instances came in; 0: UTF-16. Here they are UTF-8
    Kind kind = Kind::multi;
    Clock clock;                               ///< PerfTime and PerfFreq of the object
    std::optional<Titles::Answer> name, help;  ///< as those of `Column`
    std::vector<Column> columns;               ///< in the order of the definitions; each as long as `instances`
    std::vector<Instance> instances;           ///< in the order of the input; of what is no list: one

    /// A value of a text (as UTF-8) or bytes column; empty where it is damaged.
    std::string_view bytes(const Column& column, std::size_t row) const noexcept;

    /// What builders keep of an object from sample to sample; defined in the library's sources alone.
    struct Memory;
    Memory& memory() noexcept { return *memory_; }
    const Memory& memory() const noexcept { return *memory_; }

  private:
    std::unique_ptr<Memory> memory_;
};

/// One moment of one machine. Reusable; names and titles stay valid until the next sample is built into it, titles
/// also no longer than their tables, and names of a log's raw counters no longer than who built it.
class Sample {
  public:
    Sample();
    Sample(Sample&&) noexcept;  // what was moved from can be destroyed and assigned to, and nothing else
    Sample& operator=(Sample&&) noexcept;
    Sample(const Sample&) = delete;
    Sample& operator=(const Sample&) = delete;
    ~Sample();

    std::optional<std::string> machine;     ///< none where it is damaged
    std::optional<SystemTime> system_time;  ///< none where it is no moment of the calendar
    Clock perf;                             ///< PerfTime and PerfFreq of the data block
    std::int64_t perf_time_100ns = 0;       ///< PerfTime100nSec: since 1601 (UTC)
    std::int32_t default_object = 0;        ///< V1: title index of the object to show first; -1 none
    SampleSource source = SampleSource::v1;
    /// Of a log: that of the machine that wrote it, at this moment.
    std::optional<TimeZone> zone;
    std::uint64_t bytes = 0;  ///< of all its blocks

    /// Where its first block stands, of a log its row: what `Diagnostic` says of that.
    struct Origin {
        std::uint32_t input = no_index, record = no_index;
        std::uint64_t offset = 0;

        bool operator==(const Origin&) const = default;
    };
    Origin origin;

    /// In the order of the input. Valid until the next sample is built into it.
    std::span<const Object> objects() const noexcept;
    /// Position of the first object with a title index.
    std::optional<std::size_t> find(std::uint32_t title_index) const noexcept;

    /// An instance by its place.
    struct InstanceRef {
        std::size_t object, instance;  ///< positions in `objects()` and `Object::instances`
    };
    /// The parent of an instance; none where it has none or its object or place is not in the sample.
    std::optional<InstanceRef> parent(const Instance& instance) const noexcept;

    /// Positions of the tables (`Titles::tables()`) that gave a name to anything here, in the order in
    /// which they are asked.
    std::span<const std::uint32_t> tables() const noexcept;

    /// What builders keep from sample to sample; defined in the library's sources alone.
    struct Memory;
    Memory& memory() noexcept { return *memory_; }

  private:
    std::unique_ptr<Memory> memory_;
};

/// Nanoseconds since 1970 (UTC) of a moment of the calendar.
std::int64_t unix_time(const SystemTime& time) noexcept;
/// Likewise of a sample; none where its SystemTime is no moment of the calendar.
std::optional<std::int64_t> unix_time(const Sample& sample) noexcept;

/// How an instance stands among others that are called the same: 0 for the first, in the order of the sample; what
/// `name#index` shows. Instances are called the same where their names and those of their direct parents are, ignoring
/// ASCII case. Fills `indices` with one for each instance of the object.
void number_instances(const Sample& sample, const Object& object, std::vector<std::uint32_t>& indices);

/// The same for one object after the other: keeps its memory, at most 16 bytes for each instance.
class InstanceNumbers {
  public:
    /// As `number_instances`.
    void number(const Sample& sample, const Object& object, std::vector<std::uint32_t>& indices);

  private:
    void find_parents(const Sample& sample, const Object& object);

    std::vector<std::uint32_t> parents_;  // for each row; empty where none has a parent
    std::vector<std::uint32_t> table_;
};

/// The parent of an instance, its parent, and so on: at most `most`, and none twice.
std::vector<Sample::InstanceRef> ancestors(const Sample& sample, const Instance& instance, std::uint32_t most);

/// Names of an instance's ancestors and its own, `/` between: `svchost/0`. Chains are cut where they lead back to
/// themselves, at the limit of `Limits::parents`, and where a parent is not in the sample.
void append_instance_path(std::string& out, const Sample& sample, const Object& object, std::size_t row,
                          const Limits& limits = {});

}  // namespace hkpd
