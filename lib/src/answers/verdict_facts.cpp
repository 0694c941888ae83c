#include "answers/verdict_facts.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/text/names.hpp"
#include "hkpd/identity.hpp"
#include "quantity/unit.hpp"
#include "sample/display_name.hpp"
#include "statistics/series_table.hpp"

namespace hkpd {
namespace {

/// An object that is read. `title`: its title index; 0 if it has no fixed one.
struct ObjectName {
    FactObject object;
    std::uint32_t title;
    std::string_view name;
};
constexpr auto object_names = std::to_array<ObjectName>({
    {FactObject::processor, 238, "Processor"},
    {FactObject::processor_information, 0, "Processor Information"},
    {FactObject::physical_disk, 234, "PhysicalDisk"},
    {FactObject::logical_disk, 236, "LogicalDisk"},
    {FactObject::network_interface, 510, "Network Interface"},
    {FactObject::network_adapter, 0, "Network Adapter"},
    {FactObject::system, 2, "System"},
    {FactObject::memory, 4, "Memory"},
    {FactObject::numa_node, 0, "NUMA Node Memory"},
    {FactObject::process, 230, "Process"},
    {FactObject::process, 0, "Process V2"},
});

/// A counter that is read. `factor`: what its value is multiplied by.
struct CounterName {
    FactObject object;
    Fact fact;
    std::uint32_t title;
    std::string_view name;
    double factor = 1;
};
constexpr double bytes_of_kibibyte = 1U << 10U;
// The first counter of a fact that has a value is read.
constexpr auto counter_names = std::to_array<CounterName>({
    {FactObject::processor, Fact::processor_time, 6, "% Processor Time"},
    {FactObject::processor, Fact::processor_idle, 1746, "% Idle Time"},
    {FactObject::physical_disk, Fact::transfer_time, 206, "Avg. Disk sec/Transfer"},
    {FactObject::physical_disk, Fact::read_time, 208, "Avg. Disk sec/Read"},
    {FactObject::physical_disk, Fact::write_time, 210, "Avg. Disk sec/Write"},
    {FactObject::physical_disk, Fact::disk_queue, 1400, "Avg. Disk Queue Length"},
    {FactObject::physical_disk, Fact::current_disk_queue, 198, "Current Disk Queue Length"},
    {FactObject::physical_disk, Fact::disk_idle, 1482, "% Idle Time"},
    {FactObject::network_interface, Fact::bytes_total, 388, "Bytes Total/sec"},
    {FactObject::network_interface, Fact::bytes_received, 264, "Bytes Received/sec"},
    {FactObject::network_interface, Fact::bytes_sent, 506, "Bytes Sent/sec"},
    {FactObject::network_interface, Fact::bandwidth, 520, "Current Bandwidth"},
    {FactObject::network_interface, Fact::output_queue, 544, "Output Queue Length"},
    {FactObject::system, Fact::ready_threads, 44, "Processor Queue Length"},
    {FactObject::memory, Fact::available, 24, "Available Bytes"},
    {FactObject::memory, Fact::available, 1380, "Available KBytes", bytes_of_kibibyte},
    {FactObject::memory, Fact::available, 1382, "Available MBytes", bytes_of_mebibyte},
    {FactObject::memory, Fact::committed, 26, "Committed Bytes"},
    {FactObject::memory, Fact::commit_limit, 30, "Commit Limit"},
    {FactObject::memory, Fact::committed_share, 1406, "% Committed Bytes In Use"},
    {FactObject::memory, Fact::pages_input, 822, "Pages Input/sec"},
    {FactObject::memory, Fact::page_reads, 42, "Page Reads/sec"},
    {FactObject::memory, Fact::pages, 40, "Pages/sec"},
    {FactObject::memory, Fact::paged_pool, 56, "Pool Paged Bytes"},
    {FactObject::memory, Fact::nonpaged_pool, 58, "Pool Nonpaged Bytes"},
    {FactObject::numa_node, Fact::total_memory, 0, "Total MBytes", bytes_of_mebibyte},
    {FactObject::process, Fact::processor_time, 6, "% Processor Time"},
});

/// Returns the object whose counters an object has.
FactObject counters_of(FactObject object) noexcept {
    switch (object) {
        case FactObject::processor_information:
            return FactObject::processor;
        case FactObject::logical_disk:
            return FactObject::physical_disk;
        case FactObject::network_adapter:
            return FactObject::network_interface;
        default:
            return object;
    }
}

/// Returns whether an object or counter is the one with this name: by its title index, or by its English name.
bool is_named(bool by_title, std::uint32_t title, std::string_view name, std::uint32_t known,
              std::string_view known_name) {
    return (by_title && known != 0 && title == known) || compare_names(name, known_name) == 0;
}

}  // namespace

bool FactReader::fits(const Layout& layout, const Object& object) const noexcept {
    return layout.columns == object.columns.size() && std::ranges::all_of(layout.facts, [&](const FactColumn& each) {
               return object.columns[each.position].title_index == each.title;
           });
}

/// Returns which columns of an object are read.
const FactReader::Layout& FactReader::layout(const Sample& sample, const Object& object) {
    Layout& found = layouts_[{sample.source, object.title_index}];
    if (found.known && fits(found, object)) return found;
    found = {.columns = object.columns.size(), .known = true};
    const bool by_title = id_kind(sample.source, object) == IdKind::title;
    const std::string_view name = english_name(object);
    const auto kind = std::ranges::find_if(object_names, [&](const ObjectName& each) {
        return is_named(by_title, object.title_index, name, each.title, each.name);
    });
    if (kind == object_names.end()) return found;
    found.object = kind->object;
    for (const CounterName& counter : counter_names) {
        if (counter.object != counters_of(found.object)) continue;
        for (std::size_t position = 0; position < object.columns.size(); ++position) {
            const Column& column = object.columns[position];
            if (!has_cooked_numbers(column) || !is_named(by_title && kind->title != 0, column.title_index,
                                                         english_name(object, column), counter.title, counter.name))
                continue;
            found.facts.push_back(
                {static_cast<std::uint32_t>(position), column.title_index, counter.fact, counter.factor});
            std::string& path = paths_[{found.object, counter.fact}];
            if (path.empty())
                path = "\\" + object_label(sample.source, object) + (object.kind == Kind::single ? "" : "(*)") + "\\" +
                       counter_label(sample.source, column);
        }
    }
    return found;
}

void FactReader::read_object(const Object& object, const Selected& part, const Layout& layout, Cooker& cooker) {
    std::vector<FactRow>& rows = rows_[static_cast<std::size_t>(layout.object)];
    const std::size_t first = rows.size();
    for (const std::uint32_t position : part.rows) {
        const Instance& instance = object.instances[position];
        if (!instance.name) continue;  // it is unknown which one it is
        rows.push_back({.name = *instance.name, .is_total = is_total(*instance.name), .values = {}});
        rows.back().values.fill(no_fact);
    }
    for (const FactColumn& fact : layout.facts) {
        if (!std::ranges::binary_search(part.columns, fact.position)) continue;
        const CookedColumn cooked = cooker.column(part.object, fact.position);
        std::size_t at = first;
        for (const std::uint32_t position : part.rows) {
            if (!object.instances[position].name) continue;
            double& value = rows[at++].values[static_cast<std::size_t>(fact.fact)];
            if (std::isnan(value)) value = cooked[position].value * fact.factor;
        }
    }
}

/// Reads the processor time of Idle and of _Total, which in Process includes that of Idle.
void FactReader::read_processes(const Sample& sample, std::span<const Selected> selected, Cooker& cooker) {
    for (const Selected& part : selected) {
        const Object& object = sample.objects()[part.object];
        const Layout& found = layout(sample, object);
        if (found.facts.empty() || found.object != FactObject::process) continue;
        Selected special{.object = part.object, .rows = {}, .columns = part.columns};
        for (const std::uint32_t position : part.rows)
            if (is_aggregate_or_idle("", object.instances[position].name.value_or(""), true))
                special.rows.push_back(position);
        if (special.rows.size() == 2) return read_object(object, special, found, cooker);
    }
}

void FactReader::read(const Sample& sample, std::span<const Selected> selected, Cooker& cooker) {
    for (std::vector<FactRow>& rows : rows_) rows.clear();
    for (const Selected& part : selected) {
        const Object& object = sample.objects()[part.object];
        const Layout& found = layout(sample, object);
        if (!found.facts.empty() && found.object != FactObject::process) read_object(object, part, found, cooker);
    }
    if (rows(FactObject::processor).empty() && rows(FactObject::processor_information).empty())
        read_processes(sample, selected, cooker);
}

double FactReader::value(FactObject object, Fact fact) const noexcept {
    double found = no_fact;
    for (const FactRow& row : rows(object))
        if (std::isnan(found)) found = row[fact];
    return found;
}

std::string FactReader::path(FactObject object, Fact fact) const {
    const auto found = paths_.find({object, fact});
    return found == paths_.end() ? std::string() : found->second;
}

}  // namespace hkpd
