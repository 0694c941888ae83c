#include <fmt/core.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <map>
#include <span>
#include <utility>

#include "base/file_stream.hpp"
#include "base/foreign_file.hpp"
#include "base/path.hpp"
#include "base/stream_window.hpp"
#include "blg/blg.hpp"
#include "hkpd/capture.hpp"
#include "hkpd/diagnostics.hpp"
#include "hkpd/export.hpp"
#include "hkpd/source.hpp"
#include "source/exported_name.hpp"
#include "source/manifest.hpp"

namespace hkpd {
namespace {

/// Writes a new file. Returns 0, or the error (`errno`), for example EEXIST if a file or link has this name.
int write_new(const std::string& path, std::span<const std::byte> content) {
    std::FILE* const file = create_new(path);
    if (file == nullptr) return errno;
    int error = std::fwrite(content.data(), 1, content.size(), file) == content.size() ? 0 : errno;
    if (std::fclose(file) != 0 && error == 0) error = errno;
    return error;
}

std::string why(const std::string& path, int error) {
    return error == EEXIST ? fmt::format("{}: already exists, not overwritten", path)
                           : fmt::format("{}: cannot be written: {}", path, std::strerror(error));
}

/// Writes the records of a capture unchanged to files in a directory, with a manifest.
class RecordFiles {
  public:
    /// `front` is the directory with a trailing slash.
    RecordFiles(std::string front, std::uint64_t most_files) : front_(std::move(front)), left_(most_files) {}
    RecordFiles(const RecordFiles&) = delete;
    RecordFiles& operator=(const RecordFiles&) = delete;
    ~RecordFiles() {
        if (manifest_ != nullptr) std::fclose(manifest_);
    }

    /// Begins the manifest. Returns an error message, as `add` and `finish` do; empty on success.
    std::string begin() {
        manifest_ = create_new(manifest_path());
        if (manifest_ == nullptr) return why(manifest_path(), errno);
        return list(std::string(manifest_begin));
    }
    /// Writes the origin of the capture to the manifest.
    std::string add(const CaptureInfo::MetadataRecord& metadata) {
        Record record{Record::Kind::provenance, {}};
        record.name = metadata.name;
        record.entries = &metadata.entries;
        return list(manifest_line(record, ""));
    }
    /// Writes a record. `number` is the record's number in diagnostics.
    std::string add(const Record& record, std::uint32_t number, Diagnostics& diagnostics) {
        ++counts_[record.kind];
        std::string name = name_for(record, number);
        if (std::string wrong = write(name, record.bytes.span()); !wrong.empty()) return wrong;
        if (std::string failed = list(manifest_line(record, name)); !failed.empty()) return failed;
        return record.kind == Record::Kind::log_row ? add_blocks(record, number, diagnostics) : std::string();
    }
    std::string finish() {
        const int error = std::fclose(std::exchange(manifest_, nullptr)) == 0 ? 0 : errno;
        return error == 0 ? std::string() : why(manifest_path(), error);
    }

    /// Fills the counts of a result.
    void count(Exported& result) {
        using Kind = Record::Kind;
        result.is_full = left_ == 0;
        result.blobs = counts_[Kind::v1_block] + blocks_of_rows_;
        result.titles = counts_[Kind::titles];
        result.v2_blocks = counts_[Kind::v2_block];
        result.queries = counts_[Kind::v2_identifiers];
        result.registrations = counts_[Kind::v2_registration];
        result.log_records = counts_[Kind::log_header] + counts_[Kind::log_catalogue] + counts_[Kind::log_row] +
                             counts_[Kind::log_trailer];
    }

  private:
    std::string manifest_path() const { return front_ + std::string(manifest_name); }

    std::string list(const std::string& line) {
        return std::fwrite(line.data(), 1, line.size(), manifest_) == line.size() ? std::string()
                                                                                  : why(manifest_path(), errno);
    }

    /// Returns the file name for a record. Identifiers get the number of the block that follows them.
    std::string name_for(const Record& record, std::uint32_t number) {
        switch (record.kind) {
            case Record::Kind::v1_block:
                return fmt::format("{:06}.bin", number);
            case Record::Kind::v2_block:
                return fmt::format("{:06}.v2", number);
            case Record::Kind::v2_identifiers:
                return fmt::format("{:06}.v2-query", number + 1);
            case Record::Kind::v2_registration:
                return registration_file_name(record);
            case Record::Kind::log_header:
                return fmt::format("{:06}.log-header", number);
            case Record::Kind::log_catalogue:
                return fmt::format("{:06}.log-catalogue", number);
            case Record::Kind::log_row:
                return fmt::format("{:06}.log-row", number);
            case Record::Kind::log_trailer:
                return fmt::format("{:06}.log-trailer", number);
            default:
                return exported_name(record.name);
        }
    }

