#include <algorithm>
#include <boost/interprocess/streams/bufferstream.hpp>
#include <cerrno>
#include <deque>
#include <filesystem>
#include <istream>
#include <iterator>
#include <set>
#include <utility>

#include "base/file_stream.hpp"
#include "base/path.hpp"
#include "base/stream_window.hpp"
#include "base/text/located_text.hpp"
#include "blg/blg.hpp"
#include "hkpd/capture.hpp"
#include "hkpd/diagnostics.hpp"
#include "hkpd/names.hpp"
#include "hkpd/source.hpp"
#include "hkpd/v1.hpp"
#include "names/titles.hpp"
#include "sample/grouping.hpp"
#include "source/head_and_tail.hpp"
#include "source/input_seek.hpp"
#include "source/manifest.hpp"
#include "source/text_log.hpp"
#include "source/unpack.hpp"
#include "source/v2_files.hpp"
#include "v1/block_stream.hpp"

namespace hkpd {
namespace {

void cannot_read(int error, const FaultSink& faults) {
    faults.add({Errc::cannot_read, 0, "", "", 0, static_cast<std::uint64_t>(error)});
}

/// Size of the signature at the start of a V1 block, in bytes: PERF in UTF-16.
constexpr std::uint64_t signature_size = 8;

/// Returns the largest size of a title file, in bytes. `Limits::title_bytes` is the largest size of the titles in
/// UTF-8. In UTF-16, most titles have twice as many bytes.
std::uint64_t most_title_bytes(const Limits& limits) noexcept { return 2 * limits.title_bytes; }

/// An input of a source: a file, `-` for standard input, or a file of a zip archive. The latter has the path
/// `archive.zip/name`.
struct NamedInput {
    std::string path;
    std::shared_ptr<ZipArchive> archive{};  // null for a file that is in no archive
    std::size_t entry = 0;                  // position in `ZipArchive::entries`
};

bool is_title_file(StreamWindow& window, const std::string& path, const Limits& limits) {
    // Most files are blobs (V1 blocks), which are identified by their first bytes.
    if (v1::has_signature(window.peek(signature_size))) return false;
    if (!begins_like_titles(window.peek(titles_beginning))) return false;
    const Bytes all = window.peek(most_title_bytes(limits) + 1);
    return all.size() <= most_title_bytes(limits) && parse_titles(all, path, {}).has_value();
}

bool is_title_file(const NamedInput& input, const Limits& limits) {
    if (input.archive) {
        if (input.archive->entries()[input.entry].size > most_title_bytes(limits)) return false;
        const auto content = input.archive->unpack(input.entry, limits);
        if (!content) return false;
        StreamWindow window(content->span());
        return is_title_file(window, input.path, limits);
    }
    FileStream file(input.path);
    if (!file || CaptureReader::is_capture(file)) return false;
    StreamWindow window(file);
    return is_title_file(window, input.path, limits);
}

/// Removes the title databases from a list of files and returns them.
std::vector<NamedInput> take_titles(std::vector<NamedInput>& files, const Limits& limits) {
    const auto titles =
        std::ranges::stable_partition(files, [&](const NamedInput& file) { return !is_title_file(file, limits); });
    std::vector<NamedInput> taken(std::make_move_iterator(titles.begin()), std::make_move_iterator(titles.end()));
    files.erase(titles.begin(), titles.end());
    return taken;
}

/// The title databases of a directory, returned as records. The titles are returned before the directory's first V1
/// block, and apply only to the machine of that block. So they do not apply to the blocks of other machines, which may
/// come from other directories. If the directory also has a block of a second machine, the titles are returned once
/// more, before this block, and then apply to any machine. They are not returned again for each further machine,
/// because these copies could need unlimited memory.
class DirectoryTitles {
  public:
    explicit DirectoryTitles(const Limits& limits) : limits_(limits) {}

    /// Begins a directory with these title files. With an empty list, ends the directory.
    void enter(std::vector<NamedInput> files) {
        files_ = std::move(files);
        given_ = files_.size();
        due_once_ = false;
        machine_.clear();
    }

