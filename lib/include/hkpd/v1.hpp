// The V1 format: what RegQueryValueEx(HKEY_PERFORMANCE_DATA) returns, as zero-copy views.
//
//       PERF_DATA_BLOCK            Block      header, machine name, the chain of objects
//         PERF_OBJECT_TYPE         Object     header, counter definitions
//           PERF_COUNTER_DEFINITION  Counter
//           PERF_INSTANCE_DEFINITION Instance and its PERF_COUNTER_BLOCK, in a chain
//
// Structures: winperf.h, learn.microsoft.com "Performance Data Format". The members keep Microsoft's names.
// Views point into the input and are valid as long as the input is. Titles and formulas are in other headers.
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

/// PERF_DATA_BLOCK without its signature, with the input's values, unchecked. Lengths and offsets are in bytes, offsets
/// from the block's start; PerfTime in ticks, PerfFreq in ticks per second, PerfTime100nSec in 100 ns since 1601 (UTC).
struct DataBlock {
    std::uint32_t LittleEndian, Version, Revision, TotalByteLength, HeaderLength, NumObjectTypes;
    std::int32_t DefaultObject;
    hkpd::SystemTime SystemTime;
    std::int64_t PerfTime, PerfFreq, PerfTime100nSec;
    std::uint32_t SystemNameLength, SystemNameOffset;
};

/// PERF_OBJECT_TYPE. Lengths are in bytes from the start of the structure. NumInstances is negative if there is no
/// instance list: `no_instances`, `metadata_multiple` or `metadata_no_instances`. CodePage 0 means that instance names
/// are UTF-16. PerfTime and PerfFreq are the object's own clock, 0 if the object has none.
struct ObjectType {
    std::uint32_t TotalByteLength, DefinitionLength, HeaderLength, ObjectNameTitleIndex, ObjectHelpTitleIndex;
    std::uint32_t DetailLevel, NumCounters;
    std::int32_t DefaultCounter, NumInstances;
    std::uint32_t CodePage;
    std::int64_t PerfTime, PerfFreq;
};

/// PERF_COUNTER_DEFINITION. CounterSize is in bytes; CounterOffset counts from the start of each PERF_COUNTER_BLOCK.
struct CounterDefinition {
    std::uint32_t ByteLength, CounterNameTitleIndex, CounterHelpTitleIndex;
    std::int32_t DefaultScale;
    std::uint32_t DetailLevel, CounterType, CounterSize, CounterOffset;
};

/// PERF_INSTANCE_DEFINITION. ByteLength includes the name; NameOffset counts from the structure's start; NameLength is
/// in bytes and includes the NUL.
struct InstanceDefinition {
    std::uint32_t ByteLength, ParentObjectTitleIndex, ParentObjectInstance;
    std::int32_t UniqueID;
    std::uint32_t NameOffset, NameLength;
};

/// Values of NumInstances. `no_instances` (winperf.h PERF_NO_INSTANCES) marks a single-instance object. The two
/// `metadata_` values mark objects in the results of `MetadataGlobal` queries. Such objects have definitions, but no
/// values.
/// @{
inline constexpr std::int32_t no_instances = -1, metadata_multiple = -2, metadata_no_instances = -3;
/// @}
/// UniqueID of an instance that is identified by its name (winperf.h PERF_NO_UNIQUE_ID).
inline constexpr std::int32_t no_unique_id = -1;

/// Kind of an object: with a list of instances (`multi`) or without a list (`single`). Objects of the `metadata_`
/// kinds, which `MetadataGlobal` queries return, have definitions but no values.
enum class Kind : std::uint8_t { single, multi, metadata_single, metadata_multi };

/// The bytes of an object, from the chain that `Block::open` has checked. `bytes` never reaches into the next object.
struct ObjectEntry {
    Bytes bytes;
    std::uint32_t title_index = 0;
};

/// Returns whether the bytes begin with PERF in UTF-16, in either byte order.
bool has_signature(Bytes input) noexcept;

/// Returns whether a block begins at the first byte of `input`, which may be arbitrary bytes. Requires the signature,
/// and after it a matching byte order flag or version. Reads 16 bytes.
bool is_block(Bytes input) noexcept;

/// A block whose header and chain of objects have been read by `open`. Reusable: `open` keeps the memory.
class Block {
  public:
    /// Reads the header and the chain of objects. Fails only if the header cannot be read at all. Other faults are
    /// added to `faults`, and all valid objects are kept:
    /// - if an object's TotalByteLength is wrong, but the next object can be found, at most the object with the wrong
    ///   length is lost;
    /// - Samba's TotalByteLength, which does not count the header, and Wine's 88 stray bytes after the header are
    ///   recognised.
    std::expected<void, Error> open(Bytes input, const FaultSink& faults);