    /// Writes a new file with this name. If a file with this name exists, changes `name`: inserts -2, -3, ... before
    /// its extension, until no file has the changed name. Returns an error message; empty on success.
    std::string write(std::string& name, std::span<const std::byte> content) {
        if (left_ == 0) return fmt::format("{}: more files than --limit-files allows", front_);
        --left_;
        int error = write_new(front_ + name, content);
        if (error == EEXIST) {
            const std::size_t dot = name.find_last_of('.');
            const std::string stem = name.substr(0, dot), extension = name.substr(dot);
            std::uint64_t& number = repeated_.try_emplace(name, 1).first->second;
            while (error == EEXIST && number < most_of_one_name) {
                name = fmt::format("{}-{}{}", stem, ++number, extension);
                error = write_new(front_ + name, content);
            }
        }
        return error == 0 ? std::string() : why(front_ + name, error);
    }

    /// Writes the blocks of a log row to files. Sorted by name, the files are in the order of rows, then objects.
    std::string add_blocks(const Record& record, std::uint32_t number, Diagnostics& diagnostics) {
        const FaultSink faults(diagnostics, record.place);
        if (const auto opened = row_.open(record.bytes, faults); !opened) {
            faults.add(Severity::error, opened.error());
            return {};
        }
        for (std::size_t i = 0; i < row_.records().size(); ++i) {
            const blg::RowRecord& part = row_.records()[i];
            if (part.form != blg::Form::block) continue;
            ++blocks_of_rows_;
            std::string name = fmt::format("{:06}-{:04}.bin", number, i);
            std::string wrong = write(name, part.body.span());
            if (wrong.empty()) wrong = list(manifest_line_of_copy(name));
            if (!wrong.empty()) return wrong;
        }
        return {};
    }

    static constexpr std::uint64_t most_of_one_name = 1'000'000;

    std::string front_;
    std::FILE* manifest_ = nullptr;
    std::uint64_t left_;                             // number of files that may still be written
    std::map<std::string, std::uint64_t> repeated_;  // by name of an existing file: the last number appended to it
    std::map<Record::Kind, std::uint64_t> counts_;
    std::uint64_t blocks_of_rows_ = 0;
    blg::Row row_;
};

/// Writes all records of a capture. Returns an error message; empty on success.
std::string write_all(CaptureReader& reader, RecordFiles& files, Diagnostics& diagnostics) {
    std::string wrong = files.begin();
    std::size_t provenance = 0;
    const auto add_metadata = [&] {
        while (wrong.empty() && provenance < reader.metadata().size())
            wrong = files.add(reader.metadata()[provenance++]);
    };
    for (std::uint32_t number = 0; wrong.empty(); ++number) {
        const auto record = reader.next(diagnostics);
        add_metadata();
        if (!record) break;
        if (wrong.empty()) wrong = files.add(*record, number, diagnostics);
    }
    return wrong.empty() ? files.finish() : wrong;
}

/// Opens a capture. Adds a fault and returns false on failure.
bool open_capture(const std::string& path, FileStream& file, Diagnostics& diagnostics) {
    diagnostics.add_input(path);
    file.open(path);
    if (!file) {
        diagnostics.add({Errc::cannot_read, 0, "", "", 0, static_cast<std::uint64_t>(errno)});
        return false;
    }
    if (CaptureReader::is_capture(file)) return true;
    file.clear();
    file.seekg(0);
    StreamWindow window(file);
    const std::string_view name = foreign_file(window.peek(foreign_beginning)).name;
    diagnostics.add(may_have_blocks(name) ? Error{Errc::not_a_capture, 0, "", "", 0, 0} : foreign_error(name));
    return false;
}

}  // namespace

std::optional<Exported> export_capture(const std::string& capture, const std::string& directory,
                                       const ExportOptions& options, Diagnostics& diagnostics) {
    FileStream file;
    if (!open_capture(capture, file, diagnostics)) return std::nullopt;
    Exported result;
    if (const std::error_code error = make_directory(directory))
        result.failure = fmt::format("{}: cannot be created: {}", directory, error.message());
    else if (!is_empty(directory))
        result.failure = fmt::format("{}: directory is not empty", directory);
    if (!result.failure.empty()) return result;
    CaptureReader reader(file, options.limits);
    RecordFiles files(directory.ends_with('/') ? directory : directory + '/', options.most_files);
    result.failure = write_all(reader, files, diagnostics);
    if (const auto failure = read_failure(file)) diagnostics.add(*failure);
    files.count(result);
    return result;
}

}  // namespace hkpd
