// The V2 format: what the PerfLib consumer functions return, as zero-copy views.
//
//       PERF_DATA_HEADER             DataBlock     PerfQueryCounterData
//         PERF_COUNTER_HEADER        Result        one for each identifier of the query, of five types
//           PERF_MULTI_COUNTERS        Result::ids
//           PERF_MULTI_INSTANCES       met by InstanceReader: PERF_INSTANCE_HEADER, then
//           PERF_COUNTER_DATA            the values
//       PERF_COUNTER_IDENTIFIER      Identifiers   PerfQueryCounterInfo; what a result belongs to is nowhere else
//       PERF_COUNTERSET_REG_INFO     RegistrationInfo, StringBuffer   PerfQueryCounterSetRegistrationInfo
//
// Structures: perflib.h, learn.microsoft.com "Using the PerfLib Functions to Consume Counter Data". The members keep
// Microsoft's names. Always little endian. PerfLib hands through what providers give it ("does not validate the data"),
// so every length is checked here. Views point into the input and are valid as long as it is.
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

/// CounterId: all counters of the set. InstanceId: any.
/// @{
inline constexpr std::uint32_t wildcard_counter = 0xFFFF'FFFF, any_instance = 0xFFFF'FFFF;
/// @}
/// BaseCounterId, PerfTimeId, PerfFreqId, MultiId of a counter that has none.
inline constexpr std::uint32_t no_id = 0xFFFF'FFFF;
/// dwOffset of a string that is not there.
inline constexpr std::uint32_t no_string = 0xFFFF'FFFF;

/// PerfCounterDataType: what a result is, by the shape of its identifier.
// NOLINTNEXTLINE(performance-enum-size): as wide as on the wire, where any value may stand
enum class ResultType : std::uint32_t {
    error = 0,               ///< PERF_ERROR_RETURN: nothing but dwStatus
    single_counter = 1,      ///< one counter of one instance
    multiple_counters = 2,   ///< all counters of one instance
    multiple_instances = 4,  ///< one counter of the instances that match
    counterset = 6,          ///< all counters of the instances that match
};

/// InstanceType of a counterset (perflib.h PERF_COUNTERSET_*).
// NOLINTNEXTLINE(performance-enum-size): as wide as on the wire, where any value may stand
enum class InstanceType : std::uint32_t {
    single = 0,
    multi = 2,
    single_aggregate = 4,
    multi_aggregate = 6,
    single_aggregate_history = 12,
    instance_aggregate = 22,
};
/// Whether instances of the set have names. Unknown types: as their bit 1 says.
constexpr bool is_multi(InstanceType type) noexcept { return (static_cast<std::uint32_t>(type) & 2U) != 0; }
/// Whether the set has a computed `_Total`.
constexpr bool is_aggregate(InstanceType type) noexcept { return (static_cast<std::uint32_t>(type) & 4U) != 0; }

/// AggregateFunc: how `_Total` is computed (PERF_AGGREGATE_*).
// NOLINTNEXTLINE(performance-enum-size): as wide as on the wire, where any value may stand
enum class Aggregate : std::uint32_t { undefined = 0, total = 1, average = 2, minimum = 3, maximum = 4 };

/// Attrib of a counter (PERF_ATTRIB_*).
namespace attribute {
inline constexpr std::uint64_t by_reference = 1;        ///< the provider keeps a pointer; consumers see the value
inline constexpr std::uint64_t no_displayable = 2;      ///< not to be shown
inline constexpr std::uint64_t no_group_separator = 4;  ///< no comma between thousands
inline constexpr std::uint64_t display_as_real = 8;     ///< the bits of a floating-point number
inline constexpr std::uint64_t display_as_hex = 16;     ///< to be shown in hexadecimal
}  // namespace attribute

/// What PerfQueryCounterSetRegistrationInfo is asked for.
// NOLINTNEXTLINE(performance-enum-size): as wide as on the wire, where any value may stand
enum class RegistrationRequest : std::uint32_t {
    counterset_struct = 1,      ///< PERF_COUNTERSET_REG_INFO and a PERF_COUNTER_REG_INFO for each counter
    counter_struct = 2,         ///< one PERF_COUNTER_REG_INFO; the language identifier is the counter's id
    counterset_name = 3,        ///< a string
    counterset_help = 4,        ///< a string
    counter_names = 5,          ///< a string buffer
    counter_help = 6,           ///< a string buffer
    provider_name = 7,          ///< a string
    provider_guid = 8,          ///< 16 bytes
    counterset_english = 9,     ///< a string: the name in English
    counter_names_english = 10  ///< a string buffer: the names in English
};

