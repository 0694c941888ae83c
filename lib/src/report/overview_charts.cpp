// Chooses the charts of a machine's overview by what its log has.
#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/names.hpp"
#include "report/charts.hpp"
#include "statistics/run_series.hpp"

namespace hkpd {
namespace {

/// Maximum number of machines with charts; the counters of all are on the page.
constexpr std::size_t most_machines = 8;
/// Maximum number of curves of a chart of the overview.
constexpr std::size_t most_curves = 8;

/// The instances that a chart shows.
enum class Instances : std::uint8_t {
    none,     ///< the object has no list of instances
    total,    ///< `_Total`; without it, as `each`
    each,     ///< all but `_Total` and Idle, those with the largest means; `_Total` if there is no other
    growing,  ///< the same, those with the largest slopes
};

enum class Area : std::uint8_t { processor, memory, disk, network, process };

/// The areas of the overview, and the counters to add to a log that has none of them.
const std::array areas{
    PageArea{.id = "processor", .title = "Processor", .missing = "\\Processor(*)\\% Processor Time"},
    PageArea{.id = "memory", .title = "Memory", .missing = "\\Memory\\Available MBytes"},
    PageArea{.id = "disk",
             .title = "Disks",
             .missing = "\\PhysicalDisk(*)\\Avg. Disk sec/Read\n\\PhysicalDisk(*)\\Avg. Disk sec/Write\n"
                        "\\PhysicalDisk(*)\\Disk Bytes/sec"},
    PageArea{.id = "network", .title = "Network", .missing = "\\Network Interface(*)\\Bytes Total/sec"},
    PageArea{.id = "process",
             .title = "Processes",
             .missing = "\\Process(*)\\ID Process\n\\Process(*)\\% Processor Time\n\\Process(*)\\Private Bytes"},
};

/// The part of a machine that a series describes in the table of machines.
enum class Role : std::uint8_t { none, processor, idle, memory };

/// A chart of the overview. The first object that the run has is used, and of alternatives the first counter.
struct ChartPlan {
    Area area;
    std::string_view title;
    Instances instances;
    std::array<std::string_view, 3> objects;
    /// Counters that the chart shows together; a text with `|` lists alternatives.
    std::array<std::string_view, 2> counters;
    bool stacked = false;
    bool instead = false;  ///< only if the log has nothing for the chart before it
    Role role = Role::none;
};

const std::array plans{
    ChartPlan{.area = Area::processor,
              .title = "Processor time",
              .instances = Instances::total,
              .objects = {"Processor", "Processor Information", "Hyper-V Hypervisor Logical Processor"},
              .counters = {"% Processor Time|% Processor Utility|% Total Run Time"},
              .role = Role::processor},
    ChartPlan{.area = Area::processor,
              .title = "Idle time",
              .instances = Instances::total,
              .objects = {"Processor", "Processor Information", "Hyper-V Hypervisor Logical Processor"},
              .counters = {"% Idle Time"},
              .instead = true,
              .role = Role::idle},
    ChartPlan{.area = Area::processor,
              .title = "Processor time by mode",
              .instances = Instances::total,
              .objects = {"Processor", "Processor Information"},
              .counters = {"% User Time", "% Privileged Time"},
              .stacked = true},
    ChartPlan{.area = Area::processor,
              .title = "Interrupts and DPCs",
              .instances = Instances::total,
              .objects = {"Processor", "Processor Information"},
              .counters = {"% Interrupt Time", "% DPC Time"}},
    ChartPlan{.area = Area::processor,
              .title = "Threads waiting for a processor",
              .instances = Instances::none,
              .objects = {"System"},
              .counters = {"Processor Queue Length"}},
    ChartPlan{.area = Area::memory,
              .title = "Available memory",
              .instances = Instances::none,
              .objects = {"Memory"},
              .counters = {"Available Bytes|Available KBytes|Available MBytes"},
              .role = Role::memory},
    ChartPlan{.area = Area::memory,
              .title = "Committed memory",
              .instances = Instances::none,
              .objects = {"Memory"},
              .counters = {"Committed Bytes", "Commit Limit"}},
    ChartPlan{.area = Area::memory,
              .title = "Committed memory, of its limit",
              .instances = Instances::none,
              .objects = {"Memory"},
              .counters = {"% Committed Bytes In Use"},
              .instead = true},
    ChartPlan{.area = Area::memory,
              .title = "Paging",
              .instances = Instances::none,
              .objects = {"Memory"},
              .counters = {"Pages/sec|Pages Input/sec", "Page Reads/sec"}},
    ChartPlan{.area = Area::memory,
              .title = "Kernel pools",
              .instances = Instances::none,
              .objects = {"Memory"},
              .counters = {"Pool Paged Bytes", "Pool Nonpaged Bytes"}},
    ChartPlan{.area = Area::disk,
              .title = "Queue length",
              .instances = Instances::each,
              .objects = {"PhysicalDisk", "LogicalDisk"},
              .counters = {"Avg. Disk Queue Length|Current Disk Queue Length"}},
    ChartPlan{.area = Area::disk,
              .title = "Read latency",
              .instances = Instances::each,
              .objects = {"PhysicalDisk", "LogicalDisk"},
              .counters = {"Avg. Disk sec/Read|Avg. Disk sec/Transfer"}},
    ChartPlan{.area = Area::disk,
              .title = "Write latency",
              .instances = Instances::each,
              .objects = {"PhysicalDisk", "LogicalDisk"},
              .counters = {"Avg. Disk sec/Write"}},
    ChartPlan{.area = Area::disk,
              .title = "Throughput",
              .instances = Instances::each,
              .objects = {"PhysicalDisk", "LogicalDisk"},
              .counters = {"Disk Bytes/sec|Disk Read Bytes/sec|Disk Write Bytes/sec"}},
    ChartPlan{.area = Area::disk,
              .title = "Transfers",
              .instances = Instances::each,
              .objects = {"PhysicalDisk", "LogicalDisk"},
              .counters = {"Disk Transfers/sec|Disk Reads/sec|Disk Writes/sec"}},
    ChartPlan{.area = Area::disk,
              .title = "Idle time",
              .instances = Instances::each,
              .objects = {"PhysicalDisk", "LogicalDisk"},
              .counters = {"% Idle Time"}},
    ChartPlan{.area = Area::disk,
              .title = "Busy time",
              .instances = Instances::each,
              .objects = {"PhysicalDisk", "LogicalDisk"},
              .counters = {"% Disk Time"},
              .instead = true},
    ChartPlan{.area = Area::network,
              .title = "Throughput",
              .instances = Instances::each,
              .objects = {"Network Interface", "Network Adapter"},
              .counters = {"Bytes Total/sec"}},
    ChartPlan{.area = Area::network,
              .title = "Throughput by direction",
              .instances = Instances::each,
              .objects = {"Network Interface", "Network Adapter"},
              .counters = {"Bytes Received/sec", "Bytes Sent/sec"},
              .instead = true},
    ChartPlan{.area = Area::network,
              .title = "Packets waiting to be sent",
              .instances = Instances::each,
              .objects = {"Network Interface", "Network Adapter"},
              .counters = {"Output Queue Length"}},
    ChartPlan{.area = Area::network,
              .title = "Retransmitted segments",
              .instances = Instances::none,
              .objects = {"TCPv4", "TCP"},
              .counters = {"Segments Retransmitted/sec"}},
    ChartPlan{.area = Area::process,
              .title = "Processes by processor time",
              .instances = Instances::each,
              .objects = {"Process", "Process V2"},
              .counters = {"% Processor Time"}},
    ChartPlan{.area = Area::process,
              .title = "Processes by growth of private memory",
              .instances = Instances::growing,
              .objects = {"Process", "Process V2"},
              .counters = {"Private Bytes|Working Set"}},
    ChartPlan{.area = Area::process,
              .title = "Processes by private memory",
              .instances = Instances::each,
              .objects = {"Process", "Process V2"},
              .counters = {"Private Bytes|Working Set"},
              .instead = true},
};

/// The series of one machine, by the English names of object and counter, folded.
using SeriesByName = std::map<std::pair<std::string, std::string>, std::vector<std::uint32_t>>;

class OverviewCharts {
  public:
    OverviewCharts(Page& page, PageSeriesList& list, ReportRun& run, std::uint32_t number, const ReportOptions& options)
        : page_(page), list_(list), run_(run), number_(number), options_(options) {
        list_series(run, [&](std::uint32_t first) -> std::vector<std::uint32_t>& {
            const EnglishCounter& names = run.english(first);
            return by_machine_[run.counter(first).machine][{fold_case(names.object), fold_case(names.counter)}];
        });
    }

