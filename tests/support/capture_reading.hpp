// Writes and reads captures in memory, for tests to compare.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <functional>
#include <istream>
#include <optional>
#include <random>
#include <span>
#include <sstream>
#include <streambuf>
#include <string>
#include <string_view>
#include <vector>

#include "hkpd/capture.hpp"
#include "hkpd/diagnostics.hpp"
#include "hkpd/error.hpp"
#include "hkpd/limits.hpp"
#include "support/usual_severity.hpp"

namespace hkpd_test {

/// A record with its own copy of the bytes.
struct Kept {
    hkpd::Record::Kind kind{};
    std::string bytes, machine{}, name{}, language{};
    std::optional<std::uint64_t> time{};
    std::optional<std::uint32_t> sequence{};
    hkpd::Guid counterset{};
    std::uint32_t request = 0;
    std::optional<std::uint32_t> title_index{};
    hkpd::Guid log{};

    bool operator==(const Kept&) const = default;

    hkpd::Record record() const {
        hkpd::Record record{kind, hkpd::Bytes(std::as_bytes(std::span(bytes)))};
        record.machine = machine;
        record.name = name;
        record.language = language;
        record.time = time;
        record.sequence = sequence;
        record.counterset = counterset;
        record.request = request;
        record.title_index = title_index;
        record.log = log;
        return record;
    }
};

inline Kept block(std::string bytes, std::uint64_t time, std::uint32_t sequence = 0, std::string machine = {}) {
    return {hkpd::Record::Kind::v1_block, std::move(bytes), std::move(machine), {}, {}, time, sequence};
}
inline Kept titles(std::string bytes, std::string machine, std::string name, std::string language = {},
                   std::optional<std::uint64_t> time = {}) {
    return {
        hkpd::Record::Kind::titles, std::move(bytes), std::move(machine), std::move(name), std::move(language), time};
}

inline void PrintTo(const Kept& kept, std::ostream* out) {
    constexpr std::array kinds{"block ",        "titles ",     "provenance ",    "V2 block ", "identifiers ",
                               "registration ", "log header ", "log catalogue ", "row ",      "log trailer "};
    *out << kinds.at(static_cast<std::size_t>(kept.kind)) << kept.bytes.size() << " bytes '" << kept.bytes.substr(0, 16)
         << "' of '" << kept.machine << "' '" << kept.name << "' '" << kept.language << "' at " << kept.time.value_or(0)
         << " #" << static_cast<std::int64_t>(kept.sequence.value_or(~0U));
}

/// Copies a record, wherever it is in the input.
inline Kept keep_any(const hkpd::Record& record) {
    return {record.kind,
            {reinterpret_cast<const char*>(record.bytes.data()), record.bytes.size()},
            std::string(record.machine),
            std::string(record.name),
            std::string(record.language),
            record.time,
            record.sequence,
            record.counterset,
            record.request,
            record.title_index,
            record.log};
}
inline Kept keep(const hkpd::Record& record) {
    EXPECT_EQ(record.bytes.offset(), 0U);
    return keep_any(record);
}

/// Returns severity, code and place of each diagnostic: `error chunk_checksum@123`.
inline std::string found(const hkpd::Diagnostics& diagnostics, bool places = false) {
    std::string text;
    for (const hkpd::Diagnostic& diagnostic : diagnostics.kept()) {
        EXPECT_EQ(diagnostic.place.record, hkpd::no_index);
        expect_usual_severity(diagnostic);
        text += text.empty() ? "" : ", ";
        text.append(severity_name(diagnostic.severity)).append(" ").append(code_name(diagnostic.error.code));
        if (places) text += "@" + std::to_string(diagnostic.error.offset);
    }
    return text;
}

struct Reading {
    std::vector<Kept> records;
    hkpd::Diagnostics diagnostics;
    std::vector<hkpd::CaptureInfo::MetadataRecord> metadata;

