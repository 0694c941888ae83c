#include "source/sibling_titles.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <utility>

#include "base/path.hpp"
#include "base/stream_window.hpp"
#include "hkpd/capture.hpp"
#include "hkpd/diagnostics.hpp"
#include "hkpd/names.hpp"
#include "hkpd/source.hpp"
#include "names/parse_titles.hpp"
#include "sample/grouping.hpp"

namespace hkpd {
namespace {

/// What `v1::has_signature` looks at: PERF in UTF-16.
constexpr std::uint64_t signature_size = 8;

/// UTF-16 takes two bytes for each of most texts.
std::uint64_t most_bytes(const Limits& limits) noexcept { return 2 * limits.title_bytes; }

bool is_title_file(const std::string& path, const Limits& limits) {
    std::ifstream file(path_of(path), std::ios::binary);
    if (!file || CaptureReader::is_capture(file)) return false;
    StreamWindow window(file);
    // Most files are blobs, told by their first bytes.
    if (v1::has_signature(window.peek(signature_size))) return false;
    if (!begins_like_titles(window.peek(titles_beginning))) return false;
    const Bytes all = window.peek(most_bytes(limits) + 1);
    return all.size() <= most_bytes(limits) && parse_titles(all, path, {}).has_value();
}

}  // namespace

std::vector<std::string> take_title_files(std::vector<std::string>& files, const Limits& limits) {
    const auto titles = std::ranges::stable_partition(
        files, [&limits](const std::string& path) { return !is_title_file(path, limits); });
    std::vector<std::string> taken(std::make_move_iterator(titles.begin()), std::make_move_iterator(titles.end()));
    files.erase(titles.begin(), titles.end());
    return taken;
}

void TitlesBeside::enter(std::vector<std::string> files) {
    files_ = std::move(files);
    given_ = files_.size();
    due_once_ = false;
    machine_.clear();
}

bool TitlesBeside::due_before(const Record& record) {
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

std::optional<Record> TitlesBeside::next(Diagnostics& diagnostics) {
    while (given_ < files_.size())
        if (auto record = read(files_[given_++], diagnostics)) return record;
    return std::nullopt;
}

std::optional<Record> TitlesBeside::read(const std::string& path, Diagnostics& diagnostics) {
    const std::uint32_t input = diagnostics.add_input(path);
    std::ifstream file(path_of(path), std::ios::binary);
    StreamWindow window(file);
    const auto bytes = window.peek(most_bytes(limits_)).span();
    if (!file.is_open() || file.bad()) {
        diagnostics.add(Severity::error, {Errc::cannot_read, 0, "", "", 0, static_cast<std::uint64_t>(errno)});
        return std::nullopt;
    }
    content_.assign(bytes.begin(), bytes.end());
    name_ = path_text(path_of(path).filename());
    Record record{Record::Kind::titles, Bytes(content_), {.input = input}};
    record.machine = machine_;
    record.name = name_;
    return record;
}

}  // namespace hkpd
