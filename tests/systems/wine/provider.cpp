// A V1 extensible performance provider: a DLL that Perflib loads into each process that asks for performance data, and
// its three functions. The contract: learn.microsoft.com "Creating a Performance Extension DLL".
// A variable of the environment (`V1Provider::mode_variable`) makes it misbehave:
//   fail             its Collect function fails
//   more_data:N      it asks for a larger buffer N times
//   slow:N           it takes N milliseconds
//   hang:N           from its Nth collection on it never returns, and makes the file `hanging` in the current directory
//   odd_length       its reply ends four bytes late
//   extra_objects    it states three objects more than there are
//   object_too_long  the length of its last object is 4096 bytes too long
//   object_too_short the length of its last object is 8
//   cut              the second half of its last object is missing
#include <windows.h>
#include <winperf.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <cwchar>
#include <string>
#include <string_view>
#include <vector>

#include "provider_blob.hpp"
#include "provider_counters.hpp"

namespace {

using live::V1Object;

// Selects the provider of this DLL.
constexpr const live::V1Provider& self = live::v1_providers[HKPD_LIVE_PROVIDER];

std::uint32_t first_title = 0;
std::atomic<std::uint64_t> collections{0};
std::atomic<std::uint64_t> refusals{0};

std::wstring wide(const char* ascii) { return {ascii, ascii + std::strlen(ascii)}; }
std::wstring service_key() { return L"SYSTEM\\CurrentControlSet\\Services\\" + wide(self.service) + L"\\Performance"; }

HMODULE own_module(DWORD flags) {
    HMODULE module = nullptr;
    GetModuleHandleExW(GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | flags, reinterpret_cast<LPCWSTR>(&self), &module);
    return module;
}

/// The misbehaviour: a word, and a number after a colon.
struct Mode {
    std::string word;
    std::uint64_t number = 0;
};
Mode mode() {
    char text[64];
    const DWORD size = GetEnvironmentVariableA(self.mode_variable, text, sizeof text);
    const std::string value(text, size < sizeof text ? size : 0);
    const std::size_t colon = value.find(':');
    if (colon == std::string::npos) return {value};
    return {value.substr(0, colon), std::strtoull(value.c_str() + colon + 1, nullptr, 10)};
}

/// Returns whether a query asks for an object: it is a word, or a list of title indices.
bool wants(const wchar_t* query, const V1Object& object) {
    if (query == nullptr || _wcsicmp(query, L"Global") == 0) return !object.costly;
    if (_wcsicmp(query, L"Costly") == 0) return object.costly;
    wchar_t* end = nullptr;
    for (const wchar_t* at = query;; at = end) {
        const unsigned long title = std::wcstoul(at, &end, 10);
        if (end == at) return false;
        if (title == first_title + object.title) return true;
    }
}

/// Never returns; a file notifies those who wait for it.
[[noreturn]] void hang() {
    CreateFileA("hanging", GENERIC_WRITE, 0, nullptr, CREATE_ALWAYS, FILE_ATTRIBUTE_NORMAL, nullptr);
    while (true) Sleep(INFINITE);
}

struct Reply {
    std::vector<std::byte> bytes;
    DWORD objects = 0;
    std::size_t last = 0;  // where the last object begins
};

Reply collect(const wchar_t* query, std::uint64_t collection) {
    Reply reply;
    for (const V1Object& object : live::v1_objects) {
        if (!wants(query, object)) continue;
        reply.last = reply.bytes.size();
        live::append_object(reply.bytes, self, first_title, object, collection);
        ++reply.objects;
    }
    return reply;
}

void misreport(Reply& reply, const std::string& how) {
    if (reply.objects == 0) return;
    PERF_OBJECT_TYPE last;
    std::memcpy(&last, reply.bytes.data() + reply.last, sizeof last);
    if (how == "odd_length") reply.bytes.resize(reply.bytes.size() + 4, std::byte{0xEE});
    if (how == "extra_objects") reply.objects += 3;
    if (how == "cut") reply.bytes.resize(reply.bytes.size() - last.TotalByteLength / 2);
    if (how == "object_too_long") last.TotalByteLength += 4096;
    if (how == "object_too_short") last.TotalByteLength = 8;
    std::memcpy(reply.bytes.data() + reply.last, &last, sizeof last);
}

DWORD refuse(DWORD* size, DWORD* objects, DWORD status) {
    *size = 0;
    *objects = 0;
    return status;
}

LSTATUS set_text(HKEY key, const wchar_t* name, const std::wstring& text) {
    return RegSetValueExW(key, name, 0, REG_SZ, reinterpret_cast<const BYTE*>(text.c_str()),
                          static_cast<DWORD>((text.size() + 1) * sizeof(wchar_t)));
}
LSTATUS set_number(HKEY key, const wchar_t* name, DWORD number) {
    return RegSetValueExW(key, name, 0, REG_DWORD, reinterpret_cast<const BYTE*>(&number), sizeof number);
}

}  // namespace

