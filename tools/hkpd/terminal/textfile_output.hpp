// `--textfile`: a file for the textfile collector of node_exporter or windows_exporter.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "commands/command.hpp"
#include "flags/input_options.hpp"
#include "hkpd/write.hpp"

namespace hkpd::command {

struct TextfileOptions {
    std::optional<std::string> path;
};

/// Adds `--textfile` to a subcommand's options.
void describe_textfile(po::options_description& shown, TextfileOptions& options);

/// Returns what is wrong with `--textfile` in combination with the inputs and the output format; empty if nothing.
std::string check_textfile(const TextfileOptions& options, const InputOptions& input, Format format);

/// The file of `--textfile`. It can be a link, and need not exist. Each new text atomically replaces the previous
/// content. If a text cannot be written, later texts are tried nevertheless. A failure that repeats is reported only
/// once.
class TextfileOutput {
  public:
    /// `subcommand`: name for messages.
    TextfileOutput(std::string_view subcommand, std::string path) : subcommand_(subcommand), path_(std::move(path)) {}

    /// Returns whether the file can be written. If it cannot, reports why.
    bool try_out();
    void replace(const std::string& text);
    /// Returns whether all texts were written.
    bool good() const noexcept { return good_; }

  private:
    std::string write(const std::string& text) const;
    void report_it(const std::string& wrong);

    std::string_view subcommand_;
    std::string path_, reported_;
    bool good_ = true;
};

/// Returns a writer that replaces the whole file. With `each_sample`, the writer replaces the file after each sample.
/// Otherwise it replaces the file once at the end, because no program would read the states in between. The writer
/// appends nothing to the text passed to it. `output` must outlive the writer.
std::unique_ptr<Writer> make_file_writer(const WriteOptions& options, TextfileOutput& output, bool each_sample);

}  // namespace hkpd::command
