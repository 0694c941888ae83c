// What can be told of a title file by its beginning.
#pragma once

#include <cstddef>

#include "hkpd/bytes.hpp"

namespace hkpd {

/// So much of a file is enough for `begins_like_titles`.
inline constexpr std::size_t titles_beginning = std::size_t{64} * 1024;

/// Whether a file that begins like this may be a title database, so that reading all of it is worth while. Of one that
/// is, this is so wherever it is cut off.
bool begins_like_titles(Bytes beginning);

}  // namespace hkpd
