// PerfLib's functions as Windows has them. Source: perflib.h, learn.microsoft.com "Using the PerfLib Functions to
// Consume Counter Data".
#include <windows.h>

#include <cstring>
#include <string>
#include <utility>

#include "base/win32.hpp"
#include "base/windows/wide.hpp"
#include "hkpd/live.hpp"

namespace hkpd {
namespace {

static_assert(sizeof(Guid) == sizeof(GUID));

/// The functions as advapi32.dll exports them since Windows 10; on older systems some are not there. MinGW's perflib.h
/// has the providers' functions only.
struct Functions {
    using Status = ULONG;
    Status(WINAPI* enumerate)(LPCWSTR machine, GUID* sets, DWORD count, DWORD* actual) = nullptr;
    Status(WINAPI* instances)(LPCWSTR machine, const GUID* set, void* buffer, DWORD size, DWORD* actual) = nullptr;
    Status(WINAPI* registration)(LPCWSTR machine, const GUID* set, DWORD request, DWORD language, void* buffer,
                                 DWORD size, DWORD* actual) = nullptr;
    Status(WINAPI* open)(LPCWSTR machine, HANDLE* query) = nullptr;
    Status(WINAPI* close)(HANDLE query) = nullptr;
    Status(WINAPI* add)(HANDLE query, void* identifiers, DWORD size) = nullptr;
    Status(WINAPI* remove)(HANDLE query, void* identifiers, DWORD size) = nullptr;
    Status(WINAPI* info)(HANDLE query, void* buffer, DWORD size, DWORD* actual) = nullptr;
    Status(WINAPI* data)(HANDLE query, void* buffer, DWORD size, DWORD* actual) = nullptr;

    /// Finds them; the names of those that are missing, one after the other.
    std::string load(HMODULE module) {
        std::string missing;
        const auto find = [&](const char* name, auto& function) {
            const FARPROC address = GetProcAddress(module, name);
            static_assert(sizeof address == sizeof function);
            std::memcpy(&function, &address, sizeof function);
            if (address == nullptr) missing += (missing.empty() ? "" : ", ") + std::string(name);
        };
        find("PerfEnumerateCounterSet", enumerate);
        find("PerfEnumerateCounterSetInstances", instances);
        find("PerfQueryCounterSetRegistrationInfo", registration);
        find("PerfOpenQueryHandle", open);
        find("PerfCloseQueryHandle", close);
        find("PerfAddCounters", add);
        find("PerfDeleteCounters", remove);
        find("PerfQueryCounterInfo", info);
        find("PerfQueryCounterData", data);
        return missing;
    }
};

/// A machine's name as the functions take it: null is the local one.
class MachineName {
  public:
    explicit MachineName(std::string_view name) : wide_(to_wide(name)) {}
    const wchar_t* get() const noexcept { return wide_.empty() ? nullptr : wide_.c_str(); }

  private:
    std::wstring wide_;
};

/// Calls a function that may be missing.
template <class Function, class... Arguments>
std::uint32_t call(Function function, Arguments... arguments) {
    return function == nullptr ? win32::proc_not_found : function(arguments...);
}

DWORD size_of(std::span<const std::byte> buffer) noexcept { return static_cast<DWORD>(buffer.size()); }
HANDLE handle_of(PerfLib::Handle query) noexcept { return reinterpret_cast<HANDLE>(query); }

class SystemPerfLib final : public PerfLib {
  public:
    explicit SystemPerfLib(const Functions& functions) : functions_(functions) {}

    std::uint32_t enumerate_countersets(std::string_view machine, std::span<Guid> buffer,
                                        std::uint32_t& actual) override {
        DWORD count = 0;
        const auto status = call(functions_.enumerate, MachineName(machine).get(),
                                 reinterpret_cast<GUID*>(buffer.data()), static_cast<DWORD>(buffer.size()), &count);
        actual = count;
        return status;
    }
    std::uint32_t registration_info(std::string_view machine, const Guid& counterset, v2::RegistrationRequest request,
                                    std::uint32_t language, std::span<std::byte> buffer,
                                    std::uint32_t& actual) override {
        DWORD size = 0;
        const auto status =
            call(functions_.registration, MachineName(machine).get(), reinterpret_cast<const GUID*>(&counterset),
                 std::to_underlying(request), language, buffer.data(), size_of(buffer), &size);
        actual = size;
        return status;
    }
    std::uint32_t enumerate_instances(std::string_view machine, const Guid& counterset, std::span<std::byte> buffer,
                                      std::uint32_t& actual) override {
        DWORD size = 0;
        const auto status = call(functions_.instances, MachineName(machine).get(),
                                 reinterpret_cast<const GUID*>(&counterset), buffer.data(), size_of(buffer), &size);
        actual = size;
        return status;
    }
    std::uint32_t open_query(std::string_view machine, Handle& query) override {
        HANDLE handle = nullptr;
        const auto status = call(functions_.open, MachineName(machine).get(), &handle);
        query = reinterpret_cast<Handle>(handle);
        return status;
    }
    std::uint32_t close_query(Handle query) override { return call(functions_.close, handle_of(query)); }
    std::uint32_t add_counters(Handle query, std::span<std::byte> identifiers) override {
        return call(functions_.add, handle_of(query), identifiers.data(), size_of(identifiers));
    }
    std::uint32_t delete_counters(Handle query, std::span<std::byte> identifiers) override {
        return call(functions_.remove, handle_of(query), identifiers.data(), size_of(identifiers));
    }
    std::uint32_t query_info(Handle query, std::span<std::byte> buffer, std::uint32_t& actual) override {
        DWORD size = 0;
        const auto status = call(functions_.info, handle_of(query), buffer.data(), size_of(buffer), &size);
        actual = size;
        return status;
    }
    std::uint32_t query_data(Handle query, std::span<std::byte> buffer, std::uint32_t& actual) override {
        DWORD size = 0;
        const auto status = call(functions_.data, handle_of(query), buffer.data(), size_of(buffer), &size);
        actual = size;
        return status;
    }

  private:
    Functions functions_;
};

}  // namespace

std::unique_ptr<PerfLib> system_perflib(std::string_view library, std::string& missing) {
    // Windows' own library is loaded already: the registry's functions are in it.
    const HMODULE module = library.empty() ? GetModuleHandleW(L"advapi32.dll") : LoadLibraryW(to_wide(library).c_str());
    if (module == nullptr) {
        missing = library.empty() ? "advapi32.dll" : library;
        return nullptr;
    }
    Functions functions;
    missing = functions.load(module);
    return std::make_unique<SystemPerfLib>(functions);
}

}  // namespace hkpd
