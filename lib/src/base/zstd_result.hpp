// Results of zstd.
#pragma once

#include <zstd.h>
#include <zstd_errors.h>

#include <cstddef>
#include <new>

namespace hkpd {

/// Returns whether a result of zstd is an error. Throws std::bad_alloc if zstd was refused memory, so that valid data
/// is not reported as damaged.
inline bool is_zstd_error(std::size_t result) {
    if (ZSTD_isError(result) == 0) return false;
    if (ZSTD_getErrorCode(result) == ZSTD_error_memory_allocation) throw std::bad_alloc();
    return true;
}

}  // namespace hkpd
