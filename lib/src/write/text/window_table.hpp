// What stands out in a window of time, as a table for people.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "hkpd/window.hpp"
#include "hkpd/write.hpp"
#include "write/text/grid.hpp"

namespace hkpd {

/// The rows of a window, as a table: processes, disks, interfaces and counters, each with its mean in the window and in
/// the rest of the run.
class WindowTable {
  public:
    /// Keeps the references.
    WindowTable(const WriteOptions& options, const WindowTop& top);

    /// Appends the table.
    void append(std::string& out);

  private:
    void append_window(std::string& out) const;
    void add_heading(std::string_view text);
    void add_processes();
    void add_counters(std::string_view heading, std::span<const std::uint32_t> rows);
    void add(std::string label, const WindowTop::Row& row, std::string note);
    std::string clock_of(std::int64_t time) const;
    void append_lives(std::string_view what, std::span<const std::shared_ptr<const RunInstance>> list,
                      std::uint64_t all, std::string& out) const;

    const WriteOptions& options_;
    const WindowTop& top_;
    Grid grid_;
    bool is_empty_ = true;
};

}  // namespace hkpd
