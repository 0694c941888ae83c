#include <algorithm>

#include "hkpd/source.hpp"
#include "sample_boundary.hpp"

namespace hkpd {

void add_titles(Titles& titles, const Record& record, const Limits& limits, Diagnostics& diagnostics) {
    if (record.bytes.size() > 2 * limits.title_bytes)  // UTF-16 takes twice the bytes
        return diagnostics.add(Severity::error,
                               {Errc::byte_limit, 0, "title table", "", record.bytes.size(), 2 * limits.title_bytes});
    auto tables = parse_titles(record.bytes, record.name, diagnostics);
    if (!tables) return diagnostics.add(Severity::error, tables.error());
    for (TitleTable& table : *tables) {
        table.belongs_to(record.machine);
        if (table.language().empty()) table.speaks(record.language);
        // A capture that was put together from others may hold the same titles many times.
        if (std::ranges::find(titles.tables(), table) != titles.tables().end()) continue;
        std::uint64_t bytes = table.bytes();
        for (const TitleTable& other : titles.tables()) bytes += other.bytes();
        if (titles.tables().size() >= limits.tables || bytes > limits.title_bytes)
            return diagnostics.add(Severity::error, {Errc::title_tables, 0, "", "", 0, limits.tables});
        titles.add(std::move(table));
    }
}

SampleReader::SampleReader(Source& source, const Titles* titles, const Limits& limits)
    : source_(source), builder_(titles, limits), limits_(limits), boundary_(std::make_unique<SampleBoundary>()) {}
SampleReader::~SampleReader() = default;

bool SampleReader::next(Sample& sample, Diagnostics& diagnostics) {
    bool begun = false;
    while (pending_ || fetch(diagnostics)) {
        if (begun && boundary_->crossed_by(block_)) break;
        diagnostics.enter_sample(count_);
        diagnostics.assign_sample(first_found_, end_found_, count_);
        if (!begun) {
            boundary_->begin(block_);
            builder_.begin(sample, block_, diagnostics);
            begun = true;
        } else {
            boundary_->add(block_);
        }
        builder_.add(sample, block_, diagnostics);
        pending_ = false;
    }
    if (!begun) return false;
    builder_.finish(sample, count_++, diagnostics);
    return true;
}

/// Opens the next block that can be opened.
bool SampleReader::fetch(Diagnostics& diagnostics) {
    diagnostics.enter_sample(no_index);
    while (const auto record = source_.next(diagnostics)) {
        if (count_ == 0) count_ = static_cast<std::uint32_t>(source_.skipped_samples());
        if (record->kind == Record::Kind::titles && taken_titles_ != nullptr)
            add_titles(*taken_titles_, *record, limits_, diagnostics);
        if (record->kind != Record::Kind::v1_block) continue;
        first_found_ = diagnostics.kept().size();
        if (const auto opened = block_.open(record->bytes, diagnostics); !opened) {
            diagnostics.add(Severity::error, opened.error());
            continue;
        }
        end_found_ = diagnostics.kept().size();
        pending_ = true;
        return true;
    }
    return false;
}

}  // namespace hkpd
