// A sample: the objects of one machine at one time. Each object has a column of raw values for each counter. Samples
// have the same members whether they were built from V1 blocks, from V2 blocks or from a row of a log. The memory of a
// sample can be reused for the next sample.
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
#include "hkpd/zone.hpp"

namespace hkpd {

class Diagnostics;

/// Status of a value. Every status except `damaged` and `not_recorded` is a PDH status (CStatus). Windows stores such a
/// status in a log with each value; `valid` and `no_instance` are only two of the possible statuses. hkpd itself sets
/// `no_instance` if a log contains an instance for some counters of an object, but not for the counter to which the
/// value belongs.
enum class ValueStatus : std::uint32_t {
    valid = 0,
    no_instance = 0x8000'07D1,  ///< PDH_CSTATUS_NO_INSTANCE (pdhmsg.h)
    damaged = 0xE000'0001,      ///< the value cannot be read; hkpd defines this status, Windows does not
    /// The cell of a text log states that there is no value. `Column::values` has its text, up to 8 characters in
    /// little endian order. hkpd defines this status, too.
    not_recorded = 0xE000'0002,
};

using v1::Kind;
using v1::Storage;

/// The source of a sample: the interface through which its data was collected, or a log.
enum class SampleSource : std::uint8_t {
    v1,   ///< HKEY_PERFORMANCE_DATA
    v2,   ///< the PerfLib consumer functions
    log,  ///< a performance log; the interface that the writer of the log used is unknown
};
/// Number of values of `SampleSource`.
inline constexpr std::size_t sample_sources = 3;
/// Returns the name of a source: `v1`, `v2` or `log`.
std::string_view source_name(SampleSource source) noexcept;

/// A counter of an object, and its values. Value i belongs to instance i of the object.
struct Column {
    /// V1: CounterNameTitleIndex. V2: CounterId, or `v2::no_id` if the id is unknown. Raw counter of a log: a number
    /// from `first_logged` on, which stands for the counter's name.
    std::uint32_t title_index = 0;
    std::uint32_t help_index = 0;
    std::uint32_t type = 0;        ///< CounterType; `no_counter_type` if unknown
    std::uint64_t attributes = 0;  ///< V2: flags of `v2::attribute`
    std::uint32_t size = 0;        ///< size in bytes of a value in the source
    /// V1: offset of the value, from the start of its counter block. V2: offset of the PERF_COUNTER_DATA with the first
    /// value, from the start of the data block; if the column has no values, offset of the PERF_COUNTER_HEADER.
    std::uint32_t offset = 0;
    std::int32_t scale = 0;          ///< DefaultScale: programs show the value × 10^scale
    std::uint32_t detail_level = 0;  ///< 100 novice to 400 wizard (winperf.h PERF_DETAIL_*)
    std::int32_t base = -1;          ///< position in `Object::columns` of the base counter; -1 if there is no base
    /// V2: positions in `Object::columns` of three related counters, to which PerfTimeId (time stamp), PerfFreqId
    /// (frequency of the time stamp) and MultiId (number of instances) refer. -1 if the id refers to no counter;
    /// `not_there` if the id refers to a counter that is not in the sample.
    std::int32_t time = -1, frequency = -1, multi = -1;
    /// Value of `time`, `frequency` or `multi` if the id refers to a counter that is not in the sample. When values are
    /// cooked, the clock of the object or of the block must not replace the missing counter, because the result would
    /// be wrong.
    static constexpr std::int32_t not_there = -2;
    Storage storage = Storage::number;  ///< determines whether `values` has numbers, or positions of text or bytes
    std::optional<Titles::Answer> name, help;  ///< none if unknown; V2: their `Answer::table` is `no_index`

