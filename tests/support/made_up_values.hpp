// Values that a damaged input shows but the valid one does not have: made up, or lost without a report.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "hkpd/sample.hpp"
#include "support/byte_buffer.hpp"

namespace hkpd_test {

/// The values of a sample, by object and counter.
struct ValuesRead {
    std::map<std::pair<std::uint64_t, std::uint32_t>, std::multiset<std::uint64_t>> values;
    std::size_t count = 0;
    bool faults = false;  ///< whether a warning or an error was reported

    /// Adds all valid values. `number_of(object)` returns what identifies an object.
    template <class Number>
    void take(const hkpd::Sample& sample, Number&& number_of) {
        for (const hkpd::Object& object : sample.objects())
            for (const hkpd::Column& column : object.columns)
                for (std::size_t row = 0; row < object.instances.size(); ++row)
                    if (column.is_valid(row)) {
                        values[{number_of(object), column.title_index}].insert(column.values[row]);
                        ++count;
                    }
    }
};

/// Number of mutants, and of those that show values of their own or lose some without a report.
struct MutantCount {
    unsigned mutants = 0, made_up = 0, silently = 0, lost_silently = 0;

    MutantCount& operator+=(const MutantCount& more) {
        mutants += more.mutants;
        made_up += more.made_up;
        silently += more.silently;
        lost_silently += more.lost_silently;
        return *this;
    }
};

inline MutantCount compared(const ValuesRead& good, const ValuesRead& bad) {
    const bool made_up = std::ranges::any_of(bad.values, [&good](const auto& column) {
        const auto found = good.values.find(column.first);
        return found == good.values.end() || std::ranges::any_of(column.second, [&found](std::uint64_t value) {
                   return !found->second.contains(value);
               });
    });
    MutantCount count{.mutants = 1};
    if (made_up) ++(bad.faults ? count.made_up : count.silently);
    if (bad.count < good.count && !bad.faults) ++count.lost_silently;
    return count;
}

/// A field of 4 bytes, and the name of its kind.
struct Field {
    std::string name;
    std::size_t at = 0;
};

/// Counts mutants by the kind of field in which they differ.
class MutantCounts {
  public:
    /// Writes 16 values into a field, two of them random, counts what `mutant()` returns for each, and restores the
    /// field.
    template <class Mutant>
    void try_values(const Field& field, blob::ByteBuffer& blob, std::uint32_t random, std::uint32_t small,
                    Mutant&& mutant) {
        const std::uint32_t value = blob.get32(field.at);
        for (const std::uint32_t other :
             {0U, 1U, value - 1, value + 1, value - 4, value + 4, value - 8, value + 8, value + 16, value - 16,
              value + 24, value * 2, value / 2, 0x7FFF'FFFFU, random, small}) {
            if (other == value) continue;
            blob.put32(field.at, other);
            counts_[field.name] += mutant();
        }
        blob.put32(field.at, value);
    }

    /// Returns the sum. Expects that at most one in `share` mutants of each kind shows a value of its own, and that
    /// none loses values silently.
    MutantCount sum(unsigned share) const {
        MutantCount sum;
        for (const auto& [name, count] : counts_) {
            EXPECT_LE((count.made_up + count.silently) * share, count.mutants)
                << name << ": " << count.made_up << " and silently " << count.silently;
            EXPECT_EQ(count.lost_silently, 0U) << name << " of " << count.mutants;
            sum += count;
        }
        testing::Test::RecordProperty("mutants", std::to_string(sum.mutants));
        testing::Test::RecordProperty("made_up", std::to_string(sum.made_up + sum.silently));
        return sum;
    }

  private:
    std::map<std::string, MutantCount> counts_;
};

}  // namespace hkpd_test
