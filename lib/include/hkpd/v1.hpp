// The V1 format: what RegQueryValueEx(HKEY_PERFORMANCE_DATA) returns, as zero-copy views.
//
//       PERF_DATA_BLOCK            Block      header, machine name, the chain of objects
//         PERF_OBJECT_TYPE         Object     header, counter definitions
//           PERF_COUNTER_DEFINITION  Counter
//           PERF_INSTANCE_DEFINITION Instance and its PERF_COUNTER_BLOCK, met in a chain
//
// Structures: winperf.h, learn.microsoft.com "Performance Data Format". The members keep Microsoft's names.
// Views point into the input and are valid as long as it is. Nothing here knows titles or formulas.
#pragma once

#include <array>
#include <cstdint>
#include <expected>
#include <iterator>
#include <optional>
#include <span>
#include <vector>

#include "hkpd/bytes.hpp"
#include "hkpd/error.hpp"
#include "hkpd/time.hpp"

namespace hkpd {

class FaultSink;

}  // namespace hkpd

namespace hkpd::v1 {

/// PERF_DATA_BLOCK without its signature. Lengths and offsets in bytes from the block's start; PerfTime in ticks,
/// PerfFreq in ticks a second, PerfTime100nSec since 1601 (UTC). As the input has it, whatever that says.
struct DataBlock {
    std::uint32_t LittleEndian, Version, Revision, TotalByteLength, HeaderLength, NumObjectTypes;
    std::int32_t DefaultObject;
    hkpd::SystemTime SystemTime;
    std::int64_t PerfTime, PerfFreq, PerfTime100nSec;
    std::uint32_t SystemNameLength, SystemNameOffset;
};

/// PERF_OBJECT_TYPE. Lengths in bytes from its own start; NumInstances is below zero for what is no list:
/// `no_instances` and its like; CodePage 0 says that names of instances are UTF-16. PerfTime and PerfFreq are the
/// object's own clock, 0 where it has none.
struct ObjectType {
    std::uint32_t TotalByteLength, DefinitionLength, HeaderLength, ObjectNameTitleIndex, ObjectHelpTitleIndex;
    std::uint32_t DetailLevel, NumCounters;
    std::int32_t DefaultCounter, NumInstances;
    std::uint32_t CodePage;
    std::int64_t PerfTime, PerfFreq;
};

/// PERF_COUNTER_DEFINITION. CounterSize in bytes; CounterOffset from the start of each PERF_COUNTER_BLOCK.
struct CounterDefinition {
    std::uint32_t ByteLength, CounterNameTitleIndex, CounterHelpTitleIndex;
    std::int32_t DefaultScale;
    std::uint32_t DetailLevel, CounterType, CounterSize, CounterOffset;
};

/// PERF_INSTANCE_DEFINITION. ByteLength counts the name too; NameOffset from its own start, NameLength in bytes with
/// the NUL.
struct InstanceDefinition {
    std::uint32_t ByteLength, ParentObjectTitleIndex, ParentObjectInstance;
    std::int32_t UniqueID;
    std::uint32_t NameOffset, NameLength;
};

/// NumInstances of an object that is no list (winperf.h PERF_NO_INSTANCES), and of the two kinds that
/// `MetadataGlobal` queries return, which have definitions only.
/// @{
inline constexpr std::int32_t no_instances = -1, metadata_multiple = -2, metadata_no_instances = -3;
/// @}
/// UniqueID of an instance that is told by its name (winperf.h PERF_NO_UNIQUE_ID).
inline constexpr std::int32_t no_unique_id = -1;

/// Whether an object is a list of instances, and whether it has values at all (`MetadataGlobal` returns none).
enum class Kind : std::uint8_t { single, multi, metadata_single, metadata_multi };

/// Where an object lies, from the chain that `Block::open` has checked. `bytes` never reaches into the next object.
struct ObjectEntry {
    Bytes bytes;
    std::uint32_t title_index = 0;
};

/// Whether the bytes begin with PERF in UTF-16, in either byte order.
bool has_signature(Bytes input) noexcept;

/// Whether a block begins here, among bytes that may be anything: the signature, and a byte order flag or version that
/// goes with it. Looks at 16 bytes.
bool is_block(Bytes input) noexcept;

/// A block whose header is sound and whose chain of objects has been followed. Reusable: `open` keeps the memory.
class Block {
  public:
    /// Reads the header and the chain of objects. Fails only where the header cannot be read at all. What else is
    /// wrong is added to `faults`, and what is sound is kept:
    /// - a wrong TotalByteLength of an object costs at most that object, as long as the chain behind it can be found;
    /// - Samba's TotalByteLength without the header and Wine's 88 stray bytes behind it are recognised.
    std::expected<void, Error> open(Bytes input, const FaultSink& faults);

