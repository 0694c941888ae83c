// The parts of an instance's name that do not identify its owner.
#pragma once

#include <string_view>

namespace hkpd {

/// An instance's name in three parts. Views into the name that was split.
struct InstanceNameParts {
    std::string_view before, name, after;  ///< `before` and `after` have numbers, extensions and punctuation only
    bool is_public = false;                ///< whether every Windows may have an instance of this name
};

/// Splits the name of an instance, without its parent.
InstanceNameParts split_instance_name(std::string_view name);

}  // namespace hkpd