    void add() {
        for (const auto& [name, stream] : run_.machines()) {
            PageMachine& machine = page_.machines.emplace_back(PageMachine{.name = name, .stream = stream});
            const bool is_shown = page_.machines.size() <= most_machines;
            if (is_shown) machine.areas.assign(areas.begin(), areas.end());
            bool is_made = false;
            for (const ChartPlan& plan : plans)
                if ((is_shown || plan.role != Role::none) && !(plan.instead && is_made))
                    is_made = add_chart(machine, by_machine_[name], plan);
            for (PageArea& area : machine.areas)
                if (!area.charts.empty() || !area.zeros.empty()) area.missing = {};
        }
    }

  private:
    static const std::vector<std::uint32_t>* find(const SeriesByName& all, std::string_view object,
                                                  std::string_view counter) {
        while (!counter.empty()) {
            const std::size_t end = counter.find('|');
            const auto found = all.find({fold_case(object), fold_case(counter.substr(0, end))});
            if (found != all.end()) return &found->second;
            counter = end == std::string_view::npos ? std::string_view() : counter.substr(end + 1);
        }
        return nullptr;
    }

    /// Returns whether the log has the counters of a chart, which is then in the area of the machine, or is a line of
    /// text there if all values are 0.
    bool add_chart(PageMachine& machine, const SeriesByName& all, const ChartPlan& plan) {
        for (const std::string_view object : plan.objects) {
            if (object.empty()) continue;
            std::vector<std::uint32_t> chosen;
            std::string counters;
            const auto most = most_curves / (plan.counters.back().empty() ? 1 : plan.counters.size());
            for (const std::string_view counter : plan.counters) {
                const auto* const found = find(all, object, counter);
                if (found == nullptr) continue;
                const std::size_t before = chosen.size();
                choose(*found, plan.instances, most, chosen);
                if (chosen.size() != before) append_path(counters, chosen.back());
            }
            if (chosen.empty()) continue;
            if (plan.role == Role::processor) machine.processor = chosen.front();
            if (plan.role == Role::idle) machine.idle = chosen.front();
            if (plan.role == Role::memory) machine.memory = chosen.front();
            if (!machine.areas.empty())
                show(machine.areas[static_cast<std::size_t>(plan.area)], plan, chosen, std::move(counters));
            return true;
        }
        return false;
    }

