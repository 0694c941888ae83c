#include "hkpd/map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <functional>
#include <istream>
#include <map>
#include <memory>
#include <span>
#include <utility>

#include "base/file_stream.hpp"
#include "base/name_budget.hpp"
#include "base/path.hpp"
#include "base/stream_window.hpp"
#include "flags/map_options.hpp"
#include "hkpd/capture.hpp"
#include "hkpd/diagnostics.hpp"
#include "hkpd/names.hpp"
#include "hkpd/source.hpp"
#include "hkpd/write.hpp"
#include "source/input_formats.hpp"
#include "terminal/cause.hpp"
#include "terminal/output_file.hpp"
#include "write/cells.hpp"

namespace hkpd::command {
namespace {

/// Returns the description of a record that is not a block.
std::string_view words_of(Record::Kind kind) noexcept {
    switch (kind) {
        case Record::Kind::log_header:
            return "the header of a performance log";
        case Record::Kind::log_catalogue:
            return "the catalogue of a performance log";
        case Record::Kind::log_row:
            return "a row of a performance log (hkpd capture --export writes the blocks in it into files)";
        case Record::Kind::log_trailer:
            return "the trailer of a performance log";
        default:
            return "a title database";
    }
}

class MapRun {
  public:
    /// The map is written to `file`.
    MapRun(const MapArguments& arguments, const Limits& limits, MapFilter request, OutputFile& file)
        : arguments_(arguments),
          limits_(limits),
          request_(std::move(request)),
          titles_(load_titles(arguments.titles, arguments.languages, diagnostics_)),
          writer_(arguments.json ? make_map_json() : make_map_listing(arguments.all)),
          file_(file) {}

    Exit run() {
        countersets_.prefer(arguments_.languages);
        if (whole_document()) writer_->begin(out_);
        for (const std::string& path : arguments_.inputs) map_path(path);
        for (const std::string& path : arguments_.v2) map_file(path, MapForm::v2_data, false);
        for (const std::string& path : arguments_.identifiers) map_file(path, MapForm::identifiers, false);
        for (const std::string& path : arguments_.registrations) map_file(path, MapForm::text, false);
        names_.report(diagnostics_);
        if (whole_document()) writer_->end(diagnostics_, out_);
        if (!seen_ && request_.object && wrong_.empty())
            wrong_ = fmt::format("no object '{}'{}", request_.object->text(), did_you_mean(request_.nearest.name()));
        file_.write(out_);
        Exit found = report(diagnostics_, arguments_.verbose ? Verbosity::notes_too : Verbosity::faults);
        if (damaged_) found = std::max(found, exit_of(Cause::damaged));
        if (found != exit_of(Cause::unreadable) && !wrong_.empty()) found = usage_error("map", wrong_);
        return file_.finish(found, is_complete(found, recognised_));
    }

  private:
    /// Returns whether each input is shown as a list of entries. Without JSON, `--at` shows only the entries at its
    /// offset, and no list.
    bool whole_document() const noexcept { return !request_.at || arguments_.json; }

    void map_path(const std::string& path) {
        if (path == "-" || !is_directory(path)) return map_file(path, std::nullopt, false);
        std::error_code error;
        const std::size_t before = recognised_;
        for (const std::string& member : files_in(path, error)) map_file(member, std::nullopt, true);
        if (!error && recognised_ != before) return;
        diagnostics_.add_input(path);
        if (error)
            fault(Errc::cannot_read, static_cast<std::uint64_t>(error.value()));
        else
            fault(Errc::no_data, 0);
    }

    void map_file(const std::string& path, std::optional<MapForm> form, bool in_directory) {
        diagnostics_.add_input(path);
        FileStream file;
        if (path != "-") file.open(path);
        std::istream& stream = path == "-" ? standard_input() : file;
        if (!stream) return fault(Errc::cannot_read, static_cast<std::uint64_t>(errno));
        StreamWindow window(stream);
        const InputKind kind = form ? InputKind::unknown : recognise_beginning(window, limits_);
        if (kind == InputKind::capture) return map_capture(path, std::move(window));
        if (request_.record) {
            ++recognised_;
            wrong_ = fmt::format("{} is not a capture: --record applies to captures only", path);
            return;
        }
        const Bytes input = window.peek(limits_.bytes + 1);
        if (!can_map(stream, input)) return;
        if (kind == InputKind::log) return is_no_block(path, in_directory, "performance log", "dump");
        if (form == MapForm::text) form = map_form_of(input).value_or(MapForm::text);
        if (!form) form = map_form_of(input);
        if (form) return map_input({path, no_index, *form, input.size()}, input);
        not_recognised(path, input, in_directory);
    }

    /// Returns whether an input was read from a stream whole, and has any bytes. Adds a fault if not.
    bool can_map(const std::istream& stream, Bytes input) {
        if (stream.bad()) {
            fault(Errc::cannot_read, static_cast<std::uint64_t>(errno));
        } else if (input.size() > limits_.bytes) {
            diagnostics_.add({Errc::byte_limit, 0, "", "", limits_.bytes, input.size()});
        } else if (input.empty()) {
            fault(Errc::no_data, 0);
        } else {
            return true;
        }
        return false;
    }

    void not_recognised(const std::string& path, Bytes input, bool in_directory) {
        const bool titles = parse_titles(input, path_text(path_of(path).filename()), {}).has_value();
        if (titles || in_directory)
            is_no_block(path, in_directory, "title database", "titles");
        else
            fault(Errc::not_recognised, 0);
    }

    void is_no_block(const std::string& path, bool in_directory, std::string_view what, std::string_view subcommand) {
        if (in_directory)
            diagnostics_.add(Severity::note, {Errc::not_recognised, 0, "", "", 0, 0});
        else
            wrong_ = fmt::format("{} is a {}, which has no blocks to map: use hkpd {}", path, what, subcommand);
    }

