// What the name of a registration's file says.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "hkpd/guid.hpp"
#include "hkpd/v2.hpp"

namespace hkpd {

/// What an answer of PerfQueryCounterSetRegistrationInfo is on.
struct RegistrationSubject {
    Guid counterset{};
    v2::RegistrationRequest request{};
    std::string language{};
    std::optional<std::uint32_t> title_index{};
};

/// What a name says that `registration_file_name` made; none of any other.
std::optional<RegistrationSubject> subject_of_name(std::string_view name);

}  // namespace hkpd
