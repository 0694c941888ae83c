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
#include "hkpd/time_text.hpp"
#include "hkpd/names.hpp"
#include "hkpd/v1.hpp"

namespace hkpd {

/// The state of one value. 0 is sound; `damaged` is ours; anything else is the PDH status (CStatus) that a log has
/// stored with the value.
enum class ValueStatus : std::uint32_t {
    valid = 0,
    no_instance = 0x8000'07D1,  ///< PDH_CSTATUS_NO_INSTANCE (pdhmsg.h)
    damaged = 0xE000'0001,
};

/// A clock with its rate in ticks a second; a rate of 0 is a clock that the producer does not keep.
struct Clock {
    std::int64_t time = 0;       ///< ticks
    std::int64_t frequency = 0;  ///< ticks a second
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
    bool sound(std::size_t row) const noexcept { return status.empty() || status[row] == ValueStatus::valid; }
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
    Object() = default;
    Object(Object&&) = default;
    Object& operator=(Object&&) = default;
    Object(const Object&) = delete;  // views would point into the other
    Object& operator=(const Object&) = delete;
    ~Object() = default;

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

    /// What described the columns. Those of two objects with the same known description differ in what they have for
    /// each value only.
    struct Description {
        std::shared_ptr<const void> by;  // the builder, as long as that is there
        std::uint64_t at = 0;            // how often it had read their definitions
        std::uint64_t place = 0;         // the object's in its sample

        bool known() const noexcept { return by != nullptr; }
        bool operator==(const Description&) const = default;
    };
    /// Lets those who work something out of definitions know whether they have done so before.
    const Description& description() const noexcept { return description_; }

  private:
    friend class SampleBuilder;
    friend class CountersetSampleBuilder;
    friend class LogSampleBuilder;
    friend class LogObjectFiller;
    friend class ColumnFiller;
    friend class InstanceFiller;

    std::vector<std::uint64_t> numbers_;  // the columns, one behind the other
    std::vector<ValueStatus> status_;     // likewise, where any value is damaged
    // Text and byte values; the instances' names, one behind the other. No strings, whose short texts move with them.
    std::vector<char> text_, names_;
    // Of all instances: the object of their parents and the last place there, or that not all have the same object.
    struct Parents {
        std::uint32_t object = 0, last = 0;
        bool differ = false;
    };
    Parents parents_;
    bool unnamed_ = false;      // whether the instances were last built without names
    bool shown_sound_ = false;  // whether the columns were last shown without any status
    Description description_;
    std::vector<std::uint32_t> tables_;                   // of titles, that gave names to columns
    std::uint32_t input_ = no_index, record_ = no_index;  // those of a Diagnostic, of what it was built from
    // What gave the names: they are looked up again only where that has changed.
    struct NamedBy {
        const Titles* titles = nullptr;
        std::size_t tables = 0;
        bool own_titles = false;
        std::string machine;

        bool operator==(const NamedBy&) const = default;
    };
    NamedBy named_by_;
};

/// One moment of one machine. Reusable; names and titles stay valid until the next sample is built into it, titles
/// also no longer than their tables, and names of a log's raw counters no longer than who built it.
class Sample {
  public:
    Sample() = default;
    Sample(Sample&&) = default;
    Sample& operator=(Sample&&) = default;
    Sample(const Sample&) = delete;
    Sample& operator=(const Sample&) = delete;
    ~Sample() = default;

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
    std::span<const Object> objects() const noexcept { return {objects_.data(), used_}; }
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
    std::span<const std::uint32_t> tables() const noexcept { return tables_; }

  private:
    friend class SampleBuilder;
    friend class CountersetSampleBuilder;
    friend class LogSampleBuilder;
    void note_title(std::size_t position);

    std::vector<Object> objects_;  // the first used_ of them count, the others are kept for their memory
    std::size_t used_ = 0;
    // Title index → position of the first object with it. What earlier samples left behind points elsewhere, and is
    // known by that.
    std::map<std::uint32_t, std::size_t> positions_;
    std::vector<std::uint32_t> titles_;  // of the objects, those of the sample before behind them
    bool in_order_ = false;              // whether all so far are those of the sample before
    std::vector<std::uint32_t> tables_;
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

/// Whether a sample has the names of its instances. Without them only their places, ids and parents tell them apart,
/// and a name counts as empty: for who wants numbers alone.
enum class InstanceNames : std::uint8_t { utf8, none };

/// Builds samples from blocks, in one pass over the bytes that validates and copies. Keeps memory between samples.
class SampleBuilder {
  public:
    /// `titles` may be null: then nothing has a name. It must outlive the samples.
    SampleBuilder(const Titles* titles, const Limits& limits, InstanceNames names = InstanceNames::utf8)
        : titles_(titles), limits_(limits), names_(names) {}

    /// Starts a sample with the clocks and the machine of a block.
    void begin(Sample& sample, const v1::Block& block, Diagnostics& diagnostics);
    /// Adds a block's objects to the sample.
    void add(Sample& sample, const v1::Block& block, Diagnostics& diagnostics);
    /// Ends the sample: checks its parents. `number` says how many came before it.
    void finish(Sample& sample, std::uint32_t number, Diagnostics& diagnostics);

  private:
    static void read_machine(Sample& sample, const v1::Block& block, Diagnostics& diagnostics);
    void add_object(Sample& sample, const v1::Object& source, std::uint64_t& values_left, Diagnostics& diagnostics);
    void add_instances(Object& object, const v1::Object& source, bool described, std::uint64_t& values_left,
                       Diagnostics& diagnostics);
    bool name_object(Object& object, const v1::Object& source) const;
    void name_columns(Object& object, const v1::Object& source, bool same_tables) const;
    void check_parents(const Sample& sample, std::uint32_t number, Diagnostics& diagnostics) const;
    void check_parents(const Sample& sample, const Object& object, std::uint32_t number,
                       Diagnostics& diagnostics) const;
    static bool parents_are_sound(const Sample& sample, const Object& object) noexcept;
    std::optional<Titles::Answer> title(std::uint32_t index) const;

    const Titles* titles_;
    Limits limits_;
    InstanceNames names_;
    // Blocks of one sample share one limit, or many small ones could ask for a lot together.
    std::uint64_t values_used_ = 0;
    std::vector<v1::Object> sources_;  // by position in the sample: what was worked out of one serves the next
    v1::Instance instance_;            // at hand
    std::string text_, name_;          // of the object and the instance at hand
    Object::NamedBy naming_by_;        // the block at hand
    // Stands for this builder in what it has built, and is no other's as long as that is there.
    std::shared_ptr<const void> self_ = std::make_shared<char>();
};

}  // namespace hkpd
