// The V1 format: the blocks that RegQueryValueEx(HKEY_PERFORMANCE_DATA) returns. The classes read the structures of a
// block without copying it. Left: the structure. Middle: the class that reads it. Right: the content.
//
//       PERF_DATA_BLOCK              Block       header, machine name, the chain of objects
//         PERF_OBJECT_TYPE           Object      header, counter definitions
//           PERF_COUNTER_DEFINITION  Counter     title index, type, size and offset of a counter
//           PERF_INSTANCE_DEFINITION Instance    name, id and parent of an instance
//           PERF_COUNTER_BLOCK       Instance    values of an instance
//
// Structures: winperf.h, learn.microsoft.com "Performance Data Format". Members of these structures have Microsoft's
// names. Views are valid as long as the input. names.hpp has the titles, and cook.hpp has the formulas.
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

/// PERF_DATA_BLOCK without its signature. The values are those of the input, unchecked. Lengths and offsets are in
/// bytes; offsets count from the start of the block. PerfTime is in ticks, PerfFreq is in ticks per second, and
/// PerfTime100nSec is in 100 ns since 1601 (UTC).
struct DataBlock {
    std::uint32_t LittleEndian, Version, Revision, TotalByteLength, HeaderLength, NumObjectTypes;
    std::int32_t DefaultObject;
    hkpd::SystemTime SystemTime;
    std::int64_t PerfTime, PerfFreq, PerfTime100nSec;
    std::uint32_t SystemNameLength, SystemNameOffset;
};

/// PERF_OBJECT_TYPE. Lengths are in bytes from the start of the structure. If the object has no list of instances,
/// NumInstances is negative: `no_instances`, `metadata_multiple` or `metadata_no_instances`. CodePage 0 means that
/// instance names are in UTF-16. PerfTime and PerfFreq are a clock of the object itself; both are 0 if it has no clock.
struct ObjectType {
    std::uint32_t TotalByteLength, DefinitionLength, HeaderLength, ObjectNameTitleIndex, ObjectHelpTitleIndex;
    std::uint32_t DetailLevel, NumCounters;
    std::int32_t DefaultCounter, NumInstances;
    std::uint32_t CodePage;
    std::int64_t PerfTime, PerfFreq;
};

/// PERF_COUNTER_DEFINITION. CounterSize is in bytes. CounterOffset is the offset of the counter's value from the start
/// of each PERF_COUNTER_BLOCK of the object.
struct CounterDefinition {
    std::uint32_t ByteLength, CounterNameTitleIndex, CounterHelpTitleIndex;
    std::int32_t DefaultScale;
    std::uint32_t DetailLevel, CounterType, CounterSize, CounterOffset;
};

/// PERF_INSTANCE_DEFINITION. ByteLength includes the name. NameOffset counts from the start of the structure.
/// NameLength is in bytes and includes the terminating NUL.
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

/// Kind of an object: with a list of instances (`multi`) or without a list (`single`). Queries of `MetadataGlobal`
/// return objects of the two `metadata_` kinds, which have definitions but no values.
enum class Kind : std::uint8_t { single, multi, metadata_single, metadata_multi };

/// An object of a block: its bytes and its ObjectNameTitleIndex. `Block::open` has checked the chain of objects:
/// `bytes` contains no byte of the next object.
struct ObjectEntry {
    Bytes bytes;
    std::uint32_t title_index = 0;
};

/// Returns whether the bytes begin with the signature of a block: PERF in UTF-16, in either byte order.
bool has_signature(const Bytes& input) noexcept;

/// Returns whether a block begins at the first byte of `input`, which may be arbitrary bytes. A block begins there if
/// the first bytes are a signature and another field confirms it: Version is 1 or, after a little-endian signature,
/// LittleEndian is 1. Reads 16 bytes.
bool is_block(const Bytes& input) noexcept;

/// A block whose header and chain of objects have been read by `open`. Reusable: `open` keeps the memory.
class Block {
  public:
    /// Reads the header and the chain of objects. Fails only if the header cannot be read at all. Other faults are
    /// added to `faults`, and all valid objects remain available in `objects`:
    /// - If an object's TotalByteLength is wrong, `open` searches for the next object. If the next object is found, at
    ///   most the object with the wrong length is lost.
    /// - In blocks from Samba, the block's TotalByteLength does not count the header. In blocks from Wine, 88 stray
    ///   bytes follow the header. Both are recognised, and no object is lost.
    std::expected<void, Error> open(const Bytes& input, const FaultSink& faults);

