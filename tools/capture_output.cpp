#include "capture_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <utility>

#include "hkpd/path.hpp"
#include "hkpd/source.hpp"
#include "host.hpp"

namespace hkpd::command {

namespace fs = std::filesystem;

CaptureOutput::CaptureOutput(const std::string& path) : file_(path == "-" ? stdout : open_output(path)) {}

CaptureOutput::~CaptureOutput() {
    if (file_ != nullptr && file_ != stdout) std::fclose(file_);
}

bool CaptureOutput::write(std::span<const std::byte> bytes) {
    const bool written = std::fwrite(bytes.data(), 1, bytes.size(), file_) == bytes.size() && std::fflush(file_) == 0;
    if (!written && error_ == 0) error_ = errno;
    size_ += bytes.size();
    return written;
}

bool CaptureOutput::close() {
    if (file_ != stdout && std::fclose(std::exchange(file_, nullptr)) != 0 && error_ == 0) error_ = errno;
    return error_ == 0;
}

std::string check_output(const std::string& input, const std::string& output) {
    std::error_code error;
    if (output == "-") return {};
    const fs::path written = path_of(output);
    const auto is_output = [&](const std::string& path) { return fs::equivalent(path_of(path), written, error); };
    if (is_output(input == "-" ? "/dev/stdin" : input))
        return fmt::format("'{}' is an input and would be overwritten", output);
    if (!is_directory(input)) return {};
    const std::vector<std::string> members = files_in(input, error);
    if (is_output(input) || std::ranges::any_of(members, is_output) ||
        fs::equivalent(path_of(input), fs::absolute(written, error).parent_path(), error))
        return fmt::format("'{}' would be among the inputs: write it into another directory", output);
    return {};
}

}  // namespace hkpd::command