    void show(PageArea& area, const ChartPlan& plan, std::span<const std::uint32_t> chosen, std::string counters) {
        const bool is_zero = std::ranges::all_of(chosen, [this](std::uint32_t number) {
            const Statistics statistics = run_.statistics(number);
            return statistics.min == 0 && statistics.max == 0;
        });
        if (is_zero) {
            area.zeros.push_back({std::string(plan.title), std::move(counters), chosen.size()});
            return;
        }
        PageChart chart{.title = std::string(plan.title),
                        .unit = common_unit(chosen),
                        .counters = std::move(counters),
                        .stacked = plan.stacked && chosen.size() > 1,
                        .command = replay_command(options_, run_.series(chosen.front()), run_.machines().size() > 1)};
        for (const std::uint32_t series : chosen) chart.series.push_back(list_.add(number_, series, true));
        area.charts.push_back(static_cast<std::uint32_t>(page_.charts.size()));
        page_.charts.push_back(std::move(chart));
    }

    /// Appends the path of a series' counter without its machine and instance.
    void append_path(std::string& out, std::uint32_t number) const {
        const RunCounter& counter = run_.counter(number);
        const bool is_first = out.empty();
        if (is_first)
            out.append("\\").append(counter.object).append(counter.of_list ? "(*)\\" : "\\");
        else
            out += ", ";
        out += counter.name;
    }

    /// Returns the unit of series; none if they have several.
    ScaledUnit common_unit(std::span<const std::uint32_t> chosen) {
        const ScaledUnit unit = run_.series(chosen.front()).shown;
        const auto is_other = [&](std::uint32_t number) { return run_.series(number).shown != unit; };
        return std::ranges::any_of(chosen, is_other) ? ScaledUnit{} : unit;
    }

    /// Adds the series of the chosen instances that have values, at most `most`.
    void choose(const std::vector<std::uint32_t>& all, Instances instances, std::size_t most,
                std::vector<std::uint32_t>& chosen) {
        struct Choice {
            std::uint32_t number;
            Statistics statistics;
        };
        std::vector<Choice> each, totals;
        std::optional<std::uint32_t> total;
        for (const std::uint32_t number : all) {
            const Statistics statistics = run_.statistics(number);
            const bool of_list = run_.counter(number).of_list;
            if (statistics.count == 0 || of_list == (instances == Instances::none)) continue;
            if (!of_list) {
                chosen.push_back(number);
                continue;
            }
            const Identity identity = run_.all().identity(number);
            const std::string_view parent = identity.parent.value_or("");
            if (parent.empty() && is_grand_total(identity.name)) total = number;
            if (!is_aggregate_or_idle(parent, identity.name, true))
                each.push_back({number, statistics});
            else if (is_total(identity.name))
                totals.push_back({number, statistics});
        }
        if (each.empty() && !total) each = std::move(totals);  // those of parts, such as `0,_Total` of a processor node
        if (total && (each.empty() || instances == Instances::total)) {
            if (instances != Instances::growing) chosen.push_back(*total);
            return;
        }
        if (instances == Instances::growing) {
            // The slope of a few values is not that of a run.
            std::uint64_t longest = 0;
            for (const Choice& one : each) longest = std::max(longest, one.statistics.count);
            std::erase_if(each, [longest](const Choice& one) {
                return one.statistics.count < longest / 4 || !(one.statistics.slope > 0);
            });
            std::ranges::stable_sort(each, largest_first, [](const Choice& one) { return one.statistics.slope; });
        } else {
            std::ranges::stable_sort(each, largest_first, [](const Choice& one) {
                return one.statistics.mean * static_cast<double>(one.statistics.count);
            });
        }
        if (each.size() > most) each.resize(most);
        for (const Choice& one : each) chosen.push_back(one.number);
    }

    Page& page_;
    PageSeriesList& list_;
    ReportRun& run_;
    std::uint32_t number_;
    const ReportOptions& options_;
    std::map<std::string, SeriesByName> by_machine_;
};

}  // namespace

void add_overview(Page& page, PageSeriesList& list, ReportRun& run, std::uint32_t number,
                  const ReportOptions& options) {
    OverviewCharts(page, list, run, number, options).add();
}

}  // namespace hkpd
