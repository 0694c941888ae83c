#include "terminal/output_file.hpp"

#include <fmt/format.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

#include "base/file_stream.hpp"
#include "base/path.hpp"
#include "hkpd/write.hpp"
#include "quantity/quantity.hpp"
#include "terminal/cause.hpp"
#include "terminal/host.hpp"
#include "terminal/progress.hpp"

namespace hkpd::command {
namespace {

/// The new file that is removed if the program ends early. A signal handler has no other access to it.
std::atomic<ReplacedFile*> unfinished = nullptr;

void remove_unfinished() noexcept {
    if (ReplacedFile* const file = unfinished.exchange(nullptr)) file->remove();
}

}  // namespace

OutputFile::OutputFile(std::string_view subcommand, const std::string& path)
    : subcommand_(subcommand), path_(path == "-" || is_standard_output(path) ? "" : path) {}

OutputFile::~OutputFile() {
    if (file_ != nullptr && file_ != stdout) std::fclose(file_);
    remove_unfinished();
    on_early_end(nullptr);
}

bool OutputFile::cannot_write(std::string_view why) const {
    end_with(subcommand_, Cause::unwritable, fmt::format("'{}'", path_), why);
    return false;
}

bool OutputFile::open() {
    if (path_.empty()) return true;
    if (is_there(path_) && !is_regular_file(path_)) {
        file_ = is_directory(path_) ? nullptr : open_device(path_);
        return file_ != nullptr || cannot_write(is_directory(path_) ? "it is a directory" : std::strerror(errno));
    }
    auto found = ReplacedFile::find(path_);
    if (!found) return cannot_write(message_of(found.error()));
    replaced_ = *std::move(found);
    on_early_end(remove_unfinished);
    const HeldEvents until_unfinished_is_set;
    file_ = create_temporary(*replaced_);
    if (file_ == nullptr) return cannot_write(std::strerror(errno));
    unfinished = &*replaced_;
    return true;
}

void OutputFile::fail(const std::string& why) {
    cannot_write(why);
    end_at_once(exit_of(Cause::unwritable));
}

void OutputFile::write(std::string& text) {
    if (file_ == stdout) return write_out(text);
    size_ += text.size();
    const bool written = std::fwrite(text.data(), 1, text.size(), file_) == text.size();
    text.clear();
    // What is written to a device or pipe is read while the program runs.
    if (!written || (!replaced_ && std::fflush(file_) != 0)) fail(std::strerror(errno));
}

Exit OutputFile::finish(Exit found, bool complete, const Written& written) {
    if (file_ == stdout || file_ == nullptr) return found;
    std::FILE* const file = std::exchange(file_, nullptr);
    if (!replaced_) {
        if (std::fclose(file) == 0) return found;
        cannot_write(std::strerror(errno));
        return exit_of(Cause::unwritable);
    }
    std::string wrong;
    if (complete)
        wrong = close_in_place(*replaced_, file, size_);
    else
        std::fclose(file);
    if (complete && wrong.empty())
        if (const std::error_code error = replaced_->take_place()) wrong = error.message();
    // Nothing is to be removed if the file has its place, or its name is another process's.
    if ((complete && wrong.empty()) || wrong == lost_file) unfinished = nullptr;
    remove_unfinished();
    if (!wrong.empty()) {
        cannot_write(wrong);
        return exit_of(Cause::unwritable);
    }
    if (complete)
        report_written(path_, written, size_);
    else
        complain(subcommand_, fmt::format("'{}' was not written", path_));
    return found;
}

bool OutputFile::to_terminal() const noexcept { return file_ == stdout && path_.empty() && output_is_terminal(); }

void describe_output(po::options_description& shown, std::string& path) {
    shown.add_options()("output,o", po::value(&path)->value_name("FILE"),
                        "write to FILE instead of standard output (-)");
}

std::string append_rows(const std::string& from, const std::string& to) {
    const auto append = [&]() -> std::string {
        FileStream rows(from), before(to);
        std::string header, header_before;
        std::getline(rows, header);
        std::getline(before, header_before);
        if (header != header_before) return fmt::format("'{}' has other counters, so that nothing was added", to);
        std::ofstream out(path_of(to), std::ios::binary | std::ios::app);
        if (rows.peek() != FileStream::traits_type::eof()) out << rows.rdbuf();
        out.flush();
        return out.good() ? "" : fmt::format("'{}' cannot be written", to);
    };
    std::string wrong = append();
    std::error_code ignored;
    std::filesystem::remove(path_of(from), ignored);
    return wrong;
}

std::string write_private_file(const std::string& path, std::string_view text) {
    const auto failed = [&path](int error) {
        return error == EEXIST ? fmt::format("'{}' exists, not overwritten", path)
                               : fmt::format("'{}' cannot be written: {}", path, std::strerror(error));
    };
    std::FILE* const file = create_new(path);
    if (file == nullptr) return failed(errno);
    const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
    const int error = errno;
    if (std::fclose(file) != 0) return failed(errno);
    return written ? std::string() : failed(error);
}

void report_written(const std::string& path, const Written& written) {
    report_written(path, written, size_of_file(path));
}

void report_written(const std::string& path, const Written& written, std::uint64_t bytes) {
    if (!error_is_terminal()) return;
    std::string line;
    append_printable(line, path);
    line += ": ";
    if (written.samples != 0) line += fmt::format("{} samples, ", written.samples);
    if (written.values != 0) line += fmt::format("{} values, ", written.values);
    erase_progress();
    write_error(fmt::format("{}{} written\n", line, size_text(bytes)));
}

}  // namespace hkpd::command
