// No code pages, for a static program: glibc's iconv would load modules of whatever glibc is there when it runs. They
// fit none but the one that the program was linked with, which is what the linker warns of where a static program uses
// dlopen; and which module is loaded, the input would say. Text in them is told as of an unknown page.
#include "base/text/encoding.hpp"

namespace hkpd {

std::optional<bool> append_system_page(std::string&, std::span<const std::byte>, std::uint32_t) { return std::nullopt; }

}  // namespace hkpd