    /// Returns the header that the last call of `open` has read. If `open` has failed, this function and all functions
    /// below return meaningless results.
    const DataBlock& header() const noexcept { return header_; }
    ByteOrder order() const noexcept { return order_; }
    /// Returns the bytes of this block, without bytes that follow the block in the input.
    Bytes bytes() const noexcept { return bytes_; }
    /// Returns the name of the machine; empty if the block has no name, `std::nullopt` if the name is damaged.
    std::optional<EncodedText> machine() const noexcept { return machine_; }
    /// Returns the objects in the order of the block. Valid until `open` is called again.
    std::span<const ObjectEntry> objects() const noexcept { return objects_; }
    /// Returns the first object with this ObjectNameTitleIndex; null if there is none.
    const ObjectEntry* object(std::uint32_t title_index) const noexcept;
    /// Returns true for a block from Samba, which has its own title indices. Windows' titles do not apply to the
    /// indices in such a block.
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
    bytes,   ///< any other size, including 0
};

/// A counter whose definition could be read.
struct Counter {
    CounterDefinition definition{};
    std::uint64_t offset = 0;   ///< offset of the definition in the input
    std::uint32_t ordinal = 0;  ///< position among all definitions of the object, including damaged definitions
    /// Position in `Object::counters()` of this counter's base; -1 if the counter has no base. The definition of a base
    /// directly follows the definition of the counter that uses it.
    std::int32_t base = -1;
    Storage storage = Storage::number;  ///< interpretation of the CounterSize bytes of a value
    bool readable = true;               ///< false if no counter block of the object can contain a value of this counter
    std::uint8_t number_size = 0;       ///< 4 or 8 if the counter is readable and its values are numbers; otherwise 0
    /// Returns the offset in a counter block at which the value of this counter ends: CounterOffset + CounterSize,
    /// computed in 64 bits, so that the sum cannot overflow.
    std::uint64_t value_end() const noexcept {
        return std::uint64_t{definition.CounterOffset} + definition.CounterSize;
    }
};

/// An instance with its counter block. A single-instance object has one instance, without a PERF_INSTANCE_DEFINITION.
class Instance {
  public:
    std::uint64_t offset = 0;   ///< offset in the input: of the definition or, without a definition, of `block`
    std::uint32_t ordinal = 0;  ///< position in the object's list; ParentObjectInstance of a child is this number
    Bytes block;                ///< counter block: ByteLength bytes; fewer if ByteLength reaches beyond the object
    /// The bytes that may contain values: the same as `block` or, for the last instance of an object, all bytes from
    /// the start of `block` to the end of the object. The ByteLength of the last instance can be too short (as for
    /// `_Total` of Windows XP's Processor).
    Bytes slack;

    /// Returns the members of the instance's PERF_INSTANCE_DEFINITION. If there is no definition, UniqueID is
    /// `no_unique_id`, and all other members are 0.
    InstanceDefinition definition() const noexcept;
    /// Returns the instance's name. Returns `std::nullopt` if the name is too long or does not lie inside the
    /// definition. Returns an empty name if NameLength is 0 or the instance has no definition.
    std::optional<EncodedText> name() const noexcept;

  private:
    friend class Object;

    Bytes definition_;
    std::uint32_t code_page_ = 0;  // code page of the instance's name; 0: UTF-16
    ByteOrder order_ = ByteOrder::little;
};

/// The position of a counter's value in each counter block of an object. Exists only for readable counters
/// (`Counter::readable`) with `Storage::number`. `load_number` reads the value.
struct NumberPlace {
    std::uint32_t offset = 0;   ///< CounterOffset
    std::uint32_t size = 0;     ///< 4 or 8
    std::uint32_t counter = 0;  ///< position in `Object::counters()`
};

