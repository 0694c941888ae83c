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
    replaces_ = is_there(found->target());
    place_ = *std::move(found);
    if (replaces_ && is_locked(place_->target())) {
        error_ = EBUSY;
        why_ = "another process is writing a capture of this name; wait until it ends, or give another name";
        return;
    }
    keep(place_->create(replaces_ ? ".part" : "", NewFileRights::owner, NewFileSharing::locked));
    if (file_ != nullptr || error_ != EEXIST) return;
    if (is_locked(place_->temporary()))
        why_ = fmt::format("another process is writing '{}'; wait until it ends, or give another name",
                           place_->temporary());
    else if (replaces_)
        why_ = fmt::format("'{}' exists, left by a killed run and readable as a capture; move or remove it",
                           place_->temporary());
}

/// Returns whether the file that was written is still the one of its name; if not, sets the error.
bool CaptureOutput::check_place() {
    if (!place_ || place_->is_in_place(file_, size_)) return true;
    error_ = EBUSY;
    why_ = lost_file;
    return false;
}

CaptureOutput::~CaptureOutput() {
    if (file_ != nullptr && file_ != stdout) std::fclose(file_);
}

bool CaptureOutput::write(std::span<const std::byte> bytes) {
    if (error_ != 0) return false;
    const bool written = std::fwrite(bytes.data(), 1, bytes.size(), file_) == bytes.size() && std::fflush(file_) == 0;
    if (!written && error_ == 0) error_ = errno;
    size_ += bytes.size();
    return written && check_place();
}

bool CaptureOutput::close(bool complete) {
    if (error_ == 0 && replaces_ && !write_to_disk(file_)) error_ = errno;
    if (error_ == 0) check_place();
    std::FILE* const file = std::exchange(file_, file_ == stdout ? stdout : nullptr);
    if (file != stdout && std::fclose(file) != 0 && error_ == 0) error_ = errno;
    if (error_ == 0 && complete && replaces_ && place_) error_ = place_->take_place().default_error_condition().value();
    return error_ == 0;
}

std::string CaptureOutput::why() const {
    if (!why_.empty()) return why_;
    if (file_ == nullptr && error_ == EPERM) return foreign_link;
    return error_ == 0 ? "more channels than the format allows" : std::strerror(error_);
}

std::string check_output(const std::string& input, const std::string& output, bool recursive) {
    std::error_code error;
    // Systems without these names leave it to the shell that they differ.
    const std::string standard_input = "/dev/stdin", standard_output = "/dev/stdout";
    const bool to_standard_output = output.empty() || output == "-";
    if (to_standard_output && !is_regular_file(standard_output)) return {};
    const fs::path written = path_of(to_standard_output ? standard_output : output);
    // Compares the files, not their names: links, and names in another case, lead to the same file.
    const auto is_output = [&](const std::string& path) { return fs::equivalent(path_of(path), written, error); };
    if (is_output(input == "-" ? standard_input : input))
        return to_standard_output ? fmt::format("standard output is '{}', an input: write to another file", input)
                                  : fmt::format("'{}' is an input and would be overwritten", output);
    // The shell makes the file of standard output before the directory is read, and it is no input while it is empty.
    if (to_standard_output || !is_directory(input)) return {};
    std::vector<std::string> directories = recursive ? directories_below(input, error) : std::vector<std::string>();
    directories.push_back(input);
    const fs::path place = path_of(absolute_name(output)).parent_path();
    for (const std::string& directory : directories)
        if (is_output(directory) || fs::equivalent(path_of(directory), place, error) ||
            std::ranges::any_of(files_in(directory, error), is_output))
            return fmt::format("'{}' would be among the inputs: write to another directory", output);
    return {};
}

std::string check_output(const Strings& inputs, const std::string& output, bool recursive) {
    for (const std::string& input : inputs)
        if (std::string wrong = check_output(input, output, recursive); !wrong.empty()) return wrong;
    return {};
}

std::string check_output(const InputOptions& inputs, const std::string& output, const Strings& more) {
    if (std::string wrong = check_output(all_inputs(inputs), output, inputs.recursive); !wrong.empty()) return wrong;
    for (const Strings* files : {&inputs.titles, &inputs.path_files, &more})
        if (std::string wrong = check_output(*files, output); !wrong.empty()) return wrong;
    return {};
}

}  // namespace hkpd::command
