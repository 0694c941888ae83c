// The whole decoder in one header: reads samples, selects counters, cooks values, writes output and captures. The
// headers for diagnostic tools, live counters and providers are not included here; include them by name
// (lib/README.md).
#pragma once

// IWYU pragma: begin_exports
#include "hkpd/capture.hpp"
#include "hkpd/cook.hpp"
#include "hkpd/reader.hpp"
#include "hkpd/select.hpp"
#include "hkpd/source.hpp"
#include "hkpd/summary.hpp"
#include "hkpd/version.hpp"
#include "hkpd/write.hpp"
// IWYU pragma: end_exports
