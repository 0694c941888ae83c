#include "terminal/capture_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "base/path.hpp"
#include "hkpd/source.hpp"
#include "terminal/host.hpp"

namespace hkpd::command {

namespace fs = std::filesystem;

CaptureOutput::CaptureOutput(const std::string& path) {
    if (path == "-" || is_standard_output(path))
        file_ = stdout;
    else if (is_there(path) && !is_regular_file(path))
        keep(open_device(path));
    else
        create(path);
}

void CaptureOutput::keep(std::FILE* file) {
    file_ = file;
    if (file_ == nullptr) error_ = errno;
}

/// Creates the file or, if the file exists, a new file next to it. A new capture is readable by its owner alone,
/// because it holds names of people and programs.
void CaptureOutput::create(const std::string& path) {
    auto found = ReplacedFile::find(path);
    if (!found) {
        error_ = found.error().default_error_condition().value();
        return;
    }
    const bool replaces = is_there(found->target());
    keep(found->create(replaces ? ".part" : "", NewFileRights::owner));
    if (replaces) replaced_ = *std::move(found);
}

CaptureOutput::~CaptureOutput() {
    if (file_ != nullptr && file_ != stdout) std::fclose(file_);
}

bool CaptureOutput::write(std::span<const std::byte> bytes) {
    const bool written = std::fwrite(bytes.data(), 1, bytes.size(), file_) == bytes.size() && std::fflush(file_) == 0;
    if (!written && error_ == 0) error_ = errno;
    size_ += bytes.size();
    return written;
}

bool CaptureOutput::close(bool complete) {
    std::FILE* const file = std::exchange(file_, file_ == stdout ? stdout : nullptr);
    if (file != stdout && !(replaced_ ? close_on_disk(file) : std::fclose(file) == 0) && error_ == 0) error_ = errno;
    if (error_ == 0 && complete && replaced_) error_ = replaced_->take_place().default_error_condition().value();
    return error_ == 0;
}

std::string CaptureOutput::why() const {
    if (file_ == nullptr && replaced_ && error_ == EEXIST)
        return fmt::format("'{}' exists, left by a killed run and readable as a capture; move or remove it",
                           replaced_->temporary());
    if (file_ == nullptr && error_ == EPERM) return foreign_link;
    return error_ == 0 ? "more channels than the format allows" : std::strerror(error_);
}

std::string check_output(const std::string& input, const std::string& output, bool recursive) {
    std::error_code error;
    if (output.empty() || output == "-") return {};
    const fs::path written = path_of(output);
    const auto is_output = [&](const std::string& path) { return fs::equivalent(path_of(path), written, error); };
    if (is_output(input == "-" ? "/dev/stdin" : input))
        return fmt::format("'{}' is an input and would be overwritten", output);
    if (!is_directory(input)) return {};
    std::vector<std::string> directories = recursive ? directories_below(input, error) : std::vector<std::string>();
    directories.push_back(input);
    const fs::path place = path_of(absolute_name(output)).parent_path();
    for (const std::string& directory : directories)
        if (is_output(directory) || fs::equivalent(path_of(directory), place, error) ||
            std::ranges::any_of(files_in(directory, error), is_output))
            return fmt::format("'{}' would be among the inputs: write to another directory", output);
    return {};
}

std::string check_output(const InputOptions& inputs, const std::string& output, const Strings& more) {
    for (const std::string& path : all_inputs(inputs))
        if (std::string wrong = check_output(path, output, inputs.recursive); !wrong.empty()) return wrong;
    for (const Strings* files : {&inputs.titles, &inputs.path_files, &more})
        for (const std::string& path : *files)
            if (std::string wrong = check_output(path, output); !wrong.empty()) return wrong;
    return {};
}

}  // namespace hkpd::command
