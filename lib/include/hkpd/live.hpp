// Live counters: abstract classes for the Windows functions that read counters (registry and PerfLib), the timing of
// samples, and a source that reads a live machine.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hkpd/bytes.hpp"
#include "hkpd/guid.hpp"
#include "hkpd/limits.hpp"
#include "hkpd/source.hpp"
#include "hkpd/v2.hpp"

namespace hkpd {

/// PerfLib's functions. Each returns a Win32 status. A function with a buffer and `actual` sets `actual` to the size of
/// the complete result, in bytes or, if the buffer holds GUIDs, in GUIDs. If the buffer is smaller than the result, the
/// function returns `not_enough_memory` and leaves the buffer unchanged. `machine` is the name of a machine, with or
/// without leading `\\`, or empty for the local machine.
class PerfLib {
  public:
    /// A query handle, as PerfOpenQueryHandle returns it.
    using Handle = std::uint64_t;

    virtual ~PerfLib() = default;

    /// Lists the GUIDs of the machine's countersets: PerfEnumerateCounterSet.
    virtual std::uint32_t enumerate_countersets(std::string_view machine, std::span<Guid> buffer,
                                                std::uint32_t& actual) = 0;
    /// Gets registration information: PerfQueryCounterSetRegistrationInfo. For the request `counter_struct`, `language`
    /// is the counter id. For all other requests it is a Windows language identifier (such as 0x409; 0 is neutral).
    virtual std::uint32_t registration_info(std::string_view machine, const Guid& counterset,
                                            v2::RegistrationRequest request, std::uint32_t language,
                                            std::span<std::byte> buffer, std::uint32_t& actual) = 0;
    /// Lists the instances of a counterset: PerfEnumerateCounterSetInstances. Each entry of the buffer is a
    /// PERF_INSTANCE_HEADER and the instance's name, without values.
    virtual std::uint32_t enumerate_instances(std::string_view machine, const Guid& counterset,
                                              std::span<std::byte> buffer, std::uint32_t& actual) = 0;
    /// Opens a query of one machine: PerfOpenQueryHandle. The query contains no counters at first.
    virtual std::uint32_t open_query(std::string_view machine, Handle& query) = 0;
    /// Closes a query: PerfCloseQueryHandle.
    virtual std::uint32_t close_query(Handle query) = 0;
    /// Adds counters to a query: PerfAddCounters. `identifiers` holds PERF_COUNTER_IDENTIFIERs end to end; the call
    /// sets the Status and Index of each identifier.
    virtual std::uint32_t add_counters(Handle query, std::span<std::byte> identifiers) = 0;
    /// Deletes counters from a query: PerfDeleteCounters. `identifiers` holds PERF_COUNTER_IDENTIFIERs end to end. For
    /// each identifier, the call removes from the query the identifier with the same GUID, CounterId, InstanceId and
    /// name. The call sets the Status of each identifier.
    virtual std::uint32_t delete_counters(Handle query, std::span<std::byte> identifiers) = 0;
    /// Gets the identifiers of a query: PerfQueryCounterInfo. The Index of each identifier is the position of its
    /// result in the data block.
    virtual std::uint32_t query_info(Handle query, std::span<std::byte> buffer, std::uint32_t& actual) = 0;
    /// Gets a data block: PerfQueryCounterData. The block is a PERF_DATA_HEADER and one result for each identifier of
    /// the query, in the order of the identifiers' Index.
    virtual std::uint32_t query_data(Handle query, std::span<std::byte> buffer, std::uint32_t& actual) = 0;
};

/// Returns Windows' own PerfLib. The functions are looked up at run time in `library`: advapi32.dll, or the path of
/// another library that has these functions. `missing` receives the names of the functions that the library does not
/// have. A call of such a function returns `proc_not_found`. Returns null if the library cannot be loaded or the system
/// is not Windows; `missing` then receives the library's name.
std::unique_ptr<PerfLib> system_perflib(std::string_view library, std::string& missing);

/// The predefined registry keys that hold counters and their titles (winreg.h).
enum class PerformanceKey : std::uint8_t {
    data,      ///< HKEY_PERFORMANCE_DATA
    text,      ///< HKEY_PERFORMANCE_TEXT: titles in English
    nls_text,  ///< HKEY_PERFORMANCE_NLSTEXT: titles in the language of the user interface
};

/// The registry functions of one machine. Not thread-safe.
class PerformanceRegistry {
  public:
    /// Number of writable bytes that must follow the end of each buffer. Wine writes 88 bytes beyond the size that the
    /// caller passed (FORMAT.md §6), and would otherwise overwrite other memory.
    static constexpr std::size_t spare_bytes = 88;

