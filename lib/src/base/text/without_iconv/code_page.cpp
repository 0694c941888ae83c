// No code pages, for a static program: glibc's iconv would load modules of the glibc that is installed at run time.
// They fit only the glibc that the program was linked with (hence the linker's warning about dlopen in static
// programs), and the input would choose which module is loaded. Text in code pages is reported as text of an unknown
// page.
#include "base/text/encoding.hpp"

namespace hkpd {

std::optional<bool> append_system_page(std::string&, std::span<const std::byte>, std::uint32_t) { return std::nullopt; }

}  // namespace hkpd
