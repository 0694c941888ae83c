#include "capture_files.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <map>
#include <set>
#include <utility>

#include "base/path.hpp"
#include "blg/blg.hpp"
#include "hkpd/capture.hpp"
#include "hkpd/diagnostics.hpp"
#include "hkpd/source.hpp"
#include "hkpd/write.hpp"

namespace hkpd::command {
namespace {

std::string printable(std::string_view text) {
    std::string out;
    append_printable(out, text);
    return out;
}

/// Returns a size in bytes, KiB, MiB or GiB.
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

/// The registration info of a machine. A capture has one channel of registration info for each request and counterset.
/// All these channels of one machine are listed in one line.
struct Registrations {
    std::uint64_t messages = 0;
    std::set<std::string> countersets;
};

void append_channels(std::string& out, const std::vector<CaptureInfo::Channel>& channels) {
    constexpr std::size_t narrow = 14, wide = capture_encoding::v2_registration.size();
    const bool any_long = std::ranges::any_of(
        channels, [](const CaptureInfo::Channel& channel) { return channel.encoding.size() > narrow; });
    const std::size_t width = any_long ? wide : narrow;
    const auto line = [&](std::uint64_t messages, std::string_view encoding, std::string_view topic) {
        out += fmt::format("  {:>8}  {:<{}}  {}\n", messages, printable(encoding), width, printable(topic));
    };
    const auto value = [](const CaptureInfo::Channel& channel, const char* key) {
        const auto found = channel.metadata.find(key);
        return found == channel.metadata.end() ? std::string() : found->second;
    };
    out += "channels\n";
    std::map<std::string, Registrations> registrations;  // of each machine
    for (const CaptureInfo::Channel& channel : channels) {
        if (channel.encoding != capture_encoding::v2_registration) {
            line(channel.messages, channel.encoding, channel.topic);
            continue;
        }
        Registrations& of_machine = registrations[value(channel, "machine")];
        of_machine.messages += channel.messages;
        of_machine.countersets.insert(value(channel, "counterset"));
    }
    for (const auto& [machine, found] : registrations)
        line(found.messages, capture_encoding::v2_registration,
             fmt::format("v2-registration{}{} ({} counterset{})", machine.empty() ? "" : "/", machine,
                         found.countersets.size(), found.countersets.size() == 1 ? "" : "s"));
}

void append_info(std::string& out, const CaptureInfo& info) {
    const auto line = [&out](std::string_view key, const std::string& value) {
        out += fmt::format("{:<13}{}\n", key, value);
    };
    line("profile", printable(info.profile));
    line("written by", printable(info.library));
    line("state", fmt::format("{}, {}", info.finished ? "finished" : "incomplete: it has no footer",
                              info.indexed ? "with index" : "no index"));
    line("size", size_text(info.file_bytes));
    if (info.first_time && info.last_time)
        line("time", fmt::format("{} to {}", time_text(*info.first_time), time_text(*info.last_time)));
    line("messages", fmt::to_string(info.messages));
    line("chunks", fmt::format("{}, {} of {}", info.chunks, size_text(info.compressed_bytes),
                               size_text(info.uncompressed_bytes)));
    if (info.attachments != 0) line("attachments", fmt::to_string(info.attachments));
    for (const CaptureInfo::MetadataRecord& record : info.metadata) {
        out += fmt::format("metadata {}\n", printable(record.name));
        std::size_t width = 10;
        for (const auto& [key, value] : record.entries) width = std::max(width, std::min<std::size_t>(key.size(), 30));
        for (const auto& [key, value] : record.entries)
            out += fmt::format("  {:<{}} {}\n", printable(key), width, printable(value));
    }
    append_channels(out, info.channels);
}

/// Returns whether Windows takes a file name for a device such as NUL. A name such as NUL.txt, with any extension, is
/// taken for the device too. Source: Microsoft Learn, "Naming Files, Paths, and Namespaces".
bool is_device(std::string_view name) {
    std::string stem(name.substr(0, name.find('.')));
    for (char& c : stem)
        if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    const bool numbered = stem.size() == 4 && stem[3] >= '0' && stem[3] <= '9';
    return stem == "CON" || stem == "PRN" || stem == "AUX" || stem == "NUL" ||
           (numbered && (stem.starts_with("COM") || stem.starts_with("LPT")));
}

/// Returns a safe file name for a name from a capture, which may be any text. The file name has no directories and no
/// control characters and is not hidden. It is the same on every system and valid on all of them.
std::string file_name(std::string_view name) {
    const std::size_t slash = name.find_last_of("/\\:");
    if (slash != std::string_view::npos) name.remove_prefix(slash + 1);
    std::string safe = printable(name);
    constexpr std::string_view not_on_windows = "\\<>\"|?*";
    for (char& c : safe)
        if (not_on_windows.find(c) != std::string_view::npos) c = '_';
    constexpr std::size_t longest = 200;
    while (safe.size() > longest || (!safe.empty() && (safe.back() == '.' || safe.back() == ' '))) safe.pop_back();
    // Only the files of blobs have names that begin with a digit.
    const bool number = !safe.empty() && safe.front() >= '0' && safe.front() <= '9';
    if (safe.empty() || safe.front() == '.' || number || is_device(safe)) safe.insert(0, "titles");
    return safe;
}

/// Returns the file name for a title database. A title database from a performance log has the name of the log, so
/// `.titles` is appended to a name that ends in `.blg`.
std::string title_file_name(std::string_view name) {
    std::string safe = file_name(name), ending = safe.substr(safe.size() - std::min<std::size_t>(safe.size(), 4));
    for (char& c : ending)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return ending == ".blg" ? safe + ".titles" : safe;
}

/// Returns the path of the first of NAME, NAME-2, ... that does not exist. `front` is the directory with a trailing
/// slash.
std::string unused(const std::string& front, const std::string& name, std::map<std::string, std::uint64_t>& used) {
    std::string path = front + name;
    const std::size_t dot = name.find_last_of('.');
    std::uint64_t& number = used[name];
    while (number++ != 0 || is_there(path)) {
        path = fmt::format("{}{}-{}{}", front, name.substr(0, dot), number,
                           dot == std::string::npos ? "" : name.substr(dot));
        if (number > 1 && !is_there(path)) break;
    }
    return path;
}

/// Returns the path for a record. `number` is the record's number in diagnostics. Identifiers get the number of the
/// block that follows them. `front` is the directory with a trailing slash.
std::string path_for(const Record& record, std::uint32_t number, const std::string& front,
                     std::map<std::string, std::uint64_t>& used) {
    switch (record.kind) {
        case Record::Kind::v1_block:
            return fmt::format("{}{:06}.bin", front, number);
        case Record::Kind::v2_block:
            return fmt::format("{}{:06}.v2", front, number);
        case Record::Kind::v2_identifiers:
            return fmt::format("{}{:06}.v2-query", front, number + 1);
        case Record::Kind::v2_registration:
            return unused(front, registration_file_name(record), used);
        default:
            return unused(front, title_file_name(record.name), used);
    }
}

std::string write_file(const std::string& path, std::span<const std::byte> content) {
    if (is_there(path)) return fmt::format("{}: already exists, not overwritten", path);
    std::ofstream file(path_of(path), std::ios::binary);
    file.write(reinterpret_cast<const char*>(content.data()), static_cast<std::streamsize>(content.size()));
    file.close();
    return file ? "" : fmt::format("{}: cannot be written: {}", path, std::strerror(errno));
}

/// Writes the records of a capture unchanged to files in a directory.
class RecordFiles {
  public:
    /// `front` is the directory with a trailing slash.
    explicit RecordFiles(std::string front) : front_(std::move(front)) {}