    /// What `open` has read last; meaningless where it has failed, as all that follows.
    const DataBlock& header() const noexcept { return header_; }
    ByteOrder order() const noexcept { return order_; }
    /// The bytes that belong to this block; the input may go on with the next.
    Bytes bytes() const noexcept { return bytes_; }
    /// Name of the machine: empty where the block gives none, none where it is damaged.
    std::optional<EncodedText> machine() const noexcept { return machine_; }
    /// In the order of the block. Valid until `open` is called again.
    std::span<const ObjectEntry> objects() const noexcept { return objects_; }
    /// The first object with this ObjectNameTitleIndex.
    const ObjectEntry* object(std::uint32_t title_index) const noexcept;
    /// Whether the title indices are the producer's own, unknown to Windows' titles (Samba's numbering).
    bool own_title_indices() const noexcept { return length_without_header_; }

  private:
    DataBlock header_{};
    ByteOrder order_ = ByteOrder::little;
    bool length_without_header_ = false;
    Bytes bytes_;
    std::optional<EncodedText> machine_;
    std::vector<ObjectEntry> objects_;
};

/// How the bytes of a counter's value are to be read.
enum class Storage : std::uint8_t {
    number,  ///< 4 or 8 bytes: an unsigned integer
    text,    ///< PERF_COUNTER_TEXT, of CounterSize bytes
    bytes,   ///< any other size, 0 included
};

/// A counter definition whose structure is sound.
struct Counter {
    CounterDefinition definition{};
    std::uint64_t offset = 0;   ///< absolute offset of the definition
    std::uint32_t ordinal = 0;  ///< place among the NumCounters definitions, lost ones counted
    /// Position in `Object::counters()` of the base counter that serves this one: the definition right behind it; -1
    /// where it has none.
    std::int32_t base = -1;
    Storage storage = Storage::number;  ///< how `CounterSize` bytes are to be read
    bool readable = true;               ///< false where no counter block can hold it: it has no values
    std::uint8_t number_size = 0;       ///< 4 or 8, where its values are numbers that can be read; else 0
    /// CounterOffset + CounterSize, without overflow.
    std::uint64_t value_end() const noexcept {
        return std::uint64_t{definition.CounterOffset} + definition.CounterSize;
    }
};

/// One instance with its counter block; for an object that is no list, the lone counter block without definition.
class Instance {
  public:
    std::uint64_t offset = 0;   ///< absolute offset of the definition, or of the lone counter block
    std::uint32_t ordinal = 0;  ///< place in the list, which ParentObjectInstance counts
    Bytes block;                ///< the counter block, as far as its ByteLength and the object reach
    Bytes slack;                ///< the block and the unclaimed bytes behind it, where it is the last of its object

    /// Reads the fields of its PERF_INSTANCE_DEFINITION; zeros and `no_unique_id` where there is none.
    InstanceDefinition definition() const noexcept;
    /// Finds its name, which is checked to lie inside the definition: none where it does not, empty where NameLength is
    /// 0 or there is no definition.
    std::optional<EncodedText> name() const noexcept;

  private:
    friend class Object;

