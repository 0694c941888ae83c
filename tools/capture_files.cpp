#include "capture_files.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>

#include "hkpd/capture.hpp"
#include "hkpd/write/writer.hpp"

namespace hkpd::command {
namespace {

namespace fs = std::filesystem;

std::string printable(std::string_view text) {
    std::string out;
    append_printable(out, text);
    return out;
}

/// `1,234,567 bytes` is easier to compare than MiB are; both tell.
std::string size_text(std::uint64_t bytes) {
    constexpr double kib = 1024;
    const auto size = static_cast<double>(bytes);
    if (size < kib) return fmt::format("{} bytes", bytes);
    if (size < kib * kib) return fmt::format("{:.1f} KiB", size / kib);
    if (size < kib * kib * kib) return fmt::format("{:.1f} MiB", size / (kib * kib));
    return fmt::format("{:.2f} GiB", size / (kib * kib * kib));
}

std::string time_text(std::uint64_t nanoseconds) {
    constexpr std::uint64_t second = 1'000'000'000, millisecond = 1'000'000;
    const auto seconds = static_cast<std::time_t>(nanoseconds / second);
    return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z", fmt::gmtime(seconds), nanoseconds % second / millisecond);
}

void append_info(std::string& out, const CaptureInfo& info) {
    const auto line = [&out](std::string_view key, const std::string& value) {
        out += fmt::format("{:<13}{}\n", key, value);
    };
    line("profile", printable(info.profile));
    line("written by", printable(info.library));
    line("state", fmt::format("{}, {}", info.finished ? "finished" : "torn: it has no end",
                              info.indexed ? "with index" : "read from front to back"));
    line("size", size_text(info.file_bytes));
    if (info.first_time && info.last_time)
        line("time", fmt::format("{} to {}", time_text(*info.first_time), time_text(*info.last_time)));
    line("messages", fmt::to_string(info.messages));
    line("chunks", fmt::format("{}, {} of {}", info.chunks, size_text(info.compressed_bytes),
                               size_text(info.uncompressed_bytes)));
    if (info.attachments != 0) line("attachments", fmt::to_string(info.attachments));
    for (const CaptureInfo::MetadataRecord& record : info.metadata) {
        out += fmt::format("metadata {}\n", printable(record.name));
        for (const auto& [key, value] : record.entries)
            out += fmt::format("  {:<11}{}\n", printable(key), printable(value));
    }
    out += "channels\n";
    for (const CaptureInfo::Channel& channel : info.channels)
        out += fmt::format("  {:>8}  {:<14}  {}\n", channel.messages, printable(channel.encoding),
                           printable(channel.topic));
}

/// A name for a file out of a capture, which may be anything: no folder, nothing hidden, nothing that acts.
std::string file_name(std::string_view name) {
    const std::size_t slash = name.find_last_of("/\\:");
    if (slash != std::string_view::npos) name.remove_prefix(slash + 1);
    std::string safe = printable(name);
    for (char& c : safe)
        if (c == '\\') c = '_';
    constexpr std::size_t longest = 200;
    while (safe.size() > longest || (!safe.empty() && (safe.back() == '.' || safe.back() == ' '))) safe.pop_back();
    // A number alone is a blob's name.
    const bool number = !safe.empty() && safe.front() >= '0' && safe.front() <= '9';
    if (safe.empty() || safe.front() == '.' || number) safe.insert(0, "titles");
    return safe;
}

/// The first of NAME, NAME-2, ... that is not there.
fs::path unused(const fs::path& directory, const std::string& name, std::map<std::string, std::uint64_t>& used) {
    std::error_code ignored;
    fs::path path = directory / name;
    const fs::path stem = path.stem(), extension = path.extension();
    std::uint64_t& number = used[name];
    while (number++ != 0 || fs::exists(path, ignored)) {
        path = directory / fmt::format("{}-{}{}", stem.string(), number, extension.string());
        if (number > 1 && !fs::exists(path, ignored)) break;
    }
    return path;
}

std::string write_file(const fs::path& path, std::span<const std::byte> content) {
    std::error_code ignored;
    if (fs::exists(path, ignored)) return fmt::format("{}: is there already, nothing is overwritten", path.string());
    std::ofstream file(path, std::ios::binary);
    file.write(reinterpret_cast<const char*>(content.data()), static_cast<std::streamsize>(content.size()));
    file.close();
    return file ? "" : fmt::format("{}: cannot be written: {}", path.string(), std::strerror(errno));
}

/// A capture that was opened, or a word on why it could not be.
bool open_capture(const std::string& path, std::ifstream& file, Diagnostics& diagnostics) {
    diagnostics.enter_input(path);
    file.open(path, std::ios::binary);
    if (!file) {
        diagnostics.add(Severity::error, {Errc::cannot_read, 0, "", "", 0, static_cast<std::uint64_t>(errno)});
        return false;
    }
    if (CaptureReader::is_capture(file)) return true;
    diagnostics.add(Severity::error, {Errc::not_a_capture, 0, "", "", 0, 0});
    return false;
}

}  // namespace

Exit list_capture(const std::string& path, Verbosity verbosity) {
    Diagnostics diagnostics;
    std::ifstream file;
    if (!open_capture(path, file, diagnostics)) return report(diagnostics, verbosity);
    CaptureReader reader(file, {});
    std::string out;
    const CaptureInfo info = reader.info(diagnostics);
    append_info(out, info);
    write_out(out);
    return report(diagnostics, verbosity);
}

Exit export_capture(const std::string& path, const std::string& directory, Verbosity verbosity) {
    Diagnostics diagnostics;
    std::ifstream file;
    if (!open_capture(path, file, diagnostics)) return report(diagnostics, verbosity);
    std::error_code error;
    fs::create_directories(directory, error);
    if (error) {
        fmt::print(stderr, "hkpd capture: {}: cannot be made: {}\n", directory, error.message());
        return Exit::unreadable;
    }
    if (!fs::is_empty(directory, error) || error) {
        fmt::print(stderr, "hkpd capture: {}: is not empty, and nothing is overwritten\n", directory);
        return Exit::unreadable;
    }
    CaptureReader reader(file, {});
    std::map<std::string, std::uint64_t> used;  // names of title databases, and how often
    std::uint32_t number = 0, blobs = 0, titles = 0;
    for (; const auto record = reader.next(diagnostics); ++number) {
        const bool blob = record->kind == Record::Kind::v1_block;
        const fs::path target = blob ? fs::path(directory) / fmt::format("{:06}.bin", number)
                                     : unused(directory, file_name(record->name), used);
        if (const std::string wrong = write_file(target, record->bytes.span()); !wrong.empty()) {
            fmt::print(stderr, "hkpd capture: {}\n", wrong);
            report(diagnostics, verbosity);
            return Exit::unreadable;
        }
        ++(blob ? blobs : titles);
    }
    std::string out = fmt::format("{}: {} blobs and {} title databases\n", printable(directory), blobs, titles);
    write_out(out);
    return report(diagnostics, verbosity);
}

}  // namespace hkpd::command
