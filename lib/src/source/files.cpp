// Files, directories, archives and standard input, one after another, as one source of records.
#include <algorithm>
#include <boost/interprocess/streams/bufferstream.hpp>
#include <cerrno>
#include <deque>
#include <filesystem>
#include <istream>
#include <set>
#include <utility>

#include "base/file_stream.hpp"
#include "base/foreign_file.hpp"
#include "base/path.hpp"
#include "base/stream_window.hpp"
#include "hkpd/diagnostics.hpp"
#include "hkpd/source.hpp"
#include "source/directory_titles.hpp"
#include "source/file_tally.hpp"
#include "source/head_and_tail.hpp"
#include "source/input_formats.hpp"
#include "source/manifest.hpp"
#include "source/passed_samples.hpp"
#include "source/unpack.hpp"
#include "source/v2_files.hpp"

namespace hkpd {
namespace {

/// Returns the size of all files, including those in directories; 0 if the size of an input is unknown.
std::uint64_t size_of_all(const std::vector<std::string>& paths) {
    std::uint64_t total = 0;
    for (const std::string& path : paths) {
        std::error_code error;
        std::uint64_t size = 0;
        if (path != "-" && is_directory(path))
            for (const std::string& file : files_in(path, error)) size += size_of_file(file);
        else if (path != "-" && is_regular_file(path))
            size = size_of_file(path);
        if (size == 0) return 0;
        total += size;
    }
    return total;
}

/// Name of an input in memory, for faults.
constexpr const char* in_memory = "bytes";

class FileSource final : public Source {
  public:
    FileSource(std::vector<std::string> paths, const Limits& limits, Subdirectories subdirectories, LogZones log_zones,
               TextEncoding encoding)
        : all_paths_(paths),
          paths_(std::move(paths)),
          subdirectories_(subdirectories),
          limits_(limits),
          log_zones_(std::move(log_zones)),
          encoding_(std::move(encoding)) {
        std::ranges::reverse(paths_);
    }

    /// Constructs a source that reads one input from memory. `bytes` must outlive the source.
    FileSource(std::span<const std::byte> bytes, const Limits& limits, LogZones log_zones, TextEncoding encoding)
        : paths_{in_memory},
          memory_input_(bytes),
          limits_(limits),
          log_zones_(std::move(log_zones)),
          encoding_(std::move(encoding)) {}

    /// Makes `next` skip the middle of large captures and logs (`open_head_and_tail`).
    void read_ends(std::uint64_t sample_above_bytes, Skipped& skipped) {
        sample_above_bytes_ = sample_above_bytes;
        skipped_ = &skipped;
    }

    Position position() override {
        if (memory_input_) return {};
        if (!total_) total_ = size_of_all(all_paths_);
        // The streams' own functions would change the state of a stream that is at its end.
        const bool is_file = input_ == &file_ && file_.is_open();
        const std::streamoff here = is_file ? std::streamoff(file_.rdbuf()->pubseekoff(0, std::ios::cur)) : 0;
        return {passed_bytes_ + static_cast<std::uint64_t>(std::max<std::streamoff>(here, 0)), *total_};
    }

    std::optional<Span> span() override {
        if (memory_input_) return span_of_input(again_in(*memory_input_), in_memory);
        std::optional<Span> all;
        const auto add = [&](const std::string& path) {
            const auto one = span_of_input(again_in(path), path);
            if (one) all = all ? Span{std::min(all->first, one->first), std::max(all->last, one->last)} : *one;
            return one.has_value();
        };
        for (const std::string& path : all_paths_) {
            std::error_code error;
            if (path == "-" || (is_directory(path) && subdirectories_ == Subdirectories::read)) return std::nullopt;
            const auto has_span = [&](const std::string& file) { return add(file) || is_title_file({file}, limits_); };
            if (is_directory(path) ? !std::ranges::all_of(files_in(path, error), has_span) : !add(path))
                return std::nullopt;
        }
        return all;
    }

    void seek(const Range& range, std::uint32_t input, std::uint64_t first) override {
        if (input == input_number_ && stream_ && skipped_ == nullptr) stream_->seek(range, first, again_, passed_);
    }

    std::uint64_t count_passed() override { return passed_.count(); }

