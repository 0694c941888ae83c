// Puts what a source gives into a capture.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "hkpd/capture.hpp"
#include "hkpd/error.hpp"
#include "hkpd/limits.hpp"
#include "hkpd/record.hpp"
#include "hkpd/sample.hpp"
#include "hkpd/v1.hpp"
#include "hkpd/v2.hpp"

namespace hkpd {

class KeptQueries;
class SampleBoundary;

/// Finds out of each block whose it is, when it was taken and where samples end, as `SampleReader` does, and hands it
/// to the writer byte for byte. What cannot be opened as a block is reported and not recorded. Each V2 block is
/// written with the identifiers that it answers: those in front of it, else again those that came last of its machine.
class Recorder {
  public:
    /// Keeps a reference to `writer`.
    explicit Recorder(CaptureWriter& writer);
    ~Recorder();
    Recorder(const Recorder&) = delete;
    Recorder& operator=(const Recorder&) = delete;

    /// A title database for the machines whose blocks come: written in front of the first block of each.
    struct TitleFile {
        std::string name, content, language;  ///< of the file; its bytes as they are; `009`, or empty
    };
    /// To be called before the first record.
    void add_titles(TitleFile file) { titles_.push_back(std::move(file)); }
    /// What is to be said of where the blocks come from: written once for each machine, with its name.
    void set_provenance(CaptureWriter::Metadata entries) { provenance_ = std::move(entries); }
    /// Takes the next record, which is used during the call only.
    void add(const Record& record, Diagnostics& diagnostics);
    /// The last sample is complete. Where records told their cost, metadata `collection` of each machine says how many
    /// samples it was told of, with how many bytes and nanoseconds: `v1_samples`, `v1_bytes`, `v1_nanoseconds`, and so
    /// on for `v2`.
    void finish();

    /// How many were written so far.
    std::uint64_t samples() const noexcept { return samples_; }
    std::uint64_t blocks() const noexcept { return blocks_; }

  private:
    /// What collecting took so far, through one door.
    struct Cost {
        std::uint64_t samples = 0, bytes = 0, nanoseconds = 0;
    };
    using Costs = std::array<Cost, sample_sources>;  // by door
    /// A title database or registration with all that it points at.
    struct Reference {
        Record record;
        std::vector<std::byte> bytes;
        std::string machine, name, language;
    };
    void add_reference(const Record& record);
    void write_waiting(std::uint64_t time);
    void add_v1(const Record& record, Diagnostics& diagnostics);
    void add_v2(const Record& record, Diagnostics& diagnostics);
    void add_row(const Record& record, Diagnostics& diagnostics);
    void add_block(const Record& record, SampleSource source, bool begins);
    void begin_machine(std::uint64_t time);
    void end_sample();
    void write_costs();

    CaptureWriter& writer_;
    std::vector<TitleFile> titles_;
    CaptureWriter::Metadata provenance_;
    std::map<std::string, Costs> machines_;  // those whose blocks have come
    std::unique_ptr<SampleBoundary> boundary_;
    std::unique_ptr<KeptQueries> queries_;
    v1::Block block_;
    v2::DataBlock v2_block_;
    std::string machine_;             // of the block at hand
    std::vector<Reference> waiting_;  // for a block that tells the time, as they have none of their own
    std::size_t waiting_size_ = 0;
    std::uint64_t time_ = 0;  // of the last block that told it
    std::uint64_t samples_ = 0, blocks_ = 0;
    bool begun_ = false;
};

}  // namespace hkpd
