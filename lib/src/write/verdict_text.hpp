// The sentences of a verdict, and the same as JSON.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "hkpd/series.hpp"
#include "hkpd/verdict.hpp"

namespace hkpd {

class JsonStream;

/// The most statements of a kind that a machine's sentences have; JSON has all.
inline constexpr std::size_t most_sentences_of_growth = 3;

/// Writes the sentences of a verdict on a run.
class VerdictText {
  public:
    /// Keeps the references. `run`: for times and their zone.
    VerdictText(const RunVerdict& verdict, const RunFacts& run);

    /// Returns a statement as one sentence without a full stop, as UTF-8 that is not escaped for any output. It names
    /// the machine if the verdict is on several.
    std::string sentence(const VerdictStatement& statement) const;
    /// Appends the sentences for a terminal, which are wrapped at `width` columns. Of many machines, only those that
    /// were limited, or on which something grows, have sentences of their own.
    void append(std::string& out, std::size_t width) const;
    /// Writes the member `verdict`: an array of the statements.
    void append_json(JsonStream& json) const;
    /// Returns whether a statement has a sentence for people: of several machines, and of much growth, some have none.
    bool is_shown(const VerdictStatement& statement) const;
    /// Returns a sentence on what `is_shown` leaves out; empty if it is nothing.
    std::string rest() const;

  private:
    std::string times(const VerdictStatement& statement) const;

    const RunVerdict& verdict_;
    const RunFacts& run_;
    std::size_t machines_ = 0;
};

}  // namespace hkpd
