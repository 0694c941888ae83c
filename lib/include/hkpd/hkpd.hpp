// The whole decoder in one header: read samples, select counters, cook, write, capture. This header does not
// include those for diagnostic tools, live counters and providers: include them by name (lib/README.md).
#pragma once

// IWYU pragma: begin_exports
#include "hkpd/capture.hpp"
#include "hkpd/cook.hpp"
#include "hkpd/reader.hpp"
#include "hkpd/select.hpp"
#include "hkpd/source.hpp"
#include "hkpd/version.hpp"
#include "hkpd/write.hpp"
// IWYU pragma: end_exports
