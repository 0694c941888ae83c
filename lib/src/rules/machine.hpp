// The limits of thresholds for one machine: they may depend on answers, on its memory, and on its number of instances.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rules/data.hpp"

namespace hkpd::pal {

/// The answers that hold for all machines.
struct Answers {
    struct Answer {
        std::string value;
        bool is_given = false;  // otherwise: the default
    };
    std::vector<Answer> values;  // for each question
    /// The question for the physical memory in GB, if its answer is taken from the input where that has it.
    std::uint32_t memory = no_index;
};

/// The limit of a threshold. One with a script that raises alerts has none; its state is `known`.
struct Limit {
    enum class State : std::uint8_t { unknown, known, failed };
    State state = State::unknown;
    double value = 0;
    Outcome outcome;  // if failed
};

class Machine {
  public:
    Machine(const Rules::Data& data, const Answers& answers, std::string_view name);

    const std::string& name() const noexcept { return name_; }
    const Limit& limit(std::uint32_t threshold) const noexcept { return limits_[threshold]; }
    /// Returns whether all limits are known or have failed.
    bool is_settled() const noexcept { return open_limits_ == 0; }
    bool knows_count(std::uint32_t source) const noexcept;
    bool knows_memory() const noexcept { return knows_memory_; }
    /// Returns the physical memory in GB if it is known from the input.
    std::optional<double> memory() const noexcept { return memory_; }

    /// Sets the number of instances of a data source.
    void set_count(std::uint32_t source, std::uint32_t count);
    /// Sets the physical memory in GB; none if the input does not have it, so that the answer holds.
    void set_memory(std::optional<double> gigabytes);
    /// Computes the limits that can be computed now, if anything was set since the last call.
    void compute_limits();
    /// Lets the limits that are unknown fail.
    void give_up() noexcept;
    /// Returns the values of a script's variables. Valid until the next call.
    std::span<const Value> values_of(const Rules::Data::Variables& variables);

    std::optional<std::int64_t> previous_sample;  // its time
    std::uint64_t samples = 0;                    // number of samples so far
    bool has_memory_counter = false;

  private:
    bool depends_on_memory(const Rules::Data::Variables& variables) const noexcept;
    Value answer(std::uint32_t question) const noexcept;

    const Rules::Data& data_;
    const Answers& answers_;
    std::string name_;
    std::vector<Limit> limits_;          // for each threshold
    std::size_t open_limits_;            // number of limits that are unknown
    std::vector<std::uint32_t> counts_;  // for each source; `no_index` if unknown
    std::optional<double> memory_;
    bool knows_memory_ = false, is_changed_ = true;
    std::vector<Value> values_;
};

}  // namespace hkpd::pal