    std::optional<Record> next(Diagnostics& diagnostics) override {
        std::optional<Record> record;
        if (!pending_) {
            next_of_inputs(record, diagnostics);
            if (!record || !titles_.due_before(*record)) return record;
            pending_ = std::exchange(record, std::nullopt);
        }
        record = titles_.next(diagnostics);
        if (!record) record = std::exchange(pending_, std::nullopt);
        return record;
    }

  private:
    /// Returns the sink for faults of the current input.
    FaultSink faults(Diagnostics& diagnostics) const noexcept { return {diagnostics, {.input = input_number_}}; }

    /// Sets `record`, which is empty, in place; leaves it empty at the end of all inputs (`RecordStream::next`).
    void next_of_inputs(std::optional<Record>& record, Diagnostics& diagnostics) {
        while (true) {
            if (stream_) {
                stream_->next(record, faults(diagnostics));
                if (record) {
                    budget_.renew();
                    record->format = kind_;
                    return passed_.begin_input(*record);
                }
                close(diagnostics);
            }
            if (manifest_) {
                record = manifest_->next(diagnostics);
                if (record) return;
                manifest_.reset();
            }
            if (!members_.empty())
                open_member(diagnostics);
            else if (std::exchange(in_directory_, false))
                end_directory(diagnostics);
            else if (!archives_.empty())
                open_next_archive(diagnostics);
            else if (!below_.empty())
                open_directory(take_last(below_), diagnostics);
            else if (tally_.in_tree())
                tally_.end_tree(diagnostics);
            else if (!paths_.empty())
                open_given(take_last(paths_), diagnostics);
            else
                return;
        }
    }

    void open_given(const std::string& path, Diagnostics& diagnostics) {
        if (!was_read(path, diagnostics)) open_path(path, diagnostics);
    }

    void open_path(const std::string& path, Diagnostics& diagnostics) {
        if (path != "-" && !memory_input_ && is_directory(path)) {
            if (subdirectories_ == Subdirectories::read) begin_tree(path, diagnostics);
            return open_directory(path, diagnostics);
        }
        if (!open({path}, diagnostics) || !recognise_input(diagnostics)) return;
        if (kind_ == InputKind::archive) return open_archive(path, diagnostics);
        const std::string_view foreign = kind_ == InputKind::unknown ? foreign_name() : std::string_view();
        if (kind_ == InputKind::unknown && !may_have_blocks(foreign) && !why_read_failed())
            diagnostics.add(foreign_error(foreign));
        else
            open_stream(path, diagnostics, foreign);
    }

    static std::string take_last(std::vector<std::string>& paths) {
        std::string path = std::move(paths.back());
        paths.pop_back();
        return path;
    }

    /// Begins a directory whose subdirectories are read too.
    void begin_tree(const std::string& path, Diagnostics& diagnostics) {
        std::error_code error;
        below_ = directories_below(path, error);
        std::ranges::reverse(below_);
        tally_.begin_tree(path);
        if (!error) return;
        diagnostics.add_input(path);
        diagnostics.add(read_error(error.value()));
    }

    void open_directory(const std::string& path, Diagnostics& diagnostics) {
        std::error_code error;
        std::vector<std::string> files = files_in(path, error);
        manifest_ = ManifestSource::open(files, limits_, diagnostics);
        members_.clear();
        for (std::string& file : files) members_.push_back({std::move(file)});
        const bool has_files = begin_directory(path);
        if (error) {
            diagnostics.add_input(path);
            diagnostics.add(read_error(error.value()));
        } else if (!has_files) {
            tally_.end(diagnostics);
        }
    }

    /// Begins the directory or archive `path`, whose files are in `members_`. Returns whether any of them is no title
    /// database.
    bool begin_directory(const std::string& path) {
        std::vector<NamedInput> titles = take_titles(members_, limits_);
        std::ranges::reverse(members_);
        in_directory_ = !members_.empty();
        tally_.begin(path, manifest_ != nullptr);
        if (in_directory_) titles_.enter(std::move(titles));
        return in_directory_;
    }

    void end_directory(Diagnostics& diagnostics) {
        titles_.enter({});
        tally_.end(diagnostics);
    }

