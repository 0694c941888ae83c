// The V2 format: the results of the PerfLib consumer functions. The classes read the structures of a result without
// copying it. Left: the structure. Middle: the class that reads it. Right: the function of Windows that returns it, or
// a remark.
//
//       PERF_DATA_HEADER             DataBlock        PerfQueryCounterData
//         PERF_COUNTER_HEADER        Result           one for each identifier of the query; has one of five types
//           PERF_MULTI_COUNTERS      Result           ids of the counters; only in some types
//           PERF_MULTI_INSTANCES     Result           number of instances; only in some types
//             PERF_INSTANCE_HEADER   InstanceReader   one for each instance
//           PERF_COUNTER_DATA        InstanceReader   one for each value
//       PERF_COUNTER_IDENTIFIER      Identifiers      PerfQueryCounterInfo; has the GUIDs, which blocks do not contain
//       PERF_COUNTERSET_REG_INFO     RegistrationInfo, StringBuffer   PerfQueryCounterSetRegistrationInfo
//
// Structures: perflib.h, learn.microsoft.com "Using the PerfLib Functions to Consume Counter Data". Members of these
// structures have Microsoft's names. All numbers are little endian. PerfLib returns the data of providers unchecked
// ("does not validate the data"), so hkpd checks every length. Views are valid as long as the input.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <span>
#include <vector>

#include "hkpd/bytes.hpp"
#include "hkpd/error.hpp"
#include "hkpd/guid.hpp"
#include "hkpd/v1.hpp"

namespace hkpd {
class FaultSink;
}

namespace hkpd::v2 {

/// Wildcards of an identifier: the CounterId that requests all counters of the counterset, and the InstanceId that
/// requests instances with any id.
/// @{
inline constexpr std::uint32_t wildcard_counter = 0xFFFF'FFFF, any_instance = 0xFFFF'FFFF;
/// @}
/// Value of BaseCounterId, PerfTimeId, PerfFreqId or MultiId if a counter has no such related counter.
inline constexpr std::uint32_t no_id = 0xFFFF'FFFF;
/// Value of dwOffset in a string buffer if a counter has no string.
inline constexpr std::uint32_t no_string = 0xFFFF'FFFF;

/// Type of a result (PerfCounterDataType). The identifier in the query determines the type.
// NOLINTNEXTLINE(performance-enum-size): as wide as the field in the input, in which any value may occur
enum class ResultType : std::uint32_t {
    error = 0,               ///< PERF_ERROR_RETURN: dwStatus only
    single_counter = 1,      ///< one counter of one instance
    multiple_counters = 2,   ///< all counters of one instance
    multiple_instances = 4,  ///< one counter of the instances that match the identifier
    counterset = 6,          ///< all counters of the instances that match the identifier
};

/// InstanceType of a counterset (perflib.h PERF_COUNTERSET_*).
// NOLINTNEXTLINE(performance-enum-size): as wide as the field in the input, in which any value may occur
enum class InstanceType : std::uint32_t {
    single = 0,
    multi = 2,
    single_aggregate = 4,
    multi_aggregate = 6,
    single_aggregate_history = 12,
    instance_aggregate = 22,
};
/// Returns whether instances of a counterset of this type have names: whether bit 1 is set. The result is also valid
/// for a type that is not one of the enumerators.
constexpr bool is_multi(InstanceType type) noexcept { return (static_cast<std::uint32_t>(type) & 2U) != 0; }
/// Returns whether values of a counterset of this type are computed from several instances by an aggregate function
/// (see `Aggregate`): whether bit 2 is set.
constexpr bool is_aggregate(InstanceType type) noexcept { return (static_cast<std::uint32_t>(type) & 4U) != 0; }

/// AggregateFunc of a counter: the function that computes the counter's value from the values of several instances, as
/// for `_Total` (PERF_AGGREGATE_*).
// NOLINTNEXTLINE(performance-enum-size): as wide as the field in the input, in which any value may occur
enum class Aggregate : std::uint32_t { undefined = 0, total = 1, average = 2, minimum = 3, maximum = 4 };

/// Flags of a counter's Attrib (PERF_ATTRIB_*).
namespace attribute {
inline constexpr std::uint64_t by_reference = 1;        ///< the provider stores a pointer; consumers get the value
inline constexpr std::uint64_t no_displayable = 2;      ///< programs do not show the counter
inline constexpr std::uint64_t no_group_separator = 4;  ///< programs show the value without thousands separators
inline constexpr std::uint64_t display_as_real = 8;     ///< the value is the bits of a floating-point number
inline constexpr std::uint64_t display_as_hex = 16;     ///< programs show the value in hexadecimal
}  // namespace attribute

/// A request to PerfQueryCounterSetRegistrationInfo. Each comment states the form of the result.
// NOLINTNEXTLINE(performance-enum-size): as wide as the field in the input, in which any value may occur
enum class RegistrationRequest : std::uint32_t {
    counterset_struct = 1,      ///< PERF_COUNTERSET_REG_INFO and a PERF_COUNTER_REG_INFO for each counter
    counter_struct = 2,         ///< one PERF_COUNTER_REG_INFO; the call passes the counter's id as language identifier
    counterset_name = 3,        ///< a string
    counterset_help = 4,        ///< a string
    counter_names = 5,          ///< a string buffer
    counter_help = 6,           ///< a string buffer
    provider_name = 7,          ///< a string
    provider_guid = 8,          ///< 16 bytes
    counterset_english = 9,     ///< a string: the name in English
    counter_names_english = 10  ///< a string buffer: the names in English
};

/// PERF_DATA_HEADER. The values are those of the input, unchecked. dwTotalSize is in bytes, PerfTimeStamp is in ticks,
/// PerfFreq is in ticks per second, PerfTime100NSec is in 100 ns since 1601 (UTC), and SystemTime is in UTC.
struct DataHeader {
    std::uint32_t dwTotalSize, dwNumCounters;
    std::int64_t PerfTimeStamp, PerfTime100NSec, PerfFreq;
    hkpd::SystemTime SystemTime;
};
/// Size of PERF_DATA_HEADER in bytes.
inline constexpr std::size_t data_header_size = 48;

/// PERF_COUNTER_HEADER, the header of a result. dwStatus is a Win32 status, and dwType is a `ResultType`. dwSize is the
/// size in bytes of the result, including this header.
struct CounterHeader {
    std::uint32_t dwStatus, dwType, dwSize, Reserved;
};

/// A result of a block: its bytes and its header. `DataBlock::open` has checked the chain of results: `bytes` contains
/// no byte of the next result.
struct ResultEntry {
    Bytes bytes;  ///< the result with its PERF_COUNTER_HEADER
    CounterHeader header{};
    std::uint32_t ordinal = 0;  ///< position in the block; equal to `Identifier::Index` of the result's identifier
};

/// A block whose header and chain of results have been read by `open`. Reusable: `open` keeps the memory.
class DataBlock {
  public:
    /// Reads the header and the chain of results. Fails only if the header cannot be read at all. Other faults are
    /// added to `faults`, and all valid results remain available in `results`.
    std::expected<void, Error> open(Bytes input, const FaultSink& faults);