    /// Returns the bytes of all records, one after the other.
    std::string bytes() const {
        std::string all;
        for (const Kept& kept : records) all += kept.bytes + "|";
        return all;
    }
};

enum class Wanted : bool { all, titles_alone };

inline Reading read_stream(std::istream& stream, Wanted wanted = Wanted::all, const hkpd::Limits& limits = {}) {
    Reading reading;
    hkpd::CaptureReader reader(stream, limits);
    if (wanted == Wanted::titles_alone) reader.skip_samples(reading.diagnostics);
    while (const auto record = reader.next(reading.diagnostics)) reading.records.push_back(keep(*record));
    EXPECT_FALSE(reader.next(reading.diagnostics));
    reading.metadata.assign(reader.metadata().begin(), reader.metadata().end());
    return reading;
}

inline Reading read_capture(const std::string& bytes, Wanted wanted = Wanted::all, const hkpd::Limits& limits = {}) {
    std::istringstream stream(bytes);
    return read_stream(stream, wanted, limits);
}

/// Memory that counts the bytes read, and can seek or not.
class MemoryBuffer : public std::streambuf {
  public:
    MemoryBuffer(std::string bytes, bool seeks) : bytes_(std::move(bytes)), seeks_(seeks) {}

    std::uint64_t bytes_read() const { return read_; }

  protected:
    std::streamsize xsgetn(char* to, std::streamsize count) override {
        const std::size_t got = bytes_.copy(to, static_cast<std::size_t>(count), at_);
        at_ += got;
        read_ += got;
        return static_cast<std::streamsize>(got);
    }
    int_type underflow() override {
        return at_ == bytes_.size() ? traits_type::eof() : traits_type::to_int_type(bytes_[at_]);
    }
    int_type uflow() override {
        if (at_ == bytes_.size()) return traits_type::eof();
        ++read_;
        return traits_type::to_int_type(bytes_[at_++]);
    }
    pos_type seekoff(off_type offset, std::ios_base::seekdir from, std::ios_base::openmode mode) override {
        const std::size_t base = from == std::ios::beg ? 0 : from == std::ios::end ? bytes_.size() : at_;
        return seekpos(static_cast<off_type>(base) + offset, mode);
    }
    pos_type seekpos(pos_type position, std::ios_base::openmode /*mode*/) override {
        if (!seeks_ || position < 0 || position > static_cast<off_type>(bytes_.size())) return off_type(-1);
        at_ = static_cast<std::size_t>(static_cast<off_type>(position));
        return position;
    }

  private:
    std::string bytes_;
    std::size_t at_ = 0;
    bool seeks_;
    std::uint64_t read_ = 0;
};

class MemoryStream : public std::istream {
  public:
    MemoryStream(std::string bytes, bool seeks) : std::istream(nullptr), buffer_(std::move(bytes), seeks) {
        rdbuf(&buffer_);
    }
    std::uint64_t bytes_read() const { return buffer_.bytes_read(); }

  private:
    MemoryBuffer buffer_;
};

/// A capture in memory, and the offset at which each write ended.
struct Written {
    std::string bytes;
    std::vector<std::size_t> ends;
    bool good = false;
};

inline Written write_capture(const hkpd::CaptureOptions& options,
                             const std::function<void(hkpd::CaptureWriter&)>& fill) {
    Written written;
    hkpd::CaptureWriter writer(
        [&written](std::span<const std::byte> bytes) {
            written.bytes.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
            written.ends.push_back(written.bytes.size());
            return true;
        },
        options);
    fill(writer);
    written.good = writer.good();
    return written;
}

inline std::string random_bytes(std::mt19937& random, std::size_t size) {
    std::string bytes(size, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random());
    return bytes;
}

inline hkpd::CaptureInfo info_of(std::istream& stream, hkpd::Diagnostics& diagnostics) {
    return hkpd::CaptureReader(stream, {}).info(diagnostics);
}

}  // namespace hkpd_test
