// Bounds on the work and the memory that an input may ask for.
#pragma once

#include <cstdint>

namespace hkpd {

/// Overlapping offsets make values quadratic in bytes (200 counters over 200 instances need not hold 40,000 values),
/// so every loop over an input obeys these.
struct Limits {
    /// Most values of one sample; 0 stands for the larger of a million and the size of its blocks in bytes.
    std::uint64_t values = 0;
    /// Most bytes of one block that are brought into memory.
    std::uint64_t bytes = std::uint64_t{1} << 30;
    /// Longest chain of parents that is followed.
    std::uint32_t parents = 16;
    /// Most bytes of one chunk of a capture, before and after it is decompressed.
    std::uint64_t chunk = std::uint64_t{256} << 20;
    /// Most bytes of text in all title tables that an input brings along.
    std::uint64_t title_bytes = std::uint64_t{64} << 20;
    /// Most title tables that an input may bring along, and most machines whose samples may come mixed.
    std::uint32_t tables = 64, machines = 64;
    /// Most series (an instance's counter) that an output remembers over a whole run.
    std::uint64_t series = 1'000'000;

    /// Most values of a sample whose blocks have so many bytes together.
    std::uint64_t values_for(std::uint64_t input_bytes) const noexcept {
        constexpr std::uint64_t million = 1'000'000;
        if (values != 0) return values;
        return input_bytes > million ? input_bytes : million;
    }
};

}  // namespace hkpd
