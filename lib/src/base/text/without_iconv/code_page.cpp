// Decodes no code pages; for static programs. There, glibc's iconv would load modules of the installed glibc, although
// they fit only the version that was linked (hence the linker's warning about dlopen in static programs), and the input
// would choose the module. Text in code pages is reported as text of an unknown page.
#include "base/text/encoding.hpp"

namespace hkpd {

std::optional<bool> append_system_page(std::string&, std::span<const std::byte>, std::uint32_t) { return std::nullopt; }

}  // namespace hkpd
