// Puts what a source gives into a capture.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "hkpd/capture.hpp"
#include "hkpd/error.hpp"
#include "hkpd/limits.hpp"
#include "hkpd/record.hpp"
#include "hkpd/v1.hpp"

namespace hkpd {

class SampleBoundary;

/// Finds out of each block whose it is, when it was taken and where samples end, as `SampleReader` does, and hands it
/// to the writer byte for byte. What cannot be opened as a block is reported and not recorded.
class Recorder {
  public:
    /// Keeps a reference to `writer`.
    explicit Recorder(CaptureWriter& writer);
    ~Recorder();
    Recorder(const Recorder&) = delete;
    Recorder& operator=(const Recorder&) = delete;

    /// A title database for the machines whose blocks come: written in front of the first block of each.
    struct TitleFile {
        std::string name, content, language;
    };
    void add_titles(TitleFile file) { titles_.push_back(std::move(file)); }
    /// What is to be said of where the blocks come from: written once for each machine, with its name.
    void set_provenance(CaptureWriter::Metadata entries) { provenance_ = std::move(entries); }
    void add(const Record& record, Diagnostics& diagnostics);
    /// The last sample is complete.
    void finish();

    std::uint64_t samples() const noexcept { return samples_; }
    std::uint64_t blocks() const noexcept { return blocks_; }

  private:
    void add_block(const Record& record, Diagnostics& diagnostics);
    void begin_machine(std::uint64_t time);

    CaptureWriter& writer_;
    std::vector<TitleFile> titles_;
    CaptureWriter::Metadata provenance_;
    std::set<std::string> machines_;  // those whose blocks have come
    std::unique_ptr<SampleBoundary> boundary_;
    v1::Block block_;
    std::string machine_;     // of the block at hand
    std::uint64_t time_ = 0;  // of the last block that told it
    std::uint64_t samples_ = 0, blocks_ = 0;
    bool begun_ = false;
};

}  // namespace hkpd
