// The registry's door to the counters (V1): the calls that reading HKEY_PERFORMANCE_DATA takes as one interface, and
// the reader that asks them in the right way.
#pragma once

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
#include "base/win32.hpp"

namespace hkpd {

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

}  // namespace hkpd
