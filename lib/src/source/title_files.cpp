// Title databases in files, captures, logs and directories of these.
#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <functional>
#include <span>
#include <utility>

#include "base/file_stream.hpp"
#include "base/path.hpp"
#include "base/stream_window.hpp"
#include "hkpd/capture.hpp"
#include "hkpd/diagnostics.hpp"
#include "hkpd/source.hpp"
#include "source/input_formats.hpp"
#include "source/whole_file.hpp"

namespace hkpd {
namespace {

/// Maximum size in bytes of a file that is read as a title database. The largest title databases have a few MiB, so a
/// file beyond this size is something else.
constexpr std::size_t most_bytes = std::size_t{256} << 20U;

void fault(Errc code, std::uint64_t expected, std::uint64_t found, Diagnostics& diagnostics) {
    diagnostics.add(Severity::error, {code, 0, "", "", expected, found});
}

/// Appends the title databases among the records to `files`.
void read_records(const std::function<std::optional<Record>()>& next, std::vector<TitleFile>& files,
                  Diagnostics& diagnostics) {
    const std::size_t before = files.size();
    std::uint64_t bytes = 0;
    while (const auto record = next()) {
        if (record->kind != Record::Kind::titles) continue;
        Titles tables;
        bytes += record->bytes.size();
        if (files.size() - before >= Limits{}.tables || bytes > 2 * Limits{}.title_bytes) {
            diagnostics.add({Errc::title_tables, 0, "", "", 0, Limits{}.tables});
            break;
        }
        add_titles(tables, *record, {}, FaultSink(diagnostics, record->place));
        TitleFile& read = files.emplace_back();
        read.name = record->name;
        read.content.assign(reinterpret_cast<const char*>(record->bytes.data()), record->bytes.size());
        read.tables.assign(tables.tables().begin(), tables.tables().end());
    }
    if (files.size() == before) diagnostics.add(Severity::note, {Errc::not_recognised, 0, "", "", 0, 0});
}

/// Reads the title databases of a capture, skipping its samples.
void read_capture(StreamWindow window, std::vector<TitleFile>& files, Diagnostics& diagnostics) {
    CaptureReader reader(std::move(window), {});
    reader.skip_samples(diagnostics);
    read_records([&] { return reader.next(diagnostics); }, files, diagnostics);
}

/// Reads the title databases of a performance log, including those after the rows.
void read_log(StreamWindow window, const std::string& path, std::vector<TitleFile>& files, Diagnostics& diagnostics) {
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

/// Reads the title databases of a file that was opened. If the file is of another kind, reports an error, or only a
/// note if the file was found in a directory.
void read_opened(FileStream& file, const std::string& path, bool in_directory, std::vector<TitleFile>& files,
                 Diagnostics& diagnostics) {
    StreamWindow window(file);
    const InputKind kind = recognise_beginning(window, {});
    if (kind == InputKind::capture) return read_capture(std::move(window), files, diagnostics);
    if (kind == InputKind::log) return read_log(std::move(window), path, files, diagnostics);
    const Bytes content = window.peek(most_bytes + 1);
    if (content.size() > most_bytes) return fault(Errc::byte_limit, most_bytes, content.size(), diagnostics);
    TitleFile read{path_text(path_of(path).filename()), {}, {}};
    auto tables = parse_titles(content, read.name, diagnostics);
    if (!tables) return diagnostics.add(in_directory ? Severity::note : Severity::error, tables.error());
    read.content.assign(reinterpret_cast<const char*>(content.data()), content.size());
    read.tables = std::move(*tables);
    files.push_back(std::move(read));
}

/// Opens a file and reads its title databases.
void read_file(const std::string& path, bool in_directory, std::vector<TitleFile>& files, Diagnostics& diagnostics) {
    diagnostics.add_input(path);
    FileStream file(path);
    if (!file) return diagnostics.add(Severity::error, read_error(errno));
    read_opened(file, path, in_directory, files, diagnostics);
    if (const auto failure = read_failure(file)) diagnostics.add(*failure);
}

void read_directory(const std::string& path, std::vector<TitleFile>& files, Diagnostics& diagnostics) {
    std::error_code error;
    const std::vector<std::string> members = files_in(path, error);
    const std::size_t before = files.size();
    for (const std::string& member : members) read_file(member, true, files, diagnostics);
    if (files.size() != before && !error) return;
    diagnostics.add_input(path);
    if (error)
        diagnostics.add(Severity::error, read_error(error.value()));
    else
        fault(Errc::not_recognised, 0, 0, diagnostics);
}

}  // namespace

std::vector<TitleFile> read_title_files(const std::vector<std::string>& paths, Diagnostics& diagnostics) {
    std::vector<TitleFile> files;
    for (const std::string& path : paths) {
        if (is_directory(path))
            read_directory(path, files, diagnostics);
        else
            read_file(path, false, files, diagnostics);
    }
    return files;
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
