#include "checked_source.hpp"

#include <algorithm>
#include <utility>

namespace hkpd::command {

void TitleDoctor::add(const std::string& machine, Bytes content, std::vector<TitleTable> tables,
                      Diagnostics& diagnostics) {
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
    if (record->kind == Record::Kind::v1_block) check_names(*record, diagnostics);
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
void CheckedSource::check_names(const Record& record, Diagnostics& diagnostics) {
    const auto is_known = [](const TitleTable& table) { return table.origin() == builtin_titles().origin(); };
    if (std::ranges::all_of(titles_.tables(), is_known)) return;
    Diagnostics unheard(0);  // the reader of samples opens the block too
    if (!block_.open(record.bytes, unheard)) return;
    const auto is_new = [this](const v1::ObjectEntry& entry) { return known_.insert(entry.title_index).second; };
    if (std::ranges::count_if(block_.objects(), is_new) != 0) check_named(block_, titles_, diagnostics);
}

}  // namespace hkpd::command