    void open_next_archive(Diagnostics& diagnostics) {
        const std::string path = std::move(archives_.front());
        archives_.pop_front();
        open_path(path, diagnostics);
    }

    /// Opens the current input, a zip archive, as a directory of its files.
    void open_archive(const std::string& path, Diagnostics& diagnostics) {
        Unpacked content;
        const Bytes bytes = whole_input(diagnostics);
        content.buffer.grow(bytes.size());
        content.size = bytes.size();
        std::ranges::copy(bytes.span(), content.buffer.span().begin());
        window_.reset();
        if (content.size == 0) return;
        auto archive = ZipArchive::open(std::move(content), limits_, diagnostics);
        if (!archive) return diagnostics.add(Severity::error, archive.error());
        const auto shared = std::make_shared<ZipArchive>(std::move(*archive));
        members_.clear();
        for (std::size_t i = 0; i < shared->entries().size(); ++i)
            members_.push_back({path + '/' + shared->entries()[i].name, shared, i});
        if (!begin_directory(path)) tally_.end(diagnostics);
    }

    /// Returns all bytes of the current input. If it is too large, reports this and returns none.
    Bytes whole_input(Diagnostics& diagnostics) {
        const Bytes all = window_->peek(limits_.bytes + 1);
        if (all.size() <= limits_.bytes) return all;
        diagnostics.add({Errc::byte_limit, 0, "", "", limits_.bytes, all.size()});
        return {};
    }

    /// Unpacks the current input, and replaces it with its content. Returns false if it cannot be unpacked.
    bool unpack_input(Packing packing, Diagnostics& diagnostics) {
        const Bytes packed = whole_input(diagnostics);
        if (packed.empty()) return false;
        auto content = unpack(packing, packed, limits_, diagnostics);
        if (!content) {
            diagnostics.add(Severity::error, content.error());
            return false;
        }
        content_ = std::move(*content);
        read_memory(content_.span());
        return true;
    }

    /// Opens the next file of a directory: a capture, a log (binary or text), or a file that begins with a V1 block.
    /// Skips any other file, such as a V2 block or a text.
    void open_member(Diagnostics& diagnostics) {
        const NamedInput member = std::move(members_.back());
        members_.pop_back();
        const std::string& path = member.path;
        if (!member.archive && was_read(path, diagnostics)) return tally_.add_read(path);
        if (!open(member, diagnostics)) return;
        if (!recognise_input(diagnostics)) return tally_.add_read(path);
        if (kind_ == InputKind::archive && !member.archive) {  // one in another is not read
            archives_.push_back(path);
            return tally_.add_read(path);
        }
        const bool is_stream = input_format(kind_).open != nullptr;
        if (is_stream) tally_.add_read(path);
        if (is_stream || why_read_failed())
            open_stream(path, diagnostics);
        else
            tally_.add_skipped(path, why_not_read(path));
    }

    /// Returns why the open file of a directory is skipped.
    Error why_not_read(const std::string& path) {
        const auto why = [](Errc code) { return Error{code, 0, "", "", 0, 0}; };
        if (packing_of(window_->peek(packing_bytes)) != Packing::none) return why(Errc::packed_twice);
        const std::string name = path_text(path_of(path).filename());
        const bool v2 =
            name.ends_with(".v2-query") || subject_of_name(name) || recognise(*window_, limits_) == InputKind::v2;
        return v2 ? why(Errc::v2_alone) : foreign_error(foreign_name());
    }

    /// Returns what the current input is, which is of no format with records. Of a pipe, which may be endless, only the
    /// beginning is read.
    std::string_view foreign_name() {
        const Bytes beginning = window_->peek(foreign_beginning);
        if (!beginning.empty() && (beginning.size() < foreign_beginning || window_->size())) {
            const InputKind kind = recognise(*window_, limits_);
            if (kind == InputKind::v2) return v2_file;
            if (kind == InputKind::titles) return title_file;
        }
        return foreign_file(window_->peek(foreign_beginning)).name;
    }

    /// Returns whether a file is one that was read before, by another name; if so, reports it. The samples of a file
    /// that is read twice would count twice.
    bool was_read(const std::string& path, Diagnostics& diagnostics) {
        if (path == "-" || memory_input_) return false;
        const auto file = identity_of_file(path);
        if (!file || read_.insert(*file).second) return false;
        diagnostics.add_input(path);
        diagnostics.add({Errc::read_before, 0, "", "", 0, 0});
        return true;
    }

