#include <algorithm>

#include "hkpd/source.hpp"
#include "text.hpp"

namespace hkpd {

bool SampleReader::next(Sample& sample, Diagnostics& diagnostics) {
    bool begun = false;
    while (pending_ || fetch(diagnostics)) {
        if (begun && !belongs(sample)) break;
        diagnostics.enter_sample(count_);
        diagnostics.assign_sample(first_found_, count_);
        if (!begun) builder_.begin(sample, block_, diagnostics);
        begun = true;
        builder_.add(sample, block_, diagnostics);
        pending_ = false;
    }
    if (!begun) return false;
    builder_.finish(sample, count_++, diagnostics);
    return true;
}

/// Opens the next block that can be opened. Its own machine name is needed to tell whether it is of the same sample.
bool SampleReader::fetch(Diagnostics& diagnostics) {
    diagnostics.enter_sample(no_index);
    while (const auto record = source_.next(diagnostics)) {
        if (count_ == 0) count_ = static_cast<std::uint32_t>(source_.skipped_samples());
        if (record->kind == Record::Kind::titles) {
            add_titles(*record, diagnostics);
            continue;
        }
        first_found_ = diagnostics.kept().size();
        if (const auto opened = block_.open(record->bytes, diagnostics); !opened) {
            diagnostics.add(Severity::error, opened.error());
            continue;
        }
        machine_.clear();
        if (const auto& name = block_.machine()) append_utf16(machine_, name->bytes.span(), name->order);
        pending_ = true;
        return true;
    }
    return false;
}

void SampleReader::add_titles(const Record& record, Diagnostics& diagnostics) {
    if (taken_titles_ == nullptr) return;
    auto tables = parse_titles(record.bytes, record.name, diagnostics);
    if (!tables) return diagnostics.add(Severity::error, tables.error());
    for (TitleTable& table : *tables) {
        table.belongs_to(record.machine);
        if (table.language().empty()) table.speaks(record.language);
        // A capture that was put together from others may hold the same titles many times.
        if (std::ranges::find(taken_titles_->tables(), table) != taken_titles_->tables().end()) continue;
        if (taken_titles_->tables().size() >= limits_.tables)
            return diagnostics.add(Severity::error, {Errc::title_tables, 0, "", "", 0, limits_.tables});
        taken_titles_->add(std::move(table));
    }
}

bool SampleReader::belongs(const Sample& sample) const {
    const v1::DataBlock& header = block_.header();
    return sample.machine.has_value() == block_.machine().has_value() && sample.machine.value_or("") == machine_ &&
           sample.perf.time == header.PerfTime && sample.perf_time_100ns == header.PerfTime100nSec &&
           std::ranges::none_of(block_.objects(), [&](const v1::ObjectEntry& entry) {
               return sample.find(entry.title_index).has_value();
           });
}

}  // namespace hkpd
