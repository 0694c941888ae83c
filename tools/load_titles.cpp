#include <array>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <utility>

#include "command.hpp"
#include "hkpd/source.hpp"

namespace hkpd::command {
namespace {

namespace fs = std::filesystem;

/// The largest title database is a few MiB; what is larger is something else.
constexpr std::size_t most_bytes = std::size_t{256} << 20U;

void fault(Errc code, std::uint64_t need, std::uint64_t have, Diagnostics& diagnostics) {
    diagnostics.add(Severity::error, {code, 0, "", "", need, have});
}

/// Adds the tables of a file. In a directory, files of other kinds are no fault.
void load_file(const fs::path& path, bool in_directory, Titles& titles, Diagnostics& diagnostics) {
    diagnostics.enter_input(path.string());
    std::ifstream file(path, std::ios::binary);
    if (!file) return fault(Errc::cannot_read, 0, static_cast<std::uint64_t>(errno), diagnostics);
    std::string content;
    std::array<char, std::size_t{64} * 1024> part{};
    while (content.size() <= most_bytes && file) {
        file.read(part.data(), part.size());
        content.append(part.data(), static_cast<std::size_t>(file.gcount()));
    }
    if (content.size() > most_bytes) return fault(Errc::byte_limit, content.size(), most_bytes, diagnostics);
    const auto name = path.filename().string();
    auto tables = parse_titles(Bytes(std::as_bytes(std::span(content))), name, diagnostics);
    if (!tables) {
        diagnostics.add(in_directory ? Severity::note : Severity::error, tables.error());
        return;
    }
    for (TitleTable& table : *tables) titles.add(std::move(table));
}

void load_directory(const fs::path& path, Titles& titles, Diagnostics& diagnostics) {
    std::error_code error;
    const std::vector<std::string> files = files_in(path.string(), error);
    const std::size_t before = titles.tables().size();
    for (const std::string& file : files) load_file(file, true, titles, diagnostics);
    if (titles.tables().size() != before && !error) return;
    diagnostics.enter_input(path.string());
    if (error)
        fault(Errc::cannot_read, 0, static_cast<std::uint64_t>(error.value()), diagnostics);
    else
        fault(Errc::not_recognised, 0, 0, diagnostics);
}

}  // namespace

Titles load_titles(const std::vector<std::string>& paths, const std::vector<std::string>& languages,
                   Diagnostics& diagnostics) {
    Titles titles;
    titles.prefer(languages);
    if (paths.empty()) titles.add(builtin_titles());
    for (const std::string& path : paths) {
        std::error_code error;
        if (fs::is_directory(path, error))
            load_directory(path, titles, diagnostics);
        else
            load_file(path, false, titles, diagnostics);
    }
    return titles;
}

bool is_language(std::string_view text) noexcept {
    constexpr std::string_view digits = "0123456789abcdefABCDEF";
    return !text.empty() && text.size() <= 3 && text.find_first_not_of(digits) == std::string_view::npos;
}

}  // namespace hkpd::command
