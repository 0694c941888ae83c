#include "hkpd/map_run.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <functional>
#include <istream>
#include <map>
#include <span>
#include <string_view>
#include <utility>

#include "base/file_stream.hpp"
#include "base/foreign_file.hpp"
#include "base/name_budget.hpp"
#include "base/path.hpp"
#include "base/stream_window.hpp"
#include "base/text/names.hpp"
#include "hkpd/capture.hpp"
#include "hkpd/diagnostics.hpp"
#include "hkpd/map.hpp"
#include "hkpd/names.hpp"
#include "names/titles.hpp"
#include "source/input_formats.hpp"
#include "source/unpacked_input.hpp"
#include "write/cells.hpp"

namespace hkpd {
namespace {

/// Maps the inputs of a run in order.
class InputMapper {
  public:
    InputMapper(const MapRun& run, const Sink& sink, Diagnostics& diagnostics)
        : run_(run),
          sink_(sink),
          diagnostics_(diagnostics),
          titles_(load_titles(run.titles, run.languages, diagnostics)),
          nearest_(run.object ? run.object->text() : "") {
        countersets_.prefer(run.languages);
    }

    MapResult map_all() {
        if (run_.writer) run_.writer->begin(out_);
        for (const std::string& path : run_.inputs) map_path(path);
        for (const std::string& path : run_.v2.blocks) map_file(path, MapForm::v2_data, false);
        for (const std::string& path : run_.v2.identifiers) map_file(path, MapForm::identifiers, false);
        for (const std::string& path : run_.v2.registrations) map_file(path, MapForm::text, false);
        names_.report(diagnostics_);
        if (result_.inputs != 0) report_languages(run_.languages, titles_, countersets_, diagnostics_);
        if (run_.writer) run_.writer->end(diagnostics_, out_);
        if (!seen_ && run_.object && !result_.mismatch)
            mismatch({.kind = MapMismatch::Kind::no_object, .nearest = nearest_.name()});
        sink_(out_);
        return std::move(result_);
    }

  private:
    void map_path(const std::string& path) {
        if (path == "-" || !is_directory(path)) return map_file(path, std::nullopt, false);
        std::error_code error;
        const std::size_t before = result_.inputs;
        for (const std::string& member : files_in(path, error)) map_file(member, std::nullopt, true);
        if (!error && result_.inputs != before) return;
        diagnostics_.add_input(path);
        if (error)
            fault(Errc::cannot_read, static_cast<std::uint64_t>(error.value()));
        else
            diagnostics_.add(foreign_error(empty_directory));
    }

    void map_file(const std::string& path, std::optional<MapForm> form, bool in_directory) {
        diagnostics_.add_input(path);
        FileStream file;
        if (path != "-") file.open(path);
        std::istream& stream = path == "-" ? standard_input() : file;
        if (!stream) return fault(Errc::cannot_read, static_cast<std::uint64_t>(errno));
        SearchBudget budget(run_.limits.search);
        StreamWindow whole(stream);
        whole.limit_search(budget);
        visit_unpacked(std::move(whole), path, run_.limits, diagnostics_,
                       [&](StreamWindow window, const std::string& name, bool member) {
                           map_window(std::move(window), stream, name, form, in_directory || member, budget);
                       });
    }

    /// Maps an input, or what was unpacked from it. `stream`: that of the input.
    void map_window(StreamWindow window, const std::istream& stream, const std::string& path,
                    std::optional<MapForm> form, bool in_directory, SearchBudget& budget) {
        const InputKind kind = form ? InputKind::unknown : recognise_beginning(window, run_.limits);
        if (kind == InputKind::capture) {
            map_capture(path, std::move(window), budget);
            if (const auto failure = read_failure(stream)) diagnostics_.add(*failure);
            if (budget.exceeded()) diagnostics_.add(search_error(budget));
            return;
        }
        if (run_.record) {
            ++result_.inputs;
            return mismatch({.kind = MapMismatch::Kind::not_a_capture, .file = path});
        }
        if (kind == InputKind::log) return has_no_block(path, in_directory, MapMismatch::Kind::log);
        // A pipe or device may be endless: no more of it is read than the largest title database has.
        const std::uint64_t size = window.size().value_or(0);
        const std::uint64_t most =
            size == 0 ? std::min(most_title_bytes(run_.limits), run_.limits.bytes) : run_.limits.bytes;
        const Bytes input = window.peek(size > most ? 1 : most + 1);
        if (!can_map(stream, form || kind != InputKind::unknown, input, std::max<std::uint64_t>(size, input.size()),
                     most))
            return;
        if (const auto foreign = form == MapForm::v2_data ? foreign_in_place_of(input, no_v2_file) : std::nullopt)
            return diagnostics_.add(*foreign);
        if (form == MapForm::text) form = map_form_of(input).value_or(MapForm::text);
        if (!form) form = map_form_of(input);
        if (form) return map_input({path, no_index, *form, input.size()}, input);
        if (parse_titles(input, path_text(path_of(path).filename()), {}))
            return has_no_block(path, in_directory, MapMismatch::Kind::titles);
        if (kind != InputKind::unknown) return has_no_block(path, in_directory, MapMismatch::Kind::log);
        diagnostics_.add(in_directory ? Severity::note : Severity::error,
                         foreign_error(foreign_file(input.clip(0, foreign_beginning)).name));
    }