extern "C" {

/// Reads where the titles begin. Stays loaded from now on: a Perflib that unloads providers between two queries (Wine)
/// would make each collection the first.
__declspec(dllexport) DWORD WINAPI LiveOpen(LPWSTR /*devices*/) {
    own_module(GET_MODULE_HANDLE_EX_FLAG_PIN);
    DWORD size = sizeof first_title;
    return static_cast<DWORD>(RegGetValueW(HKEY_LOCAL_MACHINE, service_key().c_str(), L"First Counter",
                                           RRF_RT_REG_DWORD, nullptr, &first_title, &size));
}

__declspec(dllexport) DWORD WINAPI LiveCollect(LPWSTR query, LPVOID* buffer, LPDWORD size, LPDWORD objects) {
    const Mode how = mode();
    if (how.word == "fail") return refuse(size, objects, ERROR_INVALID_DATA);
    if (how.word == "more_data" && refusals++ < how.number) return refuse(size, objects, ERROR_MORE_DATA);
    if (how.word == "slow") Sleep(static_cast<DWORD>(how.number));
    // A collection counts only when it is delivered.
    const std::uint64_t collection = collections + 1;
    if (how.word == "hang" && collection >= how.number) hang();
    Reply reply = collect(query, collection);
    misreport(reply, how.word);
    if (reply.bytes.size() > *size) return refuse(size, objects, ERROR_MORE_DATA);
    collections = collection;
    if (!reply.bytes.empty()) std::memcpy(*buffer, reply.bytes.data(), reply.bytes.size());
    *buffer = static_cast<std::byte*>(*buffer) + reply.bytes.size();
    *size = static_cast<DWORD>(reply.bytes.size());
    *objects = reply.objects;
    return ERROR_SUCCESS;
}

__declspec(dllexport) DWORD WINAPI LiveClose() { return ERROR_SUCCESS; }

/// Called by regsvr32: writes the service's key as lodctr would, but without the titles, which Wine does not have.
__declspec(dllexport) HRESULT WINAPI DllRegisterServer() {
    wchar_t path[MAX_PATH];
    const DWORD length = GetModuleFileNameW(own_module(GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT), path, MAX_PATH);
    HKEY key = nullptr;
    LSTATUS status =
        RegCreateKeyExW(HKEY_LOCAL_MACHINE, service_key().c_str(), 0, nullptr, 0, KEY_WRITE, nullptr, &key, nullptr);
    if (status != ERROR_SUCCESS) return HRESULT_FROM_WIN32(status);
    const auto keep = [&status](LSTATUS result) { status = status == ERROR_SUCCESS ? result : status; };
    keep(set_text(key, L"Library", {path, length}));
    keep(set_text(key, L"Open", L"LiveOpen"));
    keep(set_text(key, L"Collect", L"LiveCollect"));
    keep(set_text(key, L"Close", L"LiveClose"));
    keep(set_number(key, L"First Counter", self.first_title));
    keep(set_number(key, L"First Help", self.first_title + 1));
    keep(set_number(key, L"Last Counter", self.first_title + live::last_title));
    keep(set_number(key, L"Last Help", self.first_title + live::last_title + 1));
    RegCloseKey(key);
    return HRESULT_FROM_WIN32(status);
}

}  // extern "C"
