// Processes and what they use, as a table for people.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "hkpd/answers.hpp"
#include "hkpd/write.hpp"
#include "write/text/grid.hpp"

namespace hkpd {

/// The processes of a run, as a table.
class ProcessTable {
  public:
    /// Keeps the references.
    ProcessTable(const WriteOptions& options, const Top& top) : options_(options), top_(top) {}

    /// Appends the table.
    void append(std::string& out) const;
    /// Returns the parts of the table, for other forms of it: what its rows are, the name of a row, and the columns.
    std::string title(std::size_t rows, std::uint64_t all) const;
    std::string name_of(const Top::Process& row) const;
    std::vector<Grid::Column> columns(std::span<const Top::Process> rows) const;

  private:
    const Series& first(const Top::Process& row) const { return top_.series[row.first]; }
    bool has(ProcessUse use) const;
    std::uint32_t processors_of(const Top::Process& row) const;
    std::string clock_of(std::int64_t time) const;
    std::string lifetime_of(const Top::Process& row) const;
    bool lives_throughout(const Top::Process& row) const;
    void append_rows(std::span<const Top::Process> rows, std::string& out) const;

    const WriteOptions& options_;
    const Top& top_;
};

}  // namespace hkpd