/// The position of a valid instance: the offsets of its definition and of its counter block from the object's first
/// byte.
struct InstancePlace {
    std::uint32_t definition, block;
};
/// Best number of instances to read at a time. The counter blocks of so few instances stay in the processor's
/// first-level cache while one counter after another is read from all of them. Measured: more than twice as fast as
/// reading each counter from all instances of the object, and a quarter faster than 256 instances at a time.
inline constexpr std::size_t instances_at_once = 40;

/// The correction of a list of instances in which one length is wrong. If the correct length is known, the correction
/// states the lengths of the instance that has the wrong length. Otherwise this instance is lost, and the correction
/// states the offset at which the list continues with the next instance.
struct Detour {
    std::uint32_t ordinal = no_index;  ///< position of the instance in the list; `no_index` if no length is wrong
    std::uint64_t at = 0;              ///< offset of the instance from the object's first byte
    std::uint64_t definition = 0;      ///< length of its definition; 0 if the lengths in the input at `at` are correct
    std::uint64_t block = 0;           ///< length of the instance's counter block; unused if `definition` is 0
};

/// The number of instances in the list of an object and, if a length in the list is wrong, the correction of this
/// length.
struct InstanceList {
    std::uint32_t count = 0;  ///< NumInstances or, if it is wrong, the number of instances that were found
    Detour detour{};          ///< the correction of the list, if a length is wrong
};

class InstanceReader;

/// An object's header and counter definitions. Reusable: `open` reuses the memory. If the definitions are equal, byte
/// for byte, to the definitions of the previous call, `open` does not parse them again.
class Object {
  public:
    Object() = default;
    /// Constructs an object. If `keeps_definitions` is false, each call of `open` parses the definitions and stores no
    /// copy of their bytes. This is faster if the same definitions are not opened again.
    explicit Object(bool keeps_definitions) noexcept : keeps_definitions_(keeps_definitions) {}

    /// Reads the header and the definitions. Fails if the header is so damaged that nothing of the object can be read.
    /// A wrong HeaderLength is replaced by its usual value, the size of PERF_OBJECT_TYPE, if all definitions fit at
    /// that offset. A wrong DefinitionLength is replaced by the end of the last definition if the instances, or the
    /// only counter block, begin there and end where the object ends. Both corrections are reported. A counter with a
    /// damaged definition is skipped. If the length of this definition is unknown, all counters after it are skipped,
    /// too.
    std::expected<void, Error> open(const Block& block, const ObjectEntry& entry, const FaultSink& faults);

    /// Returns the header that the last call of `open` has read, with HeaderLength and DefinitionLength corrected.
    const ObjectType& header() const noexcept { return header_; }
    Kind kind() const noexcept { return kind_; }
    Bytes bytes() const noexcept { return bytes_; }
    ByteOrder order() const noexcept { return order_; }
    /// Returns the counters in the order of their definitions. Valid until `open` is called again.
    std::span<const Counter> counters() const noexcept { return counters_; }
    /// Returns the number of times that `open` has parsed definitions. If this number is the same after two calls of
    /// `open`, both objects have the same definitions; only `Counter::offset` may differ.
    std::uint64_t revision() const noexcept { return revision_; }
    /// Returns where in a counter block the value of each readable counter (`Counter::readable`) with `Storage::number`
    /// is, in the order of `counters`. The positions are the same in all counter blocks of the object. Valid until
    /// `open` is called again.
    std::span<const NumberPlace> numbers() const noexcept { return numbers_; }
    /// Returns how many values one instance counts as for the limit `Limits::values`. A value of up to 8 bytes counts
    /// as 1. A longer value counts as 1 for every full 8 bytes.
    std::uint64_t values_per_instance() const noexcept { return values_per_instance_; }
    /// Returns the size in bytes of the shortest counter block that holds every readable counter.
    std::uint64_t values_end() const noexcept { return values_end_; }
    /// Returns the number of instances to expect. For an object with a list of instances: NumInstances, or fewer if the
    /// object has too few bytes for so many. For a single-instance object: 1. For an object of a `metadata_` kind,
    /// which has no values: 0.
    std::uint32_t expected_instances() const noexcept;

    /// Reads all instances once, reports their faults, and corrects a wrong number of instances. `values_left` is the
    /// number of values that `Limits::values` still allows for the block; the values of each instance are subtracted
    /// from it. `count`, `whole` and `instances` return meaningful results only after this call.
    void validate(std::uint64_t& values_left, const FaultSink& faults);
    /// Returns the number of valid instances.
    std::uint32_t count() const noexcept { return count_; }
    /// Returns whether every readable counter lies inside the counter block of every valid instance.
    bool whole() const noexcept { return whole_; }

