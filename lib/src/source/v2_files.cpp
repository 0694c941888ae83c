// Reads the files that contain what the PerfLib functions returned.
#include "source/v2_files.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <istream>
#include <span>
#include <utility>

#include "base/file_stream.hpp"
#include "base/foreign_file.hpp"
#include "base/path.hpp"
#include "base/text/encoding.hpp"
#include "base/text/names.hpp"
#include "base/text/parse_number.hpp"
#include "hkpd/diagnostics.hpp"
#include "hkpd/source.hpp"
#include "v2/block_stream.hpp"

namespace hkpd {
namespace {

using v2::RegistrationRequest;

constexpr std::string_view extension = ".v2-registration", title_mark = "title";
constexpr std::size_t guid_length = 36, longest_language = 4;

bool is_language_tag(std::string_view text) {
    return text.size() <= longest_language && parse_number<std::uint16_t>(text, 16).has_value();
}

/// Removes from `rest` the leading `-` and the part up to the next `-`, and returns this part; none if `rest` does not
/// begin with `-`.
std::optional<std::string_view> next_part(std::string_view& rest) {
    if (!rest.starts_with('-')) return std::nullopt;
    rest.remove_prefix(1);
    const std::string_view part = rest.substr(0, rest.find('-'));
    rest.remove_prefix(part.size());
    return part;
}

/// Returns whether the content is one UTF-16 text that ends with NUL. A GUID has 16 bytes, as many as a text of seven
/// characters and NUL. A GUID is nevertheless recognised, because its bytes hardly ever form such a text.
bool is_string(Bytes content) {
    constexpr std::size_t unit = 2;
    auto text = content.span();
    if (text.size() % unit != 0) return false;
    std::size_t nuls = 0;
    for (; !text.empty() && text[text.size() - 1] == std::byte{0} && text[text.size() - 2] == std::byte{0}; ++nuls)
        text = text.first(text.size() - unit);
    std::string decoded;
    return nuls != 0 && append_utf16(decoded, text, ByteOrder::little) && std::ranges::none_of(decoded, [](char c) {
               return static_cast<unsigned char>(c) < ' ' && c != '\t' && c != '\n' && c != '\r';
           });
}

/// Identifies the registration files whose names `registration_file_name` did not make. Such a file is identified by
/// its content and by the files before it.
class RegistrationOrder {
  public:
    /// Returns the counterset and the request that a file with this content answers. Returns none in three cases: the
    /// form of the content is unknown; no earlier file has begun a counterset; earlier files have already answered all
    /// requests of the counterset whose answers have this form.
    std::optional<RegistrationSubject> subject_of_content(Bytes content) {
        constexpr std::array buffers{RegistrationRequest::counter_names, RegistrationRequest::counter_help};
        constexpr std::array strings{RegistrationRequest::counterset_name, RegistrationRequest::counterset_help,
                                     RegistrationRequest::provider_name};
        if (v2::is_registration(content)) {
            Guid counterset;
            std::ranges::copy(content.clip(0, counterset.bytes.size()).span(), counterset.bytes.begin());
            begin(counterset);
            return RegistrationSubject{counterset, RegistrationRequest::counterset_struct};
        }
        if (!counterset_) return std::nullopt;
        const auto in_turn = [&](std::span<const RegistrationRequest> requests, std::size_t& came) {
            return came == requests.size() ? std::nullopt
                                           : std::optional(RegistrationSubject{*counterset_, requests[came++]});
        };
        if (v2::is_string_buffer(content)) return in_turn(buffers, buffers_);
        if (is_string(content)) return in_turn(strings, strings_);
        if (content.size() != sizeof(Guid)) return std::nullopt;
        return RegistrationSubject{*counterset_, RegistrationRequest::provider_guid};
    }
    /// Begins a counterset. The next files belong to this counterset, unless their names state another one.
    void begin(const Guid& counterset) noexcept {
        counterset_ = counterset;
        buffers_ = strings_ = 0;
    }
    /// Ends the counterset. Used after a file that was not identified, because that file may have begun another
    /// counterset.
    void end() noexcept { counterset_.reset(); }

  private:
    std::optional<Guid> counterset_;
    std::size_t buffers_ = 0, strings_ = 0;  // string buffers and strings of the counterset so far
};

/// A file, or standard input.
class InputFile {
  public:
    bool open(const std::string& path, Diagnostics& diagnostics) {
        number_ = diagnostics.add_input(path);
        stream_ = &standard_input();
        if (path == "-") return true;
        file_.open(path);
        stream_ = &file_;
        if (!file_) diagnostics.add(read_error(errno));
        return file_.good();
    }

