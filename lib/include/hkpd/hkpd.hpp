// All that decodes, in one header: read samples, choose counters, cook, show, capture. The other headers, for tools of
// diagnosis, live counters and providers, stand by themselves: see lib/README.md.
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