    /// Returns whether the titles must precede this record. If so, the next calls of `next` return the titles.
    bool due_before(const Record& record) {
        const bool given_to_all = due_once_ && machine_.empty();
        if (files_.empty() || given_to_all || record.kind != Record::Kind::v1_block) return false;
        if (!block_.open(record.bytes, {})) return false;
        std::string machine;
        assign_machine(machine, block_);
        if (due_once_ && machine == machine_) return false;
        machine_ = due_once_ ? std::string() : std::move(machine);
        due_once_ = true;
        given_ = 0;
        return true;
    }

    /// Returns the next title database that is due; none if all were returned. Valid until the next call.
    std::optional<Record> next(Diagnostics& diagnostics) {
        while (given_ < files_.size())
            if (auto record = read(files_[given_++], diagnostics)) return record;
        return std::nullopt;
    }

  private:
    std::optional<Record> read(const NamedInput& titles, Diagnostics& diagnostics) {
        const std::uint32_t input = diagnostics.add_input(titles.path);
        if (!(titles.archive ? read_packed(titles, diagnostics) : read_file(titles.path, diagnostics)))
            return std::nullopt;
        name_ = path_text(path_of(titles.path).filename());
        Record record{Record::Kind::titles, Bytes(content_), {.input = input}};
        record.machine = machine_;
        record.name = name_;
        return record;
    }

    bool read_file(const std::string& path, Diagnostics& diagnostics) {
        FileStream file(path);
        StreamWindow window(file);
        const auto bytes = window.peek(most_title_bytes(limits_)).span();
        const bool good = file.is_open() && !file.bad();
        if (good)
            content_.assign(bytes.begin(), bytes.end());
        else
            cannot_read(errno, diagnostics);
        return good;
    }
    bool read_packed(const NamedInput& titles, Diagnostics& diagnostics) {
        const auto unpacked = titles.archive->unpack(titles.entry, limits_);
        if (unpacked)
            content_.assign(unpacked->span().begin(), unpacked->span().end());
        else
            diagnostics.add(Severity::error, unpacked.error());
        return unpacked.has_value();
    }

    const Limits& limits_;
    std::vector<NamedInput> files_;
    std::size_t given_ = 0;  // number of files read since the titles were last due
    bool due_once_ = false;
    std::string machine_;  // the machine that the records state; empty: any machine
    std::string name_;
    std::vector<std::byte> content_;
    v1::Block block_;
};

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
    FileSource(std::vector<std::string> paths, const Limits& limits, Subdirectories subdirectories)
        : all_paths_(paths), paths_(std::move(paths)), subdirectories_(subdirectories), limits_(limits) {
        std::ranges::reverse(paths_);
    }

    /// Constructs a source that reads one input from memory. `bytes` must outlive the source.
    FileSource(std::span<const std::byte> bytes, const Limits& limits)
        : paths_{in_memory}, given_(bytes), limits_(limits) {}

    /// Makes `next` skip the middle of large captures and logs (`open_head_and_tail`).
    void read_ends(std::uint64_t whole, Skipped& skipped) { head_and_tail_.emplace(whole, skipped); }

    Position position() override {
        if (given_) return {};
        if (!total_) total_ = size_of_all(all_paths_);
        // The streams' own functions would change the state of a stream that is at its end.
        const bool is_file = input_ == &file_ && file_.is_open();
        const std::streamoff here = is_file ? std::streamoff(file_.rdbuf()->pubseekoff(0, std::ios::cur)) : 0;
        return {passed_ + static_cast<std::uint64_t>(std::max<std::streamoff>(here, 0)), *total_};
    }

