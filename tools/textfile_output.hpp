// `--textfile`: a file for the textfile collectors of node_exporter and windows_exporter.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "command.hpp"
#include "hkpd/write.hpp"
#include "input_options.hpp"

namespace hkpd::command {

struct TextfileOptions {
    std::optional<std::string> path;
};

/// Adds it to a subcommand's options.
void describe_textfile(po::options_description& shown, TextfileOptions& options);

/// What is wrong with it, beside the inputs and a form of output; else nothing.
std::string check_textfile(const TextfileOptions& options, const InputOptions& input, Format format);

/// The file that `--textfile` names, or a link to it, be it there or not. Each text takes the place of the one before
/// in one step. Where that fails it is said once, until it works again, and the next text tries anew.
class TextfileOutput {
  public:
    explicit TextfileOutput(std::string path) : path_(std::move(path)) {}

    /// Whether a file can be written there at all; says why not.
    bool try_out();
    void replace(const std::string& text);
    /// Whether all texts were written.
    bool good() const noexcept { return good_; }

  private:
    std::string write(const std::string& text) const;
    void report_it(const std::string& wrong);

    std::string path_, reported_;
    bool good_ = true;
};

/// A writer of the whole file: after each sample, or once at the end, where nobody could see the others. It appends
/// nothing itself. `output` outlives it.
std::unique_ptr<Writer> make_file_writer(const WriteOptions& options, TextfileOutput& output, bool each_sample);

}  // namespace hkpd::command
