// PerfLib's functions and the registry's functions in Windows. Source: perflib.h, winreg.h, learn.microsoft.com "Using
// the PerfLib Functions to Consume Counter Data", "Using the Registry Functions to Consume Counter Data",
// "RegConnectRegistryW".
#include <windows.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include "base/path.hpp"
#include "base/text/encoding.hpp"
#include "base/win32.hpp"
#include "base/windows/wide.hpp"
#include "hkpd/live.hpp"

namespace hkpd {
namespace {

static_assert(sizeof(Guid) == sizeof(GUID));

/// PerfLib's functions that read counters. A pointer is null if the system does not have that function. advapi32.dll
/// has exported all of them since Windows 10; older systems have only some. They are looked up at run time, because
/// MinGW's perflib.h declares only the functions for providers.
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

    /// Looks the functions up in `module`. Returns the names of the missing functions, separated by commas; empty if
    /// none is missing.
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

/// Returns a machine's name in the form that PerfLib's functions expect: null for the local machine (an empty name).
const wchar_t* or_null(const std::wstring& name) noexcept { return name.empty() ? nullptr : name.c_str(); }

/// Calls a function of `Functions`. Returns `proc_not_found` if the function is null.
template <class Function, class... Arguments>
std::uint32_t call(Function function, Arguments... arguments) {
    return function == nullptr ? win32::proc_not_found : function(arguments...);
}

/// Calls a function whose last argument receives the size of the complete result. Sets `actual` to this size. Returns
/// the status of the call.
template <class Function, class... Arguments>
std::uint32_t call_sized(std::uint32_t& actual, Function function, Arguments... arguments) {
    DWORD size = 0;
    const auto status = call(function, arguments..., &size);
    actual = size;
    return status;
}

DWORD size_of(std::span<const std::byte> buffer) noexcept { return static_cast<DWORD>(buffer.size()); }
HANDLE handle_of(PerfLib::Handle query) noexcept { return reinterpret_cast<HANDLE>(query); }

class SystemPerfLib final : public PerfLib {
  public:
    explicit SystemPerfLib(const Functions& functions) : functions_(functions) {}

    std::uint32_t enumerate_countersets(std::string_view machine, std::span<Guid> buffer,
                                        std::uint32_t& actual) override {
        return call_sized(actual, functions_.enumerate, or_null(to_wide(machine)),
                          reinterpret_cast<GUID*>(buffer.data()), static_cast<DWORD>(buffer.size()));
    }
    std::uint32_t registration_info(std::string_view machine, const Guid& counterset, v2::RegistrationRequest request,
                                    std::uint32_t language, std::span<std::byte> buffer,
                                    std::uint32_t& actual) override {
        return call_sized(actual, functions_.registration, or_null(to_wide(machine)),
                          reinterpret_cast<const GUID*>(&counterset), std::to_underlying(request), language,
                          buffer.data(), size_of(buffer));
    }
    std::uint32_t enumerate_instances(std::string_view machine, const Guid& counterset, std::span<std::byte> buffer,
                                      std::uint32_t& actual) override {
        return call_sized(actual, functions_.instances, or_null(to_wide(machine)),
                          reinterpret_cast<const GUID*>(&counterset), buffer.data(), size_of(buffer));
    }
    std::uint32_t open_query(std::string_view machine, Handle& query) override {
        HANDLE handle = nullptr;
        const auto status = call(functions_.open, or_null(to_wide(machine)), &handle);
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
        return call_sized(actual, functions_.info, handle_of(query), buffer.data(), size_of(buffer));
    }
    std::uint32_t query_data(Handle query, std::span<std::byte> buffer, std::uint32_t& actual) override {
        return call_sized(actual, functions_.data, handle_of(query), buffer.data(), size_of(buffer));
    }

  private:
    Functions functions_;
};

struct CloseKey {
    void operator()(HKEY key) const noexcept { RegCloseKey(key); }
};
using Key = std::unique_ptr<std::remove_pointer_t<HKEY>, CloseKey>;

LSTATUS connect_key(Key& key, const std::wstring& machine, HKEY predefined) {
    HKEY connected = nullptr;
    const LSTATUS status = RegConnectRegistryW(machine.c_str(), predefined, &connected);
    key.reset(connected);
    return status;
}

/// Returns `\\HOST`, whether or not `machine` has the backslashes.
std::wstring unc_name(std::string_view machine) {
    constexpr std::wstring_view slashes = L"\\\\";
    std::wstring name = to_wide(machine);
    return name.starts_with(slashes) ? name : std::wstring(slashes) + name;
}

class SystemRegistry final : public PerformanceRegistry {
  public:
    std::uint32_t connect(std::string_view machine) {
        remote_ = true;
        remote_name_ = machine.substr(std::min(machine.find_first_not_of('\\'), machine.size()));
        const std::wstring name = unc_name(machine);
        const LSTATUS status = connect_key(data_, name, HKEY_PERFORMANCE_DATA);
        // The key HKEY_LOCAL_MACHINE is needed only for the title indices of V2 countersets. If it cannot be connected,
        // these indices are unknown, but `connect` succeeds.
        if (status == ERROR_SUCCESS && connect_key(local_machine_, name, HKEY_LOCAL_MACHINE) != ERROR_SUCCESS)
            local_machine_.reset();
        return static_cast<std::uint32_t>(status);
    }

