// The form of Windows' own text logs: a row for each sample, or for each row of a log that may be of several machines;
// a column for each counter of an instance.
#include <algorithm>
#include <bit>
#include <optional>
#include <vector>

#include "hkpd/diagnostics.hpp"
#include "write/append_number.hpp"
#include "write/pdh/columns.hpp"
#include "write/pdh/series.hpp"
#include "write/pdh/text.hpp"
#include "write/row_tiles.hpp"
#include "write/writers.hpp"

namespace hkpd {
namespace {

class PdhWriter final : public Writer {
  public:
    PdhWriter(Format format, const WriteOptions& options)
        : format_(format),
          options_(options),
          head_zone_(options.zone),
          columns_(options.series),
          identities_(options.series) {}

    void sample(const Sample& sample, std::span<const Selected> selected, Cooker* cooker, std::string& out) override {
        const bool has_before = cooker != nullptr && cooker->before() != nullptr;
        identities_.add(sample, has_before ? &cooker->matches() : nullptr);
        if (!columns_.fixed()) {
            if (!head_zone_ && sample.zone) {
                head_zone_ = sample.zone;
                head_input_ = sample.origin.input;
            }
            for (std::size_t i = 0; i < selected.size(); ++i)
                if (!selected[i].rows.empty()) cells_.find(i, sample, selected[i]);
            if (!options_.one_pass) return;
            write_header(out);
        }
        if (at_hand_ != sample.origin) begin_row(sample, out);  // a row of a log may be of several machines
        for (std::size_t i = 0; i < selected.size(); ++i)
            if (!selected[i].rows.empty()) read(sample, selected[i], cells_.find(i, sample, selected[i]), cooker);
        // Who watches a machine is not to wait for the next sample.
        if (sample.source != SampleSource::log) write_row(out);
    }

    bool again(std::string& out) override {
        if (options_.one_pass || columns_.fixed()) return false;
        write_header(out);
        identities_ = Identities(options_.series);  // the same samples give the same numbers
        return true;
    }

    void end(Diagnostics& diagnostics, std::string& out) override {
        if (!columns_.fixed()) write_header(out);
        write_row(out);
        if (overflowed_)
            diagnostics.add(Severity::error, {Errc::series_limit, 0, "", "", options_.series, options_.series});
        if (columns_.dropped() != 0)
            diagnostics.add(Severity::warning, {Errc::columns_fixed, 0, "", "", 0, columns_.dropped()});
    }

  private:
    char separator() const noexcept { return format_ == Format::pdh_tsv ? '\t' : ','; }

    void begin_row(const Sample& sample, std::string& out) {
        write_row(out);
        at_hand_ = sample.origin;
        time_ = sample.system_time;
        // The head has one zone only; the times of the log that gave it are those of its own clock, also when that was
        // put back.
        const auto& zone = sample.zone && head_input_ == sample.origin.input ? sample.zone : head_zone_;
        bias_ = zone ? zone->bias : 0;
        row_.assign(columns_.size(), {});
        is_there_.assign(columns_.size(), false);
    }

    /// Puts the values of a part, which has rows, in their places of the row.
    void read(const Sample& sample, const Selected& selected, const PdhCells::Part& part, Cooker* cooker) {
        const auto counters = part.counters();
        for_each_tile(selected.rows, [&](std::span<const std::uint32_t> tile, std::size_t first) {
            for (std::size_t c = 0; c < counters.size(); ++c) {
                const auto places = part.places(c).subspan(first, tile.size());
                const std::uint32_t position = counters[c].position;
                if (!options_.cooked)
                    read_raw(sample.objects()[selected.object].columns[position], tile, places);
                else if (cooker != nullptr)
                    read_cooked(cook_tile(*cooker, selected.object, position, tile), tile, places);
            }
        });
    }

    void read_raw(const Column& column, std::span<const std::uint32_t> rows, std::span<const std::uint32_t> places) {
        for (std::size_t i = 0; i < rows.size(); ++i)
            if (places[i] != no_index && column.sound(rows[i])) put_cell(places[i], column.values[rows[i]]);
    }

    void read_cooked(const CookedColumn& cooked, std::span<const std::uint32_t> rows,
                     std::span<const std::uint32_t> places) {
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const CookedValue value = cooked[rows[i] - rows.front()];
            if (places[i] != no_index && value.has_value())
                put_cell(places[i], std::bit_cast<std::uint64_t>(value.value));
        }
    }

    void put_cell(std::uint32_t place, std::uint64_t bits) {
        row_[place] = bits;
        is_there_[place] = true;
    }

    void write_header(std::string& out) {
        append_pdh_head(out, format_, head_zone_.value_or(TimeZone{}));
        columns_.fix(identities_, separator(), out);
        cells_.forget();
        overflowed_ = columns_.overflowed() || identities_.overflowed();
        end_line(out);
    }

    /// That at hand, if there is one.
    void write_row(std::string& out) {
        if (!at_hand_) return;
        at_hand_.reset();
        if (time_)
            append_pdh_time(out, *time_, bias_);
        else
            out += no_pdh_value;
        constexpr std::size_t together = 4096;
        for (std::size_t first = 0; first < row_.size(); first += together) {
            const std::size_t last = std::min(first + together, row_.size());
            append_within(out, (last - first) * most_cell, [&](char* to) {
                for (std::size_t place = first; place < last; ++place) to = write_cell(to, place);
                return to;
            });
        }
        end_line(out);
    }

    /// A separator, quotes and digits.
    static constexpr std::size_t most_cell = most_digits + 3;

    char* write_cell(char* to, std::size_t place) const {
        to = put(to, separator());
        if (!is_there_[place]) return put(to, no_pdh_value);
        return options_.cooked ? put_pdh_number(to, std::bit_cast<double>(row_[place]))
                               : put_pdh_number(to, row_[place]);
    }

    void end_line(std::string& out) const { out += options_.crlf ? "\r\n" : "\n"; }

    Format format_;
    WriteOptions options_;
    std::optional<TimeZone> head_zone_;        // that was asked for, or that of the first log
    std::optional<std::uint32_t> head_input_;  // that log
    PdhColumns columns_;
    Identities identities_;
    bool overflowed_ = false;
    PdhCells cells_{columns_, identities_, options_.cooked};
    std::optional<Sample::Origin> at_hand_;  // of the current row, which is not written yet
    std::optional<SystemTime> time_;         // of that row
    std::int32_t bias_ = 0;                  // likewise: UTC - local, in minutes
    std::vector<std::uint64_t> row_;         // raw values, or the bits of cooked ones
    std::vector<std::uint8_t> is_there_;     // for each
};

}  // namespace

std::unique_ptr<Writer> make_pdh_writer(Format format, const WriteOptions& options) {
    return std::make_unique<PdhWriter>(format, options);
}

}  // namespace hkpd