    /// Opens an input, whose bytes are then in `window_`. Returns false if it cannot be read.
    bool open(const NamedInput& input, Diagnostics& diagnostics) {
        input_number_ = diagnostics.add_input(input.path);
        if (input.archive) {
            auto content = input.archive->unpack(input.entry, limits_);
            if (!content) {
                diagnostics.add(Severity::error, content.error());
                return false;
            }
            content_ = std::move(*content);
            read_memory(content_.span());
        } else if (memory_input_) {
            read_memory(*memory_input_);
        } else if (input.path == "-") {
            input_ = &standard_input();
            again_ = {};
            watch_window();
        } else {
            end_file();
            file_.open(input.path);
            current_path_ = input.path;
            if (!file_) {
                diagnostics.add(read_error(errno));
                return false;
            }
            input_ = &file_;
            again_ = again_in(input.path);
            watch_window();
        }
        return true;
    }

    /// Makes a window on the current input, which may be endless.
    void watch_window() {
        budget_ = SearchBudget(limits_.search);
        window_ = std::make_unique<StreamWindow>(*input_);
        window_->limit_search(budget_);
    }

    /// Makes bytes in memory the current input.
    void read_memory(std::span<const std::byte> bytes) {
        input_ = nullptr;
        again_ = again_in(bytes);
        window_ = std::make_unique<StreamWindow>(bytes);
    }

    static InputAgain again_in(const std::string& path) {
        return {.open = [path] { return std::make_unique<FileStream>(path); }, .stays = true};
    }
    static InputAgain again_in(std::span<const std::byte> bytes) {
        return {.open = [bytes] {
            const auto* const text = reinterpret_cast<const char*>(bytes.data());
            return std::make_unique<boost::interprocess::ibufferstream>(text, bytes.size());
        }};
    }

    /// Returns why reading the current input has failed; none if it has not.
    std::optional<Error> why_read_failed() const { return input_ == nullptr ? std::nullopt : read_failure(*input_); }

    /// Recognises the kind of the current input, and replaces compressed data with its content. Returns false for
    /// compressed data that cannot be unpacked, which was reported.
    bool recognise_input(Diagnostics& diagnostics) {
        kind_ = InputKind::unknown;
        const auto packing = [this] { return packing_of(window_->peek(packing_bytes)); };
        if (const Packing first = packing(); first != Packing::none && first != Packing::zip) {
            if (!unpack_input(first, diagnostics)) return false;
            if (packing() != Packing::none) {
                diagnostics.add(Severity::error, {Errc::packed_twice, 0, "", "", 0, 0});
                return false;
            }
        }
        kind_ = recognise_beginning(*window_, limits_);
        return true;
    }

    /// Opens the current input as a stream of records. An unknown one, which looks like the kind of file `foreign`, is
    /// searched for V1 blocks.
    void open_stream(const std::string& path, Diagnostics& diagnostics, std::string_view foreign = unknown_bytes) {
        if (input_format(kind_).open == nullptr) kind_ = InputKind::v1;
        stream_ = input_format(kind_).open(
            {std::move(*window_), path_text(path_of(path).filename()), limits_, zone_of(path), encoding_, foreign});
        window_.reset();
        if (skipped_ != nullptr) stream_->skip_middle(sample_above_bytes_, *skipped_, faults(diagnostics));
    }

    /// Returns the zone that the caller has stated for a text log.
    GivenZone zone_of(const std::string& path) const {
        GivenZone given;
        for (const LogZone& each : log_zones_) {
            const bool is_named =
                !each.input.empty() && (each.input == path || each.input == path_text(path_of(path).filename()));
            if (is_named || (each.input.empty() && !given.always)) given = {.zone = each.zone, .always = is_named};
        }
        return given;
    }

    /// Returns the span of an input, read apart from the current one.
    std::optional<Span> span_of_input(const InputAgain& again, const std::string& path) const {
        const auto stream = again();
        if (!stream || !*stream || stream->tellg() != std::istream::pos_type(0)) return std::nullopt;
        StreamWindow window(*stream);
        const InputFormat& format = input_format(recognise_beginning(window, limits_));
        return format.open == nullptr
                   ? std::nullopt
                   : format.open({std::move(window), "", limits_, zone_of(path), encoding_})->span(again);
    }

