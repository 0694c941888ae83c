// Files of registrations: what one holds, by its name or its content.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "hkpd/bytes.hpp"
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

/// Tells one after the other what files hold, by their content and what came before them.
class RegistrationOrder {
  public:
    /// None where that cannot be told: it is none of the forms, or no counterset or no place is left that it could
    /// belong to.
    std::optional<RegistrationSubject> subject_of_content(Bytes content);
    /// What comes next may belong to this.
    void begin(const Guid& counterset) noexcept;
    /// Nothing tells what the next ones belong to: a file between was none of these, and may have begun another set.
    void forget() noexcept { counterset_.reset(); }

  private:
    std::optional<Guid> counterset_;
    std::size_t buffers_ = 0, strings_ = 0;  // of it that have come
};

}  // namespace hkpd