    class Iterator;
    class Range;
    /// Returns the valid instances of the object, for a range-based `for`. `validate` must be called before. Iteration
    /// cannot fail and allocates no memory.
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
        // An instance. `at`: its offset from the object's first byte. `definition`: length of its
        // PERF_INSTANCE_DEFINITION; 0 if the object has no list of instances. `block`: length of its
        // PERF_COUNTER_BLOCK. The block's length is not checked: `at + definition + block` can be an offset beyond the
        // object.
        std::uint64_t at, definition, block;
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
    // `known_definitions_` has the bytes from which `counters_` were parsed. Definitions rarely change from block to
    // block, so comparing these bytes usually saves parsing. Faults must be reported again for each block. For unusual
    // counter sizes, `unusual_sizes_` makes this possible without parsing. If the definitions have any other fault,
    // `known_definitions_` is empty, so that they are parsed again.
    bool keeps_definitions_ = true;
    std::vector<std::byte> known_definitions_;
    std::uint64_t known_offset_ = 0, revision_ = 0;
    std::uint32_t known_count_ = 0;
    std::vector<std::uint32_t> unusual_sizes_;  // positions of counters whose CounterSize does not fit their type
    ByteOrder known_order_ = ByteOrder::little;
    bool all_readable_ = false;
    std::uint64_t values_end_ = 0;
    std::uint64_t values_per_instance_ = 1;
    InstanceList list_;
    std::uint32_t count_ = 0;
    bool whole_ = false;
};

/// Reads and checks the instances of an object one by one. A sample can therefore be built in one pass over the
/// instances. A wrong length in the list is reported. It is also corrected if the other lengths then lead exactly to
/// the end of the object.
class InstanceReader {
  public:
    /// Constructs a reader at the first instance. `values_left` is the number of values that `Limits::values` still
    /// allows for the block; the values of each instance are subtracted from it. Keeps references to `object` and
    /// `values_left`.
    InstanceReader(const Object& object, std::uint64_t& values_left, const FaultSink& faults) noexcept;

    /// Fills `instance` with the next instance and reports the faults of that instance. Returns false after the last
    /// instance, or if a fault makes it impossible to find the next instance.
    bool next(Instance& instance);

    /// Returns whether the counter block of the instance that `next` returned last contains the values of all readable
    /// counters. If not, `next` has reported the missing values, and the caller must read each value with `value_of`,
    /// which checks the bounds.
    bool complete() const noexcept { return complete_; }

    /// Advances past valid instances, as repeated calls of `next` would, but faster. Stores the positions of these
    /// instances in `places` and returns their number, at most `places.size()`. Stops before the last instance, and
    /// before an instance that has a fault or whose counter block is too short to contain all values. The next call of
    /// `next` reads the instance at which this function has stopped. Returns 0 until `next` has read the first
    /// instance.
    std::size_t take_valid(std::span<InstancePlace> places) noexcept;

    /// Returns the list of instances. Its number of instances is final only after `next` has returned false.
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
               std::uint64_t expected, std::uint64_t found);

    const Object& object_;
    std::uint64_t& values_left_;
    FaultSink faults_;
    std::uint64_t at_;  // offset of the next instance, from the start of the object
    // If the last instance has values beyond the end of its counter block: offset of the end of these values from the
    // start of the object. Otherwise 0.
    std::uint64_t claimed_ = 0;
    std::uint32_t ordinal_ = 0;  // position of the next instance in the list
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

/// An iterator over the valid instances of an object. It keeps a pointer to the object, which must outlive it.
class Object::Iterator {
  public:
    /// Type of the elements. `std::input_iterator` requires this name.
    using value_type = Instance;
    /// Type of distances. `std::input_iterator` requires this name.
    using difference_type = std::ptrdiff_t;

