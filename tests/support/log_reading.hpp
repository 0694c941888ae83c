// Reads performance logs, for tests to compare: the records of a file, and the parts of an event as text.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "blg/blg.hpp"
#include "hkpd/source.hpp"
#include "support/capture_reading.hpp"
#include "support/log_bytes.hpp"
#include "support/registry_text.hpp"
#include "support/temp_folder.hpp"
#include "support/usual_severity.hpp"

namespace hkpd_test {

/// Writes a built log to a file in a folder and returns its path.
inline std::string write_log(const TempFolder& folder, std::string_view name, const log_file::File& file) {
    return folder.write(name, file.text());
}

struct LogRecords {
    std::vector<Kept> all;
    std::vector<std::uint64_t> offsets;  // where each record begins
    hkpd::Diagnostics diagnostics;

    std::vector<const Kept*> of(hkpd::Record::Kind kind) const {
        std::vector<const Kept*> found;
        for (const Kept& kept : all)
            if (kept.kind == kind) found.push_back(&kept);
        return found;
    }
    /// Returns the bytes of the only record of a kind.
    std::string only(hkpd::Record::Kind kind) const {
        const auto found = of(kind);
        EXPECT_EQ(found.size(), 1U);
        return found.empty() ? "" : found[0]->bytes;
    }
};

inline std::unique_ptr<LogRecords> read_log(const std::vector<std::string>& paths, const hkpd::Limits& limits = {}) {
    auto records = std::make_unique<LogRecords>();
    const auto source = hkpd::open_files(paths, limits);
    while (const auto record = source->next(records->diagnostics)) {
        records->all.push_back(keep_any(*record));
        records->offsets.push_back(record->bytes.offset());
    }
    return records;
}

/// Returns severity, code and place of each diagnostic: `error log_row@123|`, ...
inline std::string placed_faults(const hkpd::Diagnostics& diagnostics) {
    std::string text;
    for (const hkpd::Diagnostic& found : diagnostics.kept()) {
        text.append(severity_name(found.severity))
            .append(" ")
            .append(code_name(found.error.code))
            .append("@")
            .append(std::to_string(found.error.offset))
            .append("|");
        expect_usual_severity(found);
    }
    return text;
}

/// Returns the codes: `log_row|`, ...
inline std::string fault_codes(const hkpd::Diagnostics& diagnostics) {
    std::string text;
    for (const hkpd::Diagnostic& found : diagnostics.kept()) text.append(code_name(found.error.code)).append("|");
    return text;
}

inline std::string_view form_name(hkpd::blg::Form form) {
    using hkpd::blg::Form;
    return form == Form::raw ? "raw" : form == Form::instances ? "instances" : "block";
}

/// Returns an entry as text: `raw 10410400 2630633 -1 PC memory - - cache faults/sec`.
inline std::string entry_text(const hkpd::blg::Catalogue::Entry& entry) {
    std::string text(form_name(entry.form));
    if (entry.form != hkpd::blg::Form::block) {
        constexpr std::string_view digits = "0123456789abcdef";
        text += " ";
        for (std::uint32_t shift = 32; shift > 0; shift -= 4) text += digits[entry.type >> (shift - 4) & 0xF];
    }
    text.append(" ").append(std::to_string(entry.time_base)).append(" ").append(std::to_string(entry.scale));
    const auto add = [&text](std::optional<std::string_view> name) { text.append(" ").append(name.value_or("-")); };
    add(entry.machine);
    add(entry.object);
    add(entry.instance);
    add(entry.parent);
    add(entry.counter);
    return text;
}

/// A catalogue and the bytes from which it was opened, in a buffer of exactly their size.
struct OpenedCatalogue {
    explicit OpenedCatalogue(std::string_view event, std::uint64_t offset = 0)
        : bytes(event), opened(catalogue.open(bytes.at(offset), diagnostics)) {}

    ExactBytes bytes;
    hkpd::Diagnostics diagnostics;
    hkpd::blg::Catalogue catalogue;
    std::expected<void, hkpd::Error> opened;

    std::vector<std::string> entries() const {
        std::vector<std::string> all;
        for (const auto& entry : catalogue.entries()) all.push_back(entry_text(entry));
        return all;
    }
};

struct OpenedRow {
    explicit OpenedRow(std::string_view event, std::uint64_t offset = 0)
        : bytes(event), opened(row.open(bytes.at(offset), diagnostics)) {}

    ExactBytes bytes;
    hkpd::Diagnostics diagnostics;
    hkpd::blg::Row row;
    std::expected<void, hkpd::Error> opened;

    /// Returns forms and sizes in bytes: `raw 40,block 568`.
    std::string forms() const {
        std::string text;
        for (const hkpd::blg::RowRecord& record : row.records())
            text.append(text.empty() ? "" : ",")
                .append(form_name(record.form))
                .append(" ")
                .append(std::to_string(record.body.size()));
        return text;
    }
};

/// Returns `status time first second multi`.
inline std::string raw_text(const hkpd::blg::RawCounter& raw) {
    std::string text = std::to_string(raw.status);
    for (const std::int64_t number : {raw.time, raw.first, raw.second, std::int64_t{raw.multi_count}})
        text.append(" ").append(std::to_string(number));
    return text;
}

inline std::expected<hkpd::blg::Header, hkpd::Error> open_header(const std::string& event, std::uint64_t offset = 0) {
    return hkpd::blg::read_header(ExactBytes(event).at(offset));
}

/// Returns the bytes with an integer overwritten.
inline std::string patched(std::string bytes, std::size_t at, std::uint64_t value, std::size_t width = 4) {
    for (std::size_t i = 0; i < width; ++i) bytes.at(at + i) = static_cast<char>(value >> (8 * i) & 0xFF);
    return bytes;
}

inline std::string to_text(hkpd::Bytes bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

/// Returns the ASCII text of UTF-16.
inline std::string narrow(const hkpd::EncodedText& text) {
    std::string narrow;
    for (std::size_t at = 0; at < text.bytes.size(); at += 2) narrow += static_cast<char>(*text.bytes.at(at));
    return narrow;
}

/// Returns `name=status time first second multi` for each instance, with `?` for a lost name.
inline std::vector<std::string> instance_texts(const hkpd::blg::RawInstances& list) {
    std::vector<std::string> all;
    for (std::size_t i = 0; i < list.size(); ++i) {
        all.push_back((list.name(i) ? narrow(*list.name(i)) : "?") + "=" + raw_text(list.counter(i)));
    }
    return all;
}

}  // namespace hkpd_test
