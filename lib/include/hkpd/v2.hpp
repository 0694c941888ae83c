// The V2 format: what the PerfLib consumer functions return, as zero-copy views.
//
//       PERF_DATA_HEADER             DataBlock     PerfQueryCounterData
//         PERF_COUNTER_HEADER        Result        one for each identifier of the query; has one of five types
//           PERF_MULTI_COUNTERS        Result::ids
//           PERF_MULTI_INSTANCES       read by InstanceReader: PERF_INSTANCE_HEADER, then
//           PERF_COUNTER_DATA            the values
//       PERF_COUNTER_IDENTIFIER      Identifiers   PerfQueryCounterInfo; only these identify a result's counterset
//       PERF_COUNTERSET_REG_INFO     RegistrationInfo, StringBuffer   PerfQueryCounterSetRegistrationInfo
//
// Structures: perflib.h, learn.microsoft.com "Using the PerfLib Functions to Consume Counter Data". The members keep
// Microsoft's names. Always little endian. PerfLib passes on what providers give it ("does not validate the data"), so
// every length is checked here. Views point into the input and are valid as long as the input is.
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

/// Wildcards of an identifier: a CounterId for all counters of the counterset, and an InstanceId for any instance.
/// @{
inline constexpr std::uint32_t wildcard_counter = 0xFFFF'FFFF, any_instance = 0xFFFF'FFFF;
/// @}
/// Value of BaseCounterId, PerfTimeId, PerfFreqId or MultiId that refers to no counter.
inline constexpr std::uint32_t no_id = 0xFFFF'FFFF;
/// dwOffset of a string that does not exist.
inline constexpr std::uint32_t no_string = 0xFFFF'FFFF;

/// PerfCounterDataType: type of a result. The identifier in the query determines the type.
// NOLINTNEXTLINE(performance-enum-size): as wide as on the wire, where any value may occur
enum class ResultType : std::uint32_t {
    error = 0,               ///< PERF_ERROR_RETURN: dwStatus only
    single_counter = 1,      ///< one counter of one instance
    multiple_counters = 2,   ///< all counters of one instance
    multiple_instances = 4,  ///< one counter of the instances that match the identifier
    counterset = 6,          ///< all counters of the instances that match the identifier
};

/// InstanceType of a counterset (perflib.h PERF_COUNTERSET_*).
// NOLINTNEXTLINE(performance-enum-size): as wide as on the wire, where any value may occur
enum class InstanceType : std::uint32_t {
    single = 0,
    multi = 2,
    single_aggregate = 4,
    multi_aggregate = 6,
    single_aggregate_history = 12,
    instance_aggregate = 22,
};
/// Returns whether instances of the counterset have names. Bit 1 shows this, for unknown types as well.
constexpr bool is_multi(InstanceType type) noexcept { return (static_cast<std::uint32_t>(type) & 2U) != 0; }
/// Returns whether the counterset has a computed `_Total`.
constexpr bool is_aggregate(InstanceType type) noexcept { return (static_cast<std::uint32_t>(type) & 4U) != 0; }

/// AggregateFunc: function that computes `_Total` (PERF_AGGREGATE_*).
// NOLINTNEXTLINE(performance-enum-size): as wide as on the wire, where any value may occur
enum class Aggregate : std::uint32_t { undefined = 0, total = 1, average = 2, minimum = 3, maximum = 4 };

/// Attrib of a counter (PERF_ATTRIB_*).
namespace attribute {
inline constexpr std::uint64_t by_reference = 1;        ///< the provider keeps a pointer; consumers see the value
inline constexpr std::uint64_t no_displayable = 2;      ///< not shown
inline constexpr std::uint64_t no_group_separator = 4;  ///< shown without separators between thousands
inline constexpr std::uint64_t display_as_real = 8;     ///< bits of a floating-point number
inline constexpr std::uint64_t display_as_hex = 16;     ///< shown in hexadecimal
}  // namespace attribute

/// Request to PerfQueryCounterSetRegistrationInfo, and the form of its result.
// NOLINTNEXTLINE(performance-enum-size): as wide as on the wire, where any value may occur
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

/// PERF_DATA_HEADER, with the input's values, unchecked. dwTotalSize is in bytes; PerfTimeStamp in ticks, PerfFreq in
/// ticks per second, PerfTime100NSec in 100 ns since 1601; SystemTime in UTC.
struct DataHeader {
    std::uint32_t dwTotalSize, dwNumCounters;
    std::int64_t PerfTimeStamp, PerfTime100NSec, PerfFreq;
    hkpd::SystemTime SystemTime;
};
/// Size of PERF_DATA_HEADER in bytes.
inline constexpr std::size_t data_header_size = 48;

/// PERF_COUNTER_HEADER: a Win32 status, a `ResultType`, and the size in bytes of the whole result with this header.
struct CounterHeader {
    std::uint32_t dwStatus, dwType, dwSize, Reserved;
};