    std::uint32_t query_value(PerformanceKey key, std::string_view name, std::span<std::byte> buffer,
                              std::uint32_t& size) override {
        const HKEY handle = handle_of(key);
        if (handle == nullptr) return win32::file_not_found;
        DWORD bytes = static_cast<DWORD>(buffer.size());
        const LSTATUS status = RegQueryValueExW(handle, to_wide(name).c_str(), nullptr, nullptr,
                                                reinterpret_cast<BYTE*>(buffer.data()), &bytes);
        size = bytes;
        return static_cast<std::uint32_t>(status);
    }

    void close() override {
        if (remote_)
            data_.reset();
        else
            RegCloseKey(HKEY_PERFORMANCE_DATA);
    }

    std::optional<std::uint32_t> first_counter(const Guid& provider, const Guid& counterset) override {
        const HKEY root = remote_ ? local_machine_.get() : HKEY_LOCAL_MACHINE;
        if (root == nullptr) return std::nullopt;
        const std::wstring path = LR"(SOFTWARE\Microsoft\Windows NT\CurrentVersion\Perflib\_V2Providers\)" +
                                  to_wide(guid_text(provider)) + L"\\" + to_wide(guid_text(counterset));
        DWORD index = 0, size = sizeof index;
        const LSTATUS status =
            RegGetValueW(root, path.c_str(), L"First Counter", RRF_RT_REG_DWORD, nullptr, &index, &size);
        if (status != ERROR_SUCCESS) return std::nullopt;
        return index;
    }

    std::string machine_name() const override {
        if (remote_) return remote_name_;
        std::wstring name(MAX_COMPUTERNAME_LENGTH + 1, L'\0');
        auto size = static_cast<DWORD>(name.size());
        if (GetComputerNameW(name.data(), &size) == 0) return {};
        std::string text;
        append_utf16(text, std::as_bytes(std::span(name).first(size)), ByteOrder::little);
        return text;
    }

    std::uint32_t ui_language() const noexcept override { return remote_ ? 0 : GetUserDefaultUILanguage(); }

  private:
    /// Returns the handle of a key; null if the machine does not have the key. A remote machine has only
    /// HKEY_PERFORMANCE_DATA, because RegConnectRegistryW does not accept the two keys that contain only titles.
    HKEY handle_of(PerformanceKey key) const noexcept {
        if (remote_) return key == PerformanceKey::data ? data_.get() : nullptr;
        if (key == PerformanceKey::text) return HKEY_PERFORMANCE_TEXT;
        return key == PerformanceKey::nls_text ? HKEY_PERFORMANCE_NLSTEXT : HKEY_PERFORMANCE_DATA;
    }

    bool remote_ = false;
    std::string remote_name_;
    Key data_, local_machine_;
};

}  // namespace

std::unique_ptr<PerfLib> system_perflib(std::string_view library, std::string& missing) {
    // advapi32.dll is already loaded, because it contains the functions of the registry. Another library is loaded by
    // its full path, so that no directory is searched for the library itself.
    const HMODULE module = library.empty()
                               ? GetModuleHandleW(L"advapi32.dll")
                               : LoadLibraryExW(path_of(absolute_name(std::string(library))).c_str(), nullptr,
                                                LOAD_LIBRARY_SEARCH_DLL_LOAD_DIR | LOAD_LIBRARY_SEARCH_SYSTEM32);
    if (module == nullptr) {
        missing = library.empty() ? "advapi32.dll" : library;
        return nullptr;
    }
    Functions functions;
    missing = functions.load(module);
    return std::make_unique<SystemPerfLib>(functions);
}

std::unique_ptr<PerformanceRegistry> system_registry(std::string_view machine, std::uint32_t& status) {
    auto registry = std::make_unique<SystemRegistry>();
    status = machine.empty() ? win32::success : registry->connect(machine);
    if (status != win32::success) return nullptr;
    return registry;
}

}  // namespace hkpd