    /// The raw values. Text and bytes columns: positions of the values in a buffer of the object; `Object::bytes` reads
    /// the values from this buffer.
    std::span<const std::uint64_t> values;
    /// A second number for each value. Text and bytes columns: the length of the value in bytes. Raw counters of a log:
    /// SecondValue of PDH_RAW_COUNTER (pdh.h), the base or the clock. V1 multi timers without a base counter: the
    /// number of instances. Empty for all other columns.
    std::span<const std::uint64_t> second;
    /// Status of each value; empty if all values are valid.
    std::span<const ValueStatus> status;
    /// Raw counters of a log, for each value: MultiCount, and the time at which the value was collected (100 ns since
    /// 1601, UTC). Empty for all other columns.
    std::span<const std::uint64_t> multi_count, taken;
    /// Raw counters of a log: frequency, in ticks per second, of the clock that the counter type uses. None for all
    /// other columns, which use the clock of the object or the block.
    std::optional<std::int64_t> time_base;

    /// Returns whether the column is a raw counter of a log. In such a column, `second` has the base or the clock of
    /// each value.
    bool logged() const noexcept { return time_base.has_value(); }
    /// Returns whether the value of an instance may be used. `row` must be below the number of instances.
    bool is_valid(std::size_t row) const noexcept { return status.empty() || status[row] == ValueStatus::valid; }
};

/// A name in UTF-8, or none. The class works like `std::optional<std::string_view>`, but has 16 bytes instead of 24,
/// because a sample holds a name for each instance. The operator `*` must be used only if there is a name. An
/// `OptionalName` does not own its text.
class OptionalName {
  public:
    OptionalName() = default;
    /// Constructs a name from a text, which may be empty. The text is not copied and must outlive this object.
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

/// The id of an instance (V1: UniqueID; V2: InstanceId), or none. The class works like `std::optional`. If there is no
/// id, the stored number is -1, which is also the value of PERF_NO_UNIQUE_ID in V1 and of `v2::any_instance` in V2.
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

/// The identity of an instance in one sample: its name, its id and its parent.
struct Instance {
    /// Name; none if the name is damaged, empty for a single-instance object. Because of the attribute, `unique_id`
    /// takes the unused bytes at the end of `name`, which saves memory.
    [[no_unique_address]] OptionalName name;
    InstanceId unique_id;               ///< V1: UniqueID; V2: InstanceId
    std::uint32_t parent_object = 0;    ///< title index of the object that contains the parent; 0 if there is no parent
    std::uint32_t parent_instance = 0;  ///< position of the parent in the instances of that object
    std::uint64_t offset = 0;           ///< offset of the instance in the input
};

/// An object with its instances and columns.
struct Object {
    Object();
    Object(Object&&) noexcept;  // a moved-from object can only be destroyed or assigned to
    Object& operator=(Object&&) noexcept;
    Object(const Object&) = delete;  // a copy's views would point into the original
    Object& operator=(const Object&) = delete;
    ~Object();

    /// V1: ObjectNameTitleIndex. Object with raw counters of a log: a number from `first_logged` on that hkpd assigns
    /// to the object, because the log contains only its name. V2: the number that identifies the counterset in this run
    /// (`Counterset::number`). If the counterset of a V2 result is unknown: `first_unknown_result` plus the position of
    /// the result in its block.
    std::uint32_t title_index = 0;
    std::uint32_t help_index = 0;
    std::optional<Guid> counterset;  ///< V2: GUID of the counterset, if known
    std::uint32_t detail_level = 0;
    std::uint32_t code_page = 0;  ///< V1: code page of the instance names in the input; 0 if they are in UTF-16
    Kind kind = Kind::multi;
    Clock clock;                               ///< PerfTime and PerfFreq of the object
    std::optional<Titles::Answer> name, help;  ///< none if unknown; V2: their `Answer::table` is `no_index`
    std::vector<Column> columns;      ///< in the order of the definitions; each has one value for each instance
    std::vector<Instance> instances;  ///< in the order of the input; one for a single-instance object

    /// Returns a value of a column whose storage is text or bytes. A text is returned as UTF-8. Returns an empty view
    /// if the value is damaged.
    std::string_view bytes(const Column& column, std::size_t row) const noexcept;

