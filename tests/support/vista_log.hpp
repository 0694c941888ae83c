// A log that is built like a real one of Windows Vista: the same machine, objects, definitions, instances and times,
// from the facts in testdata/windows/zach-pc.tsv; with titles and values of the tests' own.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace hkpd_test {

/// Returns the blocks of the log, one for each object and sample, with the names of the files that contain them in the
/// shared data: `s00-obj236.bin`.
std::vector<std::pair<std::string, std::string>> vista_blobs();

/// Returns a title database of 1,839 entries as REG_MULTI_SZ: those built into hkpd, and others that are made up.
std::string vista_titles();

/// Returns the log (.blg): its titles in 14 events, its catalogue, a row of eight blocks for each sample, its trailer.
std::string vista_log();

}  // namespace hkpd_test
