// Decodes no code pages. This file replaces iconv in static programs, for two reasons. First, glibc's iconv loads
// modules of the installed glibc, even in a static program. These modules work only if the installed glibc has the
// version of the glibc that was linked. The linker therefore warns about dlopen. Second, the code page in an input
// would determine which module is loaded. Without iconv, text in a code page is reported as text of an unknown page.
#include "base/text/encoding.hpp"

namespace hkpd {

std::optional<bool> append_system_page(std::string&, std::span<const std::byte>, std::uint32_t) { return std::nullopt; }

std::optional<bool> append_system_encoding(std::string& /*out*/, std::span<const std::byte> /*bytes*/,
                                           const std::string& /*name*/, std::uint32_t /*page*/) {
    return std::nullopt;
}

}  // namespace hkpd
