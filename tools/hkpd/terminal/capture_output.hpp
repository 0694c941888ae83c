// The file that a capture is written to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <span>
#include <string>

#include "flags/input_options.hpp"
#include "terminal/replaced_file.hpp"

namespace hkpd::command {

/// The output file of a capture. Data is passed to the system before `write` returns. A new file is written under its
/// own name, so that it can be read at any time and after a crash. If a file NAME exists, the new file is written to
/// `NAME.part` next to it, and replaces NAME when it is complete. If the run ends early, NAME is unchanged and
/// `NAME.part` contains the data. If `NAME.part` exists already, opening the output fails: that file can be all that is
/// left of an earlier run, and is never overwritten. It also fails if another process writes a capture of this name. If
/// another process removes, replaces or changes the file that is written, writing fails, because the data would be
/// lost.
class CaptureOutput {
  public:
    /// Opens the file; `-` is standard output.
    explicit CaptureOutput(const std::string& path);
    ~CaptureOutput();
    CaptureOutput(const CaptureOutput&) = delete;
    CaptureOutput& operator=(const CaptureOutput&) = delete;

    bool opened() const noexcept { return file_ != nullptr; }
    bool write(std::span<const std::byte> bytes);
    /// Closes the file. `complete`: all data has been written, and the file may replace an existing one. Returns false
    /// on failure.
    bool close(bool complete);
    /// Returns why the file was not opened or not written completely.
    std::string why() const;
    std::uint64_t size() const noexcept { return size_; }

  private:
    void create(const std::string& path);
    void keep(std::FILE* file);
    bool check_place();

    std::FILE* file_ = nullptr;
    std::optional<ReplacedFile> place_;  // none for standard output and devices
    bool replaces_ = false;              // whether the file is written next to the one that it replaces
    int error_ = 0;
    std::string why_;  // in place of the text of `error_`
    std::uint64_t size_ = 0;
};

/// Returns why the output must not be written. The output must not be the input. If the input is a directory, the
/// output must be none of its files. It must not be a new file in this directory either, because it would then be an
/// input too. `recursive`: the same applies to the directories below. An empty name, and `-`, are standard output,
/// which must not be the input either. Returns an empty text if the output may be written.
std::string check_output(const std::string& input, const std::string& output, bool recursive = false);
/// Does the same for several inputs.
std::string check_output(const Strings& inputs, const std::string& output, bool recursive = false);
/// Does the same for all inputs of a subcommand, including title files, files of counter paths
/// and the files in `more`.
std::string check_output(const InputOptions& inputs, const std::string& output, const Strings& more = {});

}  // namespace hkpd::command