    /// Returns the header that `open` has read last. If `open` has failed, the results of all members are meaningless.
    const DataBlock& header() const noexcept { return header_; }
    ByteOrder order() const noexcept { return order_; }
    /// Returns the bytes of this block; the input may continue with the next block.
    Bytes bytes() const noexcept { return bytes_; }
    /// Returns the name of the machine; empty if the block has no name, `std::nullopt` if the name is damaged.
    std::optional<EncodedText> machine() const noexcept { return machine_; }
    /// Returns the objects in the order of the block. Valid until `open` is called again.
    std::span<const ObjectEntry> objects() const noexcept { return objects_; }
    /// Returns the first object with this ObjectNameTitleIndex; null if there is none.
    const ObjectEntry* object(std::uint32_t title_index) const noexcept;
    /// Returns whether the producer (Samba) numbers its titles itself, so that Windows' titles do not apply to its
    /// indices.
    bool own_title_indices() const noexcept { return length_without_header_; }

  private:
    DataBlock header_{};
    ByteOrder order_ = ByteOrder::little;
    bool length_without_header_ = false;
    Bytes bytes_;
    std::optional<EncodedText> machine_;
    std::vector<ObjectEntry> objects_;
};

/// Interpretation of the bytes of a counter's value.
enum class Storage : std::uint8_t {
    number,  ///< 4 or 8 bytes: an unsigned integer
    text,    ///< PERF_COUNTER_TEXT, of CounterSize bytes
    bytes,   ///< any other size, 0 included
};

/// A counter definition with a valid structure.
struct Counter {
    CounterDefinition definition{};
    std::uint64_t offset = 0;   ///< absolute offset of the definition
    std::uint32_t ordinal = 0;  ///< position among the NumCounters definitions, damaged ones included
    /// Position in `Object::counters()` of this counter's base; -1 if the counter has no base. The definition of a base
    /// directly follows that of its counter.
    std::int32_t base = -1;
    Storage storage = Storage::number;  ///< interpretation of the `CounterSize` bytes
    bool readable = true;          ///< false if the counter does not fit into any counter block; it then has no values
    std::uint8_t number_size = 0;  ///< 4 or 8 if the counter's values are readable numbers; otherwise 0
    /// Returns CounterOffset + CounterSize, without overflow.
    std::uint64_t value_end() const noexcept {
        return std::uint64_t{definition.CounterOffset} + definition.CounterSize;
    }
};

/// An instance with its counter block. A single-instance object has one instance, without a definition.
class Instance {
  public:
    std::uint64_t offset = 0;   ///< absolute offset of the definition or, without a definition, of the counter block
    std::uint32_t ordinal = 0;  ///< position in the list; a child's ParentObjectInstance refers to this number
    Bytes block;                ///< counter block: ByteLength bytes; fewer if ByteLength reaches beyond the object
    Bytes slack;  ///< same as `block`; of the last instance: from the start of `block` to the object's end

    /// Returns the fields of the instance's PERF_INSTANCE_DEFINITION; zeros and `no_unique_id` if there is no
    /// definition.
    InstanceDefinition definition() const noexcept;
    /// Returns the instance's name. `std::nullopt` if the name is too long or does not lie inside the definition; empty
    /// if NameLength is 0 or the instance has no definition.
    std::optional<EncodedText> name() const noexcept;

  private:
    friend class Object;

    Bytes definition_;
    std::uint32_t code_page_ = 0;  // of the name
    ByteOrder order_ = ByteOrder::little;
};

/// The place of a counter's number in each counter block of an object. Only readable counters (`Counter::readable`)
/// with `Storage::number` have a place. `load_number` reads the number.
struct NumberPlace {
    std::uint32_t offset = 0;   ///< CounterOffset
    std::uint32_t size = 0;     ///< 4 or 8
    std::uint32_t counter = 0;  ///< position in `Object::counters()`
};

/// The place of an instance that has passed validation, as offsets from the object's first byte.
struct InstancePlace {
    std::uint32_t definition, block;
};
/// Best number of instances to read at a time: their counter blocks stay in the nearest cache while one counter after
/// another is read from them. Measured: more than twice as fast as reading each counter over all instances, and a
/// quarter faster than 256 instances at a time.
inline constexpr std::size_t instances_at_once = 40;

