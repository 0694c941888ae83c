// The countersets of the table, as a provider registers them.
#pragma once

#include "hkpd/provider.hpp"

namespace live {

/// Registers all of them; returns false if one is rejected. Each counterset counts its own collections.
bool add_countersets(hkpd::Provider& provider);

}  // namespace live