    std::istream& stream() { return *stream_; }
    /// Returns the place of the file's records.
    Place place() const noexcept { return {.input = number_}; }
    /// Returns whether reading has failed; if so, reports the error.
    bool failed(Diagnostics& diagnostics) const {
        const auto failure = read_failure(*stream_);
        if (failure) diagnostics.add(*failure);
        return failure.has_value();
    }

  private:
    FileStream file_;
    std::istream* stream_ = nullptr;
    std::uint32_t number_ = no_index;
};

class V2FileSource final : public Source {
  public:
    V2FileSource(V2Files files, const Limits& limits) : files_(std::move(files)), limits_(limits) {}

    std::optional<Record> next(Diagnostics& diagnostics) override {
        while (registrations_ < files_.registrations.size())
            if (auto record = read_registration(files_.registrations[registrations_++], diagnostics)) return record;
        while (true) {
            if (const auto block = std::exchange(held_, std::nullopt))
                return Record{Record::Kind::v2_block, *block, input_.place()};
            if (blocks_) {
                held_ = read_block(diagnostics);
                // The identifiers for the first block were returned before the file was opened. They are returned again
                // before each further block.
                if (held_ && blocks_given_++ != 0 && !query_.empty()) return identifiers();
            } else if (const auto path = std::exchange(to_open_, std::nullopt)) {
                blocks_given_ = 0;
                block_path_ = *path;
                if (input_.open(*path, diagnostics)) blocks_.emplace(input_.stream(), limits_);
            } else if (files_begun_ == files_.blocks.size()) {
                return std::nullopt;
            } else if (begin_file(diagnostics)) {
                return identifiers();
            }
        }
    }

  private:
    Record identifiers() const { return {Record::Kind::v2_identifiers, Bytes(query_), query_place_}; }

    /// Reads a complete file into `content`. Returns false after reporting an error: the file cannot be read, or is
    /// larger than the limit.
    bool read_whole(const std::string& path, std::vector<std::byte>& content, Diagnostics& diagnostics) {
        content.clear();
        if (!input_.open(path, diagnostics)) return false;
        StreamWindow window(input_.stream());
        const Bytes all = window.peek(limits_.bytes + 1);
        if (input_.failed(diagnostics)) return false;
        if (all.size() > limits_.bytes) {
            diagnostics.add({Errc::byte_limit, 0, "", "", limits_.bytes, all.size()});
            return false;
        }
        content.assign(all.span().begin(), all.span().end());
        return true;
    }

    std::optional<Record> read_registration(const std::string& path, Diagnostics& diagnostics) {
        if (!read_whole(path, registration_, diagnostics)) {
            order_.end();
            return std::nullopt;
        }
        const Bytes content(registration_);
        auto subject = subject_of_name(path_text(path_of(path).filename()));
        if (subject && subject->request == RegistrationRequest::counterset_struct) order_.begin(subject->counterset);
        if (!subject) subject = order_.subject_of_content(content);
        if (!subject) {
            order_.end();
            diagnostics.add(Severity::error, why_not_recognised(content));
            return std::nullopt;
        }
        subject_ = std::move(*subject);
        Record record{Record::Kind::v2_registration, content, input_.place()};
        record.language = subject_.language;
        record.counterset = subject_.counterset;
        record.request = static_cast<std::uint32_t>(subject_.request);
        record.title_index = subject_.title_index;
        return record;
    }

    /// Begins the next file of blocks and reads its identifiers into `query_`. Returns whether a record with these
    /// identifiers must precede the file. If the file has no identifiers but an earlier file had some, the record is
    /// empty and ends the use of the earlier identifiers.
    bool begin_file(Diagnostics& diagnostics) {
        const std::size_t file = files_begun_++;
        to_open_ = files_.blocks[file];
        const bool had_query = !query_.empty();
        if (files_.identifiers.size() == 1 && file != 0) return had_query;
        if (file >= files_.identifiers.size() || !read_identifiers(files_.identifiers[file], diagnostics))
            query_.clear();
        return had_query || !query_.empty();
    }

