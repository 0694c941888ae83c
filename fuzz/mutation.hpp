// Shared parts of structure-aware mutators: an input with numbers at places, and values that break readers. Knows no
// layout of the library's.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <random>
#include <span>
#include <vector>

extern "C" {
std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);
std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size, unsigned int seed);
}

namespace hkpd_fuzz {

/// An input under mutation. Reads outside it return 0, writes outside it do nothing.
class Mutant {
  public:
    Mutant(std::span<const std::uint8_t> input, unsigned seed) : bytes_(input.begin(), input.end()), random_(seed) {}

    std::size_t size() const noexcept { return bytes_.size(); }
    std::span<const std::uint8_t> bytes() const noexcept { return bytes_; }
    std::uint32_t below(std::size_t bound) { return bound == 0 ? 0 : static_cast<std::uint32_t>(random_() % bound); }
    template <class T>
    const T& one_of(const std::vector<T>& all) {
        return all[below(all.size())];
    }

    bool big_endian = false;
    std::uint64_t number(std::size_t at, std::size_t width) const noexcept {
        std::uint64_t value = 0;
        for (std::size_t i = 0; i < width && at + i < bytes_.size(); ++i)
            value |= std::uint64_t{bytes_[at + i]} << (8 * (big_endian ? width - 1 - i : i));
        return value;
    }
    std::uint32_t u32(std::size_t at) const noexcept { return static_cast<std::uint32_t>(number(at, 4)); }
    void put(std::size_t at, std::size_t width, std::uint64_t value) noexcept {
        for (std::size_t i = 0; i < width && at + i < bytes_.size(); ++i)
            bytes_[at + i] = static_cast<std::uint8_t>(value >> (8 * (big_endian ? width - 1 - i : i)));
    }
    void reverse(std::size_t at, std::size_t width) noexcept {
        if (at + width <= bytes_.size())
            std::reverse(bytes_.begin() + static_cast<std::ptrdiff_t>(at),
                         bytes_.begin() + static_cast<std::ptrdiff_t>(at + width));
    }
    void insert(std::size_t at, std::vector<std::uint8_t> what) {
        bytes_.insert(bytes_.begin() + static_cast<std::ptrdiff_t>(std::min(at, bytes_.size())), what.begin(),
                      what.end());
    }
    void erase(std::size_t at, std::size_t length) {
        const auto first = std::min(at, bytes_.size()), last = first + std::min(length, bytes_.size() - first);
        bytes_.erase(bytes_.begin() + static_cast<std::ptrdiff_t>(first),
                     bytes_.begin() + static_cast<std::ptrdiff_t>(last));
    }
    std::vector<std::uint8_t> copy(std::size_t at, std::size_t length) const {
        const auto first = std::min(at, bytes_.size()), last = first + std::min(length, bytes_.size() - first);
        return {bytes_.begin() + static_cast<std::ptrdiff_t>(first),
                bytes_.begin() + static_cast<std::ptrdiff_t>(last)};
    }

    /// Returns a number that confuses readers: a bound, a size of a structure, or one near the current value.
    std::uint64_t odd_number(std::uint64_t now, std::uint64_t neighbour) {
        static constexpr std::uint64_t odd[] = {0,          1,          2,      3,          4,          8,
                                                12,         16,         20,     24,         28,         32,
                                                40,         64,         88,     0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFFD,
                                                0x7FFFFFFF, 0x80000000, 0xFFFF, 0x10000,    0x10000000, 0xFFFFFFF8};
        switch (below(6)) {
            case 0:
                return neighbour;
            case 1:
                return now + 1 + below(16);
            case 2:
                return now - 1 - below(16);
            case 3:
                return bytes_.size() + 8 - below(16);
            case 4:
                return now ^ (std::uint64_t{1} << below(32));
            default:
                return odd[below(std::size(odd))];
        }
    }

    /// Copies the result to libFuzzer's buffer, cut to `max_size`, and returns its size.
    std::size_t give(std::uint8_t* data, std::size_t max_size) const {
        const std::size_t size = std::min(max_size, bytes_.size());
        std::copy_n(bytes_.begin(), size, data);
        return size;
    }

  private:
    std::vector<std::uint8_t> bytes_;
    std::minstd_rand random_;
};

/// A number of the input.
struct Field {
    std::size_t at, width;
};

/// A structure that can be removed or doubled, and the numbers that count it: lengths and counts that it adds to.
struct Part {
    std::size_t at, length;
    std::vector<std::size_t> lengths{}, counts{};  ///< places of 32-bit numbers
    int kind = 0;                                  ///< parts of one kind can be swapped
};

struct Outline {
    std::vector<Field> fields;
    std::vector<Part> parts;
};

/// Sets a field.
inline void change_field(Mutant& mutant, const Outline& outline) {
    const Field& field = mutant.one_of(outline.fields);
    const Field& other = mutant.one_of(outline.fields);
    mutant.put(field.at, field.width,
               mutant.odd_number(mutant.number(field.at, field.width), mutant.number(other.at, other.width)));
}

/// Doubles or removes a part, and repairs the numbers that count it.
inline void resize_part(Mutant& mutant, const Part& part, bool doubled) {
    const auto by = static_cast<std::uint32_t>(part.length);
    for (const std::size_t at : part.lengths) mutant.put(at, 4, doubled ? mutant.u32(at) + by : mutant.u32(at) - by);
    for (const std::size_t at : part.counts) mutant.put(at, 4, doubled ? mutant.u32(at) + 1 : mutant.u32(at) - 1);
    if (doubled)
        mutant.insert(part.at, mutant.copy(part.at, part.length));
    else
        mutant.erase(part.at, part.length);
}

inline void resize_parts(Mutant& mutant, const Outline& outline) {
    const Part& part = mutant.one_of(outline.parts);
    resize_part(mutant, part, mutant.below(2) == 0);
}

/// Swaps two parts of one kind with one length above them.
inline void swap_parts(Mutant& mutant, const Outline& outline) {
    const Part* a = &mutant.one_of(outline.parts);
    const Part* b = &mutant.one_of(outline.parts);
    if (a->at > b->at) std::swap(a, b);
    if (a->kind != b->kind || a->lengths != b->lengths || a->at + a->length > b->at) return;
    const auto first = mutant.copy(a->at, a->length), second = mutant.copy(b->at, b->length);
    mutant.erase(b->at, b->length);
    mutant.insert(b->at, first);
    mutant.erase(a->at, a->length);
    mutant.insert(a->at, second);
}

/// Applies one of these changes at random; returns false if the outline has nothing to change.
inline bool change_structure(Mutant& mutant, const Outline& outline) {
    if (outline.fields.empty()) return false;
    const std::uint32_t choice = outline.parts.empty() ? 0 : mutant.below(8);
    if (choice < 5)
        for (std::uint32_t changes = 1 + mutant.below(3); changes != 0; --changes) change_field(mutant, outline);
    else if (choice < 7)
        resize_parts(mutant, outline);
    else
        swap_parts(mutant, outline);
    return true;
}

}  // namespace hkpd_fuzz
