// What the writers of several output formats use.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "hkpd/sample.hpp"
#include "hkpd/write.hpp"

namespace hkpd {

std::unique_ptr<Writer> make_table_writer(const WriteOptions& options);

/// Returns a writer that passes samples on to `writer`, but limits the total number of bytes that names take in the
/// output (see `WriteOptions::names`). Columns and rows that would exceed this limit are left out. If any are left out,
/// the returned writer reports at the end how many bytes all names would have needed.
std::unique_ptr<Writer> with_name_limit(std::unique_ptr<Writer> writer, const WriteOptions& options);

/// Minimum size in bytes of a text that is passed on to `WriteOptions::drain`.
inline constexpr std::size_t much_text = std::size_t{1} << 17U;

/// Passes text on to `WriteOptions::drain` if it has at least `much_text` bytes.
inline void drain_much(const WriteOptions& options, std::string& out) {
    if (options.drain != nullptr && out.size() >= much_text) options.drain(out);
}

}  // namespace hkpd
