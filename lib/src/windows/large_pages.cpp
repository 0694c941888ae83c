// Large pages are a privilege there, which no user has unless it is given.
#include "../large_pages.hpp"

namespace hkpd {

void prefer_large_pages(std::span<std::byte> /*bytes*/) noexcept {}

}  // namespace hkpd