/// The bytes of a result, from the chain that `DataBlock::open` has checked. `bytes` never reaches into the next
/// result.
struct ResultEntry {
    Bytes bytes;  ///< the result with its PERF_COUNTER_HEADER
    CounterHeader header{};
    std::uint32_t ordinal = 0;  ///< position in the block, equal to the Index of the result's identifier
};

/// A block whose header and chain of results have been read by `open`. Reusable: `open` keeps the memory.
class DataBlock {
  public:
    /// Reads the header and the chain of results. Fails only if the header cannot be read at all. Other faults are
    /// added to `faults`, and all valid results are kept.
    std::expected<void, Error> open(Bytes input, const FaultSink& faults);

    /// Returns the header that `open` has read last; meaningless if `open` has failed.
    const DataHeader& header() const noexcept { return header_; }
    /// Returns the bytes of this block.
    Bytes bytes() const noexcept { return bytes_; }
    /// Returns the results in the order of the block. Valid until `open` is called again.
    std::span<const ResultEntry> results() const noexcept { return results_; }

  private:
    DataHeader header_{};
    Bytes bytes_;
    std::vector<ResultEntry> results_;
};

/// The value in a PERF_COUNTER_DATA.
struct Value {
    Bytes bytes;           ///< the dwDataSize bytes of the value; 4 or 8 bytes are a number
    bool damaged = false;  ///< whether the bytes are missing or cannot be trusted
};

/// An instance with its values. A result without a list of instances has one instance, without a name.
struct Instance {
    std::optional<EncodedText> name;  ///< none if the name is damaged; empty if the result has no names
    std::uint32_t InstanceId = any_instance;
    std::uint64_t offset = 0;   ///< absolute offset of the instance's header or, without a header, of its first value
    std::uint32_t ordinal = 0;  ///< position in the list
    std::span<const Value> values;  ///< one for each counter of the result; valid until the next instance is read
};

/// The type and the counters of a result. Reusable: `open` keeps the memory.
class Result {
  public:
    /// Reads everything that precedes the values. Fails if nothing of the result can be read. A result of type `error`
    /// can be opened, and has no instances. `object` is the object number under which faults of the result are
    /// reported.
    std::expected<void, Error> open(const ResultEntry& entry, std::uint32_t object, const FaultSink& faults);

    ResultType type() const noexcept { return type_; }
    /// Returns the result's dwStatus, a Win32 status: 0 for success.
    std::uint32_t status() const noexcept { return status_; }
    /// Returns whether the result has a list of instances with names.
    bool has_instances() const noexcept {
        return type_ == ResultType::multiple_instances || type_ == ResultType::counterset;
    }
    /// Returns the counter ids in the order of the values; empty for a result type without ids. The counter of such a
    /// result is known only from the identifier in the query. Valid until `open` is called again.
    std::span<const std::uint32_t> ids() const noexcept { return ids_; }
    /// Returns the number of values of each instance: the number of ids, or 1 for result types without ids.
    std::uint32_t values_per_instance() const noexcept { return values_per_instance_; }
    /// Returns the number of instances to expect: dwInstances, limited by the bytes of the result; 1 for a result
    /// without a list.
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
    std::uint32_t list_size_ = 0;  // dwTotalSize
    Bytes body_;                   // the instances, or the values of the only instance
    std::uint64_t list_at_ = 0;    // absolute offset of PERF_MULTI_INSTANCES
    bool cut_ = false;             // the input ends inside the result, which has been reported
};

/// Reads the instances of a result one by one and checks each of them, so that a sample is built in a single pass.
class InstanceReader {
  public:
    /// Constructs a reader at the first instance. `values_left` is the number of values that `Limits::values` still
    /// allows; the values of each instance are subtracted from it. `values` is the memory for the values of the current
    /// instance. Keeps references to the first three arguments.
    InstanceReader(const Result& result, std::uint64_t& values_left, std::vector<Value>& values,
                   const FaultSink& faults) noexcept;

    /// Fills `instance` with the next instance and reports its faults. Returns false at the end, or if the chain is
    /// broken. If the length of a value (dwSize) breaks the chain, all later values of the result are lost. A wrong
    /// data size (dwDataSize) damages only its own value. If a length is at least 8 bytes larger than
    /// necessary, and neither a valid instance nor the end of the list follows the current instance, all values of the
    /// instance after that length are damaged.
    bool next(Instance& instance);

  private:
    const Result& result_;
    std::uint64_t& values_left_;
    std::vector<Value>& values_;
    FaultSink faults_;
    bool is_valid_header();
    void read_header(Instance& instance);
    bool read_value(Value& value);
    void suspect(Errc code, std::uint64_t at, std::uint64_t need, std::uint64_t have, std::size_t first);
    bool continues() const noexcept;
    void drop_shifted();
    bool more_than_listed();
    bool end_of_list();
    void fault(Severity severity, Errc code, std::uint64_t at, std::string_view structure, std::string_view field,
               std::uint64_t need, std::uint64_t have);

