#include "report/values.hpp"

#include <libdeflate.h>

#include <algorithm>
#include <array>
#include <bit>
#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <new>
#include <span>
#include <tuple>
#include <utility>

namespace hkpd {
namespace {

/// Compresses bytes, each time independently of those before.
class Compressor {
  public:
    Compressor() : compressor_(libdeflate_alloc_compressor(level)) {
        if (!compressor_) throw std::bad_alloc();
    }
    /// Replaces `packed` by the raw DEFLATE compression of bytes.
    void compress(std::string_view bytes, std::string& packed) {
        packed.resize(libdeflate_deflate_compress_bound(compressor_.get(), bytes.size()));
        packed.resize(
            libdeflate_deflate_compress(compressor_.get(), bytes.data(), bytes.size(), packed.data(), packed.size()));
    }

  private:
    static constexpr int level = 6;
    struct Free {
        void operator()(libdeflate_compressor* compressor) const noexcept { libdeflate_free_compressor(compressor); }
    };
    std::unique_ptr<libdeflate_compressor, Free> compressor_;
};

void append_base64(std::string& out, std::string_view bytes) {
    constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    constexpr std::size_t group = 3;
    const std::size_t begin = out.size();
    out.resize(begin + (bytes.size() + 2) / group * 4);
    const std::span to = std::span(out).subspan(begin);
    std::size_t at = 0;
    for (std::size_t i = 0; i < bytes.size(); i += group) {
        const std::size_t size = std::min(group, bytes.size() - i);
        std::uint32_t bits = 0;
        for (std::size_t j = 0; j < group; ++j)
            bits = bits << 8U | (j < size ? static_cast<unsigned char>(bytes[i + j]) : 0U);
        for (std::size_t j = 0; j < 4; ++j) to[at++] = j <= size ? digits[bits >> (18 - 6 * j) & 63U] : '=';
    }
}

/// Joins neighbouring values of a series.
void join(std::vector<ReducedValues>& values, std::uint32_t joined) {
    if (joined == 1) return;
    std::size_t size = 0;
    for (std::size_t i = 0; i < values.size(); ++size) {
        const std::size_t end = std::min(i + joined, values.size());
        ReducedValues all = values[i++];
        for (; i < end; ++i)
            if (!values[i].empty()) all.add(values[i]);
        values[size] = all;
    }
    values.resize(size);
}

/// Appends the values of a series: a state for each slot, and the doubles byte by byte, so that similar bytes are
/// neighbours.
class ValueBytes {
  public:
    void append(std::string& out, std::span<const ReducedValues> values) {
        numbers_.clear();
        const std::size_t begin = out.size();
        out.resize(begin + values.size());
        std::ranges::transform(values, out.begin() + static_cast<std::ptrdiff_t>(begin),
                               [this](const ReducedValues& slot) { return static_cast<char>(state(slot)); });
        const std::size_t count = numbers_.size();
        out.resize(begin + values.size() + 8 * count);
        const std::span to = std::span(out).subspan(begin + values.size());
        for (std::size_t i = 0; i < count; ++i) {
            const auto bits = std::bit_cast<std::uint64_t>(numbers_[i]);
            for (std::size_t byte = 0; byte < 8; ++byte)
                to[byte * count + i] = static_cast<char>(bits >> (8 * byte) & 0xFFU);
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

constexpr double bytes_in_base64 = 4.0 / 3;
// The ratio of the compression of a part is a little worse than that of all, and not exactly the same.
constexpr double certain = 0.9;

/// Returns a number of bytes that the compressed text of a long text of many similar lines most probably exceeds: an
/// estimate from an eighth of it.
std::uint64_t least_size(std::string_view text, Compressor& compressor) {
    constexpr std::size_t slice = std::size_t{4} << 10U, step = 8 * slice;
    std::string sample, packed;
    for (std::size_t begin = 0; begin < text.size(); begin += step) sample += text.substr(begin, slice);
    if (sample.empty()) return 0;
    compressor.compress(sample, packed);
    const double ratio = static_cast<double>(packed.size()) / static_cast<double>(sample.size());
    return static_cast<std::uint64_t>(ratio * static_cast<double>(text.size()) * bytes_in_base64 * certain);
}

/// Reads the values of series as bytes.
class SeriesBytes {
  public:
    explicit SeriesBytes(const std::deque<ReportRun>& runs) : runs_(runs) {}
    /// Appends the values of a series, of which each `width` neighbouring ones are joined.
    void append(std::string& out, const PageSeries& series, std::uint32_t width) {
        runs_[series.run].read(series.number, values_);
        join(values_, width);
        bytes_.append(out, values_);
    }

  private:
    const std::deque<ReportRun>& runs_;
    std::vector<ReducedValues> values_;
    ValueBytes bytes_;
};

/// Places the values of all series, with `joined` slots each for those that are not fine. Returns their number of
/// bytes. If these are more than `most`, they are only counted, and the page has no values.
std::size_t place_all(Page& page, const std::deque<ReportRun>& runs, std::uint32_t joined,
                      std::size_t most = std::numeric_limits<std::size_t>::max()) {
    page.grids.clear();
    page.values.clear();
    std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, bool>, std::uint32_t> grids;
    SeriesBytes bytes(runs);
    std::size_t counted = 0;  // bytes that were not kept
    for (PageSeries& series : page.series) {
        const std::uint32_t stream = runs[series.run].stream(series.number), width = series.fine ? 1 : joined;
        const auto [grid, added] = grids.try_emplace({series.run, stream, width, series.elapsed},
                                                     static_cast<std::uint32_t>(page.grids.size()));
        if (added) page.grids.push_back({series.run, stream, width, series.elapsed});
        series.grid = grid->second;
        series.at = counted + page.values.size();
        bytes.append(page.values, series, width);
        if (counted + page.values.size() <= most) continue;
        counted += page.values.size();
        page.values.clear();
    }
    return counted + page.values.size();
}

/// Estimates the size of the compressed values of a page at each resolution from an eighth of its series.
class SizeEstimate {
  public:
    static constexpr std::size_t least_known = std::size_t{1} << 20U;

    /// Keeps the references. `size`: number of bytes of the values at full resolution.
    SizeEstimate(const Page& page, const std::deque<ReportRun>& runs, std::size_t size, Compressor& compressor)
        : page_(page),
          bytes_(runs),
          size_(static_cast<double>(size)),
          known_(size > least_known),
          compressor_(compressor) {}

    /// Returns a number of bytes that the compressed values most probably exceed; 0 if they are too few for an
    /// estimate.
    std::uint64_t least(std::uint32_t joined) {
        if (!known_) return 0;
        if (part_ == 0) part_ = static_cast<double>(read(1).size());
        compressor_.compress(read(joined), packed_);
        return static_cast<std::uint64_t>(static_cast<double>(packed_.size()) / part_ * size_ * bytes_in_base64 *
                                          certain);
    }

  private:
    /// Returns the values of the chosen series.
    std::string_view read(std::uint32_t joined) {
        constexpr std::uint32_t golden = 0x9E3779B9U, top_bits = 29;  // chooses without the period of the counters
        sample_.clear();
        for (std::uint32_t i = 0; i < page_.series.size(); ++i)
            if ((i * golden) >> top_bits == 0)
                bytes_.append(sample_, page_.series[i], page_.series[i].fine ? 1 : joined);
        return sample_;
    }

    const Page& page_;
    SeriesBytes bytes_;
    double size_, part_ = 0;  // bytes at full resolution, of all series and of the chosen ones
    bool known_;
    Compressor& compressor_;
    std::string sample_, packed_;
};

std::string compressed_text(std::string_view bytes, Compressor& compressor) {
    std::string packed, text;
    compressor.compress(bytes, packed);
    append_base64(text, packed);
    return text;
}

}  // namespace

std::string compressed_text(std::string_view bytes) {
    Compressor compressor;
    return compressed_text(bytes, compressor);
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

FittedValues fit_values(Page& page, const std::deque<ReportRun>& runs, std::uint64_t most,
                        const std::function<std::string()>& index) {
    constexpr std::uint32_t coarsest = 256;
    // Values of which there is an estimate are written only at the resolution that fits.
    const std::size_t full_size = place_all(page, runs, 1, SizeEstimate::least_known);
    std::string text = index();
    Compressor compressor;  // has half a megabyte
    const std::uint64_t of_index = least_size(text, compressor);
    std::uint64_t left = most > of_index ? most - of_index : most;
    SizeEstimate estimate(page, runs, full_size, compressor);
    for (std::uint32_t joined = 1;; joined *= 2) {
        std::uint64_t size = joined == coarsest ? 0 : estimate.least(joined);
        if (size <= left) {
            if (joined != 1 || page.values.empty()) place_all(page, runs, joined);
            if (joined != 1) text = index();
            FittedValues found{.values = compressed_text(page.values, compressor),
                               .index = compressed_text(text, compressor)};
            // An index that alone is larger than the page leaves all of it to the values.
            left = most > found.index.size() ? most - found.index.size() : most;
            if (found.values.size() <= left || joined == coarsest) return found;
            size = found.values.size();
        }
        // Half the slots need about half the bytes, so that most attempts can be spared.
        for (std::uint64_t expected = size / 2; expected / 2 > left && joined < coarsest / 2; expected /= 2)
            joined *= 2;
    }
}

}  // namespace hkpd