/// The instance of a list at which the reader departs from the stated lengths, because one of them is wrong. The
/// members are the offset and the lengths with which the instance is read instead.
struct Detour {
    std::uint32_t ordinal = no_index;  ///< position of the instance; `no_index` if there is no detour
    std::uint64_t at = 0;              ///< offset of the instance from the object's first byte
    std::uint64_t definition = 0;      ///< correct length of its definition; 0 if the stated lengths at `at` are used
    std::uint64_t block = 0;           ///< correct length of its counter block
};

/// The list of instances of an object.
struct InstanceList {
    std::uint32_t count = 0;  ///< NumInstances, or the number of instances that the lengths in the list show
    Detour detour{};
};

class InstanceReader;

/// An object's header and counter definitions. Reusable: `open` keeps the memory, and does not parse the same
/// definitions twice in a row.
class Object {
  public:
    Object() = default;
    /// Constructs an object. With `keeps_definitions` false, `open` parses the definitions each time. This is faster if
    /// every object is opened only once.
    explicit Object(bool keeps_definitions) noexcept : keeps_definitions_(keeps_definitions) {}

    /// Reads the header and the definitions. Fails if the header is too damaged to read anything of the object. A wrong
    /// HeaderLength or DefinitionLength is reported and corrected if the other lengths lead exactly to the end of the
    /// object. A counter whose definition is damaged is skipped; if the length of that definition is unknown, all
    /// counters after it are skipped, too.
    std::expected<void, Error> open(const Block& block, const ObjectEntry& entry, const FaultSink& faults);

    /// Returns the header that `open` has read last, with HeaderLength and DefinitionLength corrected.
    const ObjectType& header() const noexcept { return header_; }
    Kind kind() const noexcept { return kind_; }
    Bytes bytes() const noexcept { return bytes_; }
    ByteOrder order() const noexcept { return order_; }
    /// Returns the counters in the order of their definitions. Valid until `open` is called again.
    std::span<const Counter> counters() const noexcept { return counters_; }
    /// Returns the number of times that definitions were read. While this number stays the same, `counters` has the
    /// same definitions, though `offset` may differ.
    std::uint64_t readings() const noexcept { return readings_; }
    /// Returns the places of the counters that are readable numbers, in the order of `counters`. They are the same
    /// for all instances. Valid until `open` is called again.
    std::span<const NumberPlace> numbers() const noexcept { return numbers_; }
    /// Returns the number by which one instance counts towards `Limits::values`. Each value counts as 1; a value longer
    /// than 8 bytes counts as 1 for every 8 bytes.
    std::uint64_t values_per_instance() const noexcept { return values_per_instance_; }
    /// Returns the size in bytes of the shortest counter block that holds every readable counter.
    std::uint64_t values_end() const noexcept { return values_end_; }
    /// Returns the number of instances to expect: NumInstances, limited by the bytes of the object; 1 for a
    /// single-instance object; 0 for metadata.
    std::uint32_t expected_instances() const noexcept;

    /// Walks the instances once, reports their faults and corrects their number. `values_left` is the number of values
    /// that `Limits::values` still allows for the block; the values of each instance are subtracted from it. `count`,
    /// `whole` and `instances` are meaningful only after this call.
    void validate(std::uint64_t& values_left, const FaultSink& faults);
    /// Returns the number of valid instances.
    std::uint32_t count() const noexcept { return count_; }
    /// Returns whether every readable counter lies inside the counter block of every valid instance.
    bool whole() const noexcept { return whole_; }

    class Iterator;
    class Range;
    /// Returns the valid instances of the object, for range-for; `validate` must have been called before. Iteration
    /// cannot fail and allocates nothing.
    Range instances() const noexcept;

  private:
    friend class InstanceReader;
    void read_counters(bool lengths_valid, const FaultSink& faults);
    void read_counter(std::uint64_t at, std::uint32_t ordinal, const FaultSink& faults);
    void classify(Counter& counter, const FaultSink& faults);
    void report_size(const Counter& counter, const FaultSink& faults) const;
    Bytes definitions() const noexcept;
    bool take_known_definitions(const FaultSink& faults);
    void read_definitions(bool lengths_valid, const FaultSink& faults);
    void plan_values(bool known, const FaultSink& faults);
    void set_unreadable(Counter& counter, std::uint64_t space, const FaultSink& faults) const;
    bool correct_definitions(const FaultSink& faults);
    std::uint64_t definitions_end(std::uint64_t from) const noexcept;
    bool is_start_of_values(std::uint64_t at) const noexcept;
    void correct_kind(const FaultSink& faults);
    void report_count(Severity severity, std::uint32_t count, const FaultSink& faults) const;
    struct Place {
        std::uint64_t at, definition, block;  // block: the stated length, which can exceed the object
    };
    Place place_of(const Detour& detour, std::uint64_t at, std::uint32_t ordinal) const noexcept;
    std::uint32_t definition_length(std::uint64_t at) const noexcept;
    bool lengths_add_up() const noexcept;
    std::uint32_t definitions_from(std::uint64_t at) const noexcept;
    bool clipped() const noexcept { return header_.TotalByteLength > bytes_.size(); }
    std::uint64_t read_instance(const InstanceList& list, std::uint64_t at, std::uint32_t ordinal,
                                Instance& instance) const noexcept;