    std::uint64_t at_ = 0;  // offset of the next instance, from the start of the body
    std::uint32_t ordinal_ = 0, listed_ = 0;
    bool ended_ = false;
    /// The first length in the current instance that is at least 8 bytes larger than necessary.
    struct Suspect {
        Errc code{};
        std::uint64_t at = 0, need = 0, have = 0;
        std::size_t first = 0;  // position of the first value after this length
    };
    std::optional<Suspect> suspect_;
};

/// Returns the number in a valid value of 4 or 8 bytes; none for any other value.
std::optional<std::uint64_t> number_of(const Value& value) noexcept;

/// An identifier: the part of a query that selects counters and instances of one counterset.
struct Identifier {
    Guid CounterSetGuid;
    std::uint32_t Status = 0, Size = 0, CounterId = wildcard_counter, InstanceId = any_instance, Index = 0;
    std::optional<EncodedText> name;  ///< name of instances, with or without wildcards; empty: no name; none: damaged
    Bytes bytes;                      ///< all `Size` bytes of the identifier
};
/// Size in bytes of PERF_COUNTER_IDENTIFIER without the name that follows it.
inline constexpr std::size_t identifier_size = 40;

/// The identifiers of a query. Reusable: `open` keeps the memory.
class Identifiers {
  public:
    /// Reads the identifiers; stops after an identifier whose length is wrong. Faults are added to `faults`.
    void open(Bytes input, const FaultSink& faults);
    /// Returns the identifiers in the order of the input. Valid until `open` is called again.
    std::span<const Identifier> all() const noexcept { return all_; }
    /// Returns the identifier with this Index; null if no identifier, or more than one, has this Index.
    const Identifier* find(std::uint32_t index) const noexcept;

  private:
    std::vector<Identifier> all_;
    std::vector<std::uint32_t> by_index_;  // positions in `all_`
};

/// PERF_COUNTERSET_REG_INFO: a counterset as declared in its provider's manifest.
struct CountersetRegInfo {
    Guid CounterSetGuid;
    std::uint32_t CounterSetType, DetailLevel, NumCounters;
    v2::InstanceType InstanceType;
};

/// PERF_COUNTER_REG_INFO: a counter as declared in its provider's manifest. BaseCounterId, PerfTimeId, PerfFreqId and
/// MultiId are ids of counters of the same counterset, or `no_id`; Attrib combines flags of `attribute`; values are
/// shown × 10^DefaultScale (-10 to 10).
struct CounterRegInfo {
    std::uint32_t CounterId, Type;
    std::uint64_t Attrib;
    std::uint32_t DetailLevel;
    std::int32_t DefaultScale;
    std::uint32_t BaseCounterId, PerfTimeId, PerfFreqId, MultiId;
    Aggregate AggregateFunc;
    std::uint32_t Reserved;
};

/// The result of a PERF_REG_COUNTERSET_STRUCT request. Reusable: `open` keeps the memory.
class RegistrationInfo {
  public:
    /// Reads the header and the counters. Fails if the header cannot be read. Counters beyond the end of the input are
    /// lost, which is reported.
    std::expected<void, Error> open(Bytes input, const FaultSink& faults);
    const CountersetRegInfo& header() const noexcept { return header_; }
    std::span<const CounterRegInfo> counters() const noexcept { return counters_; }

  private:
    CountersetRegInfo header_{};
    std::vector<CounterRegInfo> counters_;
};

/// Reads the result of a PERF_REG_COUNTER_STRUCT request. Fails if the input is too short.
std::expected<CounterRegInfo, Error> read_counter_registration(Bytes input, const FaultSink& faults);

/// The result of a request for one string of each counter (the name or the help text). Reusable: `open` keeps the
/// memory.
class StringBuffer {
  public:
    /// A string of a counter.
    struct Entry {
        std::uint32_t dwCounterId = 0;
        std::optional<EncodedText> text;  ///< none if the string does not exist or is damaged
    };
    /// Reads the entries. Fails if the header cannot be read. A string that does not end inside the buffer is lost,
    /// which is reported.
    std::expected<void, Error> open(Bytes input, const FaultSink& faults);
    std::span<const Entry> entries() const noexcept { return entries_; }

  private:
    std::vector<Entry> entries_;
};

/// Returns the result of a request for one string: UTF-16 up to its NUL. A missing NUL is reported as a warning.
EncodedText read_string(Bytes input, const FaultSink& faults);

/// Returns whether these bytes can be a data block, judged by the header and the lengths. Used to recognise files by
/// content.
bool is_data_block(Bytes input) noexcept;
/// Returns whether these bytes can be a PERF_COUNTERSET_REG_INFO with its counters, judged by the lengths.
bool is_registration(Bytes input) noexcept;
/// Returns whether these bytes can be a string buffer, judged by the lengths.
bool is_string_buffer(Bytes input) noexcept;

/// Appends an identifier in the form that PerfAddCounters takes, padded to a multiple of 8 bytes. `instances` is the
/// name of the instances, with or without wildcards, and is empty for single-instance countersets.
void append_identifier(std::vector<std::byte>& out, const Guid& counterset, std::string_view instances,
                       std::uint32_t counter_id = wildcard_counter, std::uint32_t instance_id = any_instance);

}  // namespace hkpd::v2
