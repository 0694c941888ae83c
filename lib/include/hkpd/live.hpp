// Live counters: Windows' registry and PerfLib as interfaces of the few calls that matter, when samples are due, and a
// machine as a source.
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

/// PerfLib's functions. Each returns a Win32 status. Those with a buffer say in `actual` how much there is, in bytes
/// (GUIDs: in GUIDs); where the buffer is smaller they return `not_enough_memory` and leave it as it is. `machine` is
/// empty for the local one, else a name with or without `\\`.
class PerfLib {
  public:
    /// Of a query, as PerfOpenQueryHandle gives it.
    using Handle = std::uint64_t;

    virtual ~PerfLib() = default;

    /// PerfEnumerateCounterSet.
    virtual std::uint32_t enumerate_countersets(std::string_view machine, std::span<Guid> buffer,
                                                std::uint32_t& actual) = 0;
    /// PerfQueryCounterSetRegistrationInfo. `language` is a Windows language identifier (0x409; 0: the neutral one), or
    /// a counter id for `counter_struct`.
    virtual std::uint32_t registration_info(std::string_view machine, const Guid& counterset,
                                            v2::RegistrationRequest request, std::uint32_t language,
                                            std::span<std::byte> buffer, std::uint32_t& actual) = 0;
    /// PerfEnumerateCounterSetInstances: PERF_INSTANCE_HEADERs with their names, without values.
    virtual std::uint32_t enumerate_instances(std::string_view machine, const Guid& counterset,
                                              std::span<std::byte> buffer, std::uint32_t& actual) = 0;
    /// PerfOpenQueryHandle and PerfCloseQueryHandle: a query asks one machine, and has no counters at first.
    virtual std::uint32_t open_query(std::string_view machine, Handle& query) = 0;
    virtual std::uint32_t close_query(Handle query) = 0;
    /// PerfAddCounters: PERF_COUNTER_IDENTIFIERs end to end, whose Status is set for each; Index too.
    virtual std::uint32_t add_counters(Handle query, std::span<std::byte> identifiers) = 0;
    /// PerfDeleteCounters: likewise; a part of the query goes where GUID, CounterId, InstanceId and name are equal.
    virtual std::uint32_t delete_counters(Handle query, std::span<std::byte> identifiers) = 0;
    /// PerfQueryCounterInfo: the identifiers of the query, each with the Index of its result in the data.
    virtual std::uint32_t query_info(Handle query, std::span<std::byte> buffer, std::uint32_t& actual) = 0;
    /// PerfQueryCounterData: a PERF_DATA_HEADER with a result for each identifier, in the order of Index.
    virtual std::uint32_t query_data(Handle query, std::span<std::byte> buffer, std::uint32_t& actual) = 0;
};

/// Windows' own PerfLib: its functions are found one by one at run time, in advapi32.dll or in another library that has
/// them (a path). `missing` names those that are not there, whose status is `proc_not_found`. None where the library
/// cannot be loaded, or no Windows is here; then `missing` is the library's name.
std::unique_ptr<PerfLib> system_perflib(std::string_view library, std::string& missing);

/// The predefined keys under which counters and their titles lie (winreg.h).
enum class PerformanceKey : std::uint8_t {
    data,      ///< HKEY_PERFORMANCE_DATA
    text,      ///< HKEY_PERFORMANCE_TEXT: titles in English
    nls_text,  ///< HKEY_PERFORMANCE_NLSTEXT: titles in the language of the user interface
};

/// The registry functions of one machine. For one thread.
class PerformanceRegistry {
  public:
    /// Bytes behind each buffer that may be written too: Wine writes 88 more than it was given (FORMAT.md §6).
    static constexpr std::size_t spare_bytes = 88;

    virtual ~PerformanceRegistry() = default;

    /// RegQueryValueExW; a Win32 status. `size` is what the function left of the size, which means nothing but where
    /// it succeeds. Behind the buffer there are `spare_bytes`.
    virtual std::uint32_t query_value(PerformanceKey key, std::string_view name, std::span<std::byte> buffer,
                                      std::uint32_t& size) = 0;
    /// RegCloseKey(HKEY_PERFORMANCE_DATA): lets go of the providers' libraries. Not to be called while a library is
    /// being unloaded (learn.microsoft.com, "Using the Registry Functions to Consume Counter Data").
    virtual void close() = 0;
    /// The title index that a V2 counterset has in V1: the value `First Counter` under
    /// `Perflib\_V2Providers\{provider}\{counterset}`. None where nothing tells it.
    virtual std::optional<std::uint32_t> first_counter(const Guid& provider, const Guid& counterset) = 0;
    /// The machine's name, as its data blocks have it.
    virtual std::string machine_name() const = 0;
    /// The language of the user interface, as Windows numbers them (0x409); 0 where that is unknown.
    virtual std::uint32_t ui_language() const noexcept = 0;
};

/// Windows' own registry, of this machine (`machine` is empty) or of another, by RegConnectRegistryW. None where there
/// is no such machine, with its status, or no Windows here (`call_not_implemented`).
std::unique_ptr<PerformanceRegistry> system_registry(std::string_view machine, std::uint32_t& status);

/// How the reader asks.
struct RegistryPolicy {
    std::size_t first_size = std::size_t{64} * 1024;                   ///< of a buffer; it doubles as needed
    std::size_t most_size = static_cast<std::size_t>(Limits{}.bytes);  ///< then it gives up with `more_data`
    std::uint32_t attempts = 8;                                        ///< while the registry is busy or incomplete
    std::chrono::milliseconds pause{10};                               ///< before the second; it doubles too
    /// Waits; false ends the attempts. Empty: sleeps.
    std::function<bool(std::chrono::milliseconds)> wait{};
};