    ObjectType header_{};
    Kind kind_ = Kind::multi;
    ByteOrder order_ = ByteOrder::little;
    Bytes bytes_;
    std::vector<Counter> counters_;
    std::vector<NumberPlace> numbers_;
    // The bytes from which `counters_` were read; empty if these bytes have faults other than unusual sizes of
    // counters. Kept because definitions rarely change.
    bool keeps_definitions_ = true;
    std::vector<std::byte> known_definitions_;
    std::uint64_t known_offset_ = 0, readings_ = 0;
    std::uint32_t known_count_ = 0;
    std::vector<std::uint32_t> unusual_sizes_;  // positions of counters whose CounterSize is not that of their type
    ByteOrder known_order_ = ByteOrder::little;
    bool all_readable_ = false;
    std::uint64_t values_end_ = 0;
    std::uint64_t values_per_instance_ = 1;
    InstanceList list_;
    std::uint32_t count_ = 0;
    bool whole_ = false;
};

/// Reads the instances of an object one by one and checks each of them, so that a sample is built in a single pass. A
/// wrong length in the list is reported, and corrected if the other lengths lead exactly to the end of the object.
class InstanceReader {
  public:
    /// Constructs a reader at the first instance. `values_left` is the number of values that `Limits::values` still
    /// allows for the block; the values of each instance are subtracted from it. Keeps references to `object` and
    /// `values_left`.
    InstanceReader(const Object& object, std::uint64_t& values_left, const FaultSink& faults) noexcept;

    /// Fills `instance` with the next instance and reports the faults of that instance. Returns false at the end, or if
    /// the chain is broken.
    bool next(Instance& instance);

    /// Returns whether every readable counter lies inside the block of the instance that `next` returned last. If not,
    /// `next` has reported the damaged values, and each value must be read with `value_of`.
    bool complete() const noexcept { return complete_; }

    /// Advances past valid instances as `next` would, stores their places in `places` and returns their number, at most
    /// `places.size()`. Stops before the last instance, and before any instance that has a fault or whose block does
    /// not hold every readable counter; `next` continues there. Usually advances past all instances of an object except
    /// the first and the last.
    std::size_t take_valid(std::span<InstancePlace> places) noexcept;

    /// Returns the list of instances as far as it is known; complete after `next` has returned false.
    const InstanceList& list() const noexcept { return list_; }

  private:
    template <bool host>
    std::size_t find_valid(std::span<InstancePlace> places) noexcept;
    bool is_valid_name(std::uint32_t offset, std::uint32_t length, std::uint32_t definition) const noexcept;
    bool is_confirmed() const noexcept;
    void plan();
    bool is_valid_definition();
    bool is_valid_block(std::uint64_t at);
    void report_name(const Instance& instance);
    void report_values(const Instance& instance);
    bool end_of_list();
    void fault(Severity severity, Errc code, std::uint64_t at, std::string_view structure, std::string_view field,
               std::uint64_t need, std::uint64_t have);

    const Object& object_;
    std::uint64_t& values_left_;
    FaultSink faults_;
    std::uint64_t at_;           // offset of the next instance, from the start of the object
    std::uint64_t claimed_ = 0;  // end of the values of the last instance, if they lie beyond its counter block
    std::uint32_t ordinal_ = 0;  // position of the next instance
    InstanceList list_;
    bool planned_;                   // whether `plan` has been called or is not needed
    std::uint32_t first_block_ = 0;  // length of the first counter block
    bool ended_ = false;
    bool complete_ = false;
};

/// Reads the values of one counter in the valid instances at `places`. Calls `take(i, value)` with the counter's value
/// in the instance at `places[i]`.
template <class Take>
void read_column(const Object& object, const NumberPlace& number, std::span<const InstancePlace> places, Take&& take);

