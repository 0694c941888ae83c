// The pages of documentation are correct. Each block of commands is run here and its output compared, or it is a step
// of tests/run.sh or of a script that is one, or the paragraph before it states that it is not run in CI. Each block of
// code is part of a file that is built, and trees of folders are those of the project.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/machine.hpp"
#include "support/places.hpp"
#include "support/temp_folder.hpp"

namespace readme_cli_test {

constexpr std::string_view indent = "    ", fence = "```", not_run = "Not run in CI";
/// Marks the script that runs a block, for blocks that need more than this program has.
constexpr std::string_view elsewhere = "console ";

/// A block of code and its context.
struct CodeBlock {
    std::size_t line = 0;   ///< of its first line, from 1
    std::string info;       ///< text after the fence; empty for indented blocks
    std::string paragraph;  ///< the one before it
    std::vector<std::string> lines;

    bool is_run() const {
        return std::ranges::any_of(lines, [](const auto& text) { return text.starts_with("$ "); });
    }
};

class PageReader {
  public:
    /// Takes the next line of the page, from 1 on.
    void take(std::size_t number, const std::string& text) {
        if (fenced_) {
            text == fence ? end() : block_.lines.push_back(text);
        } else if (text.starts_with(fence)) {
            begin(number + 1);
            block_.info = text.substr(fence.size());
            fenced_ = true;
        } else if (text.starts_with(indent) && (inside_ || blank_)) {
            if (!inside_) begin(number);
            block_.lines.push_back(text.substr(indent.size()));
        } else if (inside_ && text.empty()) {
            block_.lines.emplace_back();  // it may continue
        } else {
            end();
            if (blank_) paragraph_.clear();
            paragraph_ += text + '\n';
        }
        blank_ = text.empty();
    }
    std::vector<CodeBlock> finish() {
        end();
        return std::move(blocks_);
    }

  private:
    void begin(std::size_t line) {
        end();
        block_ = {line, {}, std::exchange(paragraph_, {}), {}};
        inside_ = true;
    }
    void end() {
        if (!inside_) return;
        while (!fenced_ && block_.lines.back().empty()) block_.lines.pop_back();
        blocks_.push_back(std::move(block_));
        inside_ = fenced_ = false;
        blank_ = true;
    }

