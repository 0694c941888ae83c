#include "checked_source.hpp"

#include <algorithm>
#include <utility>

#include "hkpd/diagnostics.hpp"

namespace hkpd::command {

void TitleDoctor::add(const std::string& machine, Bytes content, std::vector<TitleTable> tables,
                      Diagnostics& diagnostics) {
    for (const TitleTable& table : tables) bytes_ += table.bytes();
    if (bytes_ > limits_.title_bytes)
        return diagnostics.add(Severity::error, {Errc::byte_limit, 0, "title table", "", bytes_, limits_.title_bytes});
    tables_ += tables.size();
    machines_[machine].push_back(
        {std::move(tables), read_perflib_values(content, diagnostics), diagnostics.input(), diagnostics.record()});
}

void TitleDoctor::finish(Diagnostics& diagnostics) const {
    for (const auto& [machine, all] : machines_) {
        std::vector<TitleInput> inputs;
        inputs.reserve(all.size());
        for (const Added& added : all) inputs.push_back({added.tables, added.values, added.input, added.record});
        check_titles(inputs, diagnostics);
    }
}

std::optional<Record> CheckedSource::next(Diagnostics& diagnostics) {
    auto record = source_->next(diagnostics);
    if (!record) return record;
    if (record->kind == Record::Kind::titles) take_titles(*record, diagnostics);
    if (record->kind == Record::Kind::v1_block) check_names(record->bytes, diagnostics);
    if (record->kind == Record::Kind::log_row) check_row(*record, diagnostics);
    return record;
}

/// What is wrong with the text is reported by who names samples with it.
void CheckedSource::take_titles(const Record& record, Diagnostics& diagnostics) {
    if (records_ == limits_.tables) return;
    ++records_;
    Diagnostics unheard(0);
    auto tables = parse_titles(record.bytes, record.name, unheard);
    if (!tables) return;
    for (TitleTable& table : *tables)
        if (table.language().empty()) table.speaks(record.language);
    const std::string machine = std::to_string(diagnostics.input()) + ' ' + std::string(record.machine);
    doctor_.add(machine, record.bytes, std::move(*tables), diagnostics);
}

/// The first block with an object tells of its names, where there is more to name it from than the system's own titles.
void CheckedSource::check_names(Bytes block, Diagnostics& diagnostics) {
    const auto is_known = [](const TitleTable& table) { return table.origin() == builtin_titles().origin(); };
    if (std::ranges::all_of(titles_->tables(), is_known)) return;
    Diagnostics unheard(0);  // the reader of samples opens the block too
    if (!block_.open(block, unheard)) return;
    // Of all, for an object that was met is passed over.
    std::size_t news = 0;
    for (const v1::ObjectEntry& entry : block_.objects()) news += is_new(entry) ? 1U : 0U;
    if (news != 0) check_named(block_, *titles_, diagnostics);
}

/// What is wrong with the row itself is reported by who makes samples of it.
void CheckedSource::check_row(const Record& record, Diagnostics& diagnostics) {
    Diagnostics unheard(0);
    if (!row_.open(record.bytes, unheard)) return;
    for (const blg::RowRecord& part : row_.records())
        if (part.form == blg::Form::block) check_names(part.body, diagnostics);
}

bool CheckedSource::is_new(const v1::ObjectEntry& entry) {
    constexpr std::size_t counters_at = 32;
    std::string machine;
    if (const auto& name = block_.machine())
        machine.assign(reinterpret_cast<const char*>(name->bytes.data()), name->bytes.size());
    const Bytes counters = entry.bytes.slice(counters_at, sizeof(std::uint32_t));
    const std::uint32_t count = counters.empty() ? 0 : load<std::uint32_t>(counters.data(), block_.order());
    return known_.emplace(std::move(machine), entry.title_index, count).second;
}

}  // namespace hkpd::command