/// Iterates over the valid instances. Keeps a reference to the object.
class Object::Iterator {
  public:
    /// Value type, required by std::input_iterator.
    using value_type = Instance;
    /// Difference type, required by std::input_iterator.
    using difference_type = std::ptrdiff_t;

    Iterator() = default;
    /// Points to an instance, or past the last instance if `ordinal` is the number of instances.
    Iterator(const Object& object, std::uint32_t ordinal) noexcept
        : object_(&object), next_(object.header_.DefinitionLength), ordinal_(ordinal) {
        if (ordinal_ < object_->count_) next_ = object_->read_instance(object_->list_, next_, ordinal_, instance_);
    }
    /// Returns the current instance. Valid until the iterator is incremented.
    const Instance& operator*() const noexcept { return instance_; }
    Iterator& operator++() noexcept {
        if (++ordinal_ < object_->count_) next_ = object_->read_instance(object_->list_, next_, ordinal_, instance_);
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
    std::uint64_t next_ = 0;  // offset of the next instance, from the object's first byte
    std::uint32_t ordinal_ = 0;
};

/// The valid instances of an object, for range-for.
class Object::Range {
  public:
    explicit Range(const Object& object) noexcept : object_(object) {}
    Iterator begin() const noexcept { return {object_, 0}; }
    Iterator end() const noexcept { return {object_, object_.count_}; }

  private:
    const Object& object_;
};

/// Returns the offset and the lengths of instance `ordinal`. If `detour` is for this instance, they are taken from
/// `detour`. Otherwise the offset is `at`, and the lengths are those that the instance at `at` states.
inline Object::Place Object::place_of(const Detour& detour, std::uint64_t at, std::uint32_t ordinal) const noexcept {
    if (ordinal == detour.ordinal) {
        if (detour.definition != 0) return {detour.at, detour.definition, detour.block};
        at = detour.at;
    }
    const std::uint64_t definition = kind_ == Kind::multi ? load<std::uint32_t>(bytes_.at(at), order_) : 0;
    return {at, definition, load<std::uint32_t>(bytes_.at(at + definition), order_)};
}

/// Fills `instance` with the instance at offset `at`, which has passed validation. Returns the offset at which the
/// instance's counter block ends according to ByteLength.
inline std::uint64_t Object::read_instance(const InstanceList& list, std::uint64_t at, std::uint32_t ordinal,
                                           Instance& instance) const noexcept {
    const Place place = place_of(list.detour, at, ordinal);
    instance.offset = bytes_.offset() + place.at;
    instance.ordinal = ordinal;
    instance.code_page_ = header_.CodePage;
    instance.order_ = order_;
    instance.definition_ = bytes_.slice(place.at, place.definition);
    const bool last = kind_ != Kind::multi || ordinal + 1 == list.count;
    at = place.at + place.definition;
    const std::uint64_t length = place.block;
    Bytes block = bytes_.clip(at, length);
    const bool too_long = length > block.size() && !clipped();
    if (too_long) block = bytes_.slice(at, sizeof length);  // it is not certain that the block begins here
    instance.block = block;
    instance.slack = last && !too_long && !clipped() ? bytes_.from(at) : block;
    return at + length;
}

inline Object::Range Object::instances() const noexcept { return Range(*this); }

/// Returns the bytes of a counter's value; none if the value is damaged. A value is damaged if it overlaps the counter
/// block's own ByteLength, or does not lie inside `Instance::slack`.
inline std::optional<Bytes> value_of(const Instance& instance, const Counter& counter) noexcept {
    const CounterDefinition& definition = counter.definition;
    if (!counter.readable || !instance.slack.contains(definition.CounterOffset, definition.CounterSize))
        return std::nullopt;
    return instance.slack.slice(definition.CounterOffset, definition.CounterSize);
}

/// Returns the value of a counter of 4 or 8 bytes; none if the value is damaged or not a number.
inline std::optional<std::uint64_t> number_of(const Object& object, const Instance& instance,
                                              const Counter& counter) noexcept {
    const std::uint32_t size = counter.number_size;
    if (size == 0 || !instance.slack.contains(counter.definition.CounterOffset, size)) return std::nullopt;
    return load_number(instance.slack.at(counter.definition.CounterOffset), size, object.order());
}

template <class Take>
void read_column(const Object& object, const NumberPlace& number, std::span<const InstancePlace> places, Take&& take) {
    const std::byte* const first = object.bytes().at(number.offset);
    // One loop for each width and byte order, unrolled four times, so that width and order are not tested for each
    // value.
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