    std::vector<CodeBlock> blocks_;
    CodeBlock block_;
    std::string paragraph_;
    bool inside_ = false, fenced_ = false, blank_ = true;
};

std::vector<CodeBlock> code_blocks(const std::filesystem::path& page) {
    std::ifstream file(page);
    EXPECT_TRUE(file) << page;
    PageReader reader;
    std::size_t number = 0;
    for (std::string line; std::getline(file, line);) reader.take(++number, line);
    return reader.finish();
}

std::filesystem::path root() { return std::filesystem::path(hkpd_test::testdata_folder).parent_path(); }

/// Makes a folder that resembles the tree, for commands that write files.
void link_tree(const std::filesystem::path& folder) {
    for (const auto& entry : std::filesystem::directory_iterator(root()))
        if (!entry.path().filename().string().starts_with('.'))
            std::filesystem::create_symlink(entry.path(), folder / entry.path().filename());
}

std::string shell_output(const std::string& command, const std::filesystem::path& folder) {
    const std::string programs = std::filesystem::path(hkpd_test::command_file).parent_path().string();
    const std::string line = "cd '" + folder.string() + "' && export COLUMNS=100 PATH='" + programs +
                             "':\"$PATH\" && { " + command + "\n} 2>&1 < /dev/null";
    std::string output;
    FILE* pipe = popen(line.c_str(), "r");  // NOLINT(cert-env33-c): the commands are the page's own
    if (pipe == nullptr) return "no shell";
    std::array<char, 4096> part{};
    while (const std::size_t size = std::fread(part.data(), 1, part.size(), pipe)) output.append(part.data(), size);
    pclose(pipe);
    return output;
}

/// A text without the numbers of its sizes (`195.4 KiB`), and these.
struct Sized {
    std::string text;
    std::vector<double> sizes;
};

Sized without_sizes(const std::string& text) {
    static const std::regex size(R"(([0-9]+\.[0-9]) ([KMG]iB))");
    Sized result{std::regex_replace(text, size, "# $2"), {}};
    for (std::sregex_iterator found(text.begin(), text.end(), size), end; found != end; ++found)
        result.sizes.push_back(std::stod((*found)[1]));
    return result;
}

/// Returns whether an output is what a page shows. The pages are made with one version of zstd; with others, compressed
/// files have other sizes, which may differ by 2 %.
bool is_shown(const std::string& output, const std::string& shown) {
    constexpr double allowed = 0.02;
    static const bool sizes_are_exact = shell_output("hkpd --version", root()).contains("zstd 1.5.4\n");
    if (output == shown || sizes_are_exact) return output == shown;
    const Sized found = without_sizes(output), expected = without_sizes(shown);
    return found.text == expected.text && std::ranges::equal(found.sizes, expected.sizes, [&](double a, double b) {
               return std::abs(a - b) <= b * allowed;
           });
}

/// Runs each `$ ` line of a block, joined with the lines that continue it after a `\`; compares the following lines
/// with the output.
void expect_shown(const CodeBlock& block, const std::filesystem::path& folder) {
    EXPECT_TRUE(block.lines.front().starts_with("$ ")) << "a block begins with a command, or has none";
    for (auto line = block.lines.begin(); line != block.lines.end();) {
        std::string command = (line++)->substr(2), shown;
        while (command.ends_with('\\') && line != block.lines.end()) command += '\n' + *line++;
        for (; line != block.lines.end() && !line->starts_with("$ "); ++line) shown += *line + '\n';
        std::string output = shell_output(command, folder);
        while (output.ends_with("\n\n")) output.pop_back();
        if (!is_shown(output, shown)) {
            EXPECT_EQ(output, shown) << command;
        }
    }
}

bool is_step(const std::string& script) {
    const std::string steps = hkpd_test::read_file(root() / "tests/run.sh") + hkpd_test::read_file(root() / ".ci/run");
    return std::filesystem::is_regular_file(root() / script) && steps.contains(script);
}

/// Requires that code in a fence equals the file named after the language, and that commands equal those of a step.
void expect_built(const CodeBlock& block) {
    const auto space = block.info.find(' ');
    ASSERT_NE(space, std::string::npos) << "which file is this of?";
    std::string code;
    for (const std::string& line : block.lines) code += line + '\n';
    const std::string file = block.info.substr(space + 1);
    EXPECT_NE(hkpd_test::read_file(root() / file).find(code), std::string::npos) << block.info;
    EXPECT_TRUE(!block.info.starts_with("sh ") || is_step(file)) << block.info;
}

/// Checks scripts that run by themselves in CI: each line names one.
void expect_steps(const CodeBlock& block) {
    for (std::string line : block.lines) {
        line.resize(std::min(line.find_first_of(" #"), line.size()));
        if (line.starts_with("./")) line.erase(0, 2);
        EXPECT_TRUE(is_step(line)) << line << ": neither run here (`$ `), nor a step of tests/run.sh, nor \"" << not_run
                                   << "\" in front";
    }
}

/// Returns the folders at the beginning of a line of a tree, each with `/` at its end.
std::vector<std::string> folders_of(const std::string& line) {
    std::istringstream words(line);
    std::vector<std::string> found;
    for (std::string word; words >> word && word.ends_with('/');) found.push_back(word.substr(0, word.size() - 1));
    return found;
}

/// Requires that the folders of a tree exist, and that the subfolders of each are all there, if any is.
void expect_tree(const CodeBlock& block) {
    namespace fs = std::filesystem;
    std::vector<fs::path> parents;
    std::map<fs::path, std::set<std::string>> children;
    for (const std::string& line : block.lines) {
        const std::size_t depth = line.find_first_not_of(' ') / 2;
        const std::vector<std::string> folders = folders_of(line);
        ASSERT_TRUE(!folders.empty() && depth <= parents.size()) << line;
        parents.resize(depth);
        const fs::path parent = parents.empty() ? root() : parents.back();
        for (const std::string& folder : folders) {
            EXPECT_TRUE(fs::is_directory(parent / folder)) << parent / folder;
            EXPECT_TRUE(children[parent].insert(folder).second) << folder;
        }
        parents.push_back(parent / folders.back());
    }
    children.erase(root());
    for (const auto& [parent, listed] : children)
        for (const auto& entry : fs::directory_iterator(parent)) {
            const std::string name = entry.path().filename().string();
            const bool is_made = name.starts_with('.') || name.starts_with('_') || name == "build";
            EXPECT_TRUE(!entry.is_directory() || is_made || listed.contains(name)) << entry.path();
        }
}

void expect_true(const char* page) {
    if (hkpd_test::is_skipped(hkpd_test::missing_links())) return;
    const hkpd_test::TempFolder folder;
    link_tree(folder.path());
    std::size_t run = 0;
    for (const CodeBlock& block : code_blocks(root() / page)) {
        SCOPED_TRACE(page + (":" + std::to_string(block.line)));
        if (block.paragraph.contains(not_run)) {
            EXPECT_FALSE(block.is_run()) << "`$ ` promises that it is run";
        } else if (block.info.starts_with(elsewhere)) {
            EXPECT_TRUE(is_step(block.info.substr(elsewhere.size()))) << block.info;
        } else if (block.is_run()) {
            expect_shown(block, folder.path());
            ++run;
        } else if (block.info == "tree") {
            expect_tree(block);
        } else if (!block.info.empty()) {
            expect_built(block);
        } else {
            expect_steps(block);
        }
    }
    EXPECT_NE(run, 0U);
}

/// Returns the targets of links to files of the tree, without the part after `#`.
std::vector<std::string> linked_files(const std::string& text) {
    static const std::regex link(R"(\]\(([^)#:]+)(#[^)]*)?\))");
    std::vector<std::string> files;
    for (std::sregex_iterator found(text.begin(), text.end(), link), end; found != end; ++found)
        files.push_back((*found)[1]);
    return files;
}

TEST(Pages, LinkToExistingFiles) {
    std::size_t links = 0;
    for (const char* page :
         {"README.md", "CONTRIBUTING.md", "SECURITY.md", "lib/README.md", "lib/FORMATS.md", "testdata/README.md",
          "tests/bench/README.md", "tools/INSTALL.md", "tools/OUTPUTS.md", "tools/RECORD.md", "tools/TUTORIAL.md",
          "tools/packaging/clickhouse/README.md", "tools/bindings/go/README.md", "tools/bindings/python/README.md",
          "tools/bindings/rust/README.md", "tools/packaging/vcpkg/README.md"})
        for (const std::string& file : linked_files(hkpd_test::read_file(root() / page))) {
            EXPECT_TRUE(std::filesystem::exists((root() / page).parent_path() / file)) << page << ": " << file;
            ++links;
        }
    EXPECT_GT(links, 10U);
}

TEST(BindingsReadmes, ShowCodeThatIsBuilt) {
    for (const char* page : {"tools/bindings/go/README.md", "tools/bindings/rust/README.md"}) {
        std::size_t built = 0;
        for (const CodeBlock& block : code_blocks(root() / page)) {
            if (block.info.empty()) continue;
            SCOPED_TRACE(page + (":" + std::to_string(block.line)));
            expect_built(block);
            ++built;
        }
        EXPECT_EQ(built, 2U) << page;
    }
}

TEST(Readme, ShowsTheRealOutput) { expect_true("README.md"); }

TEST(LibraryReadme, ShowsTheRealOutput) { expect_true("lib/README.md"); }

TEST(Tutorial, ShowsTheRealOutput) { expect_true("tools/TUTORIAL.md"); }

TEST(Outputs, ShowTheRealOutput) { expect_true("tools/OUTPUTS.md"); }

TEST(Contributing, ShowsTheRealOutput) { expect_true("CONTRIBUTING.md"); }

}  // namespace readme_cli_test