    virtual ~PerformanceRegistry() = default;

    /// Reads a value into `buffer`: RegQueryValueExW. `spare_bytes` writable bytes must follow `buffer`. Returns a
    /// Win32 status. `size` receives the size that RegQueryValueExW reports; use it only if the status is success.
    virtual std::uint32_t query_value(PerformanceKey key, std::string_view name, std::span<std::byte> buffer,
                                      std::uint32_t& size) = 0;
    /// Closes HKEY_PERFORMANCE_DATA with RegCloseKey. RegCloseKey unloads the providers' DLLs. Must not be called while
    /// a DLL is being unloaded (learn.microsoft.com, "Using the Registry Functions to Consume Counter Data").
    virtual void close() = 0;
    /// Returns the title index that a V2 counterset has in V1: the registry value `First Counter` under
    /// `Perflib\_V2Providers\{provider}\{counterset}`. None if the title index is unknown.
    virtual std::optional<std::uint32_t> first_counter(const Guid& provider, const Guid& counterset) = 0;
    /// Returns the machine's name as it appears in its data blocks.
    virtual std::string machine_name() const = 0;
    /// Returns the language of the user interface as a Windows language identifier (such as 0x409); 0 if the language
    /// is unknown.
    virtual std::uint32_t ui_language() const noexcept = 0;
};

/// Returns Windows' own registry: the local registry if `machine` is empty, otherwise the registry of that machine,
/// connected by RegConnectRegistryW. Returns null and sets `status` if the machine does not exist, or if the system is
/// not Windows (`call_not_implemented`).
std::unique_ptr<PerformanceRegistry> system_registry(std::string_view machine, std::uint32_t& status);

/// The buffer sizes and retries of a `RegistryReader`.
struct RegistryPolicy {
    std::size_t first_size = std::size_t{64} * 1024;  ///< first buffer size in bytes; doubled as needed
    /// Maximum buffer size in bytes. If the registry requires a larger buffer, the query fails with `more_data`.
    std::size_t most_size = static_cast<std::size_t>(Limits{}.bytes);
    /// Maximum number of attempts if the registry is busy or if a block states no length (TotalByteLength is 0). If a
    /// block states a length that exceeds the size of the reply, at most three attempts are made.
    std::uint32_t attempts = 8;
    std::chrono::milliseconds pause{10};  ///< pause before the second attempt; doubles before each further attempt
    /// Waits for the time that the reader passes. Returns false to stop retrying. If no function is set, the reader
    /// sleeps for that time.
    std::function<bool(std::chrono::milliseconds)> wait{};
};

/// Reads values from a registry. Each query begins with the buffer size with which the last complete block was read.
/// The reader zeroes the buffer before each call of the registry: providers leave parts of the buffer unwritten, which
/// would otherwise contain old data. The destructor closes HKEY_PERFORMANCE_DATA.
class RegistryReader {
  public:
    /// Keeps a reference to `registry`.
    explicit RegistryReader(PerformanceRegistry& registry, RegistryPolicy policy = {});
    ~RegistryReader();
    RegistryReader(const RegistryReader&) = delete;
    RegistryReader& operator=(const RegistryReader&) = delete;

