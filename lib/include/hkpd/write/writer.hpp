// Samples as text. Every form is appended to a buffer of the caller's, which decides when and where it goes.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "hkpd/error.hpp"
#include "hkpd/sample.hpp"
#include "hkpd/select.hpp"
#include "hkpd/titles.hpp"

namespace hkpd {

enum class Format : std::uint8_t {
    table,  ///< for people
    json,   ///< one document: samples and diagnostics
    jsonl,  ///< a line for each value
    csv,    ///< likewise, RFC 4180 with a header
};

/// The format of a name as `--format` takes it.
std::optional<Format> format_of(std::string_view name) noexcept;

struct WriteOptions {
    const Titles* titles = nullptr;  ///< the tables that samples were named from; must outlive the writer
    bool help_text = false;
    bool type_names = false;  ///< table: show the types of counters
    std::size_t width = 100;  ///< table: columns of the terminal
};

/// One form of output. `begin`, then `sample` for each, then `end`.
class Writer {
  public:
    virtual ~Writer() = default;

    virtual void begin(std::string& out);
    /// The selected parts of a sample.
    virtual void sample(const Sample& sample, std::span<const Selected> selected, std::string& out) = 0;
    /// What is to follow the last sample; the diagnostics are part of the JSON document, and of no other form.
    virtual void end(const Diagnostics& diagnostics, std::string& out);
};

std::unique_ptr<Writer> make_writer(Format format, const WriteOptions& options);

/// A diagnostic as a line for people: `FILE: offset 0x14: error: PERF_DATA_BLOCK.TotalByteLength: ...`, no line end.
void append_diagnostic(std::string& out, const Diagnostics& diagnostics, const Diagnostic& diagnostic);

/// Where a title table comes from, and its language: `perfc009.dat (language 009)`. Printable.
void append_table_name(std::string& out, const TitleTable& table);

/// Appends text so that no terminal acts on it: control and formatting characters are shown as `\x1B`, `\u202E`.
void append_printable(std::string& out, std::string_view text);

}  // namespace hkpd
