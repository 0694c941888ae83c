// Title databases in files, captures, logs and directories of these.
#include <fmt/core.h>

#include <cerrno>
#include <cstring>
#include <functional>
#include <span>
#include <utility>

#include "base/file_stream.hpp"
#include "base/foreign_file.hpp"
#include "base/path.hpp"
#include "base/stream_window.hpp"
#include "hkpd/capture.hpp"
#include "hkpd/diagnostics.hpp"
#include "hkpd/source.hpp"
#include "source/input_formats.hpp"
#include "source/unpacked_input.hpp"
#include "source/whole_file.hpp"

namespace hkpd {
namespace {

/// Maximum size in bytes of a file that is read as a title database. The largest title databases have a few MiB, so a
/// file beyond this size is something else.
constexpr std::size_t most_bytes = std::size_t{256} << 20U;

void fault(Errc code, std::uint64_t expected, std::uint64_t found, Diagnostics& diagnostics) {
    diagnostics.add(Severity::error, {code, 0, "", "", expected, found});
}

/// The title databases that were read, within the limits for all of them together. Equal tables share their memory.
class TitleFiles {
  public:
    /// Adds a database. Returns false and adds an error if one of the limits does not allow it. The content of the
    /// first database may have any size.
    bool add(TitleFile file, Diagnostics& diagnostics) {
        const Limits limits;
        const std::uint64_t content = content_bytes_ + file.content.size();
        if (!files_.empty() && content > 2 * limits.title_bytes) {
            fault(Errc::byte_limit, 2 * limits.title_bytes, content, diagnostics);
            return false;
        }
        for (TitleTable& table : file.tables) {
            const std::uint64_t bytes = tables_.bytes_with(table);
            if (bytes > limits.title_bytes) {
                fault(Errc::byte_limit, limits.title_bytes, bytes, diagnostics);
                return false;
            }
            if (tables_.tables().size() >= limits.tables) {
                fault(Errc::title_tables, 0, limits.tables, diagnostics);
                return false;
            }
            table = tables_.add(std::move(table));
        }
        content_bytes_ = content;
        files_.push_back(std::move(file));
        return true;
    }
    std::size_t size() const noexcept { return files_.size(); }
    std::vector<TitleFile> take() { return std::move(files_); }

