// The text log that the benchmarks read: PDH-CSV as PerfMon writes it, of processes on one machine.
#pragma once

#include <cstddef>
#include <ostream>

namespace bench {

/// Writes a log of rows a second apart, each with a time and `columns` values, until it has at least `size` bytes.
/// Returns the number of rows. The same bytes every time. Of the cells, four in ten have 17 digits, a quarter are
/// zeros, a third integers, and one in fifty is blank, as those of a process that has ended.
std::size_t write_text_log(std::ostream& out, std::size_t columns, std::size_t size);

}  // namespace bench
