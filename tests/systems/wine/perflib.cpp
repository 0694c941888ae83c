// A DLL with PerfLib's consumer functions on top of the provider library: it replaces advapi32.dll where that has no
// working ones (Wine). Signatures: perflib.h, learn.microsoft.com "Using the PerfLib Functions to Consume Counter
// Data".
#include <windows.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "base/win32.hpp"
#include "hkpd/local_perflib.hpp"
#include "perflib_provider.hpp"

namespace {

std::string utf8(const wchar_t* text) {
    if (text == nullptr) return {};
    const int size = WideCharToMultiByte(CP_UTF8, 0, text, -1, nullptr, 0, nullptr, nullptr);
    std::string out(size > 0 ? static_cast<std::size_t>(size) : 1, '\0');
    WideCharToMultiByte(CP_UTF8, 0, text, -1, out.data(), size, nullptr, nullptr);
    out.pop_back();  // the NUL
    return out;
}

std::string machine_name() {
    wchar_t name[MAX_COMPUTERNAME_LENGTH + 1];
    DWORD size = MAX_COMPUTERNAME_LENGTH + 1;
    return GetComputerNameW(name, &size) != 0 ? utf8(name) : std::string();
}

hkpd::Moment now() {
    hkpd::Moment moment;
    SYSTEMTIME time;
    FILETIME file_time;
    LARGE_INTEGER ticks;
    LARGE_INTEGER frequency;
    GetSystemTimeAsFileTime(&file_time);
    FileTimeToSystemTime(&file_time, &time);
    QueryPerformanceCounter(&ticks);
    QueryPerformanceFrequency(&frequency);
    moment.system_time = {time.wYear, time.wMonth,  time.wDayOfWeek, time.wDay,
                          time.wHour, time.wMinute, time.wSecond,    time.wMilliseconds};
    moment.perf_time = ticks.QuadPart;
    moment.perf_frequency = frequency.QuadPart;
    moment.perf_time_100ns = std::int64_t{file_time.dwHighDateTime} << 32 | file_time.dwLowDateTime;
    return moment;
}

struct Machine {
    hkpd::Provider provider;
    hkpd::LocalPerfLib perflib{provider, now, machine_name()};

    Machine() { live::add_countersets(provider); }
};

hkpd::PerfLib& perflib() {
    static Machine machine;
    return machine.perflib;
}

hkpd::Guid guid_of(const GUID* guid) {
    const auto bytes = std::as_bytes(std::span(guid, 1));
    hkpd::Guid out;
    std::ranges::copy(bytes, out.bytes.begin());
    return out;
}
std::span<std::byte> buffer_of(void* bytes, DWORD size) {
    return {static_cast<std::byte*>(bytes), bytes == nullptr ? 0 : size};
}
hkpd::PerfLib::Handle handle_of(HANDLE query) { return reinterpret_cast<hkpd::PerfLib::Handle>(query); }

/// The size that a function returns, which may not be set.
class Actual {
  public:
    explicit Actual(DWORD* out) : out_(out) {}
    ~Actual() { *out_ = size_; }
    Actual(const Actual&) = delete;
    Actual& operator=(const Actual&) = delete;
    operator std::uint32_t&() { return size_; }

  private:
    DWORD* out_;
    std::uint32_t size_ = 0;
};

}  // namespace

extern "C" {

__declspec(dllexport) ULONG WINAPI PerfEnumerateCounterSet(LPCWSTR machine, GUID* sets, DWORD count, DWORD* actual) {
    return perflib().enumerate_countersets(
        utf8(machine), {reinterpret_cast<hkpd::Guid*>(sets), sets == nullptr ? 0 : count}, Actual(actual));
}

__declspec(dllexport) ULONG WINAPI PerfEnumerateCounterSetInstances(LPCWSTR machine, const GUID* set, void* instances,
                                                                    DWORD size, DWORD* actual) {
    return perflib().enumerate_instances(utf8(machine), guid_of(set), buffer_of(instances, size), Actual(actual));
}

__declspec(dllexport) ULONG WINAPI PerfQueryCounterSetRegistrationInfo(LPCWSTR machine, const GUID* set, DWORD request,
                                                                       DWORD language, BYTE* info, DWORD size,
                                                                       DWORD* actual) {
    return perflib().registration_info(utf8(machine), guid_of(set), static_cast<hkpd::v2::RegistrationRequest>(request),
                                       language, buffer_of(info, size), Actual(actual));
}

__declspec(dllexport) ULONG WINAPI PerfOpenQueryHandle(LPCWSTR machine, HANDLE* query) {
    hkpd::PerfLib::Handle handle = 0;
    const std::uint32_t status = perflib().open_query(utf8(machine), handle);
    if (status == hkpd::win32::success) *query = reinterpret_cast<HANDLE>(handle);
    return status;
}

__declspec(dllexport) ULONG WINAPI PerfCloseQueryHandle(HANDLE query) {
    return perflib().close_query(handle_of(query));
}

__declspec(dllexport) ULONG WINAPI PerfAddCounters(HANDLE query, void* identifiers, DWORD size) {
    return perflib().add_counters(handle_of(query), buffer_of(identifiers, size));
}

__declspec(dllexport) ULONG WINAPI PerfDeleteCounters(HANDLE query, void* identifiers, DWORD size) {
    return perflib().delete_counters(handle_of(query), buffer_of(identifiers, size));
}

__declspec(dllexport) ULONG WINAPI PerfQueryCounterInfo(HANDLE query, void* identifiers, DWORD size, DWORD* actual) {
    return perflib().query_info(handle_of(query), buffer_of(identifiers, size), Actual(actual));
}

__declspec(dllexport) ULONG WINAPI PerfQueryCounterData(HANDLE query, void* block, DWORD size, DWORD* actual) {
    return perflib().query_data(handle_of(query), buffer_of(block, size), Actual(actual));
}

}  // extern "C"
