#include "terminal/textfile_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "base/path.hpp"
#include "flags/format_option.hpp"
#include "hkpd/diagnostics.hpp"
#include "terminal/capture_output.hpp"
#include "terminal/cause.hpp"
#include "terminal/replaced_file.hpp"

namespace hkpd::command {
namespace {

/// Writes a text to a new temporary file next to the target. Returns the error message; empty on success.
std::string make_temporary(ReplacedFile& file, const std::string& text) {
    std::FILE* const opened = create_temporary(file);
    if (opened == nullptr) return std::strerror(errno);
    std::string wrong;
    if (std::fwrite(text.data(), 1, text.size(), opened) != text.size()) {
        wrong = std::strerror(errno);
        std::fclose(opened);
    } else {
        wrong = close_in_place(file, opened, text.size());
    }
    if (!wrong.empty() && wrong != lost_file) file.remove();  // a lost file's name is another process's
    return wrong;
}

class FileWriter final : public Writer {
  public:
    FileWriter(const WriteOptions& options, TextfileOutput& output, bool each_sample)
        : writer_(make_textfile_writer(options)), output_(output), each_sample_(each_sample) {}

    void sample(const Sample& sample, std::span<const Selected> selected, Cooker* cooker, std::string& out) override {
        writer_->sample(sample, selected, cooker, out);
        found_ = found_ || std::ranges::any_of(selected, [](const Selected& part) {
                     return !part.rows.empty() && !part.columns.empty();
                 });
        pending_ = true;
        if (each_sample_) write();
    }

    /// Writes the file if a sample was added since the last write, and any sample had selected counters.
    void end(Diagnostics& diagnostics, std::string& /*out*/) override {
        text_.clear();
        writer_->end(diagnostics, text_);
        if (pending_) replace();
    }

  private:
    void write() {
        text_.clear();
        writer_->write(text_);
        replace();
        pending_ = false;
    }

    /// Replaces the file if a counter matched the filters in this sample or in an earlier one. A mistyped counter path,
    /// which never matches, therefore leaves the file unchanged. If counters matched earlier but do not exist any more,
    /// the file is replaced by one without them.
    void replace() {
        if (found_) output_.replace(text_);
    }

    std::unique_ptr<TextfileWriter> writer_;
    TextfileOutput& output_;
    std::string text_;
    bool each_sample_, pending_ = false, found_ = false;
};

}  // namespace

void describe_textfile(po::options_description& shown, TextfileOptions& options) {
    const std::string text = help_of_formats(
        "textfile",
        "write the last sample for the textfile collector of node_exporter or windows_exporter; with --live or "
        "--speed, each sample replaces the file");
    shown.add_options()("textfile", text_option(options.path, "FILE.prom"), text.c_str());
}

std::string check_textfile(const TextfileOptions& options, const InputOptions& input, Format format) {
    if (!options.path) return {};
    if (!has_option(spec_of(format), "textfile")) return requires_format("textfile") + ", its default";
    if (options.path->empty() || *options.path == "-")
        return "--textfile: expected a file name; --format openmetrics without it writes to standard output";
    return check_output(input, *options.path);
}

bool TextfileOutput::try_out() {
    std::string wrong;
    if (is_there(path_) && !is_regular_file(path_))
        wrong = "not a regular file";
    else if (auto file = ReplacedFile::find(path_); !file)
        wrong = message_of(file.error());
    else if (wrong = make_temporary(*file, ""); wrong.empty())
        file->remove();
    if (!wrong.empty()) end_with(subcommand_, Cause::unwritable, fmt::format("'{}'", path_), wrong);
    if (wrong.empty() && !path_.ends_with(".prom"))
        complain(subcommand_, fmt::format("'{}' does not end in .prom: textfile collectors will not read it", path_));
    return good_ = wrong.empty();
}

std::string TextfileOutput::write(const std::string& text) const {
    auto file = ReplacedFile::find(path_);
    if (!file) return message_of(file.error());
    if (std::string wrong = make_temporary(*file, text); !wrong.empty()) return wrong;
    const std::error_code error = file->take_place();
    if (!error) return {};
    file->remove();
    return error.message();
}

void TextfileOutput::replace(const std::string& text) { report_it(write(text)); }

/// Reports the error only when it changes, so that a service does not fill its log with the same line every second.
void TextfileOutput::report_it(const std::string& wrong) {
    if (!wrong.empty()) good_ = false;
    if (wrong == reported_) return;
    reported_ = wrong;
    complain(subcommand_, wrong.empty() ? fmt::format("'{}': writing succeeds again", path_)
                                        : fmt::format("'{}' could not be written: {}", path_, wrong));
}

std::unique_ptr<Writer> make_file_writer(const WriteOptions& options, TextfileOutput& output, bool each_sample) {
    return std::make_unique<FileWriter>(options, output, each_sample);
}

}  // namespace hkpd::command
