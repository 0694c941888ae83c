#include "base/win32.hpp"
#include "hkpd/live.hpp"

namespace hkpd {

std::unique_ptr<PerformanceRegistry> system_registry(std::string_view /*machine*/, std::uint32_t& status) {
    status = win32::call_not_implemented;
    return nullptr;
}

}  // namespace hkpd