    Bytes definition_;
    std::uint32_t code_page_ = 0;  // of the name
    ByteOrder order_ = ByteOrder::little;
};

/// Where a number stands in each counter block of an object: one of the counters with `Storage::number` that a block
/// can hold. Read by `load_number`.
struct NumberPlace {
    std::uint32_t offset = 0;   ///< CounterOffset
    std::uint32_t size = 0;     ///< 4 or 8
    std::uint32_t counter = 0;  ///< position in `Object::counters()`
};

/// Where an instance stands that nothing is to be said of, as offsets from the object's first byte.
struct InstancePlace {
    std::uint32_t definition, block;
};
/// So many instances are best read at a time: their blocks stay in the nearest cache while counter after counter is
/// read (measured: more than twice as fast as counter by counter over all, a quarter faster than 256 at a time).
inline constexpr std::size_t instances_at_once = 40;

class InstanceReader;

/// An object's header and counter definitions. Reusable: `open` keeps the memory, and what it worked out of definitions
/// that come again.
class Object {
  public:
    /// Reads the definitions. Fails where the header is so wrong that nothing of the object can be told.
    /// A bad definition costs that counter, one whose length is lost costs those behind it too.
    std::expected<void, Error> open(const Block& block, const ObjectEntry& entry, const FaultSink& faults);

    /// What `open` has read last. Views into the input; spans are valid until `open` is called again.
    const ObjectType& header() const noexcept { return header_; }
    Kind kind() const noexcept { return kind_; }
    Bytes bytes() const noexcept { return bytes_; }
    ByteOrder order() const noexcept { return order_; }
    std::span<const Counter> counters() const noexcept { return counters_; }
    /// How often definitions were read: as long as this stays the same, so do `counters`, but for their `offset`.
    std::uint64_t readings() const noexcept { return readings_; }
    /// Those of the counters that are numbers, in their order: worked out once, and not anew for each instance.
    std::span<const NumberPlace> numbers() const noexcept { return numbers_; }
    /// What the values of one instance count against `Limits::values`: 1 for each, more for long ones.
    std::uint64_t values_per_instance() const noexcept { return values_per_instance_; }
    /// The shortest counter block that holds every readable counter.
    std::uint64_t values_end() const noexcept { return values_end_; }
    /// How many instances to expect: what NumInstances says, as far as the bytes allow; 1 for an object that is no
    /// list.
    std::uint32_t expected_instances() const noexcept;

    /// Walks the instances once and reports what is wrong with them. After it `instances` and `whole` can be asked.
    void validate(std::uint64_t& values_left, const FaultSink& faults);
    /// How many instances are sound.
    std::uint32_t count() const noexcept { return count_; }
    /// Whether every readable counter lies inside the counter block of every sound instance.
    bool whole() const noexcept { return whole_; }

    /// The sound instances of a `validate`d object, for range-for: cannot fail, allocates nothing.
    class Iterator;
    class Range;
    Range instances() const noexcept;

  private:
    friend class InstanceReader;
    void read_counters(const FaultSink& faults);
    void read_counter(std::uint64_t at, std::uint32_t ordinal, const FaultSink& faults);
    void classify(Counter& counter, const FaultSink& faults) const;
    Bytes definitions() const noexcept;
    bool take_known_definitions() noexcept;
    void read_definitions(const FaultSink& faults);
    void plan_values(bool known, const FaultSink& faults);
    void set_unreadable(Counter& counter, std::uint64_t space, const FaultSink& faults) const;
    void correct_kind(const FaultSink& faults);
    std::uint32_t definition_length(std::uint64_t at) const noexcept;
    bool lengths_add_up() const noexcept;
    std::uint32_t definitions_from(std::uint64_t at) const noexcept;
    std::uint32_t instances_from(std::uint64_t at) const noexcept;
    bool clipped() const noexcept { return header_.TotalByteLength > bytes_.size(); }
    std::uint64_t read_instance(std::uint64_t at, std::uint32_t ordinal, Instance& instance) const noexcept;