    std::optional<Span> span() override {
        if (given_) {
            const auto stream = stream_of(*given_);
            return span_of(*stream, limits_);
        }
        std::optional<Span> all;
        const auto add = [&](const std::string& path) {
            FileStream file(path);
            const auto one = file ? span_of(file, limits_) : std::nullopt;
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
        if (input != input_number_ || head_and_tail_) return;
        if (capture_) return seek_.seek(*capture_, range, first);
        if (log_) return seek_.seek(*log_, log_guid_, range, first);
        if (text_log_) seek_.seek(*text_log_, range, first);
    }

    std::uint64_t count_passed() override { return seek_.count_passed(); }

    std::optional<Record> next(Diagnostics& diagnostics) override {
        std::optional<Record> record;
        if (!after_titles_) {
            next_of_inputs(record, diagnostics);
            if (!record || !titles_.due_before(*record)) return record;
            after_titles_ = std::exchange(record, std::nullopt);
        }
        record = titles_.next(diagnostics);
        if (!record) record = std::exchange(after_titles_, std::nullopt);
        return record;
    }

  private:
    /// Returns the sink for faults of the current input.
    FaultSink faults(Diagnostics& diagnostics) const noexcept { return {diagnostics, {.input = input_number_}}; }

    // A `Record` object is large, and most inputs consist of many short records. To avoid moving these objects, the
    // functions below set `record` in place. They leave it empty if the input (`next_of_input`) or all inputs
    // (`next_of_inputs`) have ended.

    void next_of_input(std::optional<Record>& record, const FaultSink& faults) {
        if (capture_) {
            record = next_of_capture(faults);
            if (head_and_tail_ && record) head_and_tail_->count_of_capture(*record);
        } else if (log_) {
            if (const auto log = head_and_tail_ ? head_and_tail_->enough() : std::nullopt)
                if (log_->skip_middle(HeadAndTail::rows, *log)) head_and_tail_->begin_middle();
            record = log_->next(faults);
            if (head_and_tail_ && record) head_and_tail_->count_of_log(*record);
            if (record) log_guid_ = record->log;
            if (record && !seek_.take(*log_, *record)) record.reset();
        } else if (text_log_) {
            record = text_log_->next(faults);
            if (record && !seek_.take(*text_log_, *record)) record.reset();
        } else if (const auto block = stream_->next(faults)) {
            record.emplace(Record::Kind::v1_block, *block, faults.place());
            record->opened = stream_->opened();
        }
    }

    void next_of_inputs(std::optional<Record>& record, Diagnostics& diagnostics) {
        while (true) {
            if (stream_ || capture_) {
                next_of_input(record, faults(diagnostics));
                if (record) return seek_.take_first(*record);
                close(faults(diagnostics));
            }
            if (manifest_) {
                record = manifest_->next(diagnostics);
                if (record) return;
                manifest_.reset();
            }
            if (!members_.empty())
                open_member(diagnostics);
            else if (in_directory_)
                end_directory(diagnostics);
            else if (!archives_.empty())
                open_next_archive(diagnostics);
            else if (!below_.empty())
                open_directory(take_last(below_), diagnostics);
            else if (in_tree_)
                end_tree(diagnostics);
            else if (!paths_.empty())
                open_path(take_last(paths_), diagnostics);
            else
                return;
        }
    }

    void open_path(const std::string& path, Diagnostics& diagnostics) {
        if (path != "-" && !given_ && is_directory(path)) {
            if (subdirectories_ == Subdirectories::read) begin_tree(path, diagnostics);
            return open_directory(path, diagnostics);
        }
        if (!open({path}, diagnostics)) return;
        const Recognised kind = recognise(path, diagnostics);
        if (kind == Recognised::archive) return open_archive(path, diagnostics);
        if (kind == Recognised::damaged) return stream_.reset();
        if (kind == Recognised::format || input_->bad() || !stream_->empty()) return;
        diagnostics.add({Errc::no_data, 0, "", "", 0, 0});
        stream_.reset();
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
        tree_ = path;
        in_tree_ = true;
        found_in_tree_ = false;
        skipped_in_tree_ = 0;
        if (!error) return;
        diagnostics.add_input(path);
        cannot_read(error.value(), diagnostics);
    }

    /// Ends a directory whose subdirectories were read too, and reports how many of its files were skipped.
    void end_tree(Diagnostics& diagnostics) {
        in_tree_ = false;
        directory_ = tree_;
        if (!found_in_tree_) nothing_in_directory(diagnostics);
        if (skipped_in_tree_ == 0) return;
        diagnostics.add_input(tree_);
        diagnostics.add({Errc::files_skipped, 0, "", "", 0, skipped_in_tree_});
    }

    void open_directory(const std::string& path, Diagnostics& diagnostics) {
        std::error_code error;
        std::vector<std::string> files = files_in(path, error);
        manifest_ = ManifestSource::open(files, limits_, diagnostics);
        members_.clear();
        for (std::string& file : files) members_.push_back({std::move(file)});
        begin_directory(path);
        if (error) {
            diagnostics.add_input(path);
            cannot_read(error.value(), diagnostics);
        } else if (!in_directory_ && !had_manifest_ && !in_tree_) {
            nothing_in_directory(diagnostics);
        }
        found_in_tree_ = found_in_tree_ || had_manifest_;
    }

    /// Begins the directory or archive `path`, whose files are in `members_`.
    void begin_directory(const std::string& path) {
        directory_ = path;
        std::vector<NamedInput> titles = take_titles(members_, limits_);
        std::ranges::reverse(members_);
        found_extensions_.clear();
        in_directory_ = !members_.empty();
        had_manifest_ = manifest_ != nullptr;
        if (in_directory_) titles_.enter(std::move(titles));
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
        stream_.reset();
        if (content.size == 0) return;
        auto archive = ZipArchive::open(std::move(content), limits_, diagnostics);
        if (!archive) return diagnostics.add(Severity::error, archive.error());
        const auto shared = std::make_shared<ZipArchive>(std::move(*archive));
        members_.clear();
        for (std::size_t i = 0; i < shared->entries().size(); ++i)
            members_.push_back({path + '/' + shared->entries()[i].name, shared, i});
        begin_directory(path);
        if (!in_directory_ && !in_tree_) nothing_in_directory(diagnostics);
    }

    /// Returns all bytes of the current input. If it is too large, reports this and returns none.
    Bytes whole_input(Diagnostics& diagnostics) {
        const Bytes all = stream_->window().peek(limits_.bytes + 1);
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
        stream_.reset();
        content_ = std::move(*content);
        read_memory(content_.span());
        return true;
    }

    /// Opens the next file of a directory: a capture, a log (binary or text), or a file that begins with a V1 block.
    /// Skips any other file, such as a V2 block or a text, and stores it for `end_directory`, which reports it.
    void open_member(Diagnostics& diagnostics) {
        const NamedInput member = std::move(members_.back());
        members_.pop_back();
        const std::string& path = member.path;
        if (!open(member, diagnostics)) return;
        const std::string extension = path_text(path_of(path).extension());
        const Recognised kind = recognise(path, diagnostics);
        const bool archive = kind == Recognised::archive && !member.archive;  // one in another is not read
        if (archive) archives_.push_back(path);
        if (archive || kind == Recognised::damaged) {
            found_extensions_.insert(extension);
            return stream_.reset();
        }
        if (kind == Recognised::format || stream_->begins_with_block()) {
            found_extensions_.insert(extension);
        } else if (!input_->bad()) {
            passed_over_.emplace_back(path, why_not_read(path));
            stream_.reset();
        }
    }

    /// Returns why the open file of a directory is skipped.
    Errc why_not_read(const std::string& path) {
        if (packing_of(stream_->window().peek(packing_bytes)) != Packing::none) return Errc::packed_twice;
        const std::string name = path_text(path_of(path).filename());
        const bool v2 = name.ends_with(".v2-query") || subject_of_name(name) ||
                        v2::is_data_block(stream_->window().peek(limits_.bytes));
        return v2 ? Errc::v2_alone : Errc::not_recognised;
    }

    /// Ends a directory and reports the files that were skipped. A skipped file is an error if a file with the same
    /// extension was read, because the skipped file must then be damaged. In all other cases, a skipped file is only a
    /// warning or a note, or one of those that `end_tree` counts.
    void end_directory(Diagnostics& diagnostics) {
        in_directory_ = false;
        titles_.enter({});
        for (const auto& [path, code] : std::exchange(passed_over_, {})) {
            const bool expected = found_extensions_.contains(path_text(path_of(path).extension()));
            if (in_tree_ && !expected) {
                ++skipped_in_tree_;
                continue;
            }
            diagnostics.add_input(path);
            const Severity otherwise = code == Errc::not_recognised ? Severity::note : Severity::warning;
            diagnostics.add(expected ? Severity::error : otherwise, {code, 0, "", "", 0, 0});
        }
        const bool found = !found_extensions_.empty() || std::exchange(had_manifest_, false);
        found_in_tree_ = found_in_tree_ || found;
        if (!found && !in_tree_) nothing_in_directory(diagnostics);
    }

    void nothing_in_directory(Diagnostics& diagnostics) {
        diagnostics.add_input(directory_);
        diagnostics.add({Errc::no_data, 0, "", "", 0, 0});
    }

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
            return true;
        }
        if (given_) {
            read_memory(*given_);
            return true;
        }
        input_ = &standard_input();
        if (input.path != "-") {
            end_file();
            file_.open(input.path);
            current_path_ = input.path;
            input_ = &file_;
            if (!file_) {
                cannot_read(errno, diagnostics);
                return false;
            }
            seek_.begin([path = input.path] { return std::make_unique<FileStream>(path); }, true);
        } else {
            seek_.begin([] { return std::unique_ptr<std::istream>(); }, false);
        }
        stream_ = std::make_unique<BlockStream>(*input_, limits_);
        return true;
    }