    /// Queries a performance data block. `query` is `Global`, `Costly`, a list such as `238 6` of the title indices of
    /// objects, and so on (FORMAT.md §1.3). Returns a Win32 status.
    ///
    /// If the registry reports a size that exceeds the buffer, the reply ends at the end of the buffer. The query is
    /// repeated if TotalByteLength is 0 (the block is incomplete) or exceeds the size of the reply. If needed, the
    /// buffer is enlarged first. If all attempts give such a block, the query succeeds with the last reply.
    std::uint32_t query(std::string_view query);
    /// Returns the block that the last `query` read; empty if the query failed. Wine reports a size that is 88 bytes
    /// too small; the result includes these bytes. Valid until the next call of `query`.
    Bytes block() const noexcept { return Bytes(std::span(buffer_).first(size_)); }

    /// Reads a registry value with titles into `titles`: the bytes of the REG_MULTI_SZ, unchanged. Returns a Win32
    /// status.
    std::uint32_t query_titles(PerformanceKey key, std::string_view name, std::vector<std::byte>& titles);

    /// Returns the number of calls that were repeated because the registry was busy or its reply was incomplete. Calls
    /// that were repeated with a larger buffer because of the status `more_data` are not counted.
    std::uint64_t retries() const noexcept { return retries_; }

  private:
    std::uint32_t ask_whole(std::string_view query);
    std::uint32_t ask(PerformanceKey key, std::string_view name, std::vector<std::byte>& buffer, std::size_t& size);
    bool wait_for(std::uint32_t attempt);
    bool grow(std::vector<std::byte>& buffer) const;

