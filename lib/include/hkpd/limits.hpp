// Bounds on the work and the memory that an input may cost.
#pragma once

#include <cstdint>

namespace hkpd {

/// Bounds that every loop over an input obeys. The size of the input alone is no sufficient bound: counters and
/// instances may overlap, so the number of values can be quadratic in the number of bytes. Example: 200 counters of 200
/// instances give 40,000 values, even if all values are read from the same few bytes.
struct Limits {
    /// Maximum number of values in one sample. If `values` is 0, the maximum is the larger of two numbers: half the
    /// number of bytes in the sample's blocks, and the rest of a budget of one million values. The budget is for the
    /// whole run. If a sample has more values than half its number of bytes, the excess is subtracted from the budget
    /// (`ValueBudget`).
    std::uint64_t values = 0;
    /// Maximum number of bytes that are read into memory for one block.
    std::uint64_t bytes = std::uint64_t{1} << 30;
    /// Maximum number of bytes that are read from an input without finding a block, row or other record in them. An
    /// endless input, such as `/dev/zero`, ends there.
    std::uint64_t search = std::uint64_t{2} << 30;
    /// Maximum number of ancestors that are looked up for an instance: its parent, the parent's parent and so on.
    std::uint32_t parents = 16;
    /// Maximum size of one chunk of a capture in bytes, before and after decompression.
    std::uint64_t chunk = std::uint64_t{256} << 20;
    /// Maximum number of decompressed bytes for each compressed byte of a capture, on average over all chunks read so
    /// far. The first 16 MiB of decompressed bytes are always allowed. Captures of real machines expand to at most 60
    /// times their compressed size. For inputs in the formats gzip, zstd and zip, which are unpacked in memory as a
    /// whole, the maximum is a quarter of this number.
    std::uint64_t expansion = 1000;
    /// Maximum number of bytes to which an input in the format gzip or zstd, or a file of a zip archive, is unpacked.
    std::uint64_t unpacked = std::uint64_t{1} << 30;
    /// Maximum memory in bytes for all title tables of a run; tables of several machines with equal titles need it
    /// once. The files with these tables may have twice this number of bytes, as their text may be UTF-16.
    std::uint64_t title_bytes = std::uint64_t{64} << 20;
    /// `tables`: maximum number of title tables in a run, in which each machine has its own. `machines`: maximum number
    /// of machines whose samples may be interleaved. `logs`: maximum number of performance logs whose rows may be.
    std::uint32_t tables = 16'384, machines = 64, logs = 64;
    /// Maximum number of machines that an overview lists, and whose times it follows.
    std::uint32_t named_machines = 16'384;
    /// Maximum number of series that an output remembers over a whole run. A series is one counter of one instance.
    std::uint64_t series = 1'000'000;
    /// Maximum number of bytes that a summary keeps for percentiles; see `WriteOptions::statistics`.
    std::uint64_t statistics = std::uint64_t{32} << 20;
    /// Limit on the names that an output stores or writes over a whole run, in bytes. The comment of
    /// `WriteOptions::names` describes how names are counted.
    std::uint64_t names = std::uint64_t{256} << 20;

    /// Returns the maximum number of values in a sample whose blocks have `input_bytes` bytes in total.
    std::uint64_t values_for(std::uint64_t input_bytes) const noexcept {
        constexpr std::uint64_t million = 1'000'000;
        if (values != 0) return values;
        return input_bytes / 2 > million ? input_bytes / 2 : million;
    }
};

/// The number of values that the samples of a run may have. If `Limits::values` is not 0, it is the maximum for each
/// sample. Otherwise, the maximum for a sample is half the number of bytes in its blocks, or what is left of one
/// million, whichever is larger. A sample has more values than half its number of bytes only if values overlap. The
/// excess is subtracted from the one million. All samples of a run together can therefore have an excess of at most one
/// million values, even if an input contains very many small samples.
class ValueBudget {
  public:
    explicit ValueBudget(const Limits& limits) noexcept : limits_(limits) {}

    /// Returns the maximum number of values in the next sample, whose blocks have `bytes` bytes in total.
    std::uint64_t limit(std::uint64_t bytes) const noexcept {
        if (limits_.values != 0) return limits_.values;
        const std::uint64_t spare = limits_.values_for(0) - used_;
        return bytes / 2 > spare ? bytes / 2 : spare;
    }
    /// Records a finished sample that has `values` values and whose blocks have `bytes` bytes in total. If the sample
    /// has more values than half its number of bytes, subtracts the excess from what is left of the one million.
    void spend(std::uint64_t values, std::uint64_t bytes) noexcept {
        const std::uint64_t spare = limits_.values_for(0) - used_, beyond = values > bytes / 2 ? values - bytes / 2 : 0;
        used_ += beyond < spare ? beyond : spare;
    }

  private:
    Limits limits_;
    std::uint64_t used_ = 0;
};

}  // namespace hkpd