    static std::unique_ptr<std::istream> stream_of(std::span<const std::byte> bytes) {
        return std::make_unique<boost::interprocess::ibufferstream>(reinterpret_cast<const char*>(bytes.data()),
                                                                    bytes.size());
    }

    /// Makes bytes in memory the current input.
    void read_memory(std::span<const std::byte> bytes) {
        seek_.begin([bytes] { return stream_of(bytes); }, false);
        memory_.emplace(reinterpret_cast<const char*>(bytes.data()), bytes.size());
        input_ = &*memory_;
        stream_ = std::make_unique<BlockStream>(bytes, limits_);
    }

    enum class Recognised : std::uint8_t {
        format,   ///< a capture, a performance log or a text log, now open
        archive,  ///< a zip archive
        damaged,  ///< compressed data that cannot be unpacked; this was reported
        other,    ///< V1 blocks, or an unknown format
    };
    /// Recognises the format of the current input, and replaces compressed data with its content.
    Recognised recognise(const std::string& path, Diagnostics& diagnostics) {
        if (open_capture(diagnostics)) return Recognised::format;
        const Packing packing = packing_of(stream_->window().peek(packing_bytes));
        if (packing == Packing::zip) return Recognised::archive;
        if (packing != Packing::none) {
            if (!unpack_input(packing, diagnostics)) return Recognised::damaged;
            if (packing_of(stream_->window().peek(packing_bytes)) != Packing::none) {
                diagnostics.add(Severity::error, {Errc::packed_twice, 0, "", "", 0, 0});
                return Recognised::damaged;
            }
            if (open_capture(diagnostics)) return Recognised::format;
        }
        return open_log(path) || open_text_log() ? Recognised::format : Recognised::other;
    }

