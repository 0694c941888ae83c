// The file that a capture is written to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <span>
#include <string>

#include "input_options.hpp"
#include "replaced_file.hpp"

namespace hkpd::command {

/// What it is given is with the system when `write` returns. A new file grows under its name, so that it can be read at
/// any time, and after a crash. A file that is there stays as it is until the new one is complete, which grows as
/// `NAME.part` beside it and then takes its place; where that does not come to pass, `NAME.part` has what came. One
/// that is there may be all that is left of a run, and is never touched: then nothing is opened.
class CaptureOutput {
  public:
    /// `-` is standard output.
    explicit CaptureOutput(const std::string& path);
    ~CaptureOutput();
    CaptureOutput(const CaptureOutput&) = delete;
    CaptureOutput& operator=(const CaptureOutput&) = delete;

    bool opened() const noexcept { return file_ != nullptr; }
    bool write(std::span<const std::byte> bytes);
    /// `complete`: all is written, and the file may take the place of another.
    bool close(bool complete);
    /// What is wrong, where it was not opened or not all was written.
    std::string why() const;
    std::uint64_t size() const noexcept { return size_; }

  private:
    void open_new_temporary(const std::string& path);
    void keep(std::FILE* file);

    std::FILE* file_ = nullptr;
    std::optional<ReplacedFile> replaced_;  // none: it grows under its name
    int error_ = 0;
    std::uint64_t size_ = 0;
};

/// Says why the output must not be written: it is the input, or among the files of an input that is a directory.
std::string check_output(const std::string& input, const std::string& output);
/// The same for all that a subcommand reads, titles too.
std::string check_output(const InputOptions& inputs, const std::string& output);

}  // namespace hkpd::command
