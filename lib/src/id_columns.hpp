// The counters that tell who an instance is.
#pragma once

#include <cstdint>
#include <optional>

#include "hkpd/sample.hpp"

namespace hkpd {

/// ID Process and ID Thread of an object's instances, as far as it has them. Their title indices are the system's own
/// (winperf.h knows no constants for them; perfcNNN.dat has them on every Windows).
class IdColumns {
  public:
    explicit IdColumns(const Object& object) noexcept {
        constexpr std::uint32_t id_process = 784, id_thread = 804;
        for (const Column& column : object.columns) {
            if (column.storage != Storage::number) continue;
            if (column.title_index == id_process) process_ = &column;
            if (column.title_index == id_thread) thread_ = &column;
        }
    }

    struct Ids {
        std::uint64_t process = 0, thread = 0;
    };
    /// None where an id is damaged.
    std::optional<Ids> operator[](std::size_t row) const noexcept {
        if (process_ != nullptr && !process_->sound(row)) return std::nullopt;
        if (thread_ != nullptr && !thread_->sound(row)) return std::nullopt;
        return Ids{process_ == nullptr ? 0 : process_->values[row], thread_ == nullptr ? 0 : thread_->values[row]};
    }

  private:
    const Column* process_ = nullptr;
    const Column* thread_ = nullptr;
};

}  // namespace hkpd