    PerformanceRegistry& registry_;
    RegistryPolicy policy_;
    std::vector<std::byte> buffer_;  // bytes passed to the registry, then `spare_bytes` bytes
    std::size_t size_ = 0;           // size of the block in `buffer_`
    std::size_t learned_size_ = 0;   // buffer size with which the last complete block was read
    std::uint64_t retries_ = 0;
};

/// The moments (ticks) at which samples are due.
class Ticks {
  public:
    virtual ~Ticks() = default;
    /// Waits for the next tick and returns its number. The first tick has number 0. Missed ticks have numbers too, so
    /// there can be gaps between the returned numbers. Returns none after the last tick, or if the wait was stopped.
    virtual std::optional<std::uint64_t> next() = 0;
    /// Returns the number of ticks that `next` has skipped so far. `next` skips a tick if the tick after it is already
    /// due. If a tick is late but the tick after it is not due yet, `next` returns the late tick at once.
    virtual std::uint64_t missed() const noexcept { return 0; }
};

/// The number of ticks and the interval between them.
struct Schedule {
    std::chrono::nanoseconds interval = std::chrono::seconds(1);
    std::optional<std::uint64_t> count{};                ///< maximum number of samples; none: unlimited
    std::optional<std::chrono::nanoseconds> duration{};  ///< longest time from first to last tick; none: unlimited
};

/// A clock that can be waited on.
struct TickClock {
    std::function<std::chrono::nanoseconds()> now;  ///< returns the current time; must never decrease
    /// Waits until `now` returns at least the time that is passed. Returns false if the wait was stopped early.
    std::function<bool(std::chrono::nanoseconds)> wait_until;
};
/// Returns the system's steady clock. A wait ends within 20 ms after `stop` is set, for example by a signal. Keeps a
/// reference to `stop`.
TickClock steady_clock(const std::atomic<bool>& stop);

/// Returns ticks at fixed times: tick n is due n × interval after tick 0, so that delays do not accumulate. Missed
/// ticks (see `Ticks::missed`) are skipped.
std::unique_ptr<Ticks> steady_ticks(const Schedule& schedule, TickClock clock);
/// Returns the ticks of a schedule. `Ticks::next` returns each tick at once, without waiting until it is due.
std::unique_ptr<Ticks> immediate_ticks(const Schedule& schedule);

/// A machine from which counters are read. `registry` reads V1, and `perflib` reads V2. A null pointer means that the
/// machine does not have this interface.
struct LiveMachine {
    /// Machine name for diagnostics and records. If the V1 block of the first tick states a machine name, the stated
    /// name replaces this name in all records.
    std::string name;
    std::shared_ptr<PerformanceRegistry> registry{};
    std::shared_ptr<PerfLib> perflib{};
    /// Machine name to pass to the functions of `perflib`; empty for the local machine.
    std::string remote{};
};

/// A part of a query for which a machine has nothing.
struct UnmatchedQuery {
    /// The part of the query.
    enum class Kind : std::uint8_t {
        object,    ///< an element of `LiveQuery::objects`
        index,     ///< a title index in `LiveQuery::value`
        language,  ///< an element of `LiveQuery::languages`
    };
    Kind kind = Kind::object;
    std::string text;     ///< as in the query; a language in the form of `normal_language`
    std::string nearest;  ///< the name of the machine that is most similar; empty if none is
};

/// The counters to collect, and how.
struct LiveQuery {
    bool v1 = true, v2 = false;  ///< interfaces to use
    /// For V1: name of the registry value to query, such as `Global` or `238 6`. If empty, the name is derived from
    /// `objects`. If `objects` is empty too, the name is `Global`.
    std::string value{};
    /// Objects and countersets to collect, each as a name, a name with wildcards, a title index, a GUID, or the part of
    /// a counter path that names object and instance. If `objects` is empty, all are collected. Names are searched in
    /// the machine's titles and registrations, of all languages that are read. In V1, all objects (`Global`) are
    /// queried if the elements match more than 500 title indices in total. If the first instance of a queried V1 object
    /// has a parent in another object, the parent's object is queried too. What the first sample does not have is
    /// passed to `unmatched`; if it has nothing of `objects` and of the indices in `value`, the source ends without a
    /// record.
    std::vector<std::string> objects{};
    /// Languages of the titles and texts to read, as Perflib numbers them (such as `007`), in addition to English and
    /// the language of the user interface.
    std::vector<std::string> languages{};
    /// Receives each part of the query that the first sample does not have, once, from `Source::next`. May be empty.
    std::function<void(const UnmatchedQuery&)> unmatched{};
};

/// Opens a machine as a source. The source first returns titles (V1) and registrations (V2). Then it returns up to
/// three records for each tick, in this order: a V1 block, the identifiers of the V2 query, and a V2 block.
/// `Record::cost` of each block is set. If a V1 block contains a new title index without a title, the source reads the
/// titles again. If the titles have changed, the source returns them before that block.
///
/// An interface that cannot be opened is reported and not used. If a query fails, the failure is reported
/// (`query_failed`) and there is no sample of that interface for that tick. If a query fails permanently before its
/// interface has returned any data, the source stops using that interface. The source ends after the last tick, or when
/// it no longer uses any interface. Missed ticks are reported (`ticks_missed`) at the end.
std::unique_ptr<Source> open_live(LiveMachine machine, const LiveQuery& query, std::unique_ptr<Ticks> ticks,
                                  const RegistryPolicy& policy = {});

/// A source that reads another source (the inner source) in a separate thread, so that a provider that never returns
/// cannot block the caller. Once `stop` is set, `next` waits at most `grace` for the inner source, and then returns
/// none. If the inner source does not reply within `grace`, `next` abandons the inner source and its thread, and
/// `was_abandoned` returns true. The thread can then be blocked forever, so the process must end without waiting for
/// it.
class InterruptibleSource final : public Source {
  public:
    /// Starts the thread that reads `source`. Keeps a reference to `stop`, which must exist until the program ends.
    InterruptibleSource(std::unique_ptr<Source> source, const std::atomic<bool>& stop,
                        std::chrono::milliseconds grace = std::chrono::milliseconds(500));
    ~InterruptibleSource() override;
    std::optional<Record> next(Diagnostics& diagnostics) override;
    bool was_abandoned() const noexcept { return abandoned_; }

  private:
    struct Shared;
    void take_found(Diagnostics& diagnostics);

    std::shared_ptr<Shared> shared_;
    const std::atomic<bool>& stop_;
    std::chrono::milliseconds grace_;
    bool abandoned_ = false;
};

}  // namespace hkpd
