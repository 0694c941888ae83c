// A source whose records have pseudonyms in place of names.
#include "hkpd/source.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "hkpd/diagnostics.hpp"
#include "redact/rewrite.hpp"

namespace hkpd {
namespace {

/// Returns whether an entry of a capture's provenance is one that hkpd writes itself, without names.
bool is_own_entry(std::string_view key) {
    constexpr auto own = std::to_array<std::string_view>(
        {"tool", "source", "languages", "duration", "count", "interval", "seed", "processes", "threads", "cpus"});
    return std::ranges::find(own, key) != own.end();
}

std::map<std::string, std::string> redacted_entries(const std::map<std::string, std::string>& entries,
                                                    Pseudonyms& names) {
    std::map<std::string, std::string> made;
    for (const auto& [key, value] : entries) {
        constexpr auto known =
            std::to_array<std::string_view>({"machine", "os", "query", "objects", "v1_samples", "v1_bytes",
                                             "v1_nanoseconds", "v2_samples", "v2_bytes", "v2_nanoseconds"});
        const bool is_known = is_own_entry(key) || std::ranges::find(known, key) != known.end();
        std::string shown = is_known ? key : names.replace(NameKind::text, key);
        if (is_own_entry(key))
            made[std::move(shown)] = value;
        else
            made[std::move(shown)] = names.replace(key == "machine" ? NameKind::machine : NameKind::text, value);
    }
    return made;
}

/// Returns the place of a fault in a log, as people look for it, with pseudonyms. Of the texts of a log, those that are
/// numbers, dates and times are kept.
FaultCell redacted_cell(const FaultCell& cell, Pseudonyms& names) {
    FaultCell made = cell;
    const auto replace_text = [&names](std::string& text, std::string_view letters) {
        if (text.find_first_not_of(letters) != std::string::npos) text = names.replace(NameKind::text, text);
    };
    constexpr std::string_view number = "0123456789.,-+ eE", time = "0123456789.,-+:/ TZAPMapm";
    replace_text(made.time, time);
    replace_text(made.time_before, time);
    if (made.text) replace_text(*made.text, number);
    made.machine = names.replace(NameKind::machine, cell.machine);
    made.object = names.replace(NameKind::title, cell.object);
    made.instance = names.replace(NameKind::instance, cell.instance);
    made.counter = names.replace(NameKind::title, cell.counter);
    if (cell.path.empty()) return made;
    if (cell.object.empty()) {
        made.path = names.replace(NameKind::text, cell.path);
        return made;
    }
    made.path.clear();
    if (!made.machine.empty()) made.path.append("\\\\").append(made.machine);
    made.path.append("\\").append(made.object);
    if (!made.instance.empty()) made.path.append("(").append(made.instance).append(")");
    made.path.append("\\").append(made.counter);
    return made;
}

class RedactingSource final : public Source {
  public:
    RedactingSource(std::unique_ptr<Source> source, std::shared_ptr<Pseudonyms> names, const Limits& limits,
                    InputNames inputs)
        : source_(std::move(source)), names_(std::move(names)), budget_(limits), inputs_(inputs) {}

    Position position() override { return source_->position(); }
    std::optional<Span> span() override { return source_->span(); }
    void seek(const Range& range, std::uint32_t input, std::uint64_t first) override {
        source_->seek(range, input, first);
    }
    std::uint64_t count_passed() override { return source_->count_passed(); }

    std::optional<Record> next(Diagnostics& diagnostics) override {
        while (true) {
            if (next_title_ < titles_.size()) return title_record();
            const Diagnostics::Mark before = diagnostics.mark();
            const std::size_t inputs = diagnostics.inputs().size();
            const auto record = source_->next(diagnostics);
            redact_diagnostics(diagnostics, before, inputs, *names_, inputs_);
            if (!record) return std::nullopt;
            passed_ = record->passed == Record::uncounted || passed_ == Record::uncounted ? Record::uncounted
                                                                                          : passed_ + record->passed;
            if (rewrite(*record, FaultSink(diagnostics, record->place)) && next_title_ == titles_.size()) {
                made_.passed = std::exchange(passed_, 0);
                return made_;
            }
        }
    }

