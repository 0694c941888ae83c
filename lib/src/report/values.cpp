#include "report/values.hpp"

#include <libdeflate.h>

#include <algorithm>
#include <array>
#include <bit>
#include <deque>
#include <map>
#include <memory>
#include <new>
#include <tuple>
#include <utility>

namespace hkpd {
namespace {

struct FreeCompressor {
    void operator()(libdeflate_compressor* compressor) const noexcept { libdeflate_free_compressor(compressor); }
};

void append_base64(std::string& out, std::string_view bytes) {
    constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    constexpr std::size_t group = 3;
    out.reserve(out.size() + (bytes.size() + 2) / group * 4);
    for (std::size_t i = 0; i < bytes.size(); i += group) {
        const std::string_view part = bytes.substr(i, group);
        std::uint32_t bits = 0;
        for (std::size_t j = 0; j < group; ++j)
            bits = bits << 8U | (j < part.size() ? static_cast<unsigned char>(part[j]) : 0U);
        for (std::size_t j = 0; j < 4; ++j) out += j <= part.size() ? digits[bits >> (18 - 6 * j) & 63U] : '=';
    }
}

/// Joins neighbouring values of a series.
void join(std::vector<ReducedValues>& values, std::uint32_t joined) {
    if (joined == 1) return;
    std::size_t size = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (i % joined == 0)
            values[size++] = values[i];
        else
            values[size - 1].add(values[i]);
    }
    values.resize(size);
}

/// Appends the values of a series: a state for each slot, and the doubles byte by byte, so that similar bytes are
/// neighbours.
class ValueBytes {
  public:
    void append(std::string& out, std::span<const ReducedValues> values) {
        numbers_.clear();
        for (const ReducedValues& slot : values) out += static_cast<char>(state(slot));
        const std::size_t begin = out.size(), count = numbers_.size();
        out.resize(begin + 8 * count);
        for (std::size_t i = 0; i < count; ++i) {
            const auto bits = std::bit_cast<std::uint64_t>(numbers_[i]);
            for (std::size_t byte = 0; byte < 8; ++byte)
                out[begin + byte * count + i] = static_cast<char>(bits >> (8 * byte) & 0xFFU);
        }
    }

  private:
    std::uint8_t state(const ReducedValues& slot) {
        constexpr unsigned reason_shift = 2;
        const auto reason = static_cast<std::uint8_t>(static_cast<unsigned>(slot.missing) << reason_shift);
        if (slot.count == 0) return reason;
        numbers_.push_back(slot.min);
        if (slot.min == slot.max) return reason | 1U;
        if (slot.count != 2) numbers_.push_back(slot.mean());
        numbers_.push_back(slot.max);
        return reason | (slot.count == 2 ? 2U : 3U);
    }

    std::vector<double> numbers_;
};

/// Places the values of all series, with `joined` slots each for those that are not fine.
void place_all(Page& page, std::deque<ReportRun>& runs, std::uint32_t joined) {
    page.grids.clear();
    page.values.clear();
    std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, bool>, std::uint32_t> grids;
    std::vector<ReducedValues> values;
    ValueBytes bytes;
    for (PageSeries& series : page.series) {
        const ReportRun& run = runs[series.run];
        const std::uint32_t stream = run.stream(series.number), width = series.fine ? 1 : joined;
        const auto [grid, added] = grids.try_emplace({series.run, stream, width, series.elapsed},
                                                     static_cast<std::uint32_t>(page.grids.size()));
        if (added) page.grids.push_back({series.run, stream, width, series.elapsed});
        series.grid = grid->second;
        series.at = page.values.size();
        run.read(series.number, values);
        join(values, width);
        bytes.append(page.values, values);
    }
}

}  // namespace

std::string compressed_text(std::string_view bytes) {
    constexpr int level = 6;
    const std::unique_ptr<libdeflate_compressor, FreeCompressor> compressor(libdeflate_alloc_compressor(level));
    if (!compressor) throw std::bad_alloc();
    std::string packed(libdeflate_deflate_compress_bound(compressor.get(), bytes.size()), '\0');
    packed.resize(
        libdeflate_deflate_compress(compressor.get(), bytes.data(), bytes.size(), packed.data(), packed.size()));
    std::string text;
    append_base64(text, packed);
    return text;
}

std::vector<HistorySlot> joined_slots(std::span<const HistorySlot> slots, std::uint32_t joined) {
    std::vector<HistorySlot> all;
    for (std::size_t i = 0; i < slots.size(); ++i) {
        if (i % joined == 0) {
            all.push_back(slots[i]);
            continue;
        }
        all.back().to = std::max(all.back().to, slots[i].to);
        all.back().samples += slots[i].samples;
    }
    return all;
}

std::string place_values(Page& page, std::deque<ReportRun>& runs, std::uint64_t most) {
    constexpr std::uint32_t coarsest = 256;
    for (std::uint32_t joined = 1;; joined *= 2) {
        place_all(page, runs, joined);
        std::string text = compressed_text(page.values);
        if (text.size() <= most || joined == coarsest) return text;
        // Half the slots need about half the bytes, so that most attempts can be spared.
        for (std::uint64_t expected = text.size() / 2; expected / 2 > most && joined < coarsest / 2; expected /= 2)
            joined *= 2;
    }
}

}  // namespace hkpd