    /// Data that the builders of samples reuse for the next sample. Defined only in the library's sources.
    struct Memory;
    Memory& memory() noexcept { return *memory_; }
    const Memory& memory() const noexcept { return *memory_; }

  private:
    std::unique_ptr<Memory> memory_;
};

/// The counters of one machine at one time. The next sample can be built into the same `Sample` object; this
/// invalidates the names of instances. Names of objects and counters are views: they are valid only as long as the
/// title tables or registrations exist or, for the raw counters of a log, as long as the `Reader` exists.
class Sample {
  public:
    Sample();
    Sample(Sample&&) noexcept;  // a moved-from sample can only be destroyed or assigned to
    Sample& operator=(Sample&&) noexcept;
    Sample(const Sample&) = delete;
    Sample& operator=(const Sample&) = delete;
    ~Sample();

    std::optional<std::string> machine;     ///< name of the machine; none if it is damaged
    std::optional<SystemTime> system_time;  ///< UTC; none if it is not a date and time of the calendar
    Clock perf;                             ///< PerfTime and PerfFreq of the data block
    std::int64_t perf_time_100ns = 0;       ///< PerfTime100nSec: 100 ns since 1601 (UTC)
    std::int32_t default_object = 0;        ///< V1: title index of the object to show first; -1 if there is none
    SampleSource source = SampleSource::v1;
    /// Logs: the time zone of the machine that wrote the log, at the time of the sample. None for samples from blocks.
    std::optional<TimeZone> zone;
    /// Logs: the same time zone, with its rules for all times. `Zone::unstated` for a text log that states no zone: its
    /// times, and `system_time`, are local times of the machine.
    std::optional<Zone> zone_rules;
    /// Returns false if the sample's times are local times of which no zone is known.
    bool is_zone_stated() const noexcept { return !zone_rules || zone_rules->is_stated(); }
    /// Returns the zone in which the sample's times are shown: the requested one, otherwise that of the log, otherwise
    /// UTC. Local times of which no zone is known stay as they are. Valid as long as both objects.
    const Zone& shown_zone(const std::optional<Zone>& requested) const noexcept;
    std::uint64_t bytes = 0;  ///< size in bytes of all blocks of the sample, or of its row in a log

    /// The place in the input of a sample's first block, or of its row in a log. `input`: position in
    /// `Diagnostics::inputs()`. `record`: in captures and logs, the number of records before this one in the file;
    /// otherwise `no_index`. `offset`: offset in bytes from the start of the record or, without a record number, from
    /// the start of the input.
    struct Origin {
        std::uint32_t input = no_index, record = no_index;
        std::uint64_t offset = 0;

        bool operator==(const Origin&) const = default;
    };
    Origin origin;

    /// Returns the objects in the order of the input. Valid until the next sample is built into this one.
    std::span<const Object> objects() const noexcept;
    /// Returns the position in `objects()` of the first object with a title index; none if no object has it.
    std::optional<std::size_t> find(std::uint32_t title_index) const noexcept;

    /// A reference to an instance by its position.
    struct InstanceRef {
        std::size_t object, instance;  ///< positions in `objects()` and `Object::instances`
    };
    /// Returns the parent of an instance; none if the instance has no parent, or the parent is not in the sample.
    std::optional<InstanceRef> parent(const Instance& instance) const noexcept;

    /// Returns the title tables from which at least one name in this sample comes, as positions in `Titles::tables()`.
    /// The tables are in the order of `Titles::order()`.
    std::span<const std::uint32_t> tables() const noexcept;

    /// Data that the builders of samples reuse for the next sample. Defined only in the library's sources.
    struct Memory;
    Memory& memory() const noexcept { return *memory_; }

  private:
    std::unique_ptr<Memory> memory_;
};

/// Returns the SystemTime of a sample in nanoseconds since 1970 (UTC), clamped to the range of 64 bits; none if the
/// sample has no SystemTime.
std::optional<std::int64_t> unix_time(const Sample& sample) noexcept;

}  // namespace hkpd