/// PERF_DATA_HEADER. dwTotalSize in bytes; PerfTimeStamp in ticks, PerfFreq in ticks a second, PerfTime100NSec since
/// 1601; SystemTime in UTC. As the input has it.
struct DataHeader {
    std::uint32_t dwTotalSize, dwNumCounters;
    std::int64_t PerfTimeStamp, PerfTime100NSec, PerfFreq;
    hkpd::SystemTime SystemTime;
};
/// Bytes of it.
inline constexpr std::size_t data_header_size = 48;

/// PERF_COUNTER_HEADER: a Win32 status, a `ResultType`, and the bytes of the whole result with this header.
struct CounterHeader {
    std::uint32_t dwStatus, dwType, dwSize, Reserved;
};

/// Where a result lies, from the chain that `DataBlock::open` has checked. `bytes` never reaches into the next.
struct ResultEntry {
    Bytes bytes;  ///< with its PERF_COUNTER_HEADER
    CounterHeader header{};
    std::uint32_t ordinal = 0;  ///< place in the block: the Index of its identifier
};

/// A block whose header is sound and whose chain of results has been followed. Reusable: `open` keeps the memory.
class DataBlock {
  public:
    /// Reads the header and the chain of results. Fails only where the header cannot be read at all. What else is
    /// wrong is added to `faults`, and what is sound is kept.
    std::expected<void, Error> open(Bytes input, const FaultSink& faults);

    /// What `open` has read last; meaningless where it has failed.
    const DataHeader& header() const noexcept { return header_; }
    /// The bytes that belong to this block.
    Bytes bytes() const noexcept { return bytes_; }
    std::span<const ResultEntry> results() const noexcept { return results_; }

  private:
    DataHeader header_{};
    Bytes bytes_;
    std::vector<ResultEntry> results_;
};

/// A value as it lies in its PERF_COUNTER_DATA.
struct Value {
    Bytes bytes;           ///< dwDataSize of them: 4 or 8 make a number
    bool damaged = false;  ///< then there are no bytes, or none to be trusted
};

/// One instance with its values. Of results that are not lists of instances: the one instance, without a name.
struct Instance {
    std::optional<EncodedText> name;  ///< none where it is damaged; empty where the result gives none
    std::uint32_t InstanceId = any_instance;
    std::uint64_t offset = 0;       ///< absolute offset of its header, or of its first value
    std::uint32_t ordinal = 0;      ///< place in the list
    std::span<const Value> values;  ///< one for each counter of the result; valid until the next one is read
};

/// One result's type and counters. Reusable: `open` keeps the memory.
class Result {
  public:
    /// Reads what stands in front of the values. Fails where nothing of the result can be told. A result of type
    /// `error` opens, and has no instances. `object` is what faults call it by.
    std::expected<void, Error> open(const ResultEntry& entry, std::uint32_t object, const FaultSink& faults);

    ResultType type() const noexcept { return type_; }
    /// Its dwStatus, a Win32 status: 0 for success.
    std::uint32_t status() const noexcept { return status_; }
    /// Whether it is a list of instances with names.
    bool has_instances() const noexcept {
        return type_ == ResultType::multiple_instances || type_ == ResultType::counterset;
    }
    /// Counter ids in the order of the values; empty where the identifier alone tells the one counter.
    std::span<const std::uint32_t> ids() const noexcept { return ids_; }
    /// Values of each instance: as many as ids, or 1.
    std::uint32_t values_per_instance() const noexcept { return values_per_instance_; }
    /// How many instances to expect: what dwInstances says, as far as the bytes allow.
    std::uint32_t expected_instances() const noexcept { return expected_; }
    /// As it was given to `open`.
    std::uint32_t object() const noexcept { return object_; }
    /// What stands behind the counter ids and PERF_MULTI_INSTANCES: the instances, or the values of the one.
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
    Bytes body_;                   // the instances, or the values of the one
    std::uint64_t list_at_ = 0;    // absolute offset of PERF_MULTI_INSTANCES
    bool cut_ = false;             // the input ends inside: said already
};

/// Meets the instances of a result one by one and checks each as it comes: the one pass in which a sample is built.
class InstanceReader {
  public:
    /// `values_left` is what the limit still allows; each instance takes its values from it. Keeps references.
    InstanceReader(const Result& result, std::uint64_t& values_left, std::vector<Value>& values,
                   const FaultSink& faults) noexcept;

    /// Fills `instance` with the next one; false at the end, or where the chain is broken. A value whose length breaks
    /// the chain costs those behind it in the result; one of a wrong data size costs itself. Where a length claims more
    /// than what it holds, and nothing sound stands behind the instance, the values behind that length are damaged.
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