  private:
    /// Stores a record with pseudonyms in `made_` or, for titles, in `titles_`. Returns false if it is left out.
    bool rewrite(const Record& record, const FaultSink& faults) {
        made_ = record;
        made_.opened = nullptr;
        machine_ = names_->replace(NameKind::machine, record.machine);
        made_.machine = machine_;
        made_.name = {};
        bytes_.clear();
        const std::uint64_t limit = budget_.limit(record.bytes.size());
        std::uint64_t values_left = limit;
        const bool is_made = rewrite_bytes(record, values_left, faults);
        budget_.spend(limit - values_left, record.bytes.size());
        made_.bytes = Bytes(bytes_, record.bytes.offset());
        return is_made;
    }

    bool rewrite_bytes(const Record& record, std::uint64_t& values_left, const FaultSink& faults) {
        using enum Record::Kind;
        switch (record.kind) {
            case v1_block:
                return append_redacted_v1(bytes_, record.bytes, values_left, *names_, faults);
            case titles:
                titles_ = redacted_titles(record, *names_, faults);
                next_title_ = 0;
                return !titles_.empty();
            case provenance:
                entries_ = redacted_entries(*record.entries, *names_);
                name_ = record.name == "hkpd" || record.name == "collection"
                            ? std::string(record.name)
                            : names_->replace(NameKind::text, record.name);
                made_.entries = &entries_;
                made_.name = name_;
                return true;
            case v2_block:
                return append_redacted_v2(bytes_, record.bytes, values_left, *names_, faults);
            case v2_identifiers:
                append_redacted_identifiers(bytes_, record.bytes, *names_, faults);
                return true;
            case v2_registration:
                return append_redacted_registration(bytes_, record, *names_, faults);
            case log_header:
                return append_redacted_log_header(bytes_, record.bytes, faults);
            case log_catalogue:
                return append_redacted_catalogue(bytes_, record.bytes, *names_, faults);
            case log_row:
                return append_redacted_row(bytes_, record.bytes, values_left, *names_, faults);
            case log_trailer:
                return append_redacted_trailer(bytes_, record.bytes, faults);
        }
        return false;
    }

    Record title_record() {
        Record record = made_;
        const RedactedTitles& title = titles_[next_title_++];
        record.bytes = Bytes(title.bytes);
        record.name = "titles";
        record.language = title.language;
        record.passed = std::exchange(passed_, 0);
        return record;
    }

    std::unique_ptr<Source> source_;
    std::shared_ptr<Pseudonyms> names_;
    ValueBudget budget_;
    InputNames inputs_;
    // The record that `next` returns, and what its views refer to.
    Record made_;
    ByteBuffer bytes_;
    std::string machine_, name_;
    std::map<std::string, std::string> entries_;
    std::vector<RedactedTitles> titles_;  // of the record `made_`
    std::size_t next_title_ = 0;
    std::uint64_t passed_ = 0;  // samples passed over before the next record
};

}  // namespace

void redact_diagnostics(Diagnostics& diagnostics, const Diagnostics::Mark& mark, std::size_t inputs, Pseudonyms& names,
                        InputNames form) {
    const NameKind kind = form == InputNames::files ? NameKind::file : NameKind::machine;
    for (std::size_t i = inputs; i < diagnostics.inputs().size(); ++i)
        diagnostics.rename_input(static_cast<std::uint32_t>(i), names.replace(kind, diagnostics.inputs()[i]));
    diagnostics.replace_cells_since(mark, [&names](const FaultCell& cell) { return redacted_cell(cell, names); });
}

std::unique_ptr<Source> redact(std::unique_ptr<Source> source, std::shared_ptr<Pseudonyms> names, const Limits& limits,
                               InputNames inputs) {
    return std::make_unique<RedactingSource>(std::move(source), std::move(names), limits, inputs);
}

}  // namespace hkpd
