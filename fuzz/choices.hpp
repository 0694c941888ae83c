// An input as a list of choices: each takes one or more bytes from the front; after the end all choices are 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace hkpd_fuzz {

class Choices {
  public:
    explicit Choices(std::span<const std::uint8_t> input) : input_(input) {}

    bool empty() const noexcept { return input_.empty(); }
    std::uint64_t number(std::size_t bytes) noexcept {
        std::uint64_t value = 0;
        for (std::size_t i = 0; i < bytes && !input_.empty(); ++i) {
            value |= std::uint64_t{input_.front()} << (8 * i);
            input_ = input_.subspan(1);
        }
        return value;
    }
    std::uint32_t below(std::uint32_t bound) noexcept { return static_cast<std::uint32_t>(number(1)) % bound; }
    bool yes() noexcept { return below(2) == 1; }

    /// Takes up to `most` bytes unchanged. Valid as long as the input.
    std::span<const std::uint8_t> bytes(std::size_t most) noexcept {
        const auto taken = input_.first(most < input_.size() ? most : input_.size());
        input_ = input_.subspan(taken.size());
        return taken;
    }

    /// Returns characters that names are made of: of one to four bytes, and those that have a meaning in paths.
    std::string text(std::size_t most) {
        static constexpr std::string_view characters[] = {"a",  "B", "z", "0",  " ",  "(", ")",
                                                          "/",  "#", "*", "?",  "\\", "_", ".",
                                                          "\"", "ö", "ß", "日", "é",  "İ", "\xF0\x9F\x98\x80"};
        std::string text;
        for (std::size_t left = number(1) % (most + 1); left != 0; --left)
            text += characters[below(static_cast<std::uint32_t>(std::size(characters)))];
        return text;
    }

  private:
    std::span<const std::uint8_t> input_;
};

}  // namespace hkpd_fuzz