    void close(Diagnostics& diagnostics) {
        if (const auto failure = why_read_failed()) faults(diagnostics).add(*failure);
        if (input_ != nullptr && budget_.exceeded()) faults(diagnostics).add(search_error(budget_));
        stream_.reset();
        end_file();
    }

    /// Closes the current file. Its size is added to that of the files read, if `position` is used at all.
    void end_file() {
        if (total_ && file_.is_open()) passed_bytes_ += size_of_file(current_path_);
        file_.close();
        content_ = {};
    }

    std::vector<std::string> all_paths_;
    std::optional<std::uint64_t> total_;  // size of all inputs; 0 if it is unknown
    std::uint64_t passed_bytes_ = 0;      // size of the files that have been read
    std::string current_path_;            // of `file_`
    std::vector<std::string> paths_;      // still to read, in reverse order
    Subdirectories subdirectories_ = Subdirectories::skipped;
    std::vector<std::string> below_;  // directories of the current tree, still to read, in reverse order
    std::optional<std::span<const std::byte>> memory_input_{};  // the input of a source that reads memory
    std::vector<NamedInput> members_;                           // of the current directory or archive, in reverse order
    std::set<FileIdentity> read_;                               // the files opened so far
    std::deque<std::string> archives_;  // zip archives in the directories read last, still to read
    bool in_directory_ = false;
    // Manifest of the current directory. Its records are returned before the files that the manifest does not list are
    // read.
    std::unique_ptr<ManifestSource> manifest_;
    FileTally tally_;
    Limits limits_;
    LogZones log_zones_;
    TextEncoding encoding_;
    SearchBudget budget_{limits_.search};  // of the current input
    DirectoryTitles titles_{limits_};      // of the current directory
    std::optional<Record> pending_;        // the record that follows the titles being returned
    std::uint32_t input_number_ = no_index;
    FileStream file_;
    Unpacked content_;               // what the current input was unpacked to
    std::istream* input_ = nullptr;  // null for an input in memory
    InputAgain again_;
    std::unique_ptr<StreamWindow> window_;  // on the current input, until `stream_` is opened and takes it
    InputKind kind_ = InputKind::unknown;
    std::unique_ptr<RecordStream> stream_;  // null: no input is open
    PassedSamples passed_;
    // If only the ends of large captures and logs are read: the size up to which they are not large, what was skipped.
    std::uint64_t sample_above_bytes_ = 0;
    Skipped* skipped_ = nullptr;
};

}  // namespace

std::unique_ptr<Source> open_files(std::vector<std::string> paths, const Limits& limits, Subdirectories subdirectories,
                                   LogZones log_zones, TextEncoding encoding) {
    return std::make_unique<FileSource>(std::move(paths), limits, subdirectories, std::move(log_zones),
                                        std::move(encoding));
}

std::unique_ptr<Source> open_head_and_tail(std::vector<std::string> paths, const Limits& limits,
                                           Subdirectories subdirectories, std::uint64_t sample_above_bytes,
                                           Skipped& skipped, LogZones log_zones, TextEncoding encoding) {
    auto source = std::make_unique<FileSource>(std::move(paths), limits, subdirectories, std::move(log_zones),
                                               std::move(encoding));
    source->read_ends(sample_above_bytes, skipped);
    return source;
}

std::unique_ptr<Source> open_head_and_tail(std::span<const std::byte> bytes, const Limits& limits,
                                           std::uint64_t sample_above_bytes, Skipped& skipped, LogZones log_zones,
                                           TextEncoding encoding) {
    auto source = std::make_unique<FileSource>(bytes, limits, std::move(log_zones), std::move(encoding));
    source->read_ends(sample_above_bytes, skipped);
    return source;
}

std::unique_ptr<Source> open_bytes(std::span<const std::byte> bytes, const Limits& limits, LogZones log_zones,
                                   TextEncoding encoding) {
    return std::make_unique<FileSource>(bytes, limits, std::move(log_zones), std::move(encoding));
}

}  // namespace hkpd