    /// Returns the header that the last call of `open` has read. If `open` has failed, this function and all functions
    /// below return meaningless results.
    const DataHeader& header() const noexcept { return header_; }
    /// Returns the bytes of this block, without bytes that follow the block in the input.
    Bytes bytes() const noexcept { return bytes_; }
    /// Returns the results in the order of the block. Valid until `open` is called again.
    std::span<const ResultEntry> results() const noexcept { return results_; }

  private:
    DataHeader header_{};
    Bytes bytes_;
    std::vector<ResultEntry> results_;
};

/// A value of a counter, read from a PERF_COUNTER_DATA.
struct Value {
    Bytes bytes;           ///< the dwDataSize bytes of the value; a value of 4 or 8 bytes is a number
    bool damaged = false;  ///< true if the bytes are missing, or may belong to another value
};

/// An instance with its values. A result without a list of instances has one instance, without a name.
struct Instance {
    std::optional<EncodedText> name;  ///< none if the name is damaged; empty if the result has no names
    std::uint32_t InstanceId = any_instance;
    std::uint64_t offset = 0;       ///< offset in the input: of PERF_INSTANCE_HEADER or, without it, of the first value
    std::uint32_t ordinal = 0;      ///< position in the list of instances
    std::span<const Value> values;  ///< one for each counter of the result; valid until the next instance is read
};

/// The type and the counters of a result. Reusable: `open` reuses the memory.
class Result {
  public:
    /// Reads the part of a result that precedes the instances and values. Fails if nothing of the result can be read.
    /// Opening a result of type `error` succeeds; such a result has no instances. Faults are reported with the object
    /// number `object`.
    std::expected<void, Error> open(const ResultEntry& entry, std::uint32_t object, const FaultSink& faults);

