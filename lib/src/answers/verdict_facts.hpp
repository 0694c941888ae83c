// What a verdict reads of a sample: the few counters of processors, memory, disks and networks that its rules use.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hkpd/cook.hpp"
#include "hkpd/sample.hpp"
#include "hkpd/select.hpp"

namespace hkpd {

/// The objects that are read. Of two that follow each other, the second is read in place of the first if that has no
/// values: it has the same counters.
enum class FactObject : std::uint8_t {
    processor,
    processor_information,
    physical_disk,
    logical_disk,
    network_interface,
    network_adapter,
    system,
    memory,
    numa_node,
    process,  ///< its instances Idle and _Total, if there is no other processor time
};
inline constexpr std::size_t fact_objects = 10;

/// The counters that are read, as values in bytes, seconds, % and /s.
enum class Fact : std::uint8_t {
    processor_time,
    processor_idle,
    ready_threads,
    available,
    total_memory,
    committed,
    commit_limit,
    committed_share,
    pages_input,
    page_reads,
    pages,
    paged_pool,
    nonpaged_pool,
    transfer_time,
    read_time,
    write_time,
    disk_queue,
    current_disk_queue,
    disk_idle,
    bytes_total,
    bytes_received,
    bytes_sent,
    bandwidth,
    output_queue,
};
inline constexpr std::size_t fact_count = 24;

/// Stands for a value that a sample does not have.
inline constexpr double no_fact = std::numeric_limits<double>::quiet_NaN();

/// The values of an instance; NaN where there is none.
struct FactRow {
    std::string_view name;  ///< valid as long as the sample; empty for an object without instances
    bool is_total = false;  ///< whether the instance stands for others
    std::array<double, fact_count> values;

    double operator[](Fact fact) const noexcept { return values[static_cast<std::size_t>(fact)]; }
};

/// Reads the facts of the samples of one machine.
class FactReader {
  public:
    /// Reads the facts of a sample: the selected values alone.
    void read(const Sample& sample, std::span<const Selected> selected, Cooker& cooker);

    /// Returns the instances of an object in the sample that was read last.
    const std::vector<FactRow>& rows(FactObject object) const noexcept {
        return rows_[static_cast<std::size_t>(object)];
    }
    /// Returns a value of an object without instances; NaN if there is none.
    double value(FactObject object, Fact fact) const noexcept;
    /// Returns the path of a counter as the input writes it, without the instance: `\Memory\Pages/sec`; empty if no
    /// sample had the counter.
    std::string path(FactObject object, Fact fact) const;

  private:
    struct FactColumn {
        std::uint32_t position, title;  // in the columns of the object, and the title index there
        Fact fact;
        double factor;
    };
    /// The columns to be read of an object with a title index.
    struct Layout {
        std::size_t columns = 0;  // of the object
        bool known = false;
        FactObject object{};
        std::vector<FactColumn> facts{};
    };

    const Layout& layout(const Sample& sample, const Object& object);
    bool fits(const Layout& layout, const Object& object) const noexcept;
    void read_object(const Object& object, const Selected& part, const Layout& layout, Cooker& cooker);
    void read_processes(const Sample& sample, std::span<const Selected> selected, Cooker& cooker);

    std::array<std::vector<FactRow>, fact_objects> rows_;
    std::map<std::pair<SampleSource, std::uint32_t>, Layout> layouts_;
    std::map<std::pair<FactObject, Fact>, std::string> paths_;
};

}  // namespace hkpd