    /// Returns whether an input was read from a stream whole, and has any bytes. Adds a fault if not. `size`: its
    /// number of bytes, as far as it is known.
    bool can_map(const std::istream& stream, bool recognised, Bytes input, std::uint64_t size, std::uint64_t most) {
        if (const auto failure = read_failure(stream)) {
            diagnostics_.add(*failure);
        } else if (size > most) {
            if (!recognised) fault(Errc::not_recognised, 0);
            diagnostics_.add({Errc::byte_limit, 0, "", "", most, size});
        } else if (input.empty()) {
            diagnostics_.add(foreign_error(empty_file));
        } else {
            return true;
        }
        return false;
    }

    /// Reports a file that has no blocks. In a directory, such a file may be among others.
    void has_no_block(const std::string& path, bool in_directory, MapMismatch::Kind kind) {
        if (in_directory)
            diagnostics_.add(Severity::note, {Errc::not_recognised, 0, "", "", 0, 0});
        else
            mismatch({.kind = kind, .file = path});
    }

    void map_capture(const std::string& path, StreamWindow window, SearchBudget& budget) {
        using Kind = MapMismatch::Kind;
        ++result_.inputs;
        if (run_.at && !run_.record) return mismatch({.kind = Kind::offset_in_capture, .file = path});
        CaptureReader reader(std::move(window), run_.limits);
        bool seen = false;
        queries_.clear();
        while (const auto record = reader.next(diagnostics_)) {
            const std::uint32_t number = record->place.record;
            budget.renew();
            learn(*record);
            if (run_.record && *run_.record != number) continue;
            seen = true;
            if (const auto form = map_form_of(*record))
                map_input({path, number, *form, record->bytes.size()}, record->bytes, record->machine);
            else if (run_.record)
                mismatch({.kind = Kind::record_without_blocks, .file = path, .record = record->kind});
        }
        if (run_.record && !seen) mismatch({.kind = Kind::no_record, .file = path});
    }

    /// Stores titles, registration info and identifiers, which name the contents of later records. Faults in
    /// registration info and identifiers are reported where their record is mapped.
    void learn(const Record& record) {
        const std::string machine(record.machine);
        switch (record.kind) {
            case Record::Kind::titles:
                if (run_.titles.empty())
                    add_titles(titles_, record, run_.limits, FaultSink(diagnostics_, record.place));
                break;
            case Record::Kind::v2_registration:
                countersets_.add({record.counterset, static_cast<v2::RegistrationRequest>(record.request), machine,
                                  record.language, record.title_index, record.bytes},
                                 run_.limits, {});
                break;
            case Record::Kind::v2_identifiers:
                if (!queries_.contains(machine) && queries_.size() >= run_.limits.machines) break;
                queries_[machine].assign(record.bytes.span().begin(), record.bytes.span().end());
                break;
            default:
                break;
        }
    }

    /// Returns the options for mapping a record of a machine. They refer to everything that names the contents of V2
    /// blocks: the last identifiers of this machine, and all registration info so far.
    MapOptions options_for(std::string_view machine) {
        MapOptions options{&titles_, run_.limits};
        options.countersets = &countersets_;
        options.machine = machine;
        const auto query = queries_.find(machine);
        if (query == queries_.end()) return options;
        query_.open(Bytes(query->second), {});
        options.query = &query_;
        return options;
    }

    Place place_of(const MapInput& input) const noexcept {
        return {.input = diagnostics_.last_input(), .record = input.record};
    }

    void map_input(const MapInput& input, Bytes bytes, std::string_view machine = {}) {
        if (run_.at && *run_.at >= bytes.end())
            return mismatch({.kind = MapMismatch::Kind::beyond_end, .size = bytes.size()});
        ++result_.inputs;
        if (run_.writer)
            map_whole(input, bytes, machine);
        else
            map_place(input, bytes, machine);
    }