    ResultType type() const noexcept { return type_; }
    /// Returns the result's dwStatus, a Win32 status: 0 for success.
    std::uint32_t status() const noexcept { return status_; }
    /// Returns whether the result has a list of instances with names.
    bool has_instances() const noexcept {
        return type_ == ResultType::multiple_instances || type_ == ResultType::counterset;
    }
    /// Returns the counter ids, in the order of the values of an instance. Results of types `single_counter` and
    /// `multiple_instances` contain no ids: the list is empty, and only the identifier in the query states the counter.
    /// Valid until `open` is called again.
    std::span<const std::uint32_t> ids() const noexcept { return ids_; }
    /// Returns the number of values of each instance: the number of ids, or 1 for a result type without ids.
    std::uint32_t values_per_instance() const noexcept { return values_per_instance_; }
    /// Returns the number of instances to expect: dwInstances, or the maximum number that fits into the bytes of the
    /// result if dwInstances is larger. Returns 1 for a result without a list of instances.
    std::uint32_t expected_instances() const noexcept { return expected_; }
    /// Returns the object number that was passed to `open`.
    std::uint32_t object() const noexcept { return object_; }
    /// Returns the bytes after the counter ids and PERF_MULTI_INSTANCES: the instances, or the values of the only
    /// instance.
    Bytes body() const noexcept { return body_; }

  private:
    friend class InstanceReader;
    void report_lost(const ResultEntry& entry, const FaultSink& faults) const;
    std::expected<void, Error> read_ids(Bytes bytes, const FaultSink& faults);
    bool follows_ids(Bytes bytes) const noexcept;
    std::expected<void, Error> read_list();

    ResultType type_ = ResultType::error;
    std::uint32_t status_ = 0, object_ = no_index;
    std::vector<std::uint32_t> ids_;
    std::uint32_t values_per_instance_ = 0, listed_ = 0, expected_ = 0;
    std::uint32_t list_size_ = 0;  // dwTotalSize of PERF_MULTI_INSTANCES
    Bytes body_;                   // the instances, or the values of the only instance
    std::uint64_t list_at_ = 0;    // offset of PERF_MULTI_INSTANCES in the input
    bool cut_ = false;             // the input ends inside the result; this fault is already reported
};

/// Reads and checks the instances of a result one by one. A sample can therefore be built in one pass over the
/// instances.
class InstanceReader {
  public:
    /// Constructs a reader at the first instance. `values_left` is the number of values that `Limits::values` still
    /// allows for the block; the values of each instance are subtracted from it. The reader stores the values of the
    /// current instance in `values`. Keeps references to `result`, `values_left` and `values`.
    InstanceReader(const Result& result, std::uint64_t& values_left, std::vector<Value>& values,
                   const FaultSink& faults) noexcept;

    /// Fills `instance` with the next instance and reports the faults of that instance. Returns false after the last
    /// instance, or if a fault makes it impossible to find the next instance. Wrong lengths have these effects:
    ///
    /// - If dwDataSize of a value is wrong, only this value is damaged.
    /// - If dwSize of a value is impossible, the next value cannot be found. All later values of the result are lost.
    /// - If Size of an instance's header, or dwSize of a value, exceeds the necessary length by 8 bytes or more, the
    ///   extra bytes may be padding. They count as padding if the next instance, or the end of the list, follows the
    ///   current instance. Otherwise, the length is wrong: all values after it in the current instance are damaged, and
    ///   all later instances are lost.
    bool next(Instance& instance);

  private:
    const Result& result_;
    std::uint64_t& values_left_;
    std::vector<Value>& values_;
    FaultSink faults_;
    bool is_valid_header();
    void read_header(Instance& instance);
    bool read_value(Value& value);
    void suspect(Errc code, std::uint64_t at, std::uint64_t expected, std::uint64_t found, std::size_t first);
    bool continues() const noexcept;
    void drop_shifted();
    bool more_than_listed();
    bool end_of_list();
    void fault(Severity severity, Errc code, std::uint64_t at, std::string_view structure, std::string_view field,
               std::uint64_t expected, std::uint64_t found);

    std::uint64_t at_ = 0;  // offset of the next instance, from the start of `Result::body`
    std::uint32_t ordinal_ = 0, listed_ = 0;
    bool ended_ = false;
    /// A length that may be wrong: the first length in the current instance that is at least 8 bytes larger than its
    /// structure needs. The excess bytes are padding or, if the length is wrong, the beginning of the next value.
    struct Suspect {
        Errc code{};
        std::uint64_t at = 0, expected = 0, found = 0;
        std::size_t first = 0;  // position of the first value after this length
    };
    std::optional<Suspect> suspect_;
};

/// Returns the number that a value contains. Returns none if the value is damaged or does not have 4 or 8 bytes.
std::optional<std::uint64_t> number_of(const Value& value) noexcept;

/// PERF_COUNTER_IDENTIFIER: an identifier, the part of a query that selects counters and instances of one counterset.
struct Identifier {
    Guid CounterSetGuid;
    std::uint32_t Status = 0, Size = 0, CounterId = wildcard_counter, InstanceId = any_instance, Index = 0;
    /// Name of the instances, with or without wildcards. Empty if the identifier has no name; `std::nullopt` if the
    /// name is damaged.
    std::optional<EncodedText> name;
    Bytes bytes;  ///< all bytes of the identifier; fewer than `Size` if the input ends inside it
};
/// Size in bytes of PERF_COUNTER_IDENTIFIER without the name that follows it.
inline constexpr std::size_t identifier_size = 40;

/// The identifiers of a query. Reusable: `open` reuses the memory.
class Identifiers {
  public:
    /// Reads the identifiers. Stops after an identifier whose length is wrong. Faults are added to `faults`.
    void open(Bytes input, const FaultSink& faults);
    /// Returns the identifiers in the order of the input. Valid until `open` is called again.
    std::span<const Identifier> all() const noexcept { return all_; }
    /// Returns the identifier with this Index. Returns null if no identifier, or more than one identifier, has this
    /// Index.
    const Identifier* find(std::uint32_t index) const noexcept;

