// Limits the bytes of names that a run writes. An input stores a name once, but the output repeats it for each value.
// Without a limit, names of kilobytes would make the output thousands of times as large as the input.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hkpd/diagnostics.hpp"
#include "hkpd/sample.hpp"
#include "hkpd/select.hpp"
#include "sample/display_name.hpp"
#include "write/writers.hpp"

namespace hkpd {
namespace {

/// Returns the estimated number of bytes that a name takes in an output. Control characters count six times, because
/// they are escaped. Bytes beyond ASCII count twice: some are escaped, and all take longer to write.
std::uint64_t length_of(std::string_view name) noexcept {
    constexpr std::uint64_t more_if_escaped = 5, longest = 4096;
    if (name.size() > longest) return name.size() * (1 + more_if_escaped);  // too long to look at each time
    const auto escaped = std::ranges::count_if(name, [](char c) { return static_cast<unsigned char>(c) < ' '; });
    const auto beyond = std::ranges::count_if(name, [](char c) { return static_cast<unsigned char>(c) >= 0x7F; });
    return name.size() + more_if_escaped * static_cast<std::uint64_t>(escaped) + static_cast<std::uint64_t>(beyond);
}
std::uint64_t length_of(const std::optional<Titles::Answer>& title) noexcept {
    return title ? length_of(title->text) : 0;
}

/// Passes samples on to another writer, without the counters and rows whose names exceed the limit.
class NameLimit final : public Writer {
  public:
    NameLimit(std::unique_ptr<Writer> writer, const WriteOptions& options)
        : writer_(std::move(writer)), help_text_(options.help_text), limit_(options.names) {}

    void begin(std::string& out) override { writer_->begin(out); }

    void sample(const Sample& sample, std::span<const Selected> selected, Cooker* cooker, std::string& out) override {
        // On real machines, a block makes the output contain less than 20 bytes of names for each byte of the block.
        constexpr std::uint64_t bytes_per_byte = 64;
        allowed_ += sample.bytes * bytes_per_byte;
        std::uint64_t all = 0;
        for (const Selected& part : selected) all += cost_of(sample, part);
        if (fits(all)) {
            used_ += all;
            return writer_->sample(sample, selected, cooker, out);
        }
        fitting_.assign(selected.begin(), selected.end());
        for (Selected& part : fitting_) cut(sample, part);
        writer_->sample(sample, fitting_, cooker, out);
    }

    bool again(std::string& out) override {
        if (!writer_->again(out)) return false;
        allowed_ = used_ = left_out_ = 0;  // all samples are passed once more
        return true;
    }

    void end(Diagnostics& diagnostics, std::string& out) override {
        if (left_out_ != 0)
            diagnostics.add(Severity::error, {Errc::name_limit, 0, "", "", used_ + left_out_, limit_ + allowed_});
        writer_->end(diagnostics, out);
    }

    std::string_view failure() const noexcept override { return writer_->failure(); }

  private:
    bool fits(std::uint64_t cost) const noexcept { return cost <= limit_ + allowed_ - used_; }
    bool take(std::uint64_t cost) noexcept {
        const bool fit = fits(cost);
        (fit ? used_ : left_out_) += cost;
        return fit;
    }

    /// Returns the number of bytes that a column's name and help text take, apart from the names in rows. The help text
    /// counts twice, because it is copied once more while the output is made.
    std::uint64_t cost_of(const Column& column) const {
        constexpr std::uint64_t copies = 2;
        return length_of(column.name) + (help_text_ ? copies * length_of(column.help) : 0);
    }

    /// Returns the number of bytes that names take if all names of a value are written with each value of the row.
    /// `of_columns`: total length of the names of the part's columns.
    static std::uint64_t cost_of_row(const Sample& sample, const Selected& part, std::uint32_t row,
                                     std::uint64_t of_columns) {
        const Object& object = sample.objects()[part.object];
        const Instance& instance = object.instances[row];
        constexpr std::uint64_t copies = 2;  // `parent/name#n`, and both names by themselves
        std::uint64_t of_each = length_of(object.name) + copies * length_of(shown_name(instance));
        if (sample.machine) of_each += length_of(*sample.machine);
        if (const auto parent = sample.parent(instance))
            of_each += copies * length_of(shown_name(sample.objects()[parent->object].instances[parent->instance]));
        return of_columns + of_each * part.columns.size();
    }

    static std::uint64_t names_of_columns(const Sample& sample, const Selected& part) {
        std::uint64_t bytes = 0;
        for (const std::uint32_t column : part.columns)
            bytes += length_of(sample.objects()[part.object].columns[column].name);
        return bytes;
    }

    /// Returns the number of bytes that the names of a whole part take.
    std::uint64_t cost_of(const Sample& sample, const Selected& part) const {
        std::uint64_t bytes = 0;
        for (const std::uint32_t column : part.columns) bytes += cost_of(sample.objects()[part.object].columns[column]);
        const std::uint64_t of_columns = names_of_columns(sample, part);
        for (const std::uint32_t row : part.rows) bytes += cost_of_row(sample, part, row, of_columns);
        return bytes;
    }

    /// Removes the columns and rows that do not fit.
    void cut(const Sample& sample, Selected& part) {
        const Object& object = sample.objects()[part.object];
        std::erase_if(part.columns, [&](std::uint32_t column) { return !take(cost_of(object.columns[column])); });
        const std::uint64_t of_columns = names_of_columns(sample, part);
        std::erase_if(part.rows, [&](std::uint32_t row) { return !take(cost_of_row(sample, part, row, of_columns)); });
    }

    std::unique_ptr<Writer> writer_;
    bool help_text_;
    std::uint64_t limit_, allowed_ = 0, used_ = 0, left_out_ = 0;  // bytes
    std::vector<Selected> fitting_;
};

}  // namespace

std::unique_ptr<Writer> with_name_limit(std::unique_ptr<Writer> writer, const WriteOptions& options) {
    return std::make_unique<NameLimit>(std::move(writer), options);
}

}  // namespace hkpd
