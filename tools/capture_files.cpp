#include "capture_files.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <fstream>
#include <map>
#include <set>
#include <utility>

#include "base/path.hpp"
#include "hkpd/capture.hpp"
#include "hkpd/diagnostics.hpp"
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

/// The registration info of one machine. In a capture, this info is spread over several MCAP channels, because each
/// counterset and each request for its info has a separate channel. `hkpd capture --info` combines all these channels
/// of a machine into one line.
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
    std::map<std::string, Registrations> registrations;  // by machine
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

}  // namespace

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

Exit list_capture(const std::string& path, const Limits& limits, Verbosity verbosity) {
    Diagnostics diagnostics;
    std::ifstream file;
    if (!open_capture(path, file, diagnostics)) return report(diagnostics, verbosity);
    CaptureReader reader(file, limits);
    std::string out;
    const CaptureInfo info = reader.info(diagnostics);
    append_info(out, info);
    write_out(out);
    return report(diagnostics, verbosity);
}

}  // namespace hkpd::command
