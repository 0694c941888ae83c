// The title databases that lie beside blobs in a directory.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "hkpd/error.hpp"
#include "hkpd/limits.hpp"
#include "hkpd/record.hpp"
#include "hkpd/v1.hpp"

namespace hkpd {

class Diagnostics;

/// Gives the title databases of a directory as records, ahead of the first V1 block in it and as those of its machine,
/// so that another directory's blobs are not named from them. When a second machine's block comes they are given once
/// more, now as anybody's: each machine's own copy would cost memory without end.
class TitlesBeside {
  public:
    explicit TitlesBeside(const Limits& limits) : limits_(limits) {}

    /// Another directory has been entered; or none, and there are no files.
    void enter(std::vector<std::string> files);
    /// Whether they have to come ahead of this record: from now on `next` gives them.
    bool due_before(const Record& record);
    /// The next one that is due; none when all have been given. Says of each which input it is. Valid until the next
    /// call.
    std::optional<Record> next(Diagnostics& diagnostics);

  private:
    std::optional<Record> read(const std::string& path, Diagnostics& diagnostics);

    const Limits& limits_;
    std::vector<std::string> files_;
    std::size_t given_ = 0;  // of the files, since they were due
    bool due_once_ = false;
    std::string machine_;  // whose they are said to be
    std::string name_;
    std::vector<std::byte> content_;
    v1::Block block_;
};

}  // namespace hkpd