    /// Writes a record, whose number in diagnostics is `number`. Returns the error message; empty on success.
    std::string add(const Record& record, std::uint32_t number, Diagnostics& diagnostics) {
        switch (record.kind) {
            case Record::Kind::log_row:
                return add_row(record, number, diagnostics);
            case Record::Kind::log_header:
            case Record::Kind::log_catalogue:
            case Record::Kind::log_trailer:
                ++of_logs_;
                return {};
            default:
                ++counts_[record.kind];
                return write_file(path_for(record, number, front_, used_), record.bytes.span());
        }
    }

    /// Returns the numbers of records as text: `5 blobs and 1 title databases`. Other kinds of records are named only
    /// if the capture has them.
    std::string summary() {
        using Kind = Record::Kind;
        std::string out =
            fmt::format("{} blobs and {} title databases", counts_[Kind::v1_block], counts_[Kind::titles]);
        if (counts_[Kind::v2_block] + counts_[Kind::v2_identifiers] + counts_[Kind::v2_registration] != 0)
            out += fmt::format(", {} V2 blocks, {} queries and {} registrations", counts_[Kind::v2_block],
                               counts_[Kind::v2_identifiers], counts_[Kind::v2_registration]);
        if (of_logs_ + raw_ != 0)
            out += fmt::format("; not exported: {} raw counters of logs, {} headers, catalogues and trailers", raw_,
                               of_logs_);
        return out;
    }

  private:
    /// Writes the blocks of a log row to files, whose names sort by row and then by object.
    std::string add_row(const Record& record, std::uint32_t number, Diagnostics& diagnostics) {
        const FaultSink faults(diagnostics, record.place);
        if (const auto opened = row_.open(record.bytes, faults); !opened) {
            faults.add(Severity::error, opened.error());
            return {};
        }
        for (std::size_t i = 0; i < row_.records().size(); ++i) {
            const blg::RowRecord& part = row_.records()[i];
            if (part.form != blg::Form::block) {
                ++raw_;
                continue;
            }
            ++counts_[Record::Kind::v1_block];
            if (std::string wrong = write_file(fmt::format("{}{:06}-{:04}.bin", front_, number, i), part.body.span());
                !wrong.empty())
                return wrong;
        }
        return {};
    }

    std::string front_;
    std::map<std::string, std::uint64_t>
        used_;  // names other than those of blobs and blocks, and how often each was used
    std::map<Record::Kind, std::uint64_t> counts_;
    std::uint64_t raw_ = 0, of_logs_ = 0;
    blg::Row row_;
};

/// Opens a capture. Adds a fault and returns false on failure.
bool open_capture(const std::string& path, std::ifstream& file, Diagnostics& diagnostics) {
    diagnostics.add_input(path);
    file.open(path_of(path), std::ios::binary);
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
    if (const std::error_code error = make_directory(directory)) {
        complain("capture", fmt::format("{}: cannot be created: {}", directory, error.message()));
        return Exit::unreadable;
    }
    if (!is_empty(directory)) {
        complain("capture", fmt::format("{}: directory is not empty", directory));
        return Exit::unreadable;
    }
    CaptureReader reader(file, {});
    RecordFiles files(directory.ends_with('/') ? directory : directory + '/');
    for (std::uint32_t number = 0; const auto record = reader.next(diagnostics); ++number) {
        if (const std::string wrong = files.add(*record, number, diagnostics); !wrong.empty()) {
            complain("capture", wrong);
            report(diagnostics, verbosity);
            return Exit::unreadable;
        }
    }
    std::string out = fmt::format("{}: {}\n", printable(directory), files.summary());
    write_out(out);
    return report(diagnostics, verbosity);
}

}  // namespace hkpd::command
