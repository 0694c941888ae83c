// Builds samples from V2 blocks, in the same form as those from V1.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hkpd/error.hpp"
#include "hkpd/limits.hpp"
#include "hkpd/names.hpp"
#include "hkpd/sample.hpp"
#include "hkpd/v2.hpp"

namespace hkpd {

class FaultSink;

class InstanceFiller;
class ColumnStorage;

/// Builds a sample from a block. Keeps memory between samples.
///
/// Each result becomes an object. Results of one counterset with the same instances become one object with all their
/// columns, so that a counter finds its base (by BaseCounterId) even in another result. The query's identifiers state
/// the counterset of each result. Without identifiers, the builder looks for a registered counterset that fits the
/// result: its ids, its value sizes, and whether it is a list of instances. If exactly one counterset fits, the builder
/// uses it and adds a note. Otherwise the object has only ids and raw values. A result of type `error` has no object; a
/// note reports its status. A result with a single counter does not contain the counter's id, and a result with a
/// single instance does not contain the instance's name and InstanceId; they come from the identifier.
class CountersetSampleBuilder {
  public:
    /// Keeps a reference to `countersets`, which must outlive the samples.
    CountersetSampleBuilder(Countersets& countersets, const Limits& limits)
        : countersets_(countersets), budget_(limits) {}

    /// Fills `sample` from a block. `query`: the identifiers of the query that produced the block; null if unknown.
    /// `machine`: the machine's name; empty if unknown.
    void build(Sample& sample, const v2::DataBlock& block, const v2::Identifiers* query, std::string_view machine,
               const FaultSink& faults);

  private:
    // The counterset that a result refers to, as far as it is known.
    struct Subject {
        const v2::Identifier* asked = nullptr;
        const Counterset* set = nullptr;
        std::optional<Guid> guid;
        std::uint32_t number = 0;
    };
    // A slot of a hash table: an object of the sample, by the hash of its counterset and instances.
    struct Listed {
        std::uint64_t hash = 0;
        std::uint32_t object = no_index;
    };
    void begin(Sample& sample, const v2::DataBlock& block, std::string_view machine, const FaultSink& faults);
    void add_result(Sample& sample, const v2::ResultEntry& entry, const v2::Identifier* asked, const FaultSink& faults);
    Subject subject_of(const v2::ResultEntry& entry, const v2::Identifier* asked, const FaultSink& faults);
    const Counterset* assumed(const v2::ResultEntry& entry);
    Object& new_object(Sample& sample, const Subject& subject, std::uint32_t offset, const FaultSink& faults) const;
    void read_rows(Object& object, const Subject& subject, const FaultSink& faults);
    void read_instance(const v2::Instance& instance, const Subject& subject, InstanceFiller& instances) const;
    void note_first(Column& column, Bytes value) const noexcept;
    void settle_sizes(ColumnStorage& storage, Object& object, const Subject& subject, std::size_t rows,
                      const FaultSink& faults);
    static std::uint32_t registered_size(const Subject& subject, const Column& column);
    std::uint32_t place(std::uint64_t offset) const noexcept;
    Object* same_instances(Sample& sample, const Object& object);

    Countersets& countersets_;
    ValueBudget budget_;
    std::uint64_t limit_ = 0, bytes_ = 0;  // of the current sample
    v2::Result result_;
    std::vector<v2::Value> values_;
    std::string name_;  // of the current instance
    // Of the current block.
    std::string_view machine_;
    std::uint64_t block_offset_ = 0;
    std::uint64_t values_left_ = 0, guesses_left_ = 0, columns_left_ = 0;
    std::vector<Listed> listed_;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> by_id_;
};

}  // namespace hkpd
