// Processes and what they use, as a table for people.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "hkpd/select.hpp"
#include "hkpd/summary.hpp"
#include "statistics/run_series.hpp"
#include "write/text/grid.hpp"

namespace hkpd {

/// Returns whether an object is Process, or Process V2 of Windows 11, which has the same counters. `number` is its
/// `Object::title_index`, which identifies it in every language.
bool is_process_object(SampleSource source, std::uint32_t number, std::string_view name);

/// Returns the part of `selected` with processes, with the counters alone that a `ProcessTable` shows. Returns an empty
/// list if there are none.
std::vector<Selected> process_parts(const Sample& sample, std::span<const Selected> selected);

/// The processes of a run.
class ProcessTable {
  public:
    /// Keeps the references.
    ProcessTable(const WriteOptions& options, const TopOptions& top, SeriesCollector& all)
        : options_(options), top_(top), all_(all) {}

    /// Adds a series of a process to the row of this process.
    void add(std::uint32_t place);
    bool empty() const noexcept { return rows_.empty(); }
    /// Sorts the rows and removes all but the first `TopOptions::top`.
    void sort();
    /// Returns the series of the rows, row by row.
    std::vector<std::uint32_t> places() const;
    /// Appends the table.
    void append(std::string& out);

  private:
    /// The uses of a resource that a row shows, in the order of the columns.
    enum Use : std::uint8_t { processor, working_set, private_bytes, handles, io };
    static constexpr std::size_t uses = 5;
    struct Row {
        std::array<std::optional<std::uint32_t>, uses> places{};  ///< place of the series with each use
        std::uint32_t first = 0;                                  ///< a series that the row has
    };

    friend std::vector<Selected> process_parts(const Sample& sample, std::span<const Selected> selected);
    static std::optional<Use> use_of(SampleSource source, std::uint32_t object, std::uint32_t title,
                                     std::string_view name);
    double number(const Row& row, Use use, StatisticColumn column) const;
    bool has(Use use) const;
    std::string title() const;
    std::string name_of(const Row& row) const;
    std::string lifetime_of(const Row& row) const;
    struct Namesakes {
        bool any = false, changed = false;
    };
    Namesakes namesakes() const;
    std::vector<Grid::Column> columns() const;

    const WriteOptions& options_;
    const TopOptions& top_;
    SeriesCollector& all_;
    std::vector<Row> rows_;
    std::map<std::tuple<std::string_view, std::uint32_t, std::uint32_t>, std::size_t> by_process_;
    std::size_t processes_ = 0;  // before rows were removed
    Use sorted_by_ = processor;
    StatisticColumn column_ = StatisticColumn::mean;
};

}  // namespace hkpd
