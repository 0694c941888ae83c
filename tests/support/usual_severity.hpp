// The severity of faults, compared with the table of fault codes.
#pragma once

#include <gtest/gtest.h>

#include "base/fault_table.hpp"

namespace hkpd_test {

/// Fails if a fault has another severity than the table states for its code.
inline void expect_usual_severity(const hkpd::Diagnostic& found) {
    const hkpd::Errc code = found.error.code;
    EXPECT_TRUE(hkpd::has_varying_severity(code) || found.severity == hkpd::usual_severity(code))
        << hkpd::severity_name(found.severity) << ' ' << hkpd::code_name(code);
}

}  // namespace hkpd_test
