// Finds out from the name of a registration file which counterset, request and language the file is for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "hkpd/guid.hpp"
#include "hkpd/v2.hpp"

namespace hkpd {

/// The counterset, the request and the language for which PerfQueryCounterSetRegistrationInfo returned an answer, and
/// the title index of the counterset in V1, if known.
struct RegistrationSubject {
    Guid counterset{};
    v2::RegistrationRequest request{};
    std::string language{};
    std::optional<std::uint32_t> title_index{};
};

/// Returns the subject that a name made by `registration_file_name` states; none for any other name.
std::optional<RegistrationSubject> subject_of_name(std::string_view name);

}  // namespace hkpd
