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

/// Returns the number of bytes that a name takes in an output, in which control characters are escaped.
std::uint64_t length_of(std::string_view name) noexcept {
    constexpr std::uint64_t more_if_escaped = 5;
    const auto escaped = std::ranges::count_if(name, [](char c) { return static_cast<unsigned char>(c) < ' '; });
    return name.size() + more_if_escaped * static_cast<std::uint64_t>(escaped);
}
std::uint64_t length_of(const std::optional<Titles::Answer>& title) noexcept {
    return title ? length_of(title->text) : 0;
}

/// Passes samples on to another writer, without the rows whose names exceed the limit.
class NameLimit final : public Writer {
  public:
    NameLimit(std::unique_ptr<Writer> writer, const WriteOptions& options)
        : writer_(std::move(writer)), help_text_(options.help_text), limit_(options.names) {}

    void begin(std::string& out) override { writer_->begin(out); }

    void sample(const Sample& sample, std::span<const Selected> selected, Cooker* cooker, std::string& out) override {
        // The names of a real machine take less than 20 bytes for each byte of a block.
        constexpr std::uint64_t bytes_per_byte = 64;
        allowed_ += sample.bytes * bytes_per_byte;
        std::uint64_t all = 0;
        for (const Selected& part : selected) all += help_cost(sample, part) + cost_of(sample, part, part.rows.size());
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
    /// Returns the number of bytes of the help texts of a part's counters, each of which is written once, in text that
    /// is copied once more before it is complete.
    std::uint64_t help_cost(const Sample& sample, const Selected& part) const {
        constexpr std::uint64_t copies = 2;
        std::uint64_t bytes = 0;
        if (help_text_)
            for (const std::uint32_t column : part.columns)
                bytes += copies * length_of(sample.objects()[part.object].columns[column].help);
        return bytes;
    }

    bool fits(std::uint64_t cost) const noexcept { return cost <= limit_ + allowed_ - used_; }

    /// Returns the number of bytes that names take in the output for the first `rows` rows of a part, if each value is
    /// written with all its names.
    static std::uint64_t cost_of(const Sample& sample, const Selected& part, std::size_t rows) {
        const Object& object = sample.objects()[part.object];
        std::uint64_t of_counters = 0, of_rows = 0;
        for (const std::uint32_t column : part.columns) of_counters += length_of(object.columns[column].name);
        for (std::size_t i = 0; i < rows; ++i) {
            const Instance& instance = object.instances[part.rows[i]];
            of_rows += length_of(shown_name(instance));
            if (const auto parent = sample.parent(instance))
                of_rows += length_of(shown_name(sample.objects()[parent->object].instances[parent->instance]));
        }
        const std::uint64_t of_object = length_of(object.name) + (sample.machine ? length_of(*sample.machine) : 0);
        return (of_counters + of_object * part.columns.size()) * rows + of_rows * part.columns.size();
    }

    /// Removes the rows that do not fit.
    void cut(const Sample& sample, Selected& part) {
        if (const std::uint64_t help = help_cost(sample, part); fits(help)) {
            used_ += help;
        } else {
            left_out_ += help;
            part.rows.clear();
            part.columns.clear();
        }
        std::size_t kept = 0;
        Selected one{part.object, {0}, part.columns};
        for (const std::uint32_t row : part.rows) {
            one.rows[0] = row;
            const std::uint64_t cost = cost_of(sample, one, 1);
            if (fits(cost)) {
                used_ += cost;
                part.rows[kept++] = row;
            } else {
                left_out_ += cost;
            }
        }
        part.rows.resize(kept);
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