    /// Returns whether the input is a capture; if so, opens it.
    bool open_capture(Diagnostics& diagnostics) {
        if (!CaptureReader::is_capture(*input_)) return false;
        stream_.reset();
        capture_ = std::make_unique<CaptureReader>(*input_, limits_);
        if (head_and_tail_) head_and_tail_->begin_capture(*capture_, faults(diagnostics));
        return true;
    }

    /// Returns whether the input is a performance log; if so, opens it.
    bool open_log(const std::string& path) {
        if (!blg::is_log(stream_->window().peek(blg::first_bytes_needed))) return false;
        log_ = std::make_unique<LogStream>(stream_->window(), path_text(path_of(path).filename()), limits_);
        if (head_and_tail_) head_and_tail_->begin_log(stream_->window().size().value_or(0));
        return true;
    }

    /// Returns whether the input is a text log; if so, opens it.
    bool open_text_log() {
        if (!is_text_log(stream_->window())) return false;
        text_log_ = std::make_unique<TextLogStream>(stream_->window(), limits_);
        return true;
    }

    /// Returns the next record of a capture. When `CaptureReader::next` reads a record, it also reads the metadata
    /// before this record. The metadata is returned first, as provenance records.
    std::optional<Record> next_of_capture(const FaultSink& faults) {
        if (!held_ && !capture_ended_) {
            held_ = capture_->next(faults);
            capture_ended_ = !held_;
        }
        if (provenance_ < capture_->metadata().size()) {
            const CaptureInfo::MetadataRecord& stated = capture_->metadata()[provenance_++];
            Record record{Record::Kind::provenance, {}, faults.place()};
            record.name = stated.name;
            record.entries = &stated.entries;
            return record;
        }
        return std::exchange(held_, std::nullopt);
    }

    void close(const FaultSink& faults) {
        if (input_->bad()) cannot_read(errno, faults);
        if (head_and_tail_ && log_) head_and_tail_->end_log(log_->skipped());
        if (head_and_tail_ && capture_) head_and_tail_->end_capture();
        if (!head_and_tail_ && capture_) seek_.end(*capture_);
        log_.reset();
        text_log_.reset();
        stream_.reset();
        capture_.reset();
        provenance_ = 0;
        capture_ended_ = false;
        end_file();
    }

