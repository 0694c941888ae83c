// A text log: its records are those of a binary log without any fault, whatever the text is.
#include "text_log/text_log.hpp"

#include <boost/interprocess/streams/bufferstream.hpp>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "blg/blg.hpp"
#include "hkpd/counter_type.hpp"
#include "properties.hpp"

namespace {

using namespace hkpd;
using namespace hkpd_fuzz;

/// Requires that the records of a log can be read without a fault, and that they belong together.
class Checker {
  public:
    void check(const Record& record) {
        Diagnostics faults;
        if (record.kind == Record::Kind::log_header) {
            require(blg::read_header(record.bytes).has_value());
        } else if (record.kind == Record::Kind::log_catalogue) {
            require(catalogue_.open(record.bytes, faults).has_value() && catalogue_.whole());
            for (const blg::Catalogue::Entry& entry : catalogue_.entries())
                require(entry.form == blg::Form::raw && entry.type == perf_double_raw && !entry.object.empty() &&
                        !entry.counter.empty());
        } else {
            require(record.kind == Record::Kind::log_row);
            require(row_.open(record.bytes, faults).has_value() && row_.whole());
            require(row_.records().size() == catalogue_.entries().size());
            for (const blg::RowRecord& one : row_.records()) require(blg::read_raw(one.body).has_value());
        }
        require(faults.count() == 0);
    }

  private:
    blg::Catalogue catalogue_;
    blg::Row row_;
};

/// Returns the bytes and times of all records, and the number of faults.
std::string read(StreamWindow& window, std::uint64_t end, const Limits& limits) {
    const Budget budget(end, 0, 16);
    Diagnostics diagnostics;
    TextLogStream log(window, limits);
    Checker checker;
    std::string all;
    while (const auto record = log.next(diagnostics)) {
        checker.check(*record);
        require(record->bytes.offset() <= end);
        all.append(std::to_string(record->time.value_or(0))).append("@").append(std::to_string(record->bytes.offset()));
        const auto size = std::min<std::size_t>(record->bytes.size(), 4096);
        all.append(reinterpret_cast<const char*>(record->bytes.data()), size);
    }
    require_places(diagnostics, end);
    return all + std::to_string(diagnostics.count());
}

/// Requires that the cells of a line are as many as its separators allow, and that the text of all is in the line.
void require_cells(std::string_view line) {
    for (const char separator : {',', '\t'}) {
        TextCells cells(line, separator);
        std::size_t count = 0, bytes = 0;
        while (const auto cell = cells.next()) {
            ++count;
            bytes += cell->text.size();
            for (const DecimalMark mark : {DecimalMark::unknown, DecimalMark::point, DecimalMark::comma}) {
                const TextNumber number = TextNumber::read(cell->text, mark);
                require(number.kind == TextNumber::Kind::number || number.value == 0);
                // A number is never read with the other mark than the one that its text shows.
                const DecimalMark shown = mark_shown_by(cell->text);
                require(number.kind != TextNumber::Kind::number || shown == DecimalMark::unknown ||
                        mark == DecimalMark::unknown || shown == mark);
            }
        }
        require(cells.done() && bytes <= line.size());
        require(count >= 1 && count <= 1 + static_cast<std::size_t>(std::ranges::count(line, separator)));
    }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::span input = std::as_bytes(std::span(data, size));
    const ExactCopy here(input);
    const Effort effort(data, size);
    StreamWindow window(here.bytes().span());
    const bool recognised = is_text_log(window);
    if (!recognised && !effort.takes(0, 8)) return 0;
    const std::string records = read(window, size, effort.limits());
    if (!effort.thorough()) return 0;
    boost::interprocess::ibufferstream stream(reinterpret_cast<const char*>(data), size);
    StreamWindow streamed(stream);
    require(is_text_log(streamed) == recognised);
    require(read(streamed, size, effort.limits()) == records);
    require_cells({reinterpret_cast<const char*>(data), size});
    return 0;
}