    std::uint64_t at_ = 0;  // of the next instance, from the start of the body
    std::uint32_t ordinal_ = 0, listed_ = 0;
    bool ended_ = false;
    /// The first length of the instance at hand that claims more than what it holds.
    struct Suspect {
        Errc code{};
        std::uint64_t at = 0, need = 0, have = 0;
        std::size_t first = 0;  // value that is somewhere else if the length is wrong
    };
    std::optional<Suspect> suspect_;
};

/// The number of a sound value of 4 or 8 bytes; none of any other.
std::optional<std::uint64_t> number_of(const Value& value) noexcept;

/// A part of a query: which counters of which instances of which counterset.
struct Identifier {
    Guid CounterSetGuid;
    std::uint32_t Status = 0, Size = 0, CounterId = wildcard_counter, InstanceId = any_instance, Index = 0;
    std::optional<EncodedText> name;  ///< of instances, may hold wildcards; empty: there is none; none: damaged
    Bytes bytes;                      ///< all `Size` bytes of it
};
/// Bytes of PERF_COUNTER_IDENTIFIER without the name behind it.
inline constexpr std::size_t identifier_size = 40;

/// The identifiers of a query. Reusable: `open` keeps the memory.
class Identifiers {
  public:
    /// Reads all that are sound; what is wrong is added to `faults`.
    void open(Bytes input, const FaultSink& faults);
    std::span<const Identifier> all() const noexcept { return all_; }
    /// The one whose Index is this; null where there is none, or more than one.
    const Identifier* find(std::uint32_t index) const noexcept;

  private:
    std::vector<Identifier> all_;
    std::vector<std::uint32_t> by_index_;  // places in `all_`
};

/// PERF_COUNTERSET_REG_INFO: a counterset as its provider's manifest declares it.
struct CountersetRegInfo {
    Guid CounterSetGuid;
    std::uint32_t CounterSetType, DetailLevel, NumCounters;
    v2::InstanceType InstanceType;
};

/// PERF_COUNTER_REG_INFO: a counter likewise. BaseCounterId, PerfTimeId, PerfFreqId and MultiId are ids of counters of
/// the same set, or `no_id`; Attrib is made of `attribute`; values are shown × 10^DefaultScale (-10 to 10).
struct CounterRegInfo {
    std::uint32_t CounterId, Type;
    std::uint64_t Attrib;
    std::uint32_t DetailLevel;
    std::int32_t DefaultScale;
    std::uint32_t BaseCounterId, PerfTimeId, PerfFreqId, MultiId;
    Aggregate AggregateFunc;
    std::uint32_t Reserved;
};

/// What PERF_REG_COUNTERSET_STRUCT returns. Reusable: `open` keeps the memory.
class RegistrationInfo {
  public:
    /// Fails where the header cannot be read. Counters beyond the input are lost, and said so.
    std::expected<void, Error> open(Bytes input, const FaultSink& faults);
    const CountersetRegInfo& header() const noexcept { return header_; }
    std::span<const CounterRegInfo> counters() const noexcept { return counters_; }

  private:
    CountersetRegInfo header_{};
    std::vector<CounterRegInfo> counters_;
};

/// What PERF_REG_COUNTER_STRUCT returns.
std::expected<CounterRegInfo, Error> read_counter_registration(Bytes input, const FaultSink& faults);

/// What the requests for strings of all counters return. Reusable: `open` keeps the memory.
class StringBuffer {
  public:
    /// One string of a counter.
    struct Entry {
        std::uint32_t dwCounterId = 0;
        std::optional<EncodedText> text;  ///< none where there is no string, or a damaged one
    };
    /// Fails where the header cannot be read. A string that does not end inside the buffer is lost, and said so.
    std::expected<void, Error> open(Bytes input, const FaultSink& faults);
    std::span<const Entry> entries() const noexcept { return entries_; }

  private:
    std::vector<Entry> entries_;
};

/// What the requests for one string return: UTF-16 up to its NUL. A missing NUL is a warning.
EncodedText read_string(Bytes input, const FaultSink& faults);

/// Whether these bytes can be a data block: the lengths in them agree with how many there are. Here and below for
/// files, which do not say what they are.
bool is_data_block(Bytes input) noexcept;
/// The struct of a counterset's registration.
bool is_registration(Bytes input) noexcept;
/// A string buffer.
bool is_string_buffer(Bytes input) noexcept;

/// Appends an identifier as PerfAddCounters takes it, padded to a multiple of 8. `instances` is empty for
/// single-instance sets.
void append_identifier(std::vector<std::byte>& out, const Guid& counterset, std::string_view instances,
                       std::uint32_t counter_id = wildcard_counter, std::uint32_t instance_id = any_instance);

}  // namespace hkpd::v2
