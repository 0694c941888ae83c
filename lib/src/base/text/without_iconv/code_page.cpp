// Decodes no code pages. This file replaces iconv in static programs, for two reasons. In a static program, glibc's
// iconv loads modules of the installed glibc, although they fit only the glibc that was linked; the linker therefore
// warns about dlopen. And an input would choose which module is loaded. Text in code pages is reported as text of an
// unknown page.
#include "base/text/encoding.hpp"

namespace hkpd {

std::optional<bool> append_system_page(std::string&, std::span<const std::byte>, std::uint32_t) { return std::nullopt; }

}  // namespace hkpd
