// The modules of the library depend only on modules of lower levels, no file includes itself through others, and the
// command uses the library as any program does.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "support/places.hpp"

namespace modules_test {

namespace fs = std::filesystem;

const fs::path library = fs::path(hkpd_test::testdata_folder).parent_path() / "lib";
const fs::path command = library.parent_path() / "tools" / "hkpd";

/// The private headers of the library that `tools/hkpd/terminal` may include: files and their names, the nearest name
/// to a mistyped one, statuses of Windows, and quantities on the terminal.
const std::set<std::string> headers_of_terminal{
    "base/file_stream.hpp", "base/path.hpp",         "base/text/names.hpp",
    "base/win32.hpp",       "quantity/quantity.hpp", "source/whole_file.hpp",
};

/// The level of each module, as in CONTRIBUTING.md. A module may include those of lower levels only. Those of the
/// decoder are the first 13, so that it includes none of the other components.
const std::map<std::string, int> levels{
    {"base", 1},   {"mcap", 2},      {"v1", 2},         {"v2", 3},       {"blg", 3},       {"quantity", 3},
    {"names", 4},  {"sample", 5},    {"identity", 6},   {"cook", 7},     {"select", 7},    {"capture", 7},
    {"check", 7},  {"map", 7},       {"statistics", 8}, {"text_log", 8}, {"source", 9},    {"compare", 10},
    {"live", 10},  {"redact", 10},   {"answers", 11},   {"write", 12},   {"run", 13},      {"entry", 14},
    {"rules", 14}, {"provider", 14}, {"report", 15},    {"abi", 16},     {"simulate", 16},
};

/// The module of each public header whose name differs from its module's.
const std::map<std::string, std::string> public_headers{
    {"bytes", "base"},          {"error", "base"},
    {"diagnostics", "base"},    {"limits", "base"},
    {"guid", "base"},           {"time", "base"},
    {"zone", "base"},           {"log_zones", "base"},
    {"text_encoding", "base"},  {"record", "base"},
    {"version", "base"},        {"counter_type", "v1"},
    {"v1_writer", "provider"},  {"local_perflib", "provider"},
    {"hkpd", "entry"},          {"reader", "source"},
    {"overview", "source"},     {"summary", "write"},
    {"rule_check", "rules"},    {"series", "statistics"},
    {"format", "write"},        {"time_range", "source"},
    {"input_check", "answers"}, {"export", "source"},
    {"map_run", "run"},         {"window", "answers"},
    {"verdict", "answers"},
};

struct File {
    std::string module;
    std::vector<std::string> includes;  // of the project itself
};

/// Returns the module of a file, by its path relative to lib/src, or to lib/include (`hkpd/…`).
std::string module_of(const std::string& file) {
    if (file == "hkpd.h") return "abi";
    if (!file.starts_with("hkpd/")) return file.substr(0, file.find('/'));
    const std::string path = file.substr(5), stem = fs::path(path).stem().string();
    if (path.find('/') != std::string::npos) return path.substr(0, path.find('/'));
    const auto found = public_headers.find(stem);
    return found == public_headers.end() ? stem : found->second;
}

/// Returns the names of the files that a file includes, without those in angle brackets.
std::vector<std::string> includes_of(const fs::path& path) {
    static const std::regex include(R"re(^\s*#\s*include\s+"([^"]+)")re");
    std::vector<std::string> names;
    std::ifstream in(path);
    std::smatch match;
    for (std::string line; std::getline(in, line);)
        if (std::regex_search(line, match, include)) names.push_back(match[1]);
    return names;
}

std::map<std::string, File> read_library() {
    std::map<std::string, File> files;
    for (const fs::path& root : {library / "src", library / "include"})
        for (const auto& entry : fs::recursive_directory_iterator(root)) {
            const std::string extension = entry.path().extension().string();
            if (extension != ".hpp" && extension != ".cpp") continue;
            const std::string name = fs::relative(entry.path(), root).generic_string();
            files[name] = {module_of(name), includes_of(entry.path())};
        }
    return files;
}

TEST(Modules, EveryFileIsInAModuleWithALevel) {
    const auto files = read_library();
    ASSERT_GT(files.size(), 100U);
    for (const auto& [name, file] : files) EXPECT_TRUE(levels.contains(file.module)) << name << ": " << file.module;
}

TEST(Modules, DependenciesPointToLowerLevels) {
    const auto files = read_library();
    for (const auto& [name, file] : files)
        for (const std::string& included : file.includes) {
            const std::string other = module_of(included);
            if (other == file.module || other == "embedded") continue;  // `embedded`: generated, the bytes of files
            ASSERT_TRUE(levels.contains(file.module) && levels.contains(other)) << name << " includes " << included;
            EXPECT_LT(levels.at(other), levels.at(file.module))
                << name << " (" << file.module << ") includes " << included << " (" << other << ')';
        }
}

class Walk {
  public:
    explicit Walk(const std::map<std::string, File>& files) : files_(files) {}

    /// Visits a file and everything that it includes; adds each cycle.
    void visit(const std::string& name) {
        if (const auto at = std::ranges::find(path_, name); at != path_.end()) {
            std::string circle;
            for (auto i = at; i != path_.end(); ++i) circle += *i + " -> ";
            circles.push_back(circle + name);
            return;
        }
        const auto file = files_.find(name);
        if (file == files_.end() || !seen_.insert(name).second) return;
        path_.push_back(name);
        for (const std::string& included : file->second.includes) visit(included);
        path_.pop_back();
    }

    std::vector<std::string> circles;

  private:
    const std::map<std::string, File>& files_;
    std::set<std::string> seen_;
    std::vector<std::string> path_;
};

TEST(Modules, NoFileIncludesItself) {
    const auto files = read_library();
    Walk walk(files);
    for (const auto& [name, file] : files) walk.visit(name);
    EXPECT_EQ(walk.circles, std::vector<std::string>());
}

TEST(Modules, CommandIncludesPublicHeadersOnly) {
    std::size_t files = 0;
    std::set<std::string> unused = headers_of_terminal;
    for (const auto& entry : fs::recursive_directory_iterator(command)) {
        const std::string name = fs::relative(entry.path(), command).generic_string();
        if (const std::string extension = entry.path().extension().string(); extension != ".hpp" && extension != ".cpp")
            continue;
        ++files;
        for (const std::string& included : includes_of(entry.path())) {
            const bool is_generated = name == "build_facts.cpp" && included == "revision.hpp";
            if (included.starts_with("hkpd/") || is_generated || fs::exists(command / included)) continue;
            EXPECT_TRUE(name.starts_with("terminal/") && headers_of_terminal.contains(included))
                << name << " includes " << included;
            unused.erase(included);
        }
    }
    EXPECT_GT(files, 50U);
    EXPECT_EQ(unused, std::set<std::string>()) << "headers in the list that no file includes";
}

}  // namespace modules_test
