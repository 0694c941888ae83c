// The counters that identify a process or thread over a run.
#pragma once

#include <cstdint>
#include <optional>

#include "hkpd/error.hpp"
#include "hkpd/sample.hpp"

namespace hkpd {

/// Finds the column of an object that has the id of the process to which each instance belongs: ID Process (title index
/// 784 on every Windows), also in logs and in V2, where only its name identifies it. Returns null if there is none.
const Column* find_process_id(SampleSource source, const Object& object);

/// The columns of an object that have process ids, thread ids (title index 804) and start times (the raw value of a
/// counter of the type PERF_ELAPSED_TIME); null if the object does not have them.
struct ProcessColumns {
    ProcessColumns(SampleSource source, const Object& object);

    /// Returns the process id in a row; none if it is damaged or no such number. A text log has it as a floating-point
    /// number.
    std::optional<std::uint32_t> process_id(std::size_t row) const noexcept {
        if (processes == nullptr || !processes->is_valid(row)) return std::nullopt;
        if (may_be_real) return real_process_id(row);
        const std::uint64_t id = processes->values[row];
        return id < no_index ? std::optional(static_cast<std::uint32_t>(id)) : std::nullopt;
    }
    /// Returns the thread id in a row; 0 if there is none.
    std::uint64_t thread_id(std::size_t row) const noexcept { return value(threads, row); }
    /// Returns the start time in a row; 0 if there is none.
    std::uint64_t start(std::size_t row) const noexcept { return value(starts, row); }

    const Column* processes = nullptr;
    const Column* threads = nullptr;
    const Column* starts = nullptr;
    bool may_be_real = false;  // whether process ids can be floating-point numbers

  private:
    std::optional<std::uint32_t> real_process_id(std::size_t row) const noexcept;
    static std::uint64_t value(const Column* column, std::size_t row) noexcept {
        return column != nullptr && column->is_valid(row) ? column->values[row] : 0;
    }
};

}  // namespace hkpd
