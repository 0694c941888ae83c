#include "text_log/text_log.hpp"

#include <utility>

namespace hkpd {

Record TextLogStream::record_of(Record::Kind kind, const ByteBuffer& bytes, const FaultSink& faults) const {
    Record record{kind, Bytes(bytes, offset_), faults.place()};
    record.log = log_;
    if (kind != Record::Kind::log_row) record.zone = &zone_;
    return record;
}

std::optional<Record> TextLogStream::next(const FaultSink& faults) {
    if (std::exchange(catalogue_due_, false)) return record_of(Record::Kind::log_catalogue, catalogue_, faults);
    while (const auto line = lines_.next(faults)) {
        if (line->text.find_first_not_of(" \t\r") == std::string_view::npos) continue;
        if (line->offset >= stop_) break;
        offset_ = line->offset;
        if (!begun_ || is_first_line(line->text)) {
            if (!begin_log(*line, faults)) continue;
            if (!zone_.is_stated()) return record_of(Record::Kind::log_catalogue, catalogue_, faults);
            catalogue_due_ = true;
            return record_of(Record::Kind::log_header, header_, faults);
        }
        const bool passes = to_pass_ != 0;
        TextLines::Line row = *line;
        TextCells cells(row.text, separator_);
        if (entries_ == 0 || !is_row(cells, row, passes ? FaultSink() : faults)) continue;
        ++rows_;
        row_offset_ = line->offset;
        if (passes) {
            --to_pass_;
            ++passed_;
            continue;
        }
        read_values(cells, row, faults);
        Record record = record_of(Record::Kind::log_row, row_, faults);
        if (time_) record.time = static_cast<std::uint64_t>(*time_);
        return record;
    }
    report_minus_ones(faults);
    return std::nullopt;
}

}  // namespace hkpd