    void map_capture(const std::string& path, StreamWindow window) {
        ++recognised_;
        if (request_.at && !request_.record) {
            wrong_ = fmt::format("{} is a capture: select the record for --at with --record", path);
            return;
        }
        CaptureReader reader(std::move(window), limits_);
        bool seen = false;
        queries_.clear();
        while (const auto record = reader.next(diagnostics_)) {
            const std::uint32_t number = record->place.record;
            learn(*record);
            if (request_.record && *request_.record != number) continue;
            seen = true;
            if (const auto form = map_form_of(*record))
                map_input({path, number, *form, record->bytes.size()}, record->bytes, record->machine);
            else if (request_.record)
                wrong_ = fmt::format("record {} is {}, which has no blocks to map", number, words_of(record->kind));
        }
        if (request_.record && !seen) wrong_ = fmt::format("no record {} in {}", *request_.record, path);
    }

    /// Stores titles, registration info and identifiers, which name the contents of later records. Faults in
    /// registration info and identifiers are reported where their record is mapped.
    void learn(const Record& record) {
        const std::string machine(record.machine);
        switch (record.kind) {
            case Record::Kind::titles:
                if (arguments_.titles.empty())
                    add_titles(titles_, record, limits_, FaultSink(diagnostics_, record.place));
                break;
            case Record::Kind::v2_registration:
                countersets_.add({record.counterset, static_cast<v2::RegistrationRequest>(record.request), machine,
                                  record.language, record.title_index, record.bytes},
                                 limits_, {});
                break;
            case Record::Kind::v2_identifiers:
                if (!queries_.contains(machine) && queries_.size() >= limits_.machines) break;
                queries_[machine].assign(record.bytes.span().begin(), record.bytes.span().end());
                break;
            default:
                break;
        }
    }

    /// Returns the options for mapping a record of a machine. They refer to everything that names the contents of V2
    /// blocks: the last identifiers of this machine, and all registration info so far.
    MapOptions options_for(std::string_view machine) {
        MapOptions options{&titles_, limits_};
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
        if (request_.at && *request_.at >= bytes.end()) {
            wrong_ =
                fmt::format("offset {:#x} is beyond the end of the input ({:#x} bytes)", *request_.at, bytes.size());
            return;
        }
        ++recognised_;
        if (whole_document())
            map_whole(input, bytes, machine);
        else
            map_place(input, bytes, machine);
    }

    /// Shows the selected entries of an input, with a header and totals. Shows nothing if no entry is selected.
    void map_whole(const MapInput& input, Bytes bytes, std::string_view machine) {
        bool begun = false;
        names_.add_input(bytes.size());
        const auto visit = [&](const MapEntry& entry) {
            if (!request_.holds(entry)) return;
            if (!std::exchange(begun, true)) writer_->begin_input(input, out_);
            if (take_names(entry)) {
                writer_->entry(entry, out_);
            } else {
                MapEntry unnamed = entry;
                unnamed.object_name = unnamed.instance_name = unnamed.counter_name = unnamed.meaning = {};
                unnamed.overlaps = entry.overlaps.substr(0, entry.overlaps.find(' '));  // the structure alone
                writer_->entry(unnamed, out_);
            }
            write_much();
        };
        const MapTotals totals =
            visit_map(bytes, input.form, options_for(machine), visit, FaultSink(diagnostics_, place_of(input)));
        if (begun) writer_->end_input(totals, out_);
        seen_ = seen_ || begun;
    }

    /// Shows each entry that contains the selected byte, and the faults in these entries. All other faults are reported
    /// at the end of the run.
    void map_place(const MapInput& input, Bytes bytes, std::string_view machine) {
        Diagnostics found;
        const Place here{.input = found.add_input(input.file), .record = input.record};
        std::uint64_t first = bytes.end(), last = 0;
        const auto visit = [&](const MapEntry& entry) {
            if (!request_.holds(entry)) return;
            seen_ = true;
            first = std::min(first, entry.whole.offset());
            last = std::max(last, entry.whole.end());
            append_map_place(out_, input.form, entry, request_.at.value_or(0));
            write_much();
        };
        visit_map(bytes, input.form, options_for(machine), visit, FaultSink(found, here));
        damaged_ = damaged_ || found.count(Severity::error) != 0;
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
        if (out_.size() > much) file_.write(out_);
    }

    void fault(Errc code, std::uint64_t have) { diagnostics_.add(Severity::error, {code, 0, "", "", 0, have}); }

    const MapArguments& arguments_;
    Limits limits_;
    MapFilter request_;
    Diagnostics diagnostics_;
    Titles titles_;
    Countersets countersets_;
    std::map<std::string, std::vector<std::byte>, std::less<>> queries_;  // the last identifiers of each machine
    v2::Identifiers query_;
    std::unique_ptr<MapWriter> writer_;
    OutputFile& file_;
    std::string out_, wrong_;
    NameBudget names_{limits_.names};  // limits names, which are repeated in each entry
    std::size_t recognised_ = 0;       // number of inputs and records whose form is known
    bool seen_ = false;                // whether any entry was selected
    bool damaged_ = false;             // whether an input of `map_place` has errors
};

}  // namespace

Exit map(const Strings& arguments) {
    MapArguments options;
    MapFilter request;
    Limits limits;
    if (const auto done = read_map(arguments, options, request, limits)) return *done;
    OutputFile file("map", options.output);
    if (!file.open()) return exit_of(Cause::unwritable);
    return MapRun(options, limits, std::move(request), file).run();
}

}  // namespace hkpd::command
