// Makes the verdict on a run while the series of its processes are collected.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "answers/process_rows.hpp"
#include "answers/verdict_areas.hpp"
#include "answers/verdict_facts.hpp"
#include "answers/verdict_spells.hpp"
#include "hkpd/answers.hpp"
#include "hkpd/verdict.hpp"
#include "statistics/run_series.hpp"

namespace hkpd {

/// Judges the samples of a run. `begin` comes before the values of the processes of a sample.
class VerdictBuilder {
  public:
    explicit VerdictBuilder(VerdictOptions options) : options_(std::move(options)) {}

    /// Begins a sample with what is not of processes.
    void begin(const Sample& sample, std::span<const Selected> selected, Cooker& cooker);
    /// Adds a value of a process in the series `place` of `all`.
    void value(const SeriesCollector& all, std::size_t place, CookedValue value);
    /// Returns whether the sample needs the I/O of processes that is neither read nor written: sockets' is a part of
    /// it.
    bool wants_other_io() const noexcept;
    /// Forgets which series are of which process, as `SeriesCollector::clear` does.
    void clear();

    /// Makes the statements on what limited each machine. Must be called before `all` is sorted.
    void judge(const SeriesCollector& all);
    /// Returns all statements. `top` has the processes that grow; `has_memory`: whether any process has a value of its
    /// memory or handles.
    RunVerdict finish(const Top& top);

  private:
    struct Machine {
        FactReader facts;
        AreaWatch areas;
        UsualInterval usual;
        std::optional<std::int64_t> first_time, last_time;
        SampleSource source{};
        std::uint64_t samples = 0;
        double seconds = 0;
        bool has_processes = false, has_sizes = false;       // sizes: private bytes or handles
        std::unordered_map<std::uint32_t, SpellWatch> busy;  // by process: of those that used a whole processor
        std::int64_t time = 0;                               // of the sample
        bool after_gap = false;
        std::vector<VerdictStatement> statements{};

        bool is_short() const noexcept;
    };
    struct Process {
        std::size_t place = 0;  // of a series, until series are sorted
        std::int64_t first = SeriesStatistics::no_time, last = SeriesStatistics::no_time;
        bool uses_several = false;      // more than one processor, in any sample
        double io = 0, io_seconds = 0;  // bytes read and written in the run, and the time of these values
    };
    /// The process and the use of a series.
    struct Role {
        bool known = false, counts = false, is_other_io = false;
        std::uint32_t process = 0;
        ProcessUse use{};
    };

    Role role_of(const SeriesCollector& all, std::size_t place);
    VerdictProcess process_of(const SeriesCollector& all, std::uint32_t number) const;
    double rise_of_io(std::uint32_t number, double used, const Spell& spell) const;
    void name_users(const SeriesCollector& all, const Machine& machine, Watch watch, VerdictStatement& statement) const;
    std::optional<VerdictStatement> limit(const SeriesCollector& all, const std::string& name, const Machine& machine,
                                          Watch watch, VerdictArea area) const;
    std::optional<VerdictStatement> one_processor(const SeriesCollector& all, const std::string& name,
                                                  const Machine& machine) const;
    std::optional<VerdictStatement> no_limit(const std::string& name, const Machine& machine) const;
    std::optional<VerdictStatement> not_recorded(const std::string& name, const Machine& machine) const;
    static void add_growth(const std::string& name, const Machine& machine, const Top& top,
                           std::vector<VerdictStatement>& statements);

    VerdictOptions options_;
    std::map<std::string, Machine, std::less<>> machines_;
    Machine* now_ = nullptr;  // the machine of the sample; null if the sample is not judged
    std::vector<Role> roles_;
    std::vector<Process> processes_;
    ProcessCounters counters_;
    ProcessNumbers numbers_;
};

}  // namespace hkpd
