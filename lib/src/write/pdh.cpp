// The form of Windows' own text logs: a row for each sample, a column for each counter of an instance.
#include <unordered_map>
#include <variant>

#include "forms.hpp"
#include "pdh_columns.hpp"
#include "pdh_text.hpp"

namespace hkpd {
namespace {

class PdhWriter final : public Writer {
  public:
    PdhWriter(Format format, const WriteOptions& options)
        : format_(format), options_(options), columns_(options.series), identities_(options.series) {}

    void sample(const Sample& sample, std::span<const Selected> selected, Cooker* cooker, std::string& out) override {
        const bool has_before = cooker != nullptr && cooker->before() != nullptr;
        identities_.add(sample, has_before ? &cooker->matches() : nullptr);
        if (!columns_.fixed()) {
            read(sample, selected, cooker);
            if (!options_.one_pass) return;
            write_header(out);
        }
        row_.assign(columns_.size(), {});
        read(sample, selected, cooker);
        write_row(sample, out);
    }

    bool again(std::string& out) override {
        if (options_.one_pass || columns_.fixed()) return false;
        write_header(out);
        identities_ = Identities(options_.series);  // the same samples give the same numbers
        return true;
    }

    void end(Diagnostics& diagnostics, std::string& out) override {
        if (!columns_.fixed()) write_header(out);
        if (overflowed_)
            diagnostics.add(Severity::error, {Errc::series_limit, 0, "", "", options_.series, options_.series});
        if (columns_.dropped() != 0)
            diagnostics.add(Severity::warning, {Errc::columns_fixed, 0, "", "", 0, columns_.dropped()});
    }

  private:
    using Value = std::variant<std::monostate, double, std::uint64_t>;

    char separator() const noexcept { return format_ == Format::pdh_tsv ? '\t' : ','; }

    /// Before the columns are fixed, takes note of them; then puts the values in their places of the row.
    void read(const Sample& sample, std::span<const Selected> selected, Cooker* cooker) {
        for (const Selected& part : selected) {
            if (part.rows.empty()) continue;  // its counters are no columns
            const Object& object = sample.objects()[part.object];
            number_counters(object);
            for (const std::uint32_t position : part.columns) {
                const Column& column = object.columns[position];
                if (options_.cooked ? !is_displayable(column) : column.storage != Storage::number) continue;
                const std::uint32_t counter = columns_.counter(sample, object, column, ordinals_[position]);
                read_column(part, column, counter, cooked_column(part.object, position, cooker));
            }
        }
    }

    void read_column(const Selected& part, const Column& column, std::uint32_t counter, const CookedColumn& cooked) {
        for (const std::uint32_t row : part.rows) {
            const std::uint32_t place = columns_.place(counter, identities_.number(part.object, row));
            if (place == no_index) continue;
            if (!options_.cooked) {
                if (column.sound(row)) row_[place] = column.values[row];
            } else if (!cooked.values.empty() && cooked[row].has_value()) {
                row_[place] = cooked.values[row];
            }
        }
    }

    /// Empty while only the columns are asked for.
    CookedColumn cooked_column(std::size_t object, std::size_t column, Cooker* cooker) const {
        return options_.cooked && cooker != nullptr && columns_.fixed() ? cooker->column(object, column)
                                                                        : CookedColumn{};
    }

    /// How many counters of the same title stand before each one.
    void number_counters(const Object& object) {
        same_title_.clear();
        ordinals_.clear();
        for (const Column& column : object.columns) ordinals_.push_back(same_title_[column.title_index]++);
    }

    void write_header(std::string& out) {
        append_pdh_head(out, format_, options_.zone);
        columns_.fix(identities_, separator(), out);
        overflowed_ = columns_.overflowed() || identities_.overflowed();
        end_line(out);
    }

    void write_row(const Sample& sample, std::string& out) const {
        if (sample.system_time)
            append_pdh_time(out, *sample.system_time, options_.zone.bias);
        else
            out += no_pdh_value;
        for (const Value& value : row_) {
            out += separator();
            if (const auto* const cooked = std::get_if<double>(&value))
                append_pdh_number(out, *cooked);
            else if (const auto* const raw = std::get_if<std::uint64_t>(&value))
                append_pdh_number(out, *raw);
            else
                out += no_pdh_value;
        }
        end_line(out);
    }

    void end_line(std::string& out) const { out += options_.crlf ? "\r\n" : "\n"; }

    Format format_;
    WriteOptions options_;
    PdhColumns columns_;
    Identities identities_;
    bool overflowed_ = false;
    std::vector<Value> row_;
    std::vector<std::uint32_t> ordinals_;  // of the object at hand
    std::unordered_map<std::uint32_t, std::uint32_t> same_title_;
};

}  // namespace

std::unique_ptr<Writer> make_pdh_writer(Format format, const WriteOptions& options) {
    return std::make_unique<PdhWriter>(format, options);
}

}  // namespace hkpd
