// Texts of Win32 status codes. Sources on learn.microsoft.com: "System Error Codes" (the texts) and "Performance
// Monitor Users" (the advice "Rebuild performance counter library values").
#include "base/win32.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace hkpd::win32 {
namespace {

struct StatusText {
    std::uint32_t status;
    std::string_view name, advice;
};

constexpr std::string_view
    rebuild = "run lodctr /R as administrator to rebuild the performance counters",
    rights = "run as administrator or as a member of Performance Monitor Users",
    service = "check that the machine and its Remote Registry service are running", again = "try again",
    disabled = "its provider may be disabled or not running (check with lodctr /Q, enable with lodctr /E)";

constexpr auto status_texts = std::to_array<StatusText>({
    {success, "success", ""},
    {file_not_found, "not found",
     "check the name, or run lodctr /R as administrator to rebuild the performance counters"},
    {access_denied, "access denied", rights},
    {invalid_handle, "invalid handle", ""},
    {not_enough_memory, "not enough memory", ""},
    {13, "invalid data", rebuild},
    {14, "out of memory", ""},
    {not_ready, "not ready", again},
    {bad_net_path, "the machine was not found on the network", service},
    {67, "the network name was not found", service},
    {invalid_parameter, "invalid parameter", ""},
    {call_not_implemented, "not implemented", "live counters are available on Windows only"},
    {126, "a library was not found", rebuild},
    {proc_not_found, "this version of Windows does not have the function", ""},
    {lock_failed, "lock failed", again},
    {busy, "busy", again},
    {more_data, "the reply is too large", "use a narrower query"},
    {1009, "the registry is damaged", rebuild},
    {1010, "the registry key is invalid", rebuild},
    {1015, "the registry could not be read or written", rebuild},
    {1018, "the registry key is marked for deletion", again},
    {not_found, "element not found", ""},
    {cancelled, "cancelled", ""},
    {1326, "the user name or password is wrong",
     R"(connect to the machine first, with net use \\HOST\IPC$ /user:NAME)"},
    {1450, "not enough system resources", again},
    {1460, "timeout", "a provider does not respond; find it with lodctr /Q and disable it with lodctr /D"},
    {1722, "the RPC server of the machine is not available", service},
    {1753, "the registry of the machine does not respond", service},
    {1726, "the remote call failed", again},
    {wmi_guid_not_found, "no such counterset", disabled},
    {wmi_instance_not_found, "no such instance", ""},
    {wmi_itemid_not_found, "no such counter", ""},
    {0x8000'07D5, "PDH_NO_DATA", ""},
});

}  // namespace

void append_status(std::string& out, std::uint32_t status) {
    const auto* const text = std::ranges::find(status_texts, status, &StatusText::status);
    if (text == status_texts.end()) {
        out.append("Win32 status ").append(std::to_string(status));
        return;
    }
    out.append(text->name).append(" (").append(std::to_string(status)).append(")");
    if (!text->advice.empty()) out.append(": ").append(text->advice);
}

}  // namespace hkpd::win32