    /// Returns whether an entry is shown, and offers the name of its object as a hint.
    bool is_shown(const MapEntry& entry) {
        if (run_.at) return entry.whole.contains(*run_.at - entry.whole.offset(), 1);
        if (!run_.object) return true;
        std::optional<Titles::Answer> name;
        if (!entry.object_name.empty()) name = Titles::Answer{entry.object_name, 0};
        if (std::exchange(offered_, entry.object) != entry.object) nearest_.offer(entry.object_name);
        return entry.object != no_index && run_.object->matches(entry.object, name);
    }

    /// Shows the selected entries of an input, with a header and totals. Shows nothing if no entry is selected.
    void map_whole(const MapInput& input, Bytes bytes, std::string_view machine) {
        MapWriter& writer = *run_.writer;
        bool begun = false;
        names_.add_input(bytes.size());
        const auto visit = [&](const MapEntry& entry) {
            if (!is_shown(entry)) return;
            if (!std::exchange(begun, true)) writer.begin_input(input, out_);
            if (take_names(entry)) {
                writer.entry(entry, out_);
            } else {
                MapEntry unnamed = entry;
                unnamed.object_name = unnamed.instance_name = unnamed.counter_name = unnamed.meaning = {};
                unnamed.overlaps = entry.overlaps.substr(0, entry.overlaps.find(' '));  // the structure alone
                writer.entry(unnamed, out_);
            }
            write_much();
        };
        const MapTotals totals =
            visit_map(bytes, input.form, options_for(machine), visit, FaultSink(diagnostics_, place_of(input)));
        if (begun) writer.end_input(totals, out_);
        seen_ = seen_ || begun;
    }

    /// Shows each entry that contains the selected byte, and the faults in these entries. All other faults are added to
    /// the diagnostics.
    void map_place(const MapInput& input, Bytes bytes, std::string_view machine) {
        Diagnostics found;
        const Place here{.input = found.add_input(input.file), .record = input.record};
        std::uint64_t first = bytes.end(), last = 0;
        const auto visit = [&](const MapEntry& entry) {
            if (!is_shown(entry)) return;
            seen_ = true;
            first = std::min(first, entry.whole.offset());
            last = std::max(last, entry.whole.end());
            append_map_place(out_, input.form, entry, run_.at.value_or(0));
            write_much();
        };
        visit_map(bytes, input.form, options_for(machine), visit, FaultSink(found, here));
        result_.is_damaged = result_.is_damaged || found.count(Severity::error) != 0;
        for (const Diagnostic& diagnostic : found.kept()) {
            if (diagnostic.error.offset < first || diagnostic.error.offset >= last) {
                FaultSink(diagnostics_, place_of(input))
                    .add(diagnostic.severity, diagnostic.error, diagnostic.object, diagnostic.instance);
                continue;
            }
            out_ += "  ";
            append_diagnostic(out_, found, diagnostic);
            out_ += '\n';
        }
    }

    /// Counts the bytes that the names of an entry can take in the output. Returns whether the limit allows them. In
    /// JSON, a control character takes six bytes. Names that are too large even without escapes are not searched for
    /// such characters.
    bool take_names(const MapEntry& entry) noexcept {
        const std::array names{entry.object_name, entry.instance_name, entry.counter_name, entry.meaning,
                               entry.overlaps};
        std::uint64_t bytes = 0;
        for (const std::string_view name : names) bytes += name.size();
        if (names_.fits(bytes))
            for (const std::string_view name : names) {
                constexpr std::uint64_t more_if_escaped = 5;
                if (!is_plain(name, '"', '\\')) bytes += more_if_escaped * name.size();
            }
        return names_.take(bytes);
    }

    void write_much() {
        constexpr std::size_t much = std::size_t{64} * 1024;
        if (out_.size() > much) sink_(out_);
    }

    void fault(Errc code, std::uint64_t have) { diagnostics_.add(Severity::error, {code, 0, "", "", 0, have}); }
    void mismatch(MapMismatch found) { result_.mismatch = std::move(found); }

    const MapRun& run_;
    const Sink& sink_;
    Diagnostics& diagnostics_;
    Titles titles_;
    Countersets countersets_;
    std::map<std::string, std::vector<std::byte>, std::less<>> queries_;  // the last identifiers of each machine
    v2::Identifiers query_;
    std::string out_;
    NameBudget names_{run_.limits.names};  // limits names, which are repeated in each entry
    Nearest nearest_;                      // the object name most similar to the pattern, for a hint
    std::uint32_t offered_ = no_index;     // the object whose name was offered last
    bool seen_ = false;                    // whether any entry was shown
    MapResult result_;
};

}  // namespace

MapResult write_map(const MapRun& run, const Sink& sink, Diagnostics& diagnostics) {
    return InputMapper(run, sink, diagnostics).map_all();
}

}  // namespace hkpd
