// Builds samples from V1 blocks.
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

/// Code page of ANSI text in an object that states none: the Windows default in Western countries.
inline constexpr std::uint32_t usual_code_page = 1252;

/// Selects whether a sample contains the names of its instances. With `none`, all names are empty, and only positions,
/// ids and parents distinguish instances. `none` is for callers that need only the numbers.
enum class InstanceNames : std::uint8_t { utf8, none };

/// Selects whether a builder keeps the definitions of each object for the next sample. The next sample usually has the
/// same definitions, which then need not be read again.
enum class Definitions : std::uint8_t { kept, discarded };

/// Builds samples from blocks, in one pass over the bytes that validates and copies. Keeps memory between samples.
class SampleBuilder {
  public:
    /// `titles` may be null: objects and counters then have no names. The titles must outlive the samples.
    SampleBuilder(const Titles* titles, const Limits& limits, InstanceNames names = InstanceNames::utf8,
                  Definitions definitions = Definitions::kept)
        : titles_(titles), limits_(limits), budget_(limits), names_(names), definitions_(definitions) {}

    /// Begins a sample with the clocks and the machine of a block. `timed`: whether the sample has the time of the
    /// block; false for a block in a row of a log, because the row has its own time.
    void begin(Sample& sample, const v1::Block& block, const FaultSink& faults, bool timed = true);
    /// Adds a block's objects to the sample.
    void add(Sample& sample, const v1::Block& block, const FaultSink& faults);
    /// Finishes the sample and checks the parents of its instances. `number`: number of samples before this sample.
    void finish(Sample& sample, std::uint32_t number, const FaultSink& faults);

  private:
    void add_instances(Object& object, const v1::Object& source, std::uint64_t& values_left, const FaultSink& faults);
    void name_by(const v1::Block& block, std::string_view machine);
    v1::Object& source(std::size_t position);
    void describe(Object& object, const v1::Object& source) const;
    void check_parents(const Sample& sample, std::uint32_t number, const FaultSink& faults) const;
    void check_parents(const Sample& sample, const Object& object, std::uint32_t number, const FaultSink& faults) const;
    static bool has_valid_parents(const Sample& sample, const Object& object) noexcept;

    const Titles* titles_;
    Limits limits_;
    ValueBudget budget_;
    InstanceNames names_;
    Definitions definitions_;
    // Values and bytes in the blocks of the current sample so far. The blocks of a sample share one limit; otherwise
    // many small blocks together could need too much memory.
    std::uint64_t values_used_ = 0, bytes_used_ = 0;
    std::vector<v1::Object> sources_;  // by position in the sample; a single one if definitions are discarded
    v1::Instance instance_;            // current instance of the block
    // `text_`: text values of the current object. `name_`: the machine's name while a sample begins, and afterwards
    // scratch memory for the names of instances.
    std::string text_, name_;
    Object::Memory::NamedBy naming_by_;  // source of the names in the current block
    Titles::ScopedTables tables_;        // title tables for the current block
    // Identifies this builder in the samples that it has built. The samples share the ownership, so no other builder
    // gets the same identifier while one of these samples exists.
    std::shared_ptr<const void> self_ = std::make_shared<char>();
};

}  // namespace hkpd
