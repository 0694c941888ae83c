// Stands in for a real log of Windows 10, which is kept outside the tree: its values, and what Windows printed for
// them, are in testdata/windows/charlieparker.tsv. The log comes from the builders of `log_bytes.hpp`.
#pragma once

#include <string>

namespace hkpd_test {

/// Returns the performance log (.blg): 10 counters, 25 rows, in 2 buffers of 64 KiB. Processes, threads, pointers and
/// the machine's speed, which nothing reads, are not those of the real one.
std::string made_windows10_log();

/// Returns the text log that Windows' relog made of it, byte for byte; the separator is a comma or a tab.
std::string windows10_text_log(char separator);

/// Returns the raw values of each pair of consecutive rows with the value that Windows cooked from them, as JSON:
/// header (cells of a text log), vectors (sample, col, type, timebase, first and second of both rows, cooked).
std::string windows10_vectors();

}  // namespace hkpd_test
