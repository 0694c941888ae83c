// Finds columns of a sample by their counter.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>

#include "hkpd/sample.hpp"

namespace hkpd_test {

/// Returns the first column with this title index or counter id; fails the test and returns an empty one if there is
/// none.
inline const hkpd::Column& column_of(const hkpd::Object& object, std::uint32_t id) {
    static const hkpd::Column none;
    for (const hkpd::Column& column : object.columns)
        if (column.title_index == id) return column;
    ADD_FAILURE() << "no column " << id;
    return none;
}

}  // namespace hkpd_test
