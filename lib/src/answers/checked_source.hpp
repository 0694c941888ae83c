// The checks of `hkpd check` that are not part of reading samples. They find faults of title databases, and objects and
// counters without a title.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "blg/blg.hpp"
#include "hkpd/check.hpp"
#include "hkpd/source.hpp"

namespace hkpd {

class Diagnostics;

/// Returns whether titles of an input, or of all if it is `no_index`, are known to be lost.
bool has_lost_titles(const Diagnostics& found, std::uint32_t input);

/// A collection of title databases, which checks the databases of each machine together.
class TitleChecks {
  public:
    /// Keeps a reference to the limits.
    explicit TitleChecks(const Limits& limits) : limits_(limits) {}

    /// Adds a title database, given as its content and the tables in it. `machine` is any key that identifies the
    /// machine: databases with the same key are checked together. `faults` has the place of the database; `is_damaged`:
    /// whether reading it has reported that titles are lost.
    void add(const std::string& machine, Bytes content, std::vector<TitleTable> tables, bool is_damaged,
             const FaultSink& faults);
    /// Checks all databases that were added.
    void finish(Diagnostics& diagnostics) const;

    std::size_t tables() const noexcept { return tables_.tables().size(); }

  private:
    struct Added {
        std::vector<TitleTable> tables;
        PerflibValues values;
        Place place;
        bool is_damaged;
    };
    const Limits& limits_;
    std::map<std::string, std::deque<Added>> machines_;
    Titles tables_;  // all of them, so that equal ones share their memory
};

/// A source that passes the records of another source on. Adds title databases to a `TitleChecks`, and reports objects
/// and counters without a title in V1 blocks, including the V1 blocks in log rows.
class CheckedSource final : public Source {
  public:
    /// Keeps references to the limits and to `title_checks`, which collects the title databases.
    CheckedSource(std::unique_ptr<Source> source, const Limits& limits, TitleChecks& title_checks)
        : source_(std::move(source)), limits_(limits), title_checks_(title_checks) {}
    /// Sets the titles from which samples get their names, and keeps a reference to them. Must be called before `next`.
    void set_titles(const Titles& titles) noexcept { titles_ = &titles; }

    std::optional<Record> next(Diagnostics& diagnostics) override;

  private:
    void take_titles(const Record& record, const FaultSink& faults);
    void check_names(Bytes block, const FaultSink& faults);
    void check_row(const Record& record, const FaultSink& faults);
    bool is_new(const v1::ObjectEntry& entry);

    std::unique_ptr<Source> source_;
    const Titles* titles_ = nullptr;
    const Limits& limits_;
    TitleChecks& title_checks_;
    v1::Block block_;
    blg::Row row_;
    // Objects whose names were checked: by machine, title index and NumCounters.
    std::set<std::tuple<std::string, std::uint32_t, std::uint32_t>> known_;
    std::uint32_t records_ = 0;  // number of title databases read so far
};

}  // namespace hkpd
