// Title databases in files, captures, logs and directories of these.
#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <functional>
#include <istream>
#include <utility>

#include "base/file_stream.hpp"
#include "base/path.hpp"
#include "blg/blg.hpp"
#include "hkpd/capture.hpp"
#include "hkpd/diagnostics.hpp"
#include "hkpd/source.hpp"
#include "source/whole_file.hpp"

namespace hkpd {
namespace {

/// Maximum size in bytes of a file that is read as a title database. The largest title databases have a few MiB, so a
/// file beyond this size is something else.
constexpr std::size_t most_bytes = std::size_t{256} << 20U;

void fault(Errc code, std::uint64_t expected, std::uint64_t found, Diagnostics& diagnostics) {
    diagnostics.add(Severity::error, {code, 0, "", "", expected, found});
}

/// Reads a file of up to `most` bytes. Returns false if the file is larger.
bool read_up_to(std::istream& file, std::size_t most, std::string& content) {
    std::array<char, std::size_t{64} * 1024> piece{};
    while (content.size() <= most && file) {
        file.read(piece.data(), piece.size());
        content.append(piece.data(), static_cast<std::size_t>(file.gcount()));
    }
    return content.size() <= most;
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
void read_capture(std::istream& file, std::vector<TitleFile>& files, Diagnostics& diagnostics) {
    CaptureReader reader(file, {});
    reader.skip_samples(diagnostics);
    read_records([&] { return reader.next(diagnostics); }, files, diagnostics);
}

/// Reads the title databases of a performance log, including those after the rows.
void read_log(const std::string& path, std::vector<TitleFile>& files, Diagnostics& diagnostics) {
    const auto source = open_files({path}, {});
    read_records([&] { return source->next(diagnostics); }, files, diagnostics);
}

/// Reads the title databases of a file. If the file is of another kind, reports an error, or only a note if the file
/// was found in a directory.
void read_file(const std::string& path, bool in_directory, std::vector<TitleFile>& files, Diagnostics& diagnostics) {
    diagnostics.add_input(path);
    FileStream file(path);
    if (!file) return fault(Errc::cannot_read, 0, static_cast<std::uint64_t>(errno), diagnostics);
    if (CaptureReader::is_capture(file)) return read_capture(file, files, diagnostics);
    if (is_log(file)) return read_log(path, files, diagnostics);
    TitleFile read{path_text(path_of(path).filename()), {}, {}};
    if (!read_up_to(file, most_bytes, read.content))
        return fault(Errc::byte_limit, most_bytes, read.content.size(), diagnostics);
    auto tables = parse_titles(Bytes(std::as_bytes(std::span(read.content))), read.name, diagnostics);
    if (!tables) return diagnostics.add(in_directory ? Severity::note : Severity::error, tables.error());
    read.tables = std::move(*tables);
    files.push_back(std::move(read));
}

void read_directory(const std::string& path, std::vector<TitleFile>& files, Diagnostics& diagnostics) {
    std::error_code error;
    const std::vector<std::string> members = files_in(path, error);
    const std::size_t before = files.size();
    for (const std::string& member : members) read_file(member, true, files, diagnostics);
    if (files.size() != before && !error) return;
    diagnostics.add_input(path);
    if (error)
        fault(Errc::cannot_read, 0, static_cast<std::uint64_t>(error.value()), diagnostics);
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

bool is_log(std::istream& file) {
    // A log begins with the size of a buffer, low byte first. The size is a multiple of 1 KiB, so the first byte is 0.
    // Nothing is read from a stream that cannot seek, because the stream could not be read from its beginning again.
    if (file.peek() != 0 || file.tellg() == std::streampos(-1)) {
        file.clear();
        return false;
    }
    std::array<char, blg::first_bytes_needed> first{};
    file.read(first.data(), first.size());
    const auto size = static_cast<std::size_t>(file.gcount());
    file.clear();
    file.seekg(0);
    return blg::is_log(Bytes(std::as_bytes(std::span(first).first(size))));
}

std::string read_whole(const std::string& path, std::string& content) {
    FileStream file(path);
    if (!file) return fmt::format("{}: cannot be read: {}", path, std::strerror(errno));
    if (!read_up_to(file, most_bytes, content)) return fmt::format("{}: larger than {} bytes", path, most_bytes);
    return {};
}

}  // namespace hkpd