/// Asks a registry for values. The size that a value needed is kept for the next time; what is to be written to is zero
/// before each call, as providers leave gaps. Closes the key when it ends.
class RegistryReader {
  public:
    /// Keeps a reference to `registry`.
    explicit RegistryReader(PerformanceRegistry& registry, RegistryPolicy policy = {});
    ~RegistryReader();
    RegistryReader(const RegistryReader&) = delete;
    RegistryReader& operator=(const RegistryReader&) = delete;

    /// A performance data block: `query` is `Global`, `Costly`, indices such as `238 6`, and so on (FORMAT.md §1.3).
    /// The size that the registry tells is trusted only within the buffer. Where the block says that it is longer than
    /// the reply, or not complete (TotalByteLength 0), it is asked for again with a larger buffer; if that does not
    /// help, the last reply is given.
    std::uint32_t query(std::string_view query);
    /// What the last `query` has given: the block, with the 88 bytes that Wine leaves out of its size. Valid until
    /// the next call; empty where it failed.
    Bytes block() const noexcept { return Bytes(std::span(buffer_).first(size_)); }

    /// A value with titles, REG_MULTI_SZ as it came.
    std::uint32_t query_titles(PerformanceKey key, std::string_view name, std::vector<std::byte>& titles);

    /// How often a call was made again because the registry was busy or its reply incomplete; not for larger buffers.
    std::uint64_t retries() const noexcept { return retries_; }

  private:
    std::uint32_t ask_whole(std::string_view query);
    std::uint32_t ask(PerformanceKey key, std::string_view name, std::vector<std::byte>& buffer, std::size_t& size);
    bool wait_for(std::uint32_t attempt);
    bool grow(std::vector<std::byte>& buffer) const;

    PerformanceRegistry& registry_;
    RegistryPolicy policy_;
    std::vector<std::byte> buffer_;  // what is offered and the spare bytes
    std::size_t size_ = 0;           // of the block in it
    std::size_t learned_size_ = 0;   // that the last whole reply was given
    std::uint64_t retries_ = 0;
};

/// The moments at which samples are due.
class Ticks {
  public:
    virtual ~Ticks() = default;
    /// Waits for the next moment; its number, counted from 0 with those that were missed. None where there is no more.
    virtual std::optional<std::uint64_t> next() = 0;
    /// How many were left out because the next one was due already. One that is only late is taken at once.
    virtual std::uint64_t missed() const noexcept { return 0; }
};

/// How many ticks, and how far apart.
struct Schedule {
    std::chrono::nanoseconds interval = std::chrono::seconds(1);
    std::optional<std::uint64_t> count{};                ///< samples; none: without end
    std::optional<std::chrono::nanoseconds> duration{};  ///< no tick comes later than this after the first
};

/// A clock that can be waited for.
struct TickClock {
    std::function<std::chrono::nanoseconds()> now;  ///< never goes back
    /// Waits until then, or until it is to end: then false.
    std::function<bool(std::chrono::nanoseconds)> wait_until;
};
/// The system's clock; waiting ends when `stop` is set (by a signal, say), within 20 ms. Keeps a reference.
TickClock steady_clock(const std::atomic<bool>& stop);

/// Ticks at first tick + n × interval, so that lateness never adds up. What was missed altogether is left out.
std::unique_ptr<Ticks> steady_ticks(const Schedule& schedule, TickClock clock);
/// The same ticks without waiting.
std::unique_ptr<Ticks> immediate_ticks(const Schedule& schedule);

/// A machine's doors. One that is null is not there.
struct LiveMachine {
    std::string name;  ///< as diagnostics show it
    std::shared_ptr<PerformanceRegistry> registry{};
    std::shared_ptr<PerfLib> perflib{};
    /// How the functions are to be told which machine: empty for the one that they run on.
    std::string remote{};
};

/// What is asked for.
struct LiveQuery {
    bool v1 = true, v2 = false;  ///< through which doors
    /// V1: the value's name, such as `Global` or `238 6`. Empty: what `objects` need, or `Global`.
    std::string value{};
    /// Objects and countersets by name, wildcard, title index or GUID; none: all. With names that no title has, V1 is
    /// asked for `Global`. Objects of V1 that the parents of instances are in are asked for too.
    std::vector<std::string> objects{};
    /// Of titles and texts, beside English and the language of the user interface (`007`).
    std::vector<std::string> languages{};
};

/// Titles and registrations, then for each tick a V1 block, and identifiers and a V2 block; each block with its `cost`.
/// Titles come again when indices appear that they do not name. A door that cannot be opened is reported and left out;
/// a query that fails is reported (`query_failed`), and costs its sample. Ends with the ticks, or when no door is left:
/// one that never gave anything is closed by the first failure that does not pass. What was missed is reported
/// (`ticks_missed`) at the end.
std::unique_ptr<Source> open_live(LiveMachine machine, const LiveQuery& query, std::unique_ptr<Ticks> ticks,
                                  const RegistryPolicy& policy = {});

/// The same source, read by a thread of its own, so that a provider that never returns holds nobody up: when `stop` is
/// set, `next` gives nothing more after at most `grace`. Then the thread and what it reads are left to themselves, and
/// `was_abandoned` says so: the process should end without waiting for its threads.
class InterruptibleSource final : public Source {
  public:
    /// Keeps a reference to `stop`, which must live as long as the program.
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
