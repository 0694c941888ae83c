// Samples from V1 blocks.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "hkpd/limits.hpp"
#include "hkpd/names.hpp"
#include "hkpd/sample.hpp"
#include "hkpd/v1.hpp"
#include "sample/memory.hpp"

namespace hkpd {

class FaultSink;

/// ANSI text of an object that names no code page: Windows' own default in the West.
inline constexpr std::uint32_t usual_code_page = 1252;

/// Whether a sample has the names of its instances. Without them only their places, ids and parents tell them apart,
/// and a name counts as empty: for who wants numbers alone.
enum class InstanceNames : std::uint8_t { utf8, none };

/// Builds samples from blocks, in one pass over the bytes that validates and copies. Keeps memory between samples.
class SampleBuilder {
  public:
    /// `titles` may be null: then nothing has a name. It must outlive the samples.
    SampleBuilder(const Titles* titles, const Limits& limits, InstanceNames names = InstanceNames::utf8)
        : titles_(titles), limits_(limits), names_(names) {}

    /// Starts a sample with the clocks and the machine of a block.
    void begin(Sample& sample, const v1::Block& block, const FaultSink& faults);
    /// Adds a block's objects to the sample.
    void add(Sample& sample, const v1::Block& block, const FaultSink& faults);
    /// Ends the sample: checks its parents. `number` says how many came before it.
    void finish(Sample& sample, std::uint32_t number, const FaultSink& faults);

  private:
    void add_instances(Object& object, const v1::Object& source, std::uint64_t& values_left, const FaultSink& faults);
    void describe(Object& object, const v1::Object& source) const;
    void check_parents(const Sample& sample, std::uint32_t number, const FaultSink& faults) const;
    void check_parents(const Sample& sample, const Object& object, std::uint32_t number, const FaultSink& faults) const;
    static bool has_valid_parents(const Sample& sample, const Object& object) noexcept;

    const Titles* titles_;
    Limits limits_;
    InstanceNames names_;
    // Blocks of one sample share one limit, or many small ones could ask for a lot together.
    std::uint64_t values_used_ = 0;
    std::vector<v1::Object> sources_;    // by position in the sample: what was worked out of one serves the next
    v1::Instance instance_;              // at hand
    std::string text_, name_;            // of the object and the instance at hand
    Object::Memory::NamedBy naming_by_;  // the block at hand
    // Stands for this builder in what it has built, and is no other's as long as that is there.
    std::shared_ptr<const void> self_ = std::make_shared<char>();
};

}  // namespace hkpd
