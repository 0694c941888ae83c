#include "source/directory_titles.hpp"

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <utility>

#include "base/file_stream.hpp"
#include "base/path.hpp"
#include "base/stream_window.hpp"
#include "hkpd/diagnostics.hpp"
#include "hkpd/source.hpp"
#include "names/titles.hpp"
#include "sample/grouping.hpp"
#include "source/input_formats.hpp"
#include "source/unpacked_input.hpp"

namespace hkpd {
namespace {

/// Largest title database that is looked for in compressed files, as it is in the file. Those of Windows have less than
/// 1 MiB, and a log of this size is unpacked in no time.
constexpr std::uint64_t most_packed_titles = std::uint64_t{2} << 20U;

}  // namespace

bool is_title_file(const NamedInput& input, const Limits& limits) {
    const auto are_titles = [&limits](StreamWindow window) { return recognise(window, limits) == InputKind::titles; };
    if (input.archive) {
        if (input.archive->entries()[input.entry].size > most_title_bytes(limits)) return false;
        const auto content = input.archive->unpack(input.entry, limits);
        return content && are_titles(StreamWindow(content->span()));
    }
    FileStream file(input.path);
    if (!file) return false;
    StreamWindow window(file);
    if (packing_of(window.peek(packing_bytes)) == Packing::none) return are_titles(std::move(window));
    const auto content = unpack_quietly(window, most_packed_titles, limits);
    return content && are_titles(StreamWindow(content->span()));
}

std::vector<NamedInput> take_titles(std::vector<NamedInput>& files, const Limits& limits) {
    const auto titles =
        std::ranges::stable_partition(files, [&](const NamedInput& file) { return !is_title_file(file, limits); });
    std::vector<NamedInput> taken(std::make_move_iterator(titles.begin()), std::make_move_iterator(titles.end()));
    files.erase(titles.begin(), titles.end());
    return taken;
}

std::vector<std::string> take_title_files(std::vector<std::string>& files, const Limits& limits) {
    const auto titles = std::ranges::stable_partition(
        files, [&limits](const std::string& path) { return !is_title_file(NamedInput{path}, limits); });
    std::vector<std::string> taken(std::make_move_iterator(titles.begin()), std::make_move_iterator(titles.end()));
    files.erase(titles.begin(), titles.end());
    return taken;
}

void DirectoryTitles::enter(std::vector<NamedInput> files) {
    files_ = std::move(files);
    returned_ = files_.size();
    due_once_ = false;
    machine_.clear();
}

bool DirectoryTitles::are_due(const Record& record) {
    const bool given_to_all = due_once_ && machine_.empty();
    if (given_to_all || record.kind != Record::Kind::v1_block || !block_.open(record.bytes, {})) return false;
    std::string machine;
    assign_machine(machine, block_);
    if (due_once_ && machine == machine_) return false;
    machine_ = due_once_ ? std::string() : std::move(machine);
    due_once_ = true;
    returned_ = 0;
    return true;
}

std::optional<Record> DirectoryTitles::next(Diagnostics& diagnostics) {
    while (returned_ < files_.size())
        if (auto record = read(files_[returned_++], diagnostics)) return record;
    return std::nullopt;
}

std::optional<Record> DirectoryTitles::read(const NamedInput& titles, Diagnostics& diagnostics) {
    const std::uint32_t input = diagnostics.add_input(titles.path);
    if (!(titles.archive ? read_packed(titles, diagnostics) : read_file(titles.path, diagnostics))) return std::nullopt;
    name_ = path_text(path_of(titles.path).filename());
    Record record{Record::Kind::titles, Bytes(content_), {.input = input}};
    record.machine = machine_;
    record.name = name_;
    record.format = InputKind::titles;
    return record;
}

bool DirectoryTitles::read_file(const std::string& path, Diagnostics& diagnostics) {
    FileStream file(path);
    StreamWindow window(file);
    const auto unpacked = unpack_quietly(window, most_packed_titles, limits_);
    const auto bytes = unpacked ? unpacked->span() : window.peek(most_title_bytes(limits_)).span();
    const auto failure = file.is_open() ? read_failure(file) : read_error(errno);
    if (failure)
        diagnostics.add(*failure);
    else
        content_.assign(bytes.begin(), bytes.end());
    return !failure;
}

bool DirectoryTitles::read_packed(const NamedInput& titles, Diagnostics& diagnostics) {
    const auto unpacked = titles.archive->unpack(titles.entry, limits_);
    if (unpacked)
        content_.assign(unpacked->span().begin(), unpacked->span().end());
    else
        diagnostics.add(Severity::error, unpacked.error());
    return unpacked.has_value();
}

}  // namespace hkpd
