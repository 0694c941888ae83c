#include "answers/checked_source.hpp"

#include <algorithm>
#include <utility>

#include "hkpd/diagnostics.hpp"

namespace hkpd {

bool has_lost_titles(const Diagnostics& found, std::uint32_t input) {
    return std::ranges::any_of(found.kept(), [&](const Diagnostic& fault) {
        return loses_titles(fault.error.code) && (input == no_index || fault.place.input == input);
    });
}

void TitleChecks::add(const std::string& machine, Bytes content, std::vector<TitleTable> tables, bool is_damaged,
                      const FaultSink& faults) {
    for (TitleTable& table : tables) {
        const std::uint64_t bytes = tables_.bytes_with(table);
        if (bytes > limits_.title_bytes)
            return faults.add({Errc::byte_limit, 0, "title table", "", limits_.title_bytes, bytes});
        table = tables_.add(std::move(table));
    }
    machines_[machine].push_back({std::move(tables), read_perflib_values(content, faults), faults.place(), is_damaged});
}

void TitleChecks::finish(Diagnostics& diagnostics) const {
    for (const auto& [machine, all] : machines_) {
        std::vector<TitleInput> inputs;
        inputs.reserve(all.size());
        for (const Added& added : all) inputs.push_back({added.tables, added.values, added.place, added.is_damaged});
        check_titles(inputs, diagnostics);
    }
}

std::optional<Record> CheckedSource::next(Diagnostics& diagnostics) {
    auto record = source_->next(diagnostics);
    if (!record) return record;
    const FaultSink faults(diagnostics, record->place);
    if (record->kind == Record::Kind::titles) take_titles(*record, faults);
    if (record->kind == Record::Kind::v1_block) check_names(record->bytes, faults);
    if (record->kind == Record::Kind::log_row) check_row(*record, faults);
    return record;
}

/// Adds a title database to those that are checked after all inputs. Faults in the database's text are not reported
/// here: the reader that builds the samples reports them.
void CheckedSource::take_titles(const Record& record, const FaultSink& faults) {
    if (records_ == limits_.tables) return;
    ++records_;
    Diagnostics found;
    auto tables = parse_titles(record.bytes, record.name, found);
    if (!tables) return;
    for (TitleTable& table : *tables)
        if (table.language().empty()) table.set_language(record.language);
    const std::string machine = std::to_string(record.place.input) + ' ' + std::string(record.machine);
    title_checks_.add(machine, record.bytes, std::move(*tables), has_lost_titles(found, no_index), faults);
}

/// Reports objects and counters in a V1 block that have no title. Does nothing if all objects of the block were in
/// earlier blocks, or if only the built-in titles are available.
void CheckedSource::check_names(Bytes block, const FaultSink& faults) {
    const auto is_known = [](const TitleTable& table) { return table.origin() == builtin_titles().origin(); };
    if (std::ranges::all_of(titles_->tables(), is_known)) return;
    if (!block_.open(block, {})) return;  // the sample reader opens the block too and reports its faults
    // Every object is passed to is_new, because is_new remembers the objects it has seen.
    std::size_t news = 0;
    for (const v1::ObjectEntry& entry : block_.objects()) news += is_new(entry) ? 1U : 0U;
    if (news != 0) check_named(block_, *titles_, faults);
}

/// Calls `check_names` for each V1 block in a row of a performance log. Faults of the row itself are reported by the
/// reader that builds samples.
void CheckedSource::check_row(const Record& record, const FaultSink& faults) {
    if (!row_.open(record.bytes, {})) return;
    for (const blg::RowRecord& part : row_.records())
        if (part.form == blg::Form::block) check_names(part.body, faults);
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

}  // namespace hkpd