    bool read_identifiers(const std::string& path, Diagnostics& diagnostics) {
        if (!read_whole(path, query_, diagnostics)) return false;
        query_place_ = input_.place();
        v2::Identifiers identifiers;
        identifiers.open(Bytes(query_), {});
        const auto valid = [](const v2::Identifier& one) {
            return one.Size >= v2::identifier_size && one.Size == one.bytes.size();
        };
        if (query_.empty() || std::ranges::any_of(identifiers.all(), valid)) return true;
        diagnostics.add(Severity::error, why_not_recognised(Bytes(query_)));
        return false;
    }

    static Error why_not_recognised(Bytes content) {
        return foreign_in_place_of(content, no_v2_file).value_or(Error{Errc::not_recognised, 0, "", "", 0, 0});
    }

    /// Returns the fault of the open file of blocks if it is a file of another kind. Its beginning is read once more,
    /// as blocks have no signature, and nearly all files are what they should be.
    std::optional<Error> foreign_fault() const {
        if (block_path_ == "-") return std::nullopt;
        FileStream again(block_path_);
        if (!again || !is_regular_file(block_path_)) return std::nullopt;
        StreamWindow window(again);
        return foreign_in_place_of(window.peek(foreign_beginning), no_v2_file);
    }

    /// Returns the next block of the open file; closes the file if there is none.
    std::optional<Bytes> read_block(Diagnostics& diagnostics) {
        if (!blocks_) return std::nullopt;
        Diagnostics found;  // discarded after a read error, which explains all missing bytes
        auto block = blocks_->next(found);
        const bool is_first = blocks_given_ == 0 && !held_ && found.any_fault();
        if (input_.failed(diagnostics))
            block.reset();
        else if (const auto foreign = is_first ? foreign_fault() : std::nullopt) {
            diagnostics.add(*foreign);
            block.reset();
        } else
            for (const Diagnostic& stated : found.kept()) diagnostics.add(stated.severity, stated.error);
        if (!block) blocks_.reset();
        return block;
    }

    V2Files files_;
    Limits limits_;
    InputFile input_;
    std::size_t registrations_ = 0;  // number of registration files read
    RegistrationOrder order_;
    RegistrationSubject subject_;  // of the current record
    std::vector<std::byte> registration_, query_;
    Place query_place_;
    std::size_t files_begun_ = 0;          // number of files of blocks begun so far
    std::optional<std::string> to_open_;   // the file of blocks whose identifiers were read
    std::string block_path_;               // the file of blocks opened last
    std::optional<V2BlockStream> blocks_;  // of the open file
    std::uint64_t blocks_given_ = 0;       // number of blocks returned from the open file
    std::optional<Bytes> held_;            // the next block to return
};

}  // namespace

std::string registration_file_name(const Record& registration) {
    std::string name = guid_text(registration.counterset).substr(1, guid_length);
    const std::string request = std::to_string(registration.request);
    name.append(request.size() < 2 ? "-0" : "-").append(request);
    // In lower case: names that differ only in case fall together on some systems.
    if (is_language_tag(registration.language)) name.append("-").append(fold_case(registration.language));
    if (registration.title_index) name.append("-").append(title_mark).append(std::to_string(*registration.title_index));
    return name.append(extension);
}

std::optional<RegistrationSubject> subject_of_name(std::string_view name) {
    if (!name.ends_with(extension)) return std::nullopt;
    std::string_view rest = name.substr(0, name.size() - extension.size());
    const auto guid = parse_guid(rest.substr(0, guid_length));
    if (!guid) return std::nullopt;
    rest.remove_prefix(guid_length);
    const auto request = next_part(rest);
    const auto number = request ? parse_number<std::uint32_t>(*request) : std::nullopt;
    if (!number) return std::nullopt;
    RegistrationSubject subject{*guid, static_cast<RegistrationRequest>(*number)};
    auto part = next_part(rest);
    if (part && is_language_tag(*part)) {
        subject.language = *part;
        part = next_part(rest);
    }
    if (part && part->starts_with(title_mark)) {
        subject.title_index = parse_number<std::uint32_t>(part->substr(title_mark.size()));
        if (!subject.title_index) return std::nullopt;
        part = next_part(rest);
    }
    return part || !rest.empty() ? std::nullopt : std::optional(std::move(subject));
}

std::unique_ptr<Source> open_v2_files(V2Files files, const Limits& limits) {
    return std::make_unique<V2FileSource>(std::move(files), limits);
}

}  // namespace hkpd