    /// Closes the current file. Its size is added to that of the files read, if `position` is used at all.
    void end_file() {
        if (total_ && file_.is_open()) passed_ += size_of_file(current_path_);
        file_.close();
        memory_.reset();
        content_ = {};
    }

    std::vector<std::string> all_paths_;
    std::optional<std::uint64_t> total_;  // size of all inputs; 0 if it is unknown
    std::uint64_t passed_ = 0;            // size of the files that have been read
    std::string current_path_;            // of `file_`
    std::vector<std::string> paths_;      // still to read, in reverse order
    Subdirectories subdirectories_ = Subdirectories::skipped;
    // The current directory tree: its root, the directories below the root that are still to read (in reverse order),
    // whether any performance data was found in it, and the number of skipped files.
    bool in_tree_ = false, found_in_tree_ = false;
    std::string tree_;
    std::vector<std::string> below_;
    std::uint64_t skipped_in_tree_ = 0;
    std::optional<std::span<const std::byte>> given_{};  // the input of a source that reads memory
    std::vector<NamedInput> members_;                    // of the current directory or archive, in reverse order
    std::deque<std::string> archives_;                   // zip archives in the directories read last, still to read
    std::string directory_;
    bool in_directory_ = false, had_manifest_ = false;
    // Manifest of the current directory. Its records are returned before the files that the manifest does not list are
    // read.
    std::unique_ptr<ManifestSource> manifest_;
    // In the current directory: the extensions of the files that were read, and the files that were skipped, each with
    // the reason.
    std::set<std::string> found_extensions_;
    std::vector<std::pair<std::string, Errc>> passed_over_;
    Limits limits_;
    DirectoryTitles titles_{limits_};     // of the current directory
    std::optional<Record> after_titles_;  // the record that follows the titles being returned
    std::uint32_t input_number_ = no_index;
    FileStream file_;
    Unpacked content_;  // what the current input was unpacked to
    // The input in memory; only captures are read through the stream.
    std::optional<boost::interprocess::ibufferstream> memory_;
    std::istream* input_ = nullptr;
    // While an input is open, either `stream_` or `capture_` is set. For a log, `log_` or `text_log_` is set in
    // addition to `stream_`, and reads through the window of `stream_`.
    std::unique_ptr<BlockStream> stream_;
    std::unique_ptr<LogStream> log_;
    std::unique_ptr<TextLogStream> text_log_;
    std::unique_ptr<CaptureReader> capture_;
    std::optional<Record> held_;  // next record of the capture
    std::size_t provenance_ = 0;  // metadata records returned so far
    bool capture_ended_ = false;
    InputSeek seek_{limits_};
    Guid log_guid_{};                           // of the latest record of the log
    std::optional<HeadAndTail> head_and_tail_;  // if only the ends of large captures and logs are read
};

}  // namespace

std::unique_ptr<Source> open_files(std::vector<std::string> paths, const Limits& limits,
                                   Subdirectories subdirectories) {
    return std::make_unique<FileSource>(std::move(paths), limits, subdirectories);
}

std::unique_ptr<Source> open_head_and_tail(std::vector<std::string> paths, const Limits& limits,
                                           Subdirectories subdirectories, std::uint64_t whole, Skipped& skipped) {
    auto source = std::make_unique<FileSource>(std::move(paths), limits, subdirectories);
    source->read_ends(whole, skipped);
    return source;
}

std::unique_ptr<Source> open_head_and_tail(std::span<const std::byte> bytes, const Limits& limits, std::uint64_t whole,
                                           Skipped& skipped) {
    auto source = std::make_unique<FileSource>(bytes, limits);
    source->read_ends(whole, skipped);
    return source;
}

std::unique_ptr<Source> open_bytes(std::span<const std::byte> bytes, const Limits& limits) {
    return std::make_unique<FileSource>(bytes, limits);
}

std::vector<std::string> take_title_files(std::vector<std::string>& files, const Limits& limits) {
    const auto titles = std::ranges::stable_partition(
        files, [&limits](const std::string& path) { return !is_title_file(NamedInput{path}, limits); });
    std::vector<std::string> taken(std::make_move_iterator(titles.begin()), std::make_move_iterator(titles.end()));
    files.erase(titles.begin(), titles.end());
    return taken;
}

}  // namespace hkpd
