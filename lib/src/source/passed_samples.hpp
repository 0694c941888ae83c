// The samples that the streams of a source have passed over: counted only if their number is requested.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "hkpd/record.hpp"

namespace hkpd {

/// Counts what the streams of one input after another have passed over (`Source::seek`).
class PassedSamples {
  public:
    using Count = std::function<std::uint64_t()>;

    /// Returns what a record states in `Record::passed` about samples that `count` counts: that they are not counted
    /// yet or, if the input cannot be opened again later (`InputAgain::stays`), their number.
    std::uint64_t count_later(bool stays, Count count) {
        if (!stays) return count();
        uncounted_.push_back(std::move(count));
        return Record::uncounted;
    }

    /// Notes what was passed over at the end of an input. The first record of the next input states it.
    void end_input(std::uint64_t passed) noexcept { at_end_ = passed; }
    /// Sets `Record::passed` of a record, if it is the first one after such an end.
    void begin_input(Record& record) noexcept {
        if (const std::uint64_t passed = std::exchange(at_end_, 0); passed != 0) record.passed = passed;
    }

    /// Returns the number of samples that were not counted yet.
    std::uint64_t count() {
        std::uint64_t passed = 0;
        for (const Count& one : std::exchange(uncounted_, {})) passed += one();
        return passed;
    }

  private:
    std::uint64_t at_end_ = 0;
    std::vector<Count> uncounted_;
};

}  // namespace hkpd