    ObjectType header_{};
    Kind kind_ = Kind::multi;
    ByteOrder order_ = ByteOrder::little;
    Bytes bytes_;
    std::vector<Counter> counters_;
    std::vector<NumberPlace> numbers_;
    // The bytes that `counters_` were read from, where nothing was to be said of them: objects mostly come again.
    std::vector<std::byte> known_definitions_;
    std::uint64_t known_offset_ = 0, readings_ = 0;
    std::uint32_t known_count_ = 0;
    ByteOrder known_order_ = ByteOrder::little;
    bool all_readable_ = false;
    std::uint64_t values_end_ = 0;
    std::uint64_t values_per_instance_ = 1;
    std::uint32_t listed_ = 0;  // how long the list is meant to be
    std::uint32_t count_ = 0;
    bool whole_ = false;
};

/// Meets the instances of an object one by one and checks each as it comes: the one pass in which a sample is built.
class InstanceReader {
  public:
    /// `values_left` is what the limit still allows for the block; each instance takes its counters from it.
    InstanceReader(const Object& object, std::uint64_t& values_left, const FaultSink& faults) noexcept;

    /// Fills `instance` with the next one; false at the end, or where the chain is broken.
    bool next(Instance& instance);

    /// Whether every readable counter lies inside the block of the instance that `next` gave last. Where it does not,
    /// each value asks `value_of`, and `report` has said which ones are damaged.
    bool complete() const noexcept { return complete_; }

    /// Passes over instances as `next` would do, and says where they stand, as long as there is nothing to report of
    /// them, every readable counter lies inside their blocks, and another instance follows. How many there were: those
    /// that an object has in its middle, mostly all. At most `places.size()`; the next one is for `next`.
    std::size_t take_valid(std::span<InstancePlace> places) noexcept;

  private:
    template <bool host>
    std::size_t find_valid(std::span<InstancePlace> places) noexcept;
    bool is_valid_name(std::uint32_t offset, std::uint32_t length, std::uint32_t definition) const noexcept;
    bool is_valid_definition();
    bool is_valid_block(std::uint64_t at);
    void report_name(const Instance& instance);
    void report_values(const Instance& instance);
    bool more_than_listed();
    bool end_of_list();
    void count_differs(Severity severity, std::uint32_t count);
    void fault(Severity severity, Errc code, std::uint64_t at, std::string_view structure, std::string_view field,
               std::uint64_t need, std::uint64_t have);

    const Object& object_;
    std::uint64_t& values_left_;
    FaultSink faults_;
    std::uint64_t at_;               // of the next instance, from the start of the object
    std::uint64_t claimed_ = 0;      // how far values reach into the bytes behind the last counter block
    std::uint32_t ordinal_ = 0;      // of the next instance
    std::uint32_t listed_;           // how many there are meant to be
    std::uint32_t first_block_ = 0;  // length of the first counter block
    bool ended_ = false;
    bool complete_ = false;
};

/// Reads the numbers of one counter of sound instances: calls `take(i, value)` for the i-th of them.
template <class Take>
void read_column(const Object& object, const NumberPlace& number, std::span<const InstancePlace> places, Take&& take);

/// Steps through the sound instances. Keeps a reference to the object.
class Object::Iterator {
  public:
    /// What std::input_iterator asks for.
    /// @{
    using value_type = Instance;
    using difference_type = std::ptrdiff_t;
    /// @}

    Iterator() = default;
    /// Stands at an instance, or behind the last where `ordinal` is how many there are.
    Iterator(const Object& object, std::uint32_t ordinal) noexcept
        : object_(&object), next_(object.header_.DefinitionLength), ordinal_(ordinal) {
        if (ordinal_ < object_->count_) next_ = object_->read_instance(next_, ordinal_, instance_);
    }
    /// Valid until the iterator moves on.
    const Instance& operator*() const noexcept { return instance_; }
    Iterator& operator++() noexcept {
        if (++ordinal_ < object_->count_) next_ = object_->read_instance(next_, ordinal_, instance_);
        return *this;
    }
    Iterator operator++(int) noexcept {
        const Iterator before = *this;
        ++*this;
        return before;
    }
    bool operator==(const Iterator& other) const noexcept { return ordinal_ == other.ordinal_; }

