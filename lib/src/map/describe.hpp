// What members say, and what that means to people.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "hkpd/bytes.hpp"
#include "hkpd/names.hpp"
#include "hkpd/v1.hpp"
#include "map/fields.hpp"

namespace hkpd::map {

/// Valid until the next thing is said.
struct Said {
    std::string_view value, meaning;
    bool is_number = false;
};

/// A name as far as anybody reads: every entry repeats it, and a long one must not make much output of few bytes.
std::string_view clipped_name(std::string_view name) noexcept;

class Words {
  public:
    /// `titles` may be null; `end` is where the input ends.
    Words(const Titles* titles, std::uint64_t end) noexcept : titles_(titles), end_(end) {}

    /// On whose behalf titles are asked for from now on. Copies the name.
    void ask_for(std::string_view machine, bool windows_own);

    /// The text of an index, as far as anybody reads; empty where there is none. Valid as long as the titles are.
    std::string_view title(std::uint32_t index) const;

    /// `field` are the member's bytes, of its size; `base` is where offsets in it count from.
    Said member(const Member& member, Bytes field, std::uint64_t base, ByteOrder order);
    Said text(const EncodedText& text);
    Said number(std::uint64_t value, std::string_view meaning);
    Said bytes(std::uint64_t size);

  private:
    void say_place(std::string_view word, std::uint64_t place);
    void say_number(const Member& member, std::uint64_t value, std::uint64_t base);
    void say_bits(Means means, std::uint64_t value);
    void say_special(Means means, std::uint64_t value);
    void say_time(Bytes field, ByteOrder order);

    const Titles* titles_;
    std::uint64_t end_;
    std::string machine_;
    bool windows_own_ = true;
    std::string value_, meaning_;
};

}  // namespace hkpd::map
