// Recognises a title file by its beginning.
#pragma once

#include <cstddef>

#include "hkpd/bytes.hpp"

namespace hkpd {

/// Bytes of a file that `begins_like_titles` needs.
inline constexpr std::size_t titles_beginning = std::size_t{64} * 1024;

/// Returns whether a file that begins like this may be a title database and is worth reading completely. True for every
/// title database, wherever it is truncated.
bool begins_like_titles(Bytes beginning);

}  // namespace hkpd
