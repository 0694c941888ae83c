// What somebody may have meant who mistyped a name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace hkpd {

/// Whether names are one name that differ in the case of letters alone.
enum class LetterCase : std::uint8_t { ignored, matters };

/// Is offered names one by one, and keeps the one that is most like the wanted one, without regard to case: one slip of
/// the fingers away for each three characters, three at most. A slip is a character too many, too few or another one,
/// or two neighbours in turn. Of names that are equally like it, the first. Bounded work for a name of any length.
class Nearest {
  public:
    /// Nothing is like a text that is shorter than three bytes, but for the same letters in another case where that
    /// matters; nor like one that is longer than `longest`, or has wildcards.
    explicit Nearest(std::string_view wanted, LetterCase letter_case = LetterCase::ignored);

    void offer(std::string_view name);

    /// Empty where nothing was like it, or the wanted name itself was offered: then it is not what was mistyped.
    const std::string& name() const noexcept { return name_; }

    static constexpr std::size_t longest = 64;

  private:
    std::size_t distance(std::string_view name) const noexcept;

    std::string wanted_, name_;
    std::string exact_;      // the wanted name as it was given, where case matters
    std::size_t size_;       // of the wanted name as it was given
    std::size_t limit_ = 0;  // a name with as many slips is near enough
    bool open_ = false;      // for further names
};

}  // namespace hkpd
