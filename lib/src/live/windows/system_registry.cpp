// The registry's functions as Windows has them. Source: winreg.h, learn.microsoft.com "Using the Registry Functions to
// Consume Counter Data", "RegConnectRegistryW".
#include <windows.h>

#include <algorithm>
#include <string>

#include "base/text/encoding.hpp"
#include "base/win32.hpp"
#include "base/windows/wide.hpp"
#include "hkpd/live.hpp"

namespace hkpd {
namespace {

/// A key that is closed with the object.
class Key {
  public:
    Key() = default;
    ~Key() { close(); }
    Key(const Key&) = delete;
    Key& operator=(const Key&) = delete;

    void close() {
        if (key_ != nullptr) RegCloseKey(key_);
        key_ = nullptr;
    }
    LSTATUS connect(const std::wstring& machine, HKEY predefined) {
        return RegConnectRegistryW(machine.c_str(), predefined, &key_);
    }
    HKEY get() const noexcept { return key_; }

  private:
    HKEY key_ = nullptr;
};

/// `\\\\HOST`, whatever the machine was called by.
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
        const LSTATUS status = data_.connect(name, HKEY_PERFORMANCE_DATA);
        // Without it only the indices of V2 countersets remain unknown.
        if (status == ERROR_SUCCESS && local_machine_.connect(name, HKEY_LOCAL_MACHINE) != ERROR_SUCCESS)
            local_machine_.close();
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
            data_.close();
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
    /// Titles of another machine are had from its data key alone: RegConnectRegistryW knows no other.
    HKEY handle_of(PerformanceKey key) const noexcept {
        if (remote_) return key == PerformanceKey::data ? data_.get() : nullptr;
        switch (key) {
            case PerformanceKey::text:
                return HKEY_PERFORMANCE_TEXT;
            case PerformanceKey::nls_text:
                return HKEY_PERFORMANCE_NLSTEXT;
            case PerformanceKey::data:
                break;
        }
        return HKEY_PERFORMANCE_DATA;
    }

    bool remote_ = false;
    std::string remote_name_;
    Key data_, local_machine_;
};

}  // namespace

std::unique_ptr<PerformanceRegistry> system_registry(std::string_view machine, std::uint32_t& status) {
    auto registry = std::make_unique<SystemRegistry>();
    status = machine.empty() ? win32::success : registry->connect(machine);
    if (status != win32::success) return nullptr;
    return registry;
}

}  // namespace hkpd