  private:
    const Object* object_ = nullptr;
    Instance instance_;
    std::uint64_t next_ = 0;  // where the next instance stands, from the object's first byte
    std::uint32_t ordinal_ = 0;
};

/// All of them, for range-for.
class Object::Range {
  public:
    explicit Range(const Object& object) noexcept : object_(object) {}
    Iterator begin() const noexcept { return {object_, 0}; }
    Iterator end() const noexcept { return {object_, object_.count_}; }

  private:
    const Object& object_;
};

/// Fills `instance` with what stands at an offset that validation has passed. Returns where its block states to end.
inline std::uint64_t Object::read_instance(std::uint64_t at, std::uint32_t ordinal, Instance& instance) const noexcept {
    instance.offset = bytes_.offset() + at;
    instance.ordinal = ordinal;
    instance.code_page_ = header_.CodePage;
    instance.order_ = order_;
    instance.definition_ = {};
    bool last = true;
    if (kind_ == Kind::multi) {
        instance.definition_ = bytes_.slice(at, load<std::uint32_t>(bytes_.at(at), order_));
        last = ordinal + 1 == listed_;
        at += instance.definition_.size();
    }
    const auto length = load<std::uint32_t>(bytes_.at(at), order_);
    Bytes block = bytes_.clip(at, length);
    const bool too_long = length > block.size() && !clipped();
    if (too_long) block = bytes_.slice(at, sizeof length);  // the block may not even begin here
    instance.block = block;
    instance.slack = last && !too_long && !clipped() ? bytes_.from(at) : block;
    return at + length;
}

inline Object::Range Object::instances() const noexcept { return Range(*this); }

/// The bytes of a counter's value, or none where they are damaged: outside the counter block and outside the
/// unclaimed bytes behind it, or on top of the block's own ByteLength.
inline std::optional<Bytes> value_of(const Instance& instance, const Counter& counter) noexcept {
    const CounterDefinition& definition = counter.definition;
    if (!counter.readable || !instance.slack.contains(definition.CounterOffset, definition.CounterSize))
        return std::nullopt;
    return instance.slack.slice(definition.CounterOffset, definition.CounterSize);
}

/// The value of a counter of 4 or 8 bytes; none where it is damaged or of another size.
inline std::optional<std::uint64_t> number_of(const Object& object, const Instance& instance,
                                              const Counter& counter) noexcept {
    const std::uint32_t size = counter.number_size;
    if (size == 0 || !instance.slack.contains(counter.definition.CounterOffset, size)) return std::nullopt;
    return load_number(instance.slack.at(counter.definition.CounterOffset), size, object.order());
}

template <class Take>
void read_column(const Object& object, const NumberPlace& number, std::span<const InstancePlace> places, Take&& take) {
    const std::byte* const first = object.bytes().at(number.offset);
    // One loop for each width and order, four values a turn: what does not change is not asked for each value.
    const auto read = [&]<class Number, bool host>(Number /*width*/, std::bool_constant<host> /*order*/) {
        const auto value = [&](std::size_t i) {
            return std::uint64_t{load<Number, host>(std::next(first, places[i].block))};
        };
        std::size_t i = 0;
        for (; places.size() - i >= 4; i += 4) {
            const std::array four{value(i), value(i + 1), value(i + 2), value(i + 3)};
            take(i, four[0]);
            take(i + 1, four[1]);
            take(i + 2, four[2]);
            take(i + 3, four[3]);
        }
        for (; i < places.size(); ++i) take(i, value(i));
    };
    with_order(object.order(), [&](auto host) {
        if (number.size == sizeof(std::uint32_t))
            read(std::uint32_t{}, host);
        else
            read(std::uint64_t{}, host);
    });
}

}  // namespace hkpd::v1
