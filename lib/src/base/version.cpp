#include "hkpd/version.hpp"

namespace hkpd {

std::string_view linked_version() noexcept { return version_text; }

}  // namespace hkpd
