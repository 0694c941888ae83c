#include "base/win32.hpp"
#include "hkpd/live.hpp"

namespace hkpd {

std::unique_ptr<PerfLib> system_perflib(std::string_view library, std::string& missing) {
    missing = library.empty() ? "advapi32.dll" : library;
    return nullptr;
}

std::unique_ptr<PerformanceRegistry> system_registry(std::string_view /*machine*/, std::uint32_t& status) {
    status = win32::call_not_implemented;
    return nullptr;
}

}  // namespace hkpd
