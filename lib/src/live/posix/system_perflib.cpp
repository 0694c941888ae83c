#include "hkpd/live.hpp"

namespace hkpd {

std::unique_ptr<PerfLib> system_perflib(std::string_view library, std::string& missing) {
    missing = library.empty() ? "advapi32.dll" : library;
    return nullptr;
}

}  // namespace hkpd
