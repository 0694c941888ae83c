#include "textfile_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <utility>

#include "base/path.hpp"
#include "capture_output.hpp"
#include "hkpd/diagnostics.hpp"
#include "host.hpp"
#include "replaced_file.hpp"

namespace hkpd::command {
namespace {

namespace fs = std::filesystem;

/// Opens a file beside another one that is this run's own: nobody else's is touched, be it of a run at the same time,
/// of one that was killed, or somebody's of that name. The collectors read no file of this ending. Null and `errno`
/// where that fails.
std::FILE* open_own(ReplacedFile& file) {
    constexpr int attempts = 1000;
    std::FILE* opened = nullptr;
    for (int attempt = 0; attempt < attempts && opened == nullptr; ++attempt) {
        // Containers have processes of the same number.
        file.temporary = fmt::format("{}.{}-{}.new", file.target, process_id(), attempt);
        errno = 0;
        opened = open_temporary(file);
        if (opened == nullptr && errno != EEXIST) return nullptr;
    }
    return opened;
}

void remove_own(const ReplacedFile& file) {
    std::error_code error;
    fs::remove(path_of(file.temporary), error);
}

/// Why no file can be made beside another one, or its bytes not be written; else nothing, and what was made is there.
/// Nothing waits for the disk: after a crash of the machine the file is of no use, however old or empty it is.
std::string make_temporary(ReplacedFile& file, const std::string& text) {
    std::FILE* const opened = open_own(file);
    if (opened == nullptr) return std::strerror(errno);
    bool good = std::fwrite(text.data(), 1, text.size(), opened) == text.size();
    int why = errno;
    if (std::fclose(opened) != 0 && good) {
        good = false;
        why = errno;
    }
    if (!good) remove_own(file);
    return good ? "" : std::strerror(why);
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

    /// Where there was no sample, or nothing of it was asked for, the file stays as it was.
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

    /// As long as nothing was found the file stays as it was: a path may be mistyped. What was found once and has ended
    /// is gone from the file.
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
    shown.add_options()(
        "textfile", text_option(options.path, "FILE.prom"),
        "openmetrics: the last sample, for the textfile collector of node_exporter or windows_exporter; "
        "each sample of a machine replaces the file");
}

std::string check_textfile(const TextfileOptions& options, const InputOptions& input, Format format) {
    if (!options.path) return {};
    if (format != Format::openmetrics) return "--textfile goes with --format openmetrics, which it stands for";
    if (options.path->empty() || *options.path == "-")
        return "--textfile takes the name of a file; --format openmetrics without it writes to standard output";
    return check_output(input, *options.path);
}

bool TextfileOutput::try_out() {
    std::error_code error;
    ReplacedFile file = replaced_file(path_, "", error);
    std::string wrong = error ? error.message() : "";
    if (wrong.empty() && is_there(file.target) && !is_regular_file(file.target)) wrong = "it is no regular file";
    if (wrong.empty()) {
        wrong = make_temporary(file, "");
        if (wrong.empty()) remove_own(file);
    }
    if (!wrong.empty()) complain("replay", fmt::format("'{}' cannot be written: {}", path_, wrong));
    if (wrong.empty() && !path_.ends_with(".prom"))
        complain("replay", fmt::format("textfile collectors read files that end in .prom; '{}' does not", path_));
    return good_ = wrong.empty();
}

std::string TextfileOutput::write(const std::string& text) const {
    std::error_code error;
    ReplacedFile file = replaced_file(path_, "", error);
    if (error) return error.message();
    if (std::string wrong = make_temporary(file, text); !wrong.empty()) return wrong;
    error = take_place(file);
    if (!error) return {};
    remove_own(file);
    return error.message();
}

void TextfileOutput::replace(const std::string& text) { report_it(write(text)); }

/// A service would fill its log by saying the same every second.
void TextfileOutput::report_it(const std::string& wrong) {
    if (!wrong.empty()) good_ = false;
    if (wrong == reported_) return;
    reported_ = wrong;
    complain("replay", wrong.empty() ? fmt::format("'{}' is written again", path_)
                                     : fmt::format("'{}' could not be written: {}", path_, wrong));
}

std::unique_ptr<Writer> make_file_writer(const WriteOptions& options, TextfileOutput& output, bool each_sample) {
    return std::make_unique<FileWriter>(options, output, each_sample);
}

}  // namespace hkpd::command
