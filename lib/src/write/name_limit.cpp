// Limits the bytes of names that a run writes. An input stores a name once, but the output repeats it for each value.
// Without a limit, names that are several kilobytes long would make the output thousands of times as large as the
// input.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/name_budget.hpp"
#include "hkpd/diagnostics.hpp"
#include "hkpd/sample.hpp"
#include "hkpd/select.hpp"
#include "sample/display_name.hpp"
#include "write/cells.hpp"
#include "write/writers.hpp"

namespace hkpd {
namespace {

/// Returns the estimated number of bytes that a name takes in an output. Control characters count six times, because
/// they are escaped. Bytes beyond ASCII count twice: some are escaped, and all take longer to write.
std::uint64_t length_of(std::string_view name) noexcept {
    constexpr std::uint64_t more_if_escaped = 5, longest = 4096;
    if (name.size() > longest) return name.size() * (1 + more_if_escaped);  // counting escapes would take too long
    if (is_plain(name, '\0', '\0')) return name.size();                     // nearly all names
    const auto escaped = std::ranges::count_if(name, [](char c) { return static_cast<unsigned char>(c) < ' '; });
    const auto beyond = std::ranges::count_if(name, [](char c) { return static_cast<unsigned char>(c) >= 0x7F; });
    return name.size() + more_if_escaped * static_cast<std::uint64_t>(escaped) + static_cast<std::uint64_t>(beyond);
}
std::uint64_t length_of(const std::optional<Titles::Answer>& title) noexcept {
    return title ? length_of(title->text) : 0;
}

/// Computes how many bytes names take in the output of a selected object if each value is written with all its names:
/// those of the machine, the object, the instance, the instance's parent and the counter.
class NameCosts {
  public:
    NameCosts(const Sample& sample, const Selected& part)
        : sample_(sample), each_value_(length_of(sample.objects()[part.object].name)), values_(part.columns.size()) {
        if (sample.machine) each_value_ += length_of(*sample.machine);
        for (const std::uint32_t column : part.columns)
            columns_ += length_of(sample.objects()[part.object].columns[column].name);
    }

    std::uint64_t of_columns() const noexcept { return columns_; }

    /// Returns the number of bytes in the output of a row.
    std::uint64_t of_row(const Instance& instance) noexcept {
        if (previous_ == nullptr || !have_same_parent(*previous_, instance)) parent_ = of_parent(instance);
        previous_ = &instance;
        return columns_ + (each_value_ + copies * length_of(shown_name(instance)) + parent_) * values_;
    }

  private:
    /// Each name is written in `parent/name#n` and once by itself.
    static constexpr std::uint64_t copies = 2;

    std::uint64_t of_parent(const Instance& instance) const noexcept {
        const auto parent = sample_.parent(instance);
        if (!parent) return 0;
        return copies * length_of(shown_name(sample_.objects()[parent->object].instances[parent->instance]));
    }

    const Sample& sample_;
    std::uint64_t columns_ = 0;           // bytes of the names of all columns
    std::uint64_t each_value_, values_;   // bytes of the names of the object and the machine; number of values in a row
    std::uint64_t parent_ = 0;            // bytes of the name of the previous row's parent
    const Instance* previous_ = nullptr;  // the previous row; null before the first
};

/// A writer that passes samples on to another writer. The names of all columns and rows written so far may take a
/// limited number of bytes. When a further column or row would exceed this number, it is left out.
class NameLimit final : public Writer {
  public:
    NameLimit(std::unique_ptr<Writer> writer, const WriteOptions& options)
        : writer_(std::move(writer)), help_text_(options.help_text), budget_(options.names) {}

    void begin(std::string& out) override { writer_->begin(out); }

    void sample(const Sample& sample, std::span<const Selected> selected, Cooker* cooker, std::string& out) override {
        budget_.add_input(sample.bytes);
        std::uint64_t all = 0;
        for (const Selected& part : selected) all += cost_of(sample, part);
        if (budget_.fits(all)) {
            budget_.take(all);
            return writer_->sample(sample, selected, cooker, out);
        }
        fitting_.assign(selected.begin(), selected.end());
        for (Selected& part : fitting_) cut(sample, part);
        writer_->sample(sample, fitting_, cooker, out);
    }

    bool again(std::string& out) override {
        if (!writer_->again(out)) return false;
        budget_.restart();  // the samples are passed again, from the first one
        return true;
    }

    void end(Diagnostics& diagnostics, std::string& out) override {
        budget_.report(diagnostics);
        writer_->end(diagnostics, out);
    }

    std::string_view failure() const noexcept override { return writer_->failure(); }

  private:
    /// Returns the number of bytes that count for the help text of a column; 0 if help texts are not written. Each byte
    /// counts twice, because the text is copied once more while the output is made.
    std::uint64_t cost_of_help(const Column& column) const {
        constexpr std::uint64_t copies = 2;
        return help_text_ ? copies * length_of(column.help) : 0;
    }

    /// Returns the number of bytes that names take in the output of `part`, the selected rows and columns of an object:
    /// the names and help texts of the columns once, and the names that are written with each row.
    std::uint64_t cost_of(const Sample& sample, const Selected& part) const {
        const Object& object = sample.objects()[part.object];
        NameCosts costs(sample, part);
        std::uint64_t bytes = costs.of_columns();
        for (const std::uint32_t column : part.columns) bytes += cost_of_help(object.columns[column]);
        for (const std::uint32_t row : part.rows) bytes += costs.of_row(object.instances[row]);
        return bytes;
    }

    /// Removes the columns and rows whose names exceed the limit.
    void cut(const Sample& sample, Selected& part) {
        const Object& object = sample.objects()[part.object];
        std::erase_if(part.columns, [&](std::uint32_t column) {
            return !budget_.take(length_of(object.columns[column].name) + cost_of_help(object.columns[column]));
        });
        NameCosts costs(sample, part);
        std::erase_if(part.rows, [&](std::uint32_t row) { return !budget_.take(costs.of_row(object.instances[row])); });
    }

    std::unique_ptr<Writer> writer_;
    bool help_text_;
    NameBudget budget_;
    std::vector<Selected> fitting_;
};

}  // namespace

std::unique_ptr<Writer> with_name_limit(std::unique_ptr<Writer> writer, const WriteOptions& options) {
    return std::make_unique<NameLimit>(std::move(writer), options);
}

}  // namespace hkpd
