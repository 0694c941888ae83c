// The output formats.
#pragma once

#include <cstddef>
#include <memory>

#include "hkpd/write.hpp"

namespace hkpd {

std::unique_ptr<Writer> make_table_writer(const WriteOptions& options);
std::unique_ptr<Writer> make_json_writer(const WriteOptions& options);
std::unique_ptr<Writer> make_value_writer(Format format, const WriteOptions& options);
std::unique_ptr<Writer> make_pdh_writer(Format format, const WriteOptions& options);
std::unique_ptr<Writer> make_openmetrics_writer(const WriteOptions& options);
std::unique_ptr<Writer> make_sqlite_writer(const WriteOptions& options);

/// Size in bytes from which text is passed on to `WriteOptions::drain`.
inline constexpr std::size_t much_text = std::size_t{1} << 18U;

}  // namespace hkpd