  private:
    std::vector<TitleFile> files_;
    Titles tables_;
    std::uint64_t content_bytes_ = 0;
};

/// Adds the title databases among the records to `files`.
void read_records(const std::function<std::optional<Record>()>& next, TitleFiles& files, Diagnostics& diagnostics) {
    const std::size_t before = files.size();
    while (const auto record = next()) {
        if (record->kind != Record::Kind::titles) continue;
        Titles tables;
        add_titles(tables, *record, {}, FaultSink(diagnostics, record->place));
        TitleFile read{std::string(record->name), {}, {tables.tables().begin(), tables.tables().end()}};
        read.content.assign(reinterpret_cast<const char*>(record->bytes.data()), record->bytes.size());
        if (!files.add(std::move(read), diagnostics)) return;
    }
    if (files.size() == before) diagnostics.add(Severity::note, {Errc::not_recognised, 0, "", "", 0, 0});
}

/// Reads the title databases of a capture, skipping its samples.
void read_capture(StreamWindow window, TitleFiles& files, Diagnostics& diagnostics) {
    CaptureReader reader(std::move(window), {});
    reader.skip_samples(diagnostics);
    read_records([&] { return reader.next(diagnostics); }, files, diagnostics);
}

/// Reads the title databases of a performance log, including those after the rows.
void read_log(StreamWindow window, const std::string& path, TitleFiles& files, Diagnostics& diagnostics) {
    const Limits limits;
    const auto log =
        input_format(InputKind::log).open({std::move(window), path_text(path_of(path).filename()), limits});
    const FaultSink faults(diagnostics, {.input = diagnostics.last_input()});
    const auto next = [&] {
        std::optional<Record> record;
        log->next(record, faults);
        return record;
    };
    read_records(next, files, diagnostics);
}

/// Returns the fault of a file without titles: what it is, unless it has performance data.
Error why_no_titles(Bytes content, InputKind kind) {
    const std::string_view name = foreign_file(content.clip(0, foreign_beginning)).name;
    const bool is_foreign = kind == InputKind::unknown && (!may_have_blocks(name) || name == zero_bytes);
    return foreign_error(is_foreign ? name : no_title_file);
}

/// Reads the title databases of a file. If the file is of another kind, reports an error, or only a note if the file
/// was found in a directory.
void read_window(StreamWindow window, const std::string& path, bool in_directory, TitleFiles& files,
                 Diagnostics& diagnostics) {
    const InputKind kind = recognise_beginning(window, {});
    if (kind == InputKind::capture) return read_capture(std::move(window), files, diagnostics);
    if (kind == InputKind::log) return read_log(std::move(window), path, files, diagnostics);
    const Bytes content = window.peek(most_bytes + 1);
    if (content.size() > most_bytes) return fault(Errc::byte_limit, most_bytes, content.size(), diagnostics);
    TitleFile read{path_text(path_of(path).filename()), {}, {}};
    auto tables = parse_titles(content, read.name, diagnostics);
    if (!tables) return diagnostics.add(in_directory ? Severity::note : Severity::error, why_no_titles(content, kind));
    read.content.assign(reinterpret_cast<const char*>(content.data()), content.size());
    read.tables = std::move(*tables);
    files.add(std::move(read), diagnostics);
}

/// Opens a file and reads its title databases.
void read_file(const std::string& path, bool in_directory, TitleFiles& files, Diagnostics& diagnostics) {
    diagnostics.add_input(path);
    FileStream file(path);
    if (!file) return diagnostics.add(Severity::error, read_error(errno));
    visit_unpacked(StreamWindow(file), path, {}, diagnostics,
                   [&](StreamWindow window, const std::string& name, bool member) {
                       read_window(std::move(window), name, in_directory || member, files, diagnostics);
                   });
    if (const auto failure = read_failure(file)) diagnostics.add(*failure);
}

void read_directory(const std::string& path, TitleFiles& files, Diagnostics& diagnostics) {
    std::error_code error;
    const std::vector<std::string> members = files_in(path, error);
    const std::size_t before = files.size();
    for (const std::string& member : members) read_file(member, true, files, diagnostics);
    if (files.size() != before && !error) return;
    diagnostics.add_input(path);
    if (error)
        diagnostics.add(Severity::error, read_error(error.value()));
    else
        diagnostics.add(foreign_error(no_title_file));
}

}  // namespace

std::vector<TitleFile> read_title_files(const std::vector<std::string>& paths, Diagnostics& diagnostics) {
    TitleFiles files;
    for (const std::string& path : paths) {
        if (is_directory(path))
            read_directory(path, files, diagnostics);
        else
            read_file(path, false, files, diagnostics);
    }
    return files.take();
}

Titles load_titles(const std::vector<std::string>& paths, const std::vector<std::string>& languages,
                   Diagnostics& diagnostics) {
    Titles titles;
    titles.prefer(languages);
    if (paths.empty()) titles.add(builtin_titles());
    for (TitleFile& file : read_title_files(paths, diagnostics))
        for (TitleTable& table : file.tables) titles.add(std::move(table));
    return titles;
}

std::string read_whole(const std::string& path, std::string& content) {
    FileStream file(path);
    if (!file) return fmt::format("{}: cannot be read: {}", path, std::strerror(errno));
    StreamWindow window(file);
    const Bytes bytes = window.peek(most_bytes + 1);
    if (const auto failure = read_failure(file))
        return fmt::format("{}: cannot be read: {}", path, read_message(static_cast<int>(failure->found)));
    if (bytes.size() > most_bytes) return fmt::format("{}: larger than {} bytes", path, most_bytes);
    content.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return {};
}

}  // namespace hkpd