    Iterator() = default;
    /// Constructs an iterator that points to the first instance if `ordinal` is 0, or past the last instance if
    /// `ordinal` is the number of instances. `ordinal` must be one of these numbers.
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

/// The valid instances of an object, for a range-based `for`.
class Object::Range {
  public:
    explicit Range(const Object& object) noexcept : object_(object) {}
    Iterator begin() const noexcept { return {object_, 0}; }
    Iterator end() const noexcept { return {object_, object_.count_}; }

  private:
    const Object& object_;
};

/// Returns the offset and the lengths of the instance at position `ordinal` in the list. If `detour` corrects this
/// instance, `detour` states the offset and, unless its `definition` is 0, the lengths. Otherwise, the offset is `at`.
/// Lengths that `detour` does not state are read from the input.
inline Object::Place Object::place_of(const Detour& detour, std::uint64_t at, std::uint32_t ordinal) const noexcept {
    if (ordinal == detour.ordinal) {
        if (detour.definition != 0) return {detour.at, detour.definition, detour.block};
        at = detour.at;
    }
    const std::uint64_t definition = kind_ == Kind::multi ? load<std::uint32_t>(bytes_.at(at), order_) : 0;
    return {at, definition, load<std::uint32_t>(bytes_.at(at + definition), order_)};
}

/// Fills `instance` with the instance at offset `at` from the object's first byte. If `list.detour` corrects this
/// instance, the corrected offset and lengths are used instead of `at` and the lengths in the input. The instance must
/// have passed validation. Returns the offset, from the object's first byte, at which the counter block ends.
inline std::uint64_t Object::read_instance(const InstanceList& list, std::uint64_t at, std::uint32_t ordinal,
                                           Instance& instance) const noexcept {
    const Place place = place_of(list.detour, at, ordinal);
    instance.offset = bytes_.offset() + place.at;
    instance.ordinal = ordinal;
    instance.code_page_ = header_.CodePage;
    instance.order_ = order_;
    instance.definition_ = bytes_.slice(place.at, place.definition);
    at = place.at + place.definition;
    const bool last = kind_ != Kind::multi || ordinal + 1 == list.count;
    // If ByteLength reaches beyond the object, it is not certain that the counter block begins at `at`.
    // `instance.block` then has only the field ByteLength, so that no value is read. Exception: if the end of the
    // object is missing in the input (`clipped`), `instance.block` has all bytes of the counter block that are present.
    const bool too_long = !bytes_.contains(at, place.block) && !clipped();
    instance.block = bytes_.clip(at, too_long ? sizeof(std::uint32_t) : place.block);
    instance.slack = bytes_.clip(at, last && !too_long && !clipped() ? bytes_.size() : instance.block.size());
    return at + place.block;
}

inline Object::Range Object::instances() const noexcept { return Range(*this); }

/// Returns the bytes of a counter's value in an instance; none if the value is damaged. A value is damaged if the
/// counter is not readable (`Counter::readable`), or if the value does not lie inside `Instance::slack`.
inline std::optional<Bytes> value_of(const Instance& instance, const Counter& counter) noexcept {
    const CounterDefinition& definition = counter.definition;
    if (!counter.readable || !instance.slack.contains(definition.CounterOffset, definition.CounterSize))
        return std::nullopt;
    return instance.slack.slice(definition.CounterOffset, definition.CounterSize);
}

/// Returns a counter's value in an instance if the value is a number of 4 or 8 bytes; none if the value is damaged or
/// not a number.
inline std::optional<std::uint64_t> number_of(const Object& object, const Instance& instance,
                                              const Counter& counter) noexcept {
    const std::uint32_t size = counter.number_size;
    if (size == 0 || !instance.slack.contains(counter.definition.CounterOffset, size)) return std::nullopt;
    return load_number(instance.slack.at(counter.definition.CounterOffset), size, object.order());
}

template <class Take>
void read_column(const Object& object, const NumberPlace& number, std::span<const InstancePlace> places, Take&& take) {
    const std::byte* const first = object.bytes().at(number.offset);
    // There is one loop for each width and byte order, so that the loop need not test them for each value. The loop is
    // unrolled: each pass reads four values.
    const auto read = [&]<class Number, bool host>(Number /*width*/, std::bool_constant<host> /*order*/) {
        const auto value = [&](std::size_t i) {
            return std::uint64_t{load<Number, host>(std::next(first, static_cast<std::ptrdiff_t>(places[i].block)))};
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