  private:
    std::vector<Identifier> all_;
    std::vector<std::uint32_t> by_index_;  // positions in `all_`, in ascending order of Index
};

/// PERF_COUNTERSET_REG_INFO: a counterset as declared in its provider's manifest.
struct CountersetRegInfo {
    Guid CounterSetGuid;
    std::uint32_t CounterSetType, DetailLevel, NumCounters;
    v2::InstanceType InstanceType;
};

/// PERF_COUNTER_REG_INFO: a counter as declared in its provider's manifest. BaseCounterId, PerfTimeId, PerfFreqId and
/// MultiId are ids of counters of the same counterset, or `no_id`. Attrib combines flags of `attribute`. Programs show
/// the value × 10^DefaultScale; DefaultScale is -10 to 10.
struct CounterRegInfo {
    std::uint32_t CounterId, Type;
    std::uint64_t Attrib;
    std::uint32_t DetailLevel;
    std::int32_t DefaultScale;
    std::uint32_t BaseCounterId, PerfTimeId, PerfFreqId, MultiId;
    Aggregate AggregateFunc;
    std::uint32_t Reserved;
};

/// The result of a `counterset_struct` request (PERF_REG_COUNTERSET_STRUCT). Reusable: `open` reuses the memory.
class RegistrationInfo {
  public:
    /// Reads the header and the counters. Fails if the header cannot be read. If the input ends before the last
    /// counter, reads the counters that are complete and reports the fault.
    std::expected<void, Error> open(Bytes input, const FaultSink& faults);
    const CountersetRegInfo& header() const noexcept { return header_; }
    std::span<const CounterRegInfo> counters() const noexcept { return counters_; }

  private:
    CountersetRegInfo header_{};
    std::vector<CounterRegInfo> counters_;
};

/// Reads the result of a `counter_struct` request (PERF_REG_COUNTER_STRUCT). Fails if the input is too short.
std::expected<CounterRegInfo, Error> read_counter_registration(Bytes input, const FaultSink& faults);

/// A string buffer: the result of a request for the names or the help texts of all counters of a counterset. Reusable:
/// `open` reuses the memory.
class StringBuffer {
  public:
    /// A counter and its string.
    struct Entry {
        std::uint32_t dwCounterId = 0;
        std::optional<EncodedText> text;  ///< none if the counter has no string, or the string is damaged
    };
    /// Reads the entries. Fails if the header cannot be read. A string that does not end inside the buffer is reported,
    /// and its entry has no text.
    std::expected<void, Error> open(Bytes input, const FaultSink& faults);
    std::span<const Entry> entries() const noexcept { return entries_; }

  private:
    std::vector<Entry> entries_;
};

/// Reads the result of a request for one string, such as `counterset_name`. Returns the UTF-16 text before the first
/// NUL. Reports a warning if there is no NUL.
EncodedText read_string(Bytes input, const FaultSink& faults);

/// Returns whether the input can be a data block. Checks the header and the lengths. Used to recognise files by
/// content.
bool is_data_block(Bytes input) noexcept;
/// Returns whether the input can be a PERF_COUNTERSET_REG_INFO with its counters. Checks the lengths.
bool is_registration(Bytes input) noexcept;
/// Returns whether the input can be a string buffer. Checks the lengths.
bool is_string_buffer(Bytes input) noexcept;

/// Appends a PERF_COUNTER_IDENTIFIER, as PerfAddCounters expects it, padded to a multiple of 8 bytes. `instances` is
/// the name of the instances, with or without wildcards. It must be empty for a single-instance counterset.
void append_identifier(std::vector<std::byte>& out, const Guid& counterset, std::string_view instances,
                       std::uint32_t counter_id = wildcard_counter, std::uint32_t instance_id = any_instance);

}  // namespace hkpd::v2
